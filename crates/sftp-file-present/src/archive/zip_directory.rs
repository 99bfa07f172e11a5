//! A zip's central directory, by PKWARE's APPNOTE 6.3.10. It is what is trusted; a local header that says otherwise, a
//! second end, and members that lie over each other make the archive malformed, since readers differ in what they take.

use candor_check::Obstacle;

use super::trouble::{Bounds, Trouble};
use super::zip_bytes::{bytes_at, extra_field, u16_at, u32_at, u64_at};
use super::zip_name;

const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const LOCAL: u32 = 0x0403_4b50;
/// The header id of the sizes that do not fit 32 bits (APPNOTE 4.5.3).
const ZIP64: u16 = 0x0001;
const LONG_32: u64 = 0xffff_ffff;

#[derive(Debug)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) size: u64,
    /// Where its bytes lie in the archive, packed.
    pub(super) data: std::ops::Range<usize>,
    /// Unix permissions and kind, where the archive was made on Unix.
    pub(super) mode: u32,
    /// Seconds since 1970 (Info-ZIP's extended timestamp).
    pub(super) modified: Option<i32>,
    /// Where its local header begins.
    start: usize,
}

fn malformed(what: impl Into<String>) -> Trouble {
    Trouble::malformed(format!("is not a valid zip: {}", what.into()))
}

/// The end of the directory: where it is, how long it is, how many entries it has.
struct End {
    start: usize,
    entries: u64,
}

/// Every entry of a zip's directory, each held against its local header.
///
/// # Errors
/// When anything in it contradicts itself, or there are more than `max_files`.
pub(super) fn read(bytes: &[u8], bounds: &Bounds) -> Result<Vec<Record>, Trouble> {
    let (end, stop) = find_end(bytes)?;
    if end.entries > bounds.max_files {
        return Err(bounds.too_many());
    }
    let mut at = end.start;
    let mut records = Vec::new();
    while at < stop {
        let (record, next) = central(bytes, at, end.start)
            .ok_or_else(|| malformed(format!("entry {} of its directory cannot be read", records.len() + 1)))??;
        records.push(record);
        at = next;
        if records.len() as u64 > end.entries {
            break;
        }
    }
    if at != stop || records.len() as u64 != end.entries {
        return Err(malformed("its directory has other entries than its end says"));
    }
    apart(&records)?;
    Ok(records)
}

/// The end of the central directory, and where the directory stops.
fn find_end(bytes: &[u8]) -> Result<(End, usize), Trouble> {
    let lowest = bytes.len().saturating_sub(22 + usize::from(u16::MAX));
    let mut found = Vec::new();
    for at in lowest..bytes.len().saturating_sub(21) {
        let comment = || u16_at(bytes, at + 20).map(usize::from);
        if u32_at(bytes, at) == Some(END) && comment() == Some(bytes.len() - at - 22) {
            found.push(at);
        }
    }
    let at = match found.as_slice() {
        [] => return Err(malformed("it has no end of a central directory, or something follows that")),
        [at] => *at,
        _ => return Err(malformed("it has two ends of a central directory, one in the comment of the other")),
    };
    let short = |offset: usize| u16_at(bytes, at + offset).map(u64::from).unwrap_or_default();
    let long = |offset: usize| u32_at(bytes, at + offset).map(u64::from).unwrap_or_default();
    let (disk, first_disk, here, entries) = (short(4), short(6), short(8), short(10));
    let (size, offset) = (long(12), long(16));
    let wide = at.checked_sub(20).filter(|locator| u32_at(bytes, *locator) == Some(LOCATOR_64));
    let (stop, entries, size, offset) = match wide {
        None => {
            if disk != 0 || first_disk != 0 || here != entries {
                return Err(malformed("it is one part of several"));
            }
            (at, entries, size, offset)
        }
        Some(locator) => {
            let wide = wide_end(bytes, locator).ok_or_else(|| malformed("its ZIP64 end cannot be read"))?;
            let agree = |short: u64, all: u64, long: u64| short == all || short == long;
            if !agree(entries, 0xffff, wide.1) || !agree(size, LONG_32, wide.2) || !agree(offset, LONG_32, wide.3) {
                return Err(malformed("its two ends disagree"));
            }
            wide
        }
    };
    let start = (stop as u64).checked_sub(size).ok_or_else(|| malformed("its directory is longer than itself"))?;
    if start != offset {
        return Err(malformed(match start.checked_sub(offset) {
            Some(before) => format!("{before} bytes precede it"),
            None => "its directory is not where its end says".to_owned(),
        }));
    }
    let start = usize::try_from(start).map_err(|_| malformed("its directory is beyond reach"))?;
    Ok((End { start, entries }, stop))
}

