//! Laws of the reader, over interchanges made up, real ones mutated, and any bytes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable,
    reason = "tests fail by panicking"
)]

use crate::common;

use candor_x12::{Input, Item, Limits, Path, Reader, TextSearch, Token, Walk};
use proptest::prelude::*;

use common::{account, account_of, account_read, fixtures, sound};

/// Text over the characters that matter to a reader.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        4 => "[A-Z0-9*:^~\n ]{0,12}".prop_map(String::into_bytes),
        2 => Just(common::ISA.as_bytes().to_vec()),
        1 => Just(common::ISA.replace('~', "\n").replace('*', "|").into_bytes()),
        2 => Just(b"GS*HB*SS*RR*20261120*1200*1*X*005010X279A1~".to_vec()),
        2 => Just(b"ST*271*0001~".to_vec()),
        2 => Just(b"SE*3*0001~".to_vec()),
        1 => Just(b"GE*1*1~IEA*1*000000001~".to_vec()),
        1 => Just(b"BIN*5*a~b*c~".to_vec()),
        1 => Just(b"TA1*000000050*200229*1200*A*000~".to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..20),
    ];
    proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

/// A real file with bytes changed, removed, put in, or cut.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let files = fixtures();
    (0..files.len(), proptest::collection::vec((any::<prop::sample::Index>(), 0..5_u8, any::<u8>()), 0..6)).prop_map(
        move |(file, changes)| {
            let mut bytes = files[file].1.clone();
            for (at, change, byte) in changes {
                if bytes.is_empty() {
                    break;
                }
                let at = at.index(bytes.len());
                match change {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    2 => drop(bytes.remove(at)),
                    3 => bytes.truncate(at),
                    _ => {
                        let other = bytes[at..].to_vec();
                        bytes.extend_from_slice(&other);
                    }
                }
            }
            bytes
        },
    )
}

/// The segments that a reader yields and the places of its faults.
fn tokens<I: Input>(mut reader: Reader<I>) -> Vec<(u64, Vec<u8>, String)> {
    let mut tokens = Vec::new();
    while let Some(token) = reader.next_token().unwrap() {
        tokens.push(match token {
            Token::Segment(segment) => (segment.offset(), segment.raw().to_vec(), segment.id().to_string()),
            Token::Fault(error) => (error.offset, Vec::new(), error.kind.to_string()),
        });
    }
    tokens
}

/// The laws that hold for any bytes.
fn laws(bytes: &[u8], chunk: usize, segment: usize) -> Result<(), TestCaseError> {
    let limits = Limits { chunk, segment, set: 4 * segment, ..Limits::default() };
    let expected = tokens(Reader::from_slice_with(bytes, limits));
    prop_assert_eq!(&tokens(Reader::from_read(bytes, limits)), &expected);
    prop_assert_eq!(account_read(bytes, limits), account_of(Walk::from_slice_with(bytes, limits)));
    let mut end = 0;
    for (offset, raw, _) in &expected {
        let at = usize::try_from(*offset).unwrap();
        prop_assert!(at >= end || raw.is_empty(), "segments overlap at {}", at);
        prop_assert_eq!(bytes.get(at..at + raw.len()), Some(raw.as_slice()));
        end = end.max(at + raw.len());
    }
    let mut walk = Walk::from_slice(bytes);
    while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
        let view = match &item {
            Item::Set(set) => {
                let view = set.view();
                let slow = view.segments().count() as u64;
                prop_assert_eq!(slow + u64::from(set.damaged), set.segments);
                let ends = (view.segments().next(), view.segments().last());
                prop_assert!(ends.0.unwrap().id().is("ST") && ends.1.unwrap().id().is("SE"));
                view
            }
            Item::Ta1(ta1) => ta1.view(),
            _ => continue,
        };
        for path in ["EB[*].3[*]", "EB[3=30][2].1", "ISA.16", "GS.8", "TA1.5", "BIN.2", "SE.1", "NM1[*]", "SVC.1.2"] {
            let path = Path::parse(path).unwrap();
            let anywhere = path.select_anywhere(view.segments_with(path.segment()));
            for value in path.select(&view) {
                prop_assert!(anywhere.contains(&value), "{path}: {:?}", value.text);
                let search = TextSearch::new(&path, &value.text);
                prop_assert!(search.is_none_or(|search| search.may_be_in(&view)), "{path}: {:?}", value.text);
                let at = usize::try_from(value.offset).unwrap();
                let raw = bytes.get(at..at + value.len).unwrap();
                let text = std::str::from_utf8(raw)
                    .map_or_else(|_| raw.iter().copied().map(char::from).collect::<String>(), str::to_owned);
                // Wrapping line breaks and the padding of ISA are all that is left out.
                let bare = |text: &str| text.replace(['\r', '\n', ' '], "").trim().to_owned();
                if value.text.is_ascii() || raw.iter().all(|byte| !matches!(byte, b'\r' | b'\n')) {
                    prop_assert_eq!(bare(&text), bare(&value.text));
                }
                prop_assert!(!value.text.is_empty());
            }
        }
    }
    Ok(())
}

