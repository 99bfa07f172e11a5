//! The body of the fuzz target of `candor-report`.

use candor_report::model::Stored;
use candor_report::{Format, Style, stored};

/// Reads any bytes as a stored result: a sentence, or a result that every format writes as text alone.
///
/// # Panics
/// When it does not.
pub fn stored_result(data: &[u8]) {
    let style = Style { color: false, width: 80 };
    if let Err(error) = Stored::read(data) {
        assert!(!error.to_string().is_empty());
        return;
    }
    for format in Format::NAMES.iter().filter_map(|name| Format::named(name)) {
        let Ok(bytes) = stored(data, format, style) else { continue };
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert!(!text.is_empty() || matches!(format, Format::Ndjson | Format::Github), "{format:?}");
        if !matches!(format, Format::Json | Format::Ndjson) {
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{format:?}: {text}");
        }
        if format == Format::Html {
            let body = text.split_once("<body>").and_then(|(_, rest)| rest.rsplit_once("<script>"));
            let (body, _) = body.expect("a page has a body and a script");
            assert!(!body.contains("<script") && !body.contains(" style="), "{body}");
        }
    }
}
