//! What the fuzz targets of `candor-sftp-file-present` run.

use std::time::Duration;

use candor_sftp_file_present::{Align, Column, Format, Glob, Shape, parse_content, pdf_text, read_content};

const FORMATS: [Format; 10] = [
    Format::Json,
    Format::Ndjson,
    Format::Csv,
    Format::Hl7,
    Format::X12,
    Format::Fhir,
    Format::Text,
    Format::Bytes,
    Format::Fixed,
    Format::Xml,
];

fn shape(first: u8) -> Shape {
    let column = |name: &str, start, length, align| Column { name: name.to_owned(), start, length, align };
    Shape {
        delimiter: [None, Some('|'), Some('\t'), Some('§')][usize::from(first >> 6)],
        header: first & 32 == 0,
        columns: vec![column("a", 1, 3, Align::Left), column("b", 2, 5, Align::Right), column("c", 9, 1, Align::Left)],
        record_length: (first & 16 != 0).then_some(10),
    }
}

/// A byte that chooses the format, a path up to a NUL, and any bytes as a file's content: as text, and as bytes whose
/// encoding is to be found. What is wrong has its place within the file, and so has what the path selects.
///
/// # Panics
/// When it has not.
pub fn file_content(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let at = rest.iter().position(|&byte| byte == 0).unwrap_or_default();
    let (path, content) = (String::from_utf8_lossy(&rest[..at]), &rest[at..]);
    let format = FORMATS[usize::from(first & 15) % FORMATS.len()];
    let shape = shape(*first);
    let text = String::from_utf8_lossy(content);
    match parse_content(&text, format, &shape) {
        Err(malformed) => assert!(malformed.offset <= text.len() && !malformed.what.is_empty(), "{malformed:?}"),
        Ok(parsed) => {
            for found in parsed.select_written(&path).values {
                let span = found.span.unwrap_or_default();
                assert!(span.start <= span.end && span.end <= text.len() as u64, "{found:?}");
            }
        }
    }
    if let Err(malformed) = read_content(content, format, &shape, |_| ()) {
        assert!(malformed.offset <= content.len() && !malformed.what.is_empty(), "{malformed:?}");
    }
}

/// Any bytes as a PDF: it is read or refused, within the limits. A panic of the reader of PDFs is refused as well, but
/// shows under libFuzzer, which ends the process on every panic.
///
/// # Panics
/// When it takes longer than it may.
pub fn pdf(data: &[u8]) {
    let time = Duration::from_secs(60);
    if let Err(malformed) = pdf_text(data, time) {
        assert_ne!(malformed.obstacle, Some(candor_check::Obstacle::Timeout), "{malformed:?}");
    }
}

/// A glob, a NUL and a path: what matches is below the literal prefix and has the extension.
///
/// # Panics
/// When it is not.
pub fn glob(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some((glob, path)) = text.split_once('\0') else { return };
    let Ok(glob) = Glob::parse(glob) else { return };
    if glob.matches(path) {
        assert!(path.starts_with(&glob.literal_prefix()));
        if let Some(extension) = glob.extension() {
            assert!(path.to_ascii_lowercase().ends_with(&extension));
        }
    }
}
