//! Zip archives in one canonical form: no times, no extra fields, no comments, members one after the other.
//!
//! Any archive that lists its members where archives do is read, within limits, so that a reader can name what is not
//! canonical in it. Names are compared and never followed.

use std::io::Read as _;
use std::ops::Range;

use flate2::read::DeflateDecoder;
use flate2::{Compression, Crc};

/// The most members an archive without extensions can list.
pub(crate) const MAX_MEMBERS: usize = 65_534;
pub(crate) const MAX_ARCHIVE: u64 = 1 << 30;

pub(crate) const MAX_PART: u64 = 2 << 30;
/// The largest manifest, signature, or list of what was left out.
pub(crate) const MAX_JSON: u64 = 64 << 20;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const LOCAL_LENGTH: usize = 30;
const CENTRAL_LENGTH: usize = 46;
const END_LENGTH: usize = 22;
const MAX_COMMENT: usize = 0xffff;
/// The version that a reader needs to unpack a member: 2.0.
const VERSION: u16 = 20;
/// 1 January 1980, the first day that an archive can write.
const DATE: u16 = 0x21;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Stored,
    Deflated,
}

impl Method {
    fn code(self) -> u16 {
        match self {
            Self::Stored => 0,
            Self::Deflated => 8,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Packed {
    pub name: String,
    pub method: Method,
    pub crc: u32,
    pub size: u32,
    pub bytes: Vec<u8>,
}

impl Packed {
    /// Packs a member, as it is where that is not longer.
    pub(crate) fn new(name: String, content: &[u8]) -> Self {
        let deflated = deflated(content);
        match deflated.len() < content.len() {
            true => Self::of(name, Method::Deflated, content, deflated),
            false => Self::stored(name, content),
        }
    }

    pub(crate) fn stored(name: String, content: &[u8]) -> Self {
        Self::of(name, Method::Stored, content, content.to_vec())
    }

    fn of(name: String, method: Method, content: &[u8], bytes: Vec<u8>) -> Self {
        // Whoever makes members bounds their size.
        Self { name, method, crc: crc(content), size: u32::try_from(content.len()).unwrap_or(u32::MAX), bytes }
    }
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = flate2::read::DeflateEncoder::new(content, Compression::new(6));
    // Reading from memory does not fail; if it did, the content would be stored as it is.
    match encoder.read_to_end(&mut packed) {
        Ok(_) => packed,
        Err(_) => content.to_vec(),
    }
}

fn crc(content: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(content);
    crc.sum()
}

pub(crate) fn archive<'a>(members: impl IntoIterator<Item = &'a Packed>) -> Vec<u8> {
    let (mut archive, mut directory, mut count) = (Vec::new(), Vec::new(), 0_u16);
    for member in members {
        let offset = archive.len();
        header(&mut archive, LOCAL, member);
        archive.extend_from_slice(member.name.as_bytes());
        archive.extend_from_slice(&member.bytes);
        directory.extend_from_slice(CENTRAL);
        directory.extend_from_slice(&VERSION.to_le_bytes());
        header(&mut directory, &[], member);
        // Comment, disk, attributes: none.
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&u32::try_from(offset).unwrap_or(u32::MAX).to_le_bytes());
        directory.extend_from_slice(member.name.as_bytes());
        count = count.saturating_add(1);
    }
    let (offset, length) = (archive.len(), directory.len());
    archive.extend(directory);
    archive.extend_from_slice(END);
    archive.extend_from_slice(&[0; 4]);
    archive.extend_from_slice(&count.to_le_bytes());
    archive.extend_from_slice(&count.to_le_bytes());
    archive.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    archive.extend_from_slice(&u32::try_from(offset).unwrap_or(u32::MAX).to_le_bytes());
    archive.extend_from_slice(&[0; 2]);
    archive
}

fn header(out: &mut Vec<u8>, signature: &[u8], member: &Packed) {
    out.extend_from_slice(signature);
    for word in [VERSION, 0, member.method.code(), 0, DATE] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    for number in [member.crc, u32::try_from(member.bytes.len()).unwrap_or(u32::MAX), member.size] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    let length = u16::try_from(member.name.len()).unwrap_or(u16::MAX);
    for word in [length, 0] {
        out.extend_from_slice(&word.to_le_bytes());
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Listed {
    /// The name, with the replacement character for bytes that are not text.
    pub name: String,
    pub method: Method,
    pub crc: u32,
    pub size: u32,
    /// Where its packed bytes are in the archive.
    pub packed: Range<usize>,
}

/// Why an archive cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchiveError {
    /// It has no end, or its end does not say where its members are.
    NoEnd,
    /// It lists more members than it may.
    TooManyMembers(usize),
    /// Members share bytes of the archive, as no writer makes them.
    Overlap,
    /// An entry of its list is cut off or is not an entry.
    NoEntry {
        /// Its number, from 1.
        number: usize,
    },
    /// A member is not where the list says.
    NoMember {
        /// Its name.
        name: String,
    },
    /// A member is packed in a way that no bundle uses: encrypted, or by another method.
    OtherMethod {
        /// Its name.
        name: String,
    },
}

impl std::fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoEnd => {
                f.write_str("the list of members at its end is missing: the file is cut, or is not an archive")
            }
            Self::TooManyMembers(most) => write!(f, "it lists more than {most} members"),
            Self::Overlap => f.write_str("members of it share the same bytes"),
            Self::NoEntry { number } => write!(f, "entry {number} of its list of members is damaged"),
            Self::NoMember { name } => write!(f, "the member {name:?} is not where the list of members says"),
            Self::OtherMethod { name } => write!(f, "the member {name:?} is neither stored nor deflated"),
        }
    }
}

