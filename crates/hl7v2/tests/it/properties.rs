//! The laws that hold for any bytes and any path.

use candor_hl7v2::{Delimiters, Field, Malformed, Path, Piece, TextSearch, messages};
use proptest::collection::vec;
use proptest::prelude::*;

/// Bytes that look like HL7 v2 often enough to get past the first line.
fn wire() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(&b"MSH|^~\\&|A|||||||1"[..]),
        1 => Just(&b"MSH#*!?%+#A"[..]),
        1 => Just(&b"MSH|^"[..]),
        1 => Just(&b"MSH|^^"[..]),
        1 => Just(&b"FHS|^~\\&|F"[..]),
        1 => Just(&b"BTS|1"[..]),
        6 => Just(&b"\r"[..]),
        1 => Just(&b"\n"[..]),
        1 => Just(&b"\r\n"[..]),
        1 => Just(&b"\x0b"[..]),
        2 => Just(&b"\x1c"[..]),
        1 => Just(&b"\xEF\xBB\xBF"[..]),
        3 => Just(&b"PID|1||77^^^H^MR~5&6||\\T\\\\XE9\\^\xE9\\"[..]),
        2 => Just(&b"OBX|2|NM|2345-7^G||\"\"|"[..]),
        1 => Just(&b"text"[..]),
        1 => Just(&b"\0 \t"[..]),
    ];
    let any = vec(any::<u8>(), 0..6);
    vec(prop_oneof![8 => piece.prop_map(<[u8]>::to_vec), 1 => any], 0..24).prop_map(|pieces| pieces.concat())
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Z]{3}(\\[(\\*|[0-9]|[0-9]\\.[0-9]=[a-z0-9]{1,3})\\])?([.-][0-9]{1,2}(\\[(\\*|[0-9])\\])?([.-][0-9]){0,3})?",
        "(PID|MSH|OBX)(\\[[*1-3]\\])?\\.[1-9](\\[[*1-3]\\])?(\\.[1-3]){0,2}",
        ".{0,12}",
        "[PID0-9.\\[\\]=*-]{0,12}",
    ]
}