/// A value that needs no escape under the delimiters of [`common::ISA`].
const VALUE: &str = "[A-Za-z0-9 .,-]{0,8}";

proptest! {
    #![proptest_config(ProptestConfig { cases: candor_test_size::cases(400), ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400), chunk in 1..40_usize) {
        laws(&bytes, chunk, 50)?;
    }

    #[test]
    fn bytes_that_look_like_x12(bytes in soup(), chunk in 1..200_usize, segment in 8..300_usize) {
        laws(&bytes, chunk, segment)?;
    }

    #[test]
    fn real_files_mutated(bytes in mutated(), chunk in 1..2000_usize, segment in 40..4000_usize) {
        laws(&bytes, chunk, segment)?;
    }

    #[test]
    fn files_that_are_wrapped(breaks in proptest::collection::vec((any::<prop::sample::Index>(), "[\r\n]{1,2}"), 0..12)) {
        let mut text = sound();
        for (at, by) in breaks {
            text.insert_str(common::ISA.len() + at.index(text.len() - common::ISA.len()), &by);
        }
        laws(text.as_bytes(), 50, 300)?;
    }

    #[test]
    fn what_is_written_is_read(
        segments in proptest::collection::vec(
            proptest::collection::vec(
                proptest::collection::vec(proptest::collection::vec(VALUE, 1..4), 1..4),
                1..6,
            ),
            1..10,
        ),
        separators in prop::sample::select(vec!["*:^~", "|>!\n", "\x1d\x1f\x1e\x1c", "+;@'"]),
    ) {
        let [element, component, repetition, terminator] = separators.as_bytes() else { unreachable!() };
        let mut text = common::ISA
            .replace('*', &char::from(*element).to_string())
            .replace(':', &char::from(*component).to_string())
            .replace('^', &char::from(*repetition).to_string())
            .replace('~', &char::from(*terminator).to_string())
            .into_bytes();
        let mut put = |segment: &[u8]| {
            text.extend_from_slice(segment);
            text.push(*terminator);
        };
        put(&[b"ST".as_slice(), b"271", b"0001"].join(element));
        for segment in &segments {
            let mut parts = vec![b"ZZZ".to_vec()];
            for element in segment {
                let repetitions: Vec<Vec<u8>> = element
                    .iter()
                    .map(|components| components.join(&char::from(*component).to_string()).into_bytes())
                    .collect();
                parts.push(repetitions.join(repetition));
            }
            put(&parts.join(element));
        }
        put(&[b"SE".as_slice(), (segments.len() + 2).to_string().as_bytes(), b"0001"].join(element));
        let lines = account(&text);
        let expected = format!("{} segments [IK502:18 GS", segments.len() + 2);
        prop_assert!(lines[0].contains(&expected), "{lines:?}");
        let mut walk = Walk::from_slice(&text);
        let Some(Item::Set(set)) = walk.next_item(&mut |_| true).unwrap() else { unreachable!() };
        for (s, segment) in segments.iter().enumerate() {
            for (e, element) in segment.iter().enumerate() {
                for (r, repetition) in element.iter().enumerate() {
                    for (c, value) in repetition.iter().enumerate() {
                        let path = format!("ZZZ[{}].{}[{}].{}", s + 1, e + 1, r + 1, c + 1);
                        let found = Path::parse(&path).unwrap().select(&set.view());
                        let expected: Vec<&str> = Some(value.as_str()).filter(|v| !v.is_empty()).into_iter().collect();
                        prop_assert_eq!(
                            found.iter().map(|value| value.text.as_ref()).collect::<Vec<_>>(),
                            expected,
                            "{}", path
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn any_text_as_a_path(text in "\\PC{0,20}") {
        if let Err(error) = Path::parse(&text) {
            prop_assert!(error.at <= text.len());
        }
    }

    #[test]
    fn near_paths(text in "[A-Z0-9a-z.\\[\\]*=/-]{0,14}") {
        match Path::parse(&text) {
            Ok(path) => prop_assert_eq!(path.as_str(), text),
            Err(error) => {
                prop_assert!(error.at <= text.len());
                if let Some(suggestion) = error.suggestion {
                    // At worst it names a loop, which is refused for its own reason.
                    let again = Path::parse(&suggestion);
                    prop_assert!(again.map_or_else(|e| e.to_string().contains("loop ids"), |_| true));
                }
            }
        }
    }
}
