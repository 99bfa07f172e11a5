//! What the fuzz targets of `candor-sftp-file-present` run.

use candor_sftp_file_present::{CsvShape, Format, Glob, parse_content, sift_listing};

const FORMATS: [Format; 8] =
    [Format::Json, Format::Ndjson, Format::Csv, Format::Hl7, Format::X12, Format::Fhir, Format::Text, Format::Bytes];

/// Any text as a file's content; the first byte chooses the format. What is wrong has its place within the text.
///
/// # Panics
/// When it has not.
pub fn file_content(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let format = FORMATS[usize::from(*first) % FORMATS.len()];
    let shape = CsvShape { delimiter: if first & 64 == 0 { b',' } else { b'|' }, header: first & 128 == 0 };
    let text = String::from_utf8_lossy(rest);
    let length = text.len();
    if let Err(malformed) = parse_content(text, format, &shape) {
        assert!(malformed.offset <= length && !malformed.what.is_empty(), "{malformed:?}");
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

/// Any bytes as a page of a bucket's listing: what is left of it holds the keys that can be asked for, and nothing else.
///
/// # Panics
/// When it holds others.
pub fn bucket_listing(data: &[u8]) {
    let Ok(page) = sift_listing(data) else { return };
    let again = sift_listing(&page.rest).expect("what is left of a listing is one");
    assert_eq!(again.keys, page.keys);
    assert!(again.odd.is_empty() && again.folders == 0, "{again:?}");
}