/// A field put together again from its subcomponents.
fn render(field: &Field<'_>, delimiters: &Delimiters) -> Vec<u8> {
    if field.is_opaque() {
        return field.piece().raw().to_vec();
    }
    let join = |pieces: Vec<Vec<u8>>, delimiter: Option<u8>| pieces.join(delimiter.as_slice());
    let component = |piece: Piece<'_>| {
        join(piece.subcomponents(delimiters).map(|piece| piece.raw().to_vec()).collect(), delimiters.subcomponent)
    };
    let repetition =
        |piece: Piece<'_>| join(piece.components(delimiters).map(component).collect(), Some(delimiters.component));
    join(field.repetitions().map(repetition).collect(), delimiters.repetition)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: candor_test_size::cases(256), ..ProptestConfig::default() })]

    #[test]
    fn items_stand_in_order_and_cover_all_that_is_not_framing(input in wire()) {
        let mut end = 0;
        let mut between = Vec::new();
        for item in messages(&input) {
            let span = match &item {
                Ok(message) => message.span(),
                Err(error) => {
                    prop_assert!(error.offset <= input.len());
                    prop_assert!(error.kind == Malformed::UnclosedFrame || (error.span.start..=error.span.end).contains(&error.offset));
                    error.span.clone()
                }
            };
            prop_assert!(span.start >= end && span.end >= span.start && span.end <= input.len());
            between.push(&input[end..span.start]);
            end = span.end;
        }
        between.push(&input[end..]);
        for line in between.iter().flat_map(|gap| gap.split(|byte| b"\r\n".contains(byte))) {
            let text = String::from_utf8_lossy(line).replace(['\0', ' ', '\t', '\u{c}', '\u{b}', '\u{1c}', '\u{feff}'], "");
            let batch = ["FHS", "BHS", "BTS", "FTS"].iter().any(|id| text.starts_with(id));
            prop_assert!(text.is_empty() || batch, "{text:?} was passed over");
        }
    }

    #[test]
    fn a_message_is_its_segments(input in wire()) {
        for message in messages(&input).flatten() {
            let separator = message.delimiters().field;
            let mut end = message.span().start;
            for (at, segment) in message.segments().enumerate() {
                let span = segment.piece().span();
                prop_assert!(input[end..span.start].iter().all(|byte| b"\r\n \t\0\x0c".contains(byte) || *byte > 0x7F));
                end = span.end;
                prop_assert_eq!(at == 0, segment.id() == *b"MSH");
                let mut rendered = segment.id().to_vec();
                for field in segment.fields() {
                    let opaque = field.is_opaque() && field.piece().raw() == [separator];
                    if !opaque {
                        rendered.push(separator);
                        rendered.extend(render(&field, message.delimiters()));
                    }
                }
                prop_assert_eq!(rendered, segment.piece().raw());
            }
            prop_assert!(input[end..message.span().end].iter().all(|byte| b"\r\n".contains(byte)));
        }
    }

    #[test]
    fn what_is_read_does_not_depend_on_what_follows(input in wire()) {
        let good = b"\r\x1c\rMSH|^~\\&|A|||||||LAST\rPID|1\r";
        let both = [&input[..], good].concat();
        let last = messages(&both).last();
        prop_assert!(matches!(last, Some(Ok(_))), "a good message was hidden");
    }

    #[test]
    fn values_stand_where_they_say(input in wire(), path in path()) {
        let Ok(path) = Path::parse(&path) else { return Ok(()) };
        for message in messages(&input).flatten() {
            let mut end = 0;
            for value in path.select(&message) {
                let span = value.span();
                prop_assert_eq!(&input[span.clone()], value.raw());
                prop_assert!(span.start >= end && !value.raw().is_empty());
                end = span.end;
                let text = value.text();
                prop_assert_eq!(&text, &value.text());
                for kept in value.kept_escapes() {
                    let escape = message.delimiters().escape.unwrap_or_default();
                    let sequence = [&[escape], kept.sequence, &[escape]].concat();
                    prop_assert!(value.raw().windows(sequence.len()).any(|window| window == sequence));
                }
                if !value.is_leaf() && value.raw().is_ascii() {
                    prop_assert_eq!(text.text.as_bytes(), value.raw());
                }
            }
        }
    }

    #[test]
    fn a_search_misses_no_value(input in wire(), path in path()) {
        let Ok(path) = Path::parse(&path) else { return Ok(()) };
        for message in messages(&input).filter_map(Result::ok) {
            for value in path.select(&message) {
                let text = value.text().text;
                prop_assert!(TextSearch::new(&path, &text).may_select(&message), "{path}: {text:?}");
            }
        }
    }

    #[test]
    fn any_path_is_read_or_refused_with_a_place(text in path()) {
        match Path::parse(&text) {
            Ok(path) => prop_assert_eq!(path.as_str(), text),
            Err(error) => {
                prop_assert!(text.is_char_boundary(error.offset));
                if let Some(suggestion) = error.suggestion {
                    prop_assert!(Path::parse(&suggestion).is_ok());
                }
            }
        }
    }

    #[test]
    fn escaped_text_decodes_to_itself(text in "[ -~é\u{1F600}]{1,20}") {
        let escaped: String = text
            .chars()
            .map(|c| match c {
                '|' => "\\F\\".to_owned(),
                '^' => "\\S\\".to_owned(),
                '&' => "\\T\\".to_owned(),
                '~' => "\\R\\".to_owned(),
                '\\' => "\\E\\".to_owned(),
                other => other.to_string(),
            })
            .collect();
        let input = format!("MSH|^~\\&|A|||||||||||||||UNICODE UTF-8\rPID|{escaped}\r");
        let message = messages(input.as_bytes()).next().unwrap().unwrap();
        for path in ["PID.1", "PID.1.1", "PID.1.1.1", "PID[1.1.1=x].1"] {
            let path = Path::parse(path).unwrap();
            if let Some(value) = path.select(&message).next() {
                prop_assert_eq!(&value.text().text, &text);
            } else {
                prop_assert!(path.as_str().contains('='));
            }
        }
    }

    #[test]
    fn random_bytes(input in vec(any::<u8>(), 0..200)) {
        prop_assert!(messages(&input).count() <= input.len());
    }
}

/// ESC shifts characters where it is a delimiter too.
#[test]
fn a_search_misses_no_shifted_header() {
    let input = b"MSH|^\x1b$@|A|||||||1|P|2.5.1||||||ISO IR87\r";
    let message = messages(input).next().unwrap().unwrap();
    let path = Path::parse("MSH").unwrap();
    let text = path.select(&message).next().unwrap().text().text;
    assert!(!text.contains("2.5.1") && TextSearch::new(&path, &text).may_select(&message), "{text}");
}