/// The members that an archive lists, in the order of the list.
pub(crate) fn listed(archive: &[u8]) -> Result<Vec<Listed>, ArchiveError> {
    let end = end(archive).ok_or(ArchiveError::NoEnd)?;
    let count = usize::from(word(archive, end + 10).ok_or(ArchiveError::NoEnd)?);
    let mut at = offset(archive, end + 16).ok_or(ArchiveError::NoEnd)?;
    if count > MAX_MEMBERS {
        return Err(ArchiveError::TooManyMembers(MAX_MEMBERS));
    }
    let mut members = Vec::new();
    for number in 1..=count {
        let (member, next) = entry(archive, at, number)?;
        members.push(member);
        at = next;
    }
    // Each byte is packed once, so that what is copied and unpacked is bounded by the file.
    let packed = members.iter().map(|member| member.packed.len() as u64).sum::<u64>();
    if packed > archive.len() as u64 { Err(ArchiveError::Overlap) } else { Ok(members) }
}

/// Where the end record is: the last place that could be one.
fn end(archive: &[u8]) -> Option<usize> {
    let last = archive.len().checked_sub(END_LENGTH)?;
    let first = last.saturating_sub(MAX_COMMENT);
    (first..=last).rev().find(|&at| archive.get(at..at + END.len()) == Some(END))
}

fn entry(archive: &[u8], at: usize, number: usize) -> Result<(Listed, usize), ArchiveError> {
    let damaged = || ArchiveError::NoEntry { number };
    let field = |offset: usize| at.checked_add(offset).ok_or_else(damaged);
    if archive.get(at..field(CENTRAL.len())?) != Some(CENTRAL) {
        return Err(damaged());
    }
    let read = |offset: usize| -> Result<usize, ArchiveError> {
        word(archive, field(offset)?).map(usize::from).ok_or_else(damaged)
    };
    let number_at = |offset: usize| -> Result<u32, ArchiveError> { long(archive, field(offset)?).ok_or_else(damaged) };
    let (name_length, more) = (read(28)?, read(30)? + read(32)?);
    let name = archive.get(field(CENTRAL_LENGTH)?..field(CENTRAL_LENGTH + name_length)?).ok_or_else(damaged)?;
    let name = String::from_utf8_lossy(name).into_owned();
    let method = match (read(10)?, read(8)? & 1) {
        (0, 0) => Method::Stored,
        (8, 0) => Method::Deflated,
        _ => return Err(ArchiveError::OtherMethod { name }),
    };
    let packed =
        packed(archive, number_at(42)?, number_at(20)?).ok_or_else(|| ArchiveError::NoMember { name: name.clone() })?;
    let member = Listed { name, method, crc: number_at(16)?, size: number_at(24)?, packed };
    Ok((member, field(CENTRAL_LENGTH + name_length + more)?))
}

/// Where the packed bytes of a member are, whose header is at an offset.
fn packed(archive: &[u8], offset: u32, length: u32) -> Option<Range<usize>> {
    let at = usize::try_from(offset).ok()?;
    if archive.get(at..at.checked_add(LOCAL.len())?) != Some(LOCAL) {
        return None;
    }
    let before = usize::from(word(archive, at + 26)?) + usize::from(word(archive, at + 28)?);
    let start = at.checked_add(LOCAL_LENGTH + before)?;
    let range = start..start.checked_add(usize::try_from(length).ok()?)?;
    archive.get(range.clone()).map(|_| range)
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

fn offset(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(long(bytes, at)?).ok()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    Packing,
    /// It is longer than it may be, or than the archive says.
    TooLong,
    /// It is another content: its checksum, and the one that the archive gives.
    Checksum {
        found: u32,
        listed: u32,
    },
}

pub(crate) fn content(archive: &[u8], member: &Listed, most: u64) -> Result<Vec<u8>, Damage> {
    let packed = archive.get(member.packed.clone()).unwrap_or_default();
    let listed = u64::from(member.size);
    if listed > most {
        return Err(Damage::TooLong);
    }
    let content = match member.method {
        Method::Stored => packed.to_vec(),
        Method::Deflated => {
            let mut content = Vec::new();
            let mut decoder = DeflateDecoder::new(packed);
            // One byte more than it says: then it says too little.
            decoder.by_ref().take(listed + 1).read_to_end(&mut content).map_err(|_| Damage::Packing)?;
            // What follows the end of the packed content is in no digest.
            if decoder.total_in() != packed.len() as u64 {
                return Err(Damage::Packing);
            }
            content
        }
    };
    if content.len() as u64 != listed {
        return Err(Damage::TooLong);
    }
    match crc(&content) {
        found if found == member.crc => Ok(content),
        found => Err(Damage::Checksum { found, listed: member.crc }),
    }
}

/// The canonical archive of what an archive lists: the same bytes if that one is canonical.
pub(crate) fn canonical(archive_bytes: &[u8], members: &[&Listed]) -> Vec<u8> {
    let packed: Vec<Packed> = members
        .iter()
        .map(|member| Packed {
            name: member.name.clone(),
            method: member.method,
            crc: member.crc,
            size: member.size,
            bytes: archive_bytes.get(member.packed.clone()).unwrap_or_default().to_vec(),
        })
        .collect();
    archive(&packed)
}
