//! A page of a bucket's listing, as the cloud wrote it. `object_store` gives up a whole page over one key that is not a
//! path for it, and drops slashes at a key's ends. So every page is read here first: keys that can be asked for stay in
//! it, the others are taken out and reported.
//!
//! S3 and Google write a [`ListBucketResult`](https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html),
//! Azure an [`EnumerationResults`](https://learn.microsoft.com/en-us/rest/api/storageservices/list-blobs).

use std::ops::Range;

use object_store::path::Path;
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

/// The content of a page of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListingPage {
    /// The page without the entries that are in neither of the other two as they are.
    pub rest: Vec<u8>,
    /// The keys of `rest`, in its order and to the letter.
    pub keys: Vec<String>,
    /// Keys that cannot be asked for, with why.
    pub odd: Vec<(String, &'static str)>,
    /// How many entries represent folders: keys of no bytes that end in a slash, and Azure's directories.
    pub folders: u64,
}

/// How deep an element of a listing may lie. The deepest there is has four above it.
const DEEPEST: usize = 32;

#[derive(Default)]
struct Entry {
    start: usize,
    key: Option<String>,
    size: String,
    kind: String,
    is_encoded: bool,
}

/// The target of reading: the texts of an entry, and those of the page.
#[derive(Clone, Copy, PartialEq)]
enum Slot {
    Key,
    Size,
    Kind,
    Truncated,
    Token,
}

#[derive(Default)]
struct Page {
    out: ListingPage,
    taken_out: Vec<Range<usize>>,
    is_truncated: String,
    token: String,
}

/// Reads a page of a listing.
///
/// # Errors
/// The fault of a page that is not a listing, is cut off, or says that there is more without saying how to get it.
///
/// ```
/// let page = "<ListBucketResult><Contents><Key>a//b</Key><Size>1</Size></Contents>\
///             <Contents><Key>c</Key><Size>1</Size></Contents></ListBucketResult>";
/// let page = candor_sftp_file_present::sift_listing(page.as_bytes()).unwrap();
/// assert_eq!(page.keys, ["c"]);
/// assert_eq!(page.odd, [("a//b".to_owned(), "it has a part without a name")]);
/// ```
pub fn sift_listing(body: &[u8]) -> Result<ListingPage, String> {
    let text = std::str::from_utf8(body).map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to()))?;
    // A mark of the encoding would move every position that the reader gives.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::from_str(text);
    let mut page = Page::default();
    let mut path: Vec<String> = Vec::new();
    let mut entry: Option<Entry> = None;
    let mut is_azure = false;
    let mut is_whole = false;
    loop {
        let before = position(&reader);
        let event = reader.read_event().map_err(|_| format!("it is not XML at byte {}", reader.error_position()))?;
        match event {
            Event::Start(tag) => {
                let name = local(&tag);
                match path.len() {
                    0 => is_azure = root(&name, is_whole)?,
                    DEEPEST => return Err("its elements are nested too deeply".to_owned()),
                    _ => {}
                }
                path.push(name);
                match &mut entry {
                    None if is_entry(&path, is_azure) => entry = Some(Entry { start: before, ..Entry::default() }),
                    Some(entry) if slot(&path, is_azure) == Some(Slot::Key) => begin_key(entry, &tag)?,
                    _ => {}
                }
            }
            Event::Empty(tag) if path.is_empty() => {
                root(&local(&tag), is_whole)?;
                is_whole = true;
            }
            Event::Text(text) => put(&path, is_azure, &mut entry, &mut page, &text.xml10_content().map_err(decoding)?),
            Event::CData(text) => put(&path, is_azure, &mut entry, &mut page, &text.xml10_content().map_err(decoding)?),
            Event::GeneralRef(reference) => put(&path, is_azure, &mut entry, &mut page, &resolved(&reference)),
            Event::End(_) => {
                if is_entry(&path, is_azure)
                    && let Some(done) = entry.take()
                {
                    page.add(done, position(&reader))?;
                }
                path.pop();
                is_whole |= path.is_empty();
            }
            Event::DocType(_) => return Err("it has a document type".to_owned()),
            Event::Eof => break,
            _ => {}
        }
    }
    if !is_whole {
        return Err("it breaks off before its end".to_owned());
    }
    if page.is_truncated.trim() == "true" && page.token.is_empty() {
        return Err("it says that there is more, and not how to get it".to_owned());
    }
    Ok(page.finish(text.as_bytes()))
}

