//! What the fuzz targets of `candor-sftp-file-present` run.

use candor_check::Limits;
use candor_sftp_file_present::{
    CsvShape, Format, Glob, archive_members, parse_content, sift_listing, unwrapped_content,
};

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

/// Any bytes as an archive or something compressed or encrypted; the first byte chooses which. Nothing comes out beyond the
/// limits, and no path that leads out of the archive.
///
/// # Panics
/// When it does.
pub fn file_archive(data: &[u8]) {
    const NAMES: [&str; 7] = ["a.zip", "a.tar", "a.tgz", "a.gz", "a.pgp", "a.zip.gz", "a.gz.asc"];
    let Some((first, rest)) = data.split_first() else { return };
    let name = NAMES[usize::from(*first) % NAMES.len()];
    let limits = Limits { max_bytes: 1 << 16, max_total_bytes: 1 << 18, max_files: 100, ..Limits::default() };
    if let Ok(members) = archive_members(name, rest, &limits) {
        let total: u64 = members.iter().map(|member| member.bytes.len() as u64).sum();
        assert!(total <= limits.max_total_bytes && members.len() as u64 <= limits.max_files * 3);
        for member in members {
            assert!(member.bytes.len() as u64 <= limits.max_bytes);
            assert!(
                !member.path.starts_with('/') && member.path.split('/').all(|part| !matches!(part, "" | "." | ".."))
            );
        }
    }
    if let Ok(content) = unwrapped_content(name, rest, &limits) {
        assert!(content.len() as u64 <= limits.max_bytes);
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
