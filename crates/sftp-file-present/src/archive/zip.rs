//! Zip archives: members that are stored or deflated, held against their size and checksum.

use std::io::{self, Read};

use flate2::bufread::DeflateDecoder;
use jiff::Timestamp;

use super::gathering::{Entry, Gathering, MemberKind};
use super::trouble::Trouble;
use super::zip_directory::{Record, read, unread};

/// The kind of a file in Unix permissions, and that of a symbolic link.
const KIND: u32 = 0o170_000;
const LINK: u32 = 0o120_000;
/// The longest target of a link that is named.
const LONGEST_TARGET: u64 = 4096;

/// Meets every member in the order of the directory.
///
/// # Errors
/// When the archive is not a sound zip, or has too many members.
pub(super) fn walk(bytes: &[u8], gathering: &mut Gathering<'_>) -> Result<(), Trouble> {
    for record in read(bytes, gathering.bounds())? {
        let data = bytes.get(record.data.clone()).unwrap_or_default();
        let kind = match unread(&record) {
            Some(trouble) => MemberKind::Unread(trouble),
            None if record.mode & KIND == LINK => MemberKind::Link(target(data, &record)),
            None => MemberKind::File,
        };
        let modified = record.modified.and_then(|seconds| Timestamp::from_second(i64::from(seconds)).ok());
        let mut content = Content::new(data, &record);
        gathering.member(Entry { name: record.name.clone(), kind, modified }, &mut content);
    }
    Ok(())
}

/// The target of a link; its content is the path.
fn target(data: &[u8], record: &Record) -> String {
    let mut text = Vec::new();
    let read = Content::new(data, record).take(LONGEST_TARGET).read_to_end(&mut text);
    read.map_or_else(|_| "something that cannot be read".to_owned(), |_| String::from_utf8_lossy(&text).into_owned())
}

/// A member's bytes, unpacked as they are asked for.
struct Content<'a> {
    packed: Packed<'a>,
    record: &'a Record,
    crc: flate2::Crc,
    left: u64,
}

enum Packed<'a> {
    Stored(&'a [u8]),
    /// A decoder takes memory, which a member that no one reads does not need.
    NotBegun(&'a [u8]),
    Deflated(Box<DeflateDecoder<&'a [u8]>>),
}

impl<'a> Content<'a> {
    fn new(data: &'a [u8], record: &'a Record) -> Self {
        let packed = if record.method == 0 { Packed::Stored(data) } else { Packed::NotBegun(data) };
        Self { packed, record, crc: flate2::Crc::new(), left: record.size }
    }

    /// At the end: all of it came, and nothing is left over.
    fn ended(&self) -> Result<(), Trouble> {
        let rest = match &self.packed {
            Packed::Stored(rest) | Packed::NotBegun(rest) => rest.len(),
            Packed::Deflated(decoder) => decoder.get_ref().len(),
        };
        match (self.left, rest) {
            (0, 0) if self.crc.sum() == self.record.crc => Ok(()),
            (0, 0) => Err(Trouble::malformed("has another checksum than its zip says")),
            (0, _) => Err(Trouble::malformed("has bytes behind its end in the zip")),
            _ => Err(Trouble::malformed("is shorter than its zip says")),
        }
    }
}

impl Read for Content<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Packed::NotBegun(data) = self.packed {
            self.packed = Packed::Deflated(Box::new(DeflateDecoder::new(data)));
        }
        let read = match &mut self.packed {
            Packed::Stored(data) | Packed::NotBegun(data) => data.read(buffer),
            Packed::Deflated(decoder) => decoder.read(buffer),
        };
        let read = read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Trouble::malformed("is cut off in its zip").into_io(),
            _ => Trouble::malformed(format!("is not valid deflate data ({error})")).into_io(),
        })?;
        if read == 0 && !buffer.is_empty() {
            self.ended().map_err(Trouble::into_io)?;
            return Ok(0);
        }
        self.crc.update(buffer.get(..read).unwrap_or_default());
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => return Err(Trouble::malformed("is longer than its zip says").into_io()),
        }
        Ok(read)
    }
}