/// The ZIP64 end before its locator: where it begins, entries, size, offset.
fn wide_end(bytes: &[u8], locator: usize) -> Option<(usize, u64, u64, u64)> {
    let at = usize::try_from(u64_at(bytes, locator + 8)?).ok()?;
    let sound = u32_at(bytes, at)? == END_64
        && u32_at(bytes, locator + 4)? == 0
        && u32_at(bytes, locator + 16)? <= 1
        && u64_at(bytes, at + 4)?.checked_add(at as u64 + 12)? == locator as u64
        && u32_at(bytes, at + 16)? == 0
        && u32_at(bytes, at + 20)? == 0
        && u64_at(bytes, at + 24)? == u64_at(bytes, at + 32)?;
    let end = (at, u64_at(bytes, at + 32)?, u64_at(bytes, at + 40)?, u64_at(bytes, at + 48)?);
    sound.then_some(end)
}

/// The entry at an offset and where the next one begins; `None` when it is cut off or none.
fn central(bytes: &[u8], at: usize, data_end: usize) -> Option<Result<(Record, usize), Trouble>> {
    if u32_at(bytes, at)? != CENTRAL {
        return None;
    }
    let length = |offset: usize| u16_at(bytes, at + offset).map(usize::from);
    let (name_length, extra_length, comment_length) = (length(28)?, length(30)?, length(32)?);
    let raw = bytes.get(at + 46..at + 46 + name_length)?;
    let extra = bytes.get(at + 46 + name_length..at + 46 + name_length + extra_length)?;
    let next = at + 46 + name_length + extra_length + comment_length;
    let flags = u16_at(bytes, at + 8)?;
    let mut wide = Wide(extra_field(extra, ZIP64).unwrap_or_default());
    let size = wide.or(u32_at(bytes, at + 24)?)?;
    let packed = wide.or(u32_at(bytes, at + 20)?)?;
    let start = usize::try_from(wide.or(u32_at(bytes, at + 42)?)?).ok()?;
    // Unix and macOS.
    let made_on_unix = matches!(u16_at(bytes, at + 4)? >> 8, 3 | 19);
    let Some(name) = zip_name::name(raw, flags & (1 << 11) != 0, made_on_unix, extra) else {
        return Some(Err(malformed("the name of a member is marked as UTF-8 and is not")));
    };
    let record = Record {
        flags,
        method: u16_at(bytes, at + 10)?,
        crc: u32_at(bytes, at + 16)?,
        size,
        data: 0..0,
        mode: if made_on_unix { u32_at(bytes, at + 38)? >> 16 } else { 0 },
        modified: extra_field(extra, 0x5455)
            .filter(|f| f.first().is_some_and(|f| f & 1 == 1))
            .and_then(|f| bytes_at(f, 1))
            .map(i32::from_le_bytes),
        start,
        name,
    };
    Some(match local(bytes, &record, raw, packed) {
        Some(data) if data.end <= data_end => Ok((Record { data, ..record }, next)),
        _ => Err(malformed(format!("its directory and the header of \"{}\" disagree", record.name.escape_debug()))),
    })
}

/// The sizes of a ZIP64 field, in their order, each there only where the short one says so.
struct Wide<'a>(&'a [u8]);

