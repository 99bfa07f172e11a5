//! The bodies of the fuzz targets of `candor-sftp-file-present`.

use std::time::Duration;

use candor_check::Obstacle;
use candor_check::sandbox::Limits;
use candor_sftp_file_present::{
    Align, Column, Format, Glob, Shape, archive_members, parse_content, pdf_text, read_content, sift_listing,
    unwrapped_content,
};

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
        empty_is_null: first & 8 != 0,
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
        Ok(parsed) => match parsed.uncut() {
            Err(cut) => assert!(cut.offset <= text.len() as u64 && !cut.what.is_empty(), "{cut:?}"),
            Ok(parsed) => {
                for found in parsed.select_written(&path).values {
                    let span = found.span.clone().unwrap_or_default();
                    assert!(span.start <= span.end && span.end <= text.len() as u64, "{found:?}");
                }
            }
        },
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
        assert_ne!(malformed.obstacle, Some(Obstacle::Timeout), "{malformed:?}");
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