fn decoding(_: impl std::fmt::Display) -> String {
    "its text cannot be decoded".to_owned()
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

fn local(tag: &BytesStart<'_>) -> String {
    String::from_utf8_lossy(tag.local_name().as_ref()).into_owned()
}

/// Says if the root is Azure's; an error where it is that of no listing.
fn root(name: &str, is_second: bool) -> Result<bool, String> {
    match name {
        _ if is_second => Err("something follows its end".to_owned()),
        "ListBucketResult" => Ok(false),
        "EnumerationResults" => Ok(true),
        _ => Err("it is not a listing of a bucket".to_owned()),
    }
}

fn is_entry(path: &[String], is_azure: bool) -> bool {
    let path = path.get(1..).unwrap_or_default();
    match is_azure {
        false => path == ["Contents"],
        true => path == ["Blobs", "Blob"],
    }
}

fn slot(path: &[String], is_azure: bool) -> Option<Slot> {
    let path: Vec<&str> = path.iter().skip(1).map(String::as_str).collect();
    match (is_azure, path.as_slice()) {
        (false, ["Contents", "Key"]) | (true, ["Blobs", "Blob", "Name"]) => Some(Slot::Key),
        (false, ["Contents", "Size"]) | (true, ["Blobs", "Blob", "Properties", "Content-Length"]) => Some(Slot::Size),
        (true, ["Blobs", "Blob", "Properties", "ResourceType"]) => Some(Slot::Kind),
        (false, ["IsTruncated"]) => Some(Slot::Truncated),
        (false, ["NextContinuationToken"]) | (true, ["NextMarker"]) => Some(Slot::Token),
        _ => None,
    }
}

/// Azure writes names that XML cannot hold in percent-encoding, and says so.
fn begin_key(entry: &mut Entry, tag: &BytesStart<'_>) -> Result<(), String> {
    if entry.key.is_some() {
        return Err("an entry has two names".to_owned());
    }
    entry.key = Some(String::new());
    let encoded = tag.try_get_attribute("Encoded").ok().flatten();
    entry.is_encoded = encoded.is_some_and(|attribute| attribute.value.as_ref() == b"true");
    Ok(())
}

fn put(path: &[String], is_azure: bool, entry: &mut Option<Entry>, page: &mut Page, text: &str) {
    match (slot(path, is_azure), entry) {
        (Some(Slot::Key), Some(entry)) => entry.key.get_or_insert_default().push_str(text),
        (Some(Slot::Size), Some(entry)) => entry.size.push_str(text),
        (Some(Slot::Kind), Some(entry)) => entry.kind.push_str(text),
        (Some(Slot::Truncated), _) => page.is_truncated.push_str(text),
        (Some(Slot::Token), _) => page.token.push_str(text),
        _ => {}
    }
}

/// The character that a reference names. A reference that XML does not know is kept, so that its key differs from every
/// key that was meant.
fn resolved(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    let name = String::from_utf8_lossy(reference.as_ref()).into_owned();
    match quick_xml::escape::resolve_xml_entity(&name) {
        Some(text) => text.to_owned(),
        // A NUL is in no key that can be asked for.
        None => format!("\0{name};"),
    }
}

/// Why a key cannot be asked for.
pub(super) fn oddity(key: &str) -> Option<&'static str> {
    let parts = || key.split('/');
    match Path::parse(key) {
        Ok(path) if path.as_ref() == key => None,
        _ if key.is_empty() => Some("it is empty"),
        _ if key.chars().any(char::is_control) => Some("it holds a control character"),
        _ if key.starts_with('/') || key.ends_with('/') => Some("it begins or ends with a slash"),
        _ if parts().any(str::is_empty) => Some("it has a part without a name"),
        _ if parts().any(|part| part == "." || part == "..") => Some("it has a part that is `.` or `..`"),
        _ => Some("it is no path"),
    }
}

impl Page {
    fn add(&mut self, entry: Entry, end: usize) -> Result<(), String> {
        let key = entry.key.ok_or("an entry has no name")?;
        let is_folder = entry.kind == "directory" || (key.ends_with('/') && entry.size.trim() == "0");
        let odd = if entry.is_encoded { Some("it holds characters that XML cannot") } else { oddity(&key) };
        match odd {
            _ if is_folder => self.out.folders += 1,
            Some(why) => self.out.odd.push((key, why)),
            None => {
                self.out.keys.push(key);
                return Ok(());
            }
        }
        self.taken_out.push(entry.start..end);
        Ok(())
    }

    fn finish(mut self, body: &[u8]) -> ListingPage {
        let mut from = 0;
        for hole in &self.taken_out {
            self.out.rest.extend_from_slice(body.get(from..hole.start).unwrap_or_default());
            from = hole.end;
        }
        self.out.rest.extend_from_slice(body.get(from..).unwrap_or_default());
        self.out
    }
}