impl Wide<'_> {
    fn or(&mut self, short: u32) -> Option<u64> {
        if u64::from(short) != LONG_32 {
            return Some(u64::from(short));
        }
        // Without the field the number is what it is.
        if self.0.is_empty() {
            return Some(LONG_32);
        }
        let wide = u64_at(self.0, 0)?;
        self.0 = self.0.get(8..)?;
        Some(wide)
    }
}

/// Where the member's bytes lie, when its local header says what the directory does.
fn local(bytes: &[u8], record: &Record, name: &[u8], packed: u64) -> Option<std::ops::Range<usize>> {
    let at = record.start;
    let length = |offset: usize| u16_at(bytes, at.checked_add(offset)?).map(usize::from);
    let (name_length, extra_length) = (length(26)?, length(28)?);
    let extra_at = at.checked_add(30 + name_length)?;
    let extra = bytes.get(extra_at..extra_at.checked_add(extra_length)?)?;
    // Encryption, sizes that follow, names in UTF-8.
    let telling = (1 | 1 << 3 | 1 << 11) as u16;
    let same = u32_at(bytes, at)? == LOCAL
        && (u16_at(bytes, at + 6)? ^ record.flags) & telling == 0
        && u16_at(bytes, at + 8)? == record.method
        && bytes.get(at + 30..extra_at)? == name;
    let mut wide = Wide(extra_field(extra, ZIP64).unwrap_or_default());
    let crc = u32_at(bytes, at + 14)?;
    let size = wide.or(u32_at(bytes, at + 22)?)?;
    let local_packed = wide.or(u32_at(bytes, at + 18)?)?;
    let told = (crc, size, local_packed) == (record.crc, record.size, packed);
    let follows = record.flags & (1 << 3) != 0;
    let zero_or = |local: u64, central: u64| local == 0 || local == central || local == LONG_32;
    let later = follows
        && zero_or(u64::from(crc), u64::from(record.crc))
        && zero_or(size, record.size)
        && zero_or(local_packed, packed);
    let start = extra_at + extra_length;
    let end = start.checked_add(usize::try_from(packed).ok()?)?;
    (same && (told || later) && end <= bytes.len()).then_some(start..end)
}

/// Members that lie over each other are how a small archive unpacks to a large one.
fn apart(records: &[Record]) -> Result<(), Trouble> {
    let mut ranges: Vec<(usize, usize, &str)> =
        records.iter().map(|record| (record.start, record.data.end, record.name.as_str())).collect();
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        if let [(_, end, name), (start, _, other)] = pair
            && start < end
        {
            let names = format!("\"{}\" and \"{}\"", name.escape_debug(), other.escape_debug());
            return Err(malformed(format!("its members {names} lie over each other")));
        }
    }
    Ok(())
}

/// Why a member's bytes cannot be had whatever they are.
pub(super) fn unread(record: &Record) -> Option<Trouble> {
    // Bits 0 and 6: encrypted; bit 13: the directory is masked.
    if record.flags & (1 | 1 << 6 | 1 << 13) != 0 {
        return Some(Trouble::obstacle(Obstacle::SourceDenied, "is encrypted in its zip, and no key opens that here"));
    }
    if record.flags & (1 << 5) != 0 {
        return Some(Trouble::obstacle(Obstacle::Undecidable, "is patched data, which is not read"));
    }
    match record.method {
        0 | 8 => None,
        other => {
            let name = METHODS.iter().find(|(number, _)| *number == other).map_or("unknown", |(_, name)| name);
            let what = format!("is compressed by method {other} ({name}), which is not read");
            Some(Trouble::obstacle(Obstacle::Undecidable, what))
        }
    }
}

/// Methods of compression (APPNOTE 4.4.5).
const METHODS: &[(u16, &str)] = &[
    (1, "shrunk"),
    (6, "imploded"),
    (9, "Deflate64"),
    (12, "bzip2"),
    (14, "LZMA"),
    (93, "Zstandard"),
    (95, "XZ"),
    (96, "JPEG"),
    (98, "PPMd"),
    (99, "AES encryption"),
];
