//! The bodies of the fuzz targets of `candor-hl7v2`.

use candor_check::explain::Form;
use candor_hl7_structural::explain::explain;
use candor_hl7v2::{Path, messages};

const PATHS: [&str; 14] = [
    "MSH",
    "MSH.1",
    "MSH.2",
    "MSH.9.1",
    "MSH.18[*]",
    "PID.3[*].4.2",
    "PID.5",
    "PID.5.1.1",
    "PID[*].5[*]",
    "OBX[*].5[*]",
    "OBX[3.1=2345-7].5",
    "OBX[2].5.1",
    "PV1",
    "MSH[9.1=A][10=1].3",
];

/// Reads any bytes as messages: items lie in order within the input, and values at their spans. Both forms of an
/// explanation find the same faults.
///
/// # Panics
/// When that does not hold.
pub fn hl7v2(data: &[u8]) {
    let explained = [Form::Text, Form::Json].map(|form| explain(data, form, &mut std::io::sink()).expect("a sink"));
    assert_eq!(explained[0], explained[1]);
    read(data);
}

/// As [`hl7v2`], without explaining it, which takes nine tenths of the time.
///
/// # Panics
/// When what is read contradicts itself.
pub fn read(data: &[u8]) {
    let paths = PATHS.map(|path| Path::parse(path).expect("a path"));
    let mut end = 0;
    for item in messages(data) {
        let message = match item {
            Ok(message) => message,
            Err(error) => {
                assert!(error.span.start >= end && error.span.end >= error.span.start && error.span.end <= data.len());
                assert!(error.offset <= data.len());
                assert!(!error.to_string().is_empty());
                end = error.span.end;
                continue;
            }
        };
        let span = message.span();
        assert!(span.start >= end && span.end <= data.len());
        assert_eq!(&data[span.clone()], message.raw());
        assert!(message.raw().starts_with(b"MSH"));
        end = span.end;
        let mut at = span.start;
        for segment in message.segments() {
            let span = segment.piece().span();
            assert!(span.start >= at && span.end <= end);
            assert_eq!(&data[span.clone()], segment.piece().raw());
            at = span.end;
            let last = segment.fields().last();
            assert!(last.is_none_or(|field| field.piece().span().end == span.end));
        }
        for path in &paths {
            let mut at = span.start;
            for value in path.select(&message) {
                assert!(value.span().start >= at && value.span().end <= end);
                assert_eq!(&data[value.span()], value.raw());
                assert!(!value.raw().is_empty());
                at = value.span().end;
                let text = value.text();
                assert!(text.replaced || !text.text.contains('\u{FFFD}') || !value.raw().is_ascii() || value.is_leaf());
            }
        }
    }
}

/// Reads any bytes as a path and the message to read with it, divided at the first line end.
///
/// # Panics
/// When a path does not keep its text, or a suggestion is not a path.
pub fn hl7v2_path(data: &[u8]) {
    let middle = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    let (path, input) = data.split_at(middle);
    let Ok(text) = std::str::from_utf8(path) else {
        return;
    };
    match Path::parse(text) {
        Ok(path) => {
            assert_eq!(path.as_str(), text);
            let message = [b"MSH|^~\\&|A\rPID|1||2~3^4&5\rOBX|1|NM|\\T\\^\"\"\rPID|2\r", input].concat();
            for message in messages(&message).flatten() {
                for value in path.select(&message) {
                    assert!(!value.raw().is_empty());
                    assert!(value.text().text.len() <= value.raw().len() * 4);
                }
            }
        }
        Err(error) => {
            assert!(text.is_char_boundary(error.offset));
            assert!(error.suggestion.is_none_or(|suggestion| Path::parse(&suggestion).is_ok()));
        }
    }
}
