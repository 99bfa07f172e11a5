//! The bodies of the X12 fuzz targets: any bytes, any path, and the properties that must hold.

use candor_x12::{Input, Item, Limits, Path, Reader, Token, Walk};

/// Reads bytes as X12: a stream in any pieces reads as the whole does, segments are at their spans, recomputed counts
/// agree, and the bytes contain every value that a path selects.
///
/// # Panics
/// When one of these does not hold.
pub fn x12(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    let limits = Limits {
        segment: 32 + usize::from(first) * 8,
        set: 256 + usize::from(first) * 64,
        control_numbers: 1 + usize::from(first % 8),
        chunk: 1 + usize::from(first),
    };
    let whole = tokens(Reader::from_slice_with(bytes, limits));
    assert_eq!(whole, tokens(Reader::from_read(bytes, limits)), "a stream reads otherwise");
    let mut end = 0;
    for (offset, raw, _) in &whole {
        let at = usize::try_from(*offset).expect("an offset in memory");
        assert!(raw.is_empty() || at >= end, "segments overlap at {at}");
        assert_eq!(bytes.get(at..at + raw.len()), Some(raw.as_slice()), "a segment is not where it says");
        end = end.max(at + raw.len());
    }
    let all = items(Walk::from_slice_with(bytes, limits), bytes);
    assert_eq!(all, items(Walk::from_read(bytes, limits), bytes), "a stream walks otherwise");
}

fn tokens<I: Input>(mut reader: Reader<I>) -> Vec<(u64, Vec<u8>, String)> {
    let mut tokens = Vec::new();
    while let Some(token) = reader.next_token().expect("bytes in memory do not fail") {
        tokens.push(match token {
            Token::Segment(segment) => {
                assert!(segment.elements().count() < 1 + segment.raw().len());
                (segment.offset(), segment.raw().to_vec(), segment.id().to_string())
            }
            Token::Fault(error) => (error.offset, Vec::new(), error.to_string()),
        });
    }
    tokens
}

fn items<I: Input>(mut walk: Walk<I>, bytes: &[u8]) -> Vec<String> {
    let paths = ["ISA.16", "GS[1].8", "ST.1.1", "EB[*].3[*]", "EB[3=30][2].1", "SE", "BIN.2", "TA1[4=A].5"]
        .map(|path| Path::parse(path).expect("a path"));
    let mut items = Vec::new();
    while let Some(item) = walk.next_item(&mut |head| head.st.text(1) != "999").expect("bytes in memory do not fail") {
        let view = match &item {
            Item::Set(set) => {
                let view = set.view();
                let read = view.segments().count() as u64 + u64::from(set.damaged);
                assert_eq!(read, set.segments, "another count of segments");
                assert!(view.segments().last().is_some_and(|last| last.id().is("SE")));
                items.push(format!("set at {} {:?}", set.body.offset, set.findings));
                view
            }
            Item::Ta1(ta1) => {
                items.push(format!("TA1 at {}", ta1.body.offset));
                ta1.view()
            }
            Item::GroupEnd { .. } | Item::InterchangeEnd { .. } | Item::Fault(_) => {
                items.push(format!("{item:?}"));
                continue;
            }
        };
        for path in &paths {
            for value in path.select(&view) {
                let at = usize::try_from(value.offset).expect("an offset in memory");
                let raw = bytes.get(at..at + value.len).expect("a value stands in the bytes");
                assert!(!value.text.is_empty() && value.text.chars().count() <= raw.len());
                items.push(format!("{path} {:?} at {at}", value.text));
            }
        }
    }
    items
}

/// Reads text as a path; a suggestion is itself a path.
///
/// # Panics
/// When a place is outside the text, or a suggestion cannot be read.
pub fn x12_path(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Path::parse(text) {
        Ok(path) => assert_eq!(path.as_str(), text),
        Err(error) => {
            assert!(error.at <= text.len(), "a place outside the path");
            assert!(!error.to_string().is_empty());
            if let Some(suggestion) = error.suggestion {
                let again = Path::parse(&suggestion);
                assert!(
                    again.map_or_else(|error| error.to_string().contains("loop ids"), |_| true),
                    "the suggestion {suggestion} is no path"
                );
            }
        }
    }
}
