//! Tar archives, read once from front to end: ustar, pax and GNU's long names. What readers take in different ways (a link
//! that has a size, a header for all members that renames them, anything behind the end) makes the archive malformed.

use std::io::{self, Read};

use candor_check::Obstacle;
use jiff::Timestamp;

use super::gathering::{Entry, Gathering, MemberKind};
use super::tar_header::{BLOCK, Header, malformed, read};
use super::trouble::Trouble;

/// The longest pax header or long name.
const LONGEST_NOTE: u64 = 1 << 20;

/// The notes of the headers before a member.
#[derive(Default)]
struct Notes {
    name: Option<String>,
    link: Option<String>,
    size: Option<u64>,
    modified: Option<i64>,
    sparse: bool,
}

struct Walk<'a> {
    reader: Box<dyn Read + 'a>,
}

/// Meets every member in the order of the archive.
///
/// # Errors
/// When it is not a sound tar, or has too many members.
pub(super) fn walk<'a>(reader: Box<dyn Read + 'a>, gathering: &mut Gathering<'_>) -> Result<(), Trouble> {
    let mut walk = Walk { reader };
    let mut notes = Notes::default();
    let mut members = 0u64;
    while let Some(block) = walk.block()? {
        let Some(header) = read(&block)? else { return walk.end() };
        members += 1;
        if members > gathering.bounds().max_files.saturating_mul(2).saturating_add(2) {
            return Err(gathering.bounds().too_many());
        }
        match header.kind {
            b'x' => notes.take(&walk.note(&header)?)?,
            b'g' => global(&walk.note(&header)?)?,
            b'L' => notes.name = Some(long(&walk.note(&header)?)),
            b'K' => notes.link = Some(long(&walk.note(&header)?)),
            // The name of the volume.
            b'V' => walk.skip(padded(header.size)?)?,
            _ => walk.member(header, std::mem::take(&mut notes), gathering)?,
        }
    }
    Err(malformed("it is cut off before its end"))
}

fn padded(size: u64) -> Result<u64, Trouble> {
    size.checked_next_multiple_of(BLOCK as u64).ok_or_else(|| malformed("a member has no size that can be"))
}

fn long(note: &[u8]) -> String {
    let name = note.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

fn broken(error: io::Error) -> Trouble {
    Trouble::of(error, |error| malformed(format!("it cannot be read on ({error})")))
}

impl Walk<'_> {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Trouble> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.reader.read(rest) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(broken(error)),
            }
        }
        Ok(filled)
    }

    fn block(&mut self) -> Result<Option<[u8; BLOCK]>, Trouble> {
        let mut block = [0; BLOCK];
        match self.fill(&mut block)? {
            0 => Ok(None),
            BLOCK => Ok(Some(block)),
            _ => Err(malformed("it is cut off in a header")),
        }
    }

    fn skip(&mut self, length: u64) -> Result<(), Trouble> {
        let skipped = io::copy(&mut (&mut self.reader).take(length), &mut io::sink()).map_err(broken)?;
        if skipped == length { Ok(()) } else { Err(malformed("it is cut off in a member")) }
    }

    /// The content behind a header that describes another member: a long name, or a pax header.
    fn note(&mut self, header: &Header) -> Result<Vec<u8>, Trouble> {
        if header.size > LONGEST_NOTE {
            return Err(malformed("a name or a pax header in it is longer than a MiB"));
        }
        let mut note = vec![0; usize::try_from(header.size).unwrap_or_default()];
        if self.fill(&mut note)? < note.len() {
            return Err(malformed("it is cut off in a pax header"));
        }
        self.skip(padded(header.size)? - header.size)?;
        Ok(note)
    }

    /// Behind the first block of zeros there are only zeros.
    fn end(&mut self) -> Result<(), Trouble> {
        let mut piece = vec![0; 64 << 10];
        loop {
            match self.fill(&mut piece)? {
                0 => return Ok(()),
                read if piece.iter().take(read).all(|&byte| byte == 0) => {}
                _ => return Err(malformed("something follows its end")),
            }
        }
    }

    fn member(&mut self, header: Header, notes: Notes, gathering: &mut Gathering<'_>) -> Result<(), Trouble> {
        let size = notes.size.unwrap_or(header.size);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let name = notes.name.unwrap_or_else(|| text(&header.name));
        let link = notes.link.unwrap_or_else(|| text(&header.link));
        let mut extended = header.kind == b'S' && header.extended;
        while extended {
            let block = self.block()?.ok_or_else(|| malformed("it is cut off in a list of holes"))?;
            extended = block.get(504) == Some(&1);
        }
        let unread = |what: String| MemberKind::Unread(Trouble::obstacle(Obstacle::Undecidable, what));
        let kind = match header.kind {
            b'0' | 0 | b'7' if notes.sparse => unread("is stored with holes (sparse), which is not read".to_owned()),
            // Before POSIX a folder was a file whose name ends in a slash.
            b'0' | 0 | b'7' => MemberKind::File,
            b'1' => unread(format!("is a hard link to {link}, which is not followed; ask for that")),
            b'2' => MemberKind::Link(link),
            b'3' | b'4' | b'6' => MemberKind::Special,
            b'5' => MemberKind::Folder,
            b'S' => unread("is stored with holes (sparse), which is not read".to_owned()),
            other => unread(format!("is a member of the kind {:?}, which is not read", char::from(other))),
        };
        if matches!(header.kind, b'1'..=b'6') && size != 0 {
            return Err(malformed(format!("\"{}\", a link, a folder or a device, has a size", name.escape_debug())));
        }
        let modified = notes.modified.or(header.modified).and_then(|seconds| Timestamp::from_second(seconds).ok());
        let padding = padded(size)? - size;
        let mut content = Content { reader: &mut *self.reader, left: size };
        gathering.member(Entry { name, kind, modified }, &mut content);
        let left = content.left;
        self.skip(left)?;
        self.skip(padding)
    }
}

/// A member's bytes in the stream.
struct Content<'a, 'b> {
    reader: &'a mut (dyn Read + 'b),
    left: u64,
}

impl Read for Content<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let Some(buffer) = buffer.get_mut(..most).filter(|buffer| !buffer.is_empty()) else { return Ok(0) };
        match self.reader.read(buffer)? {
            0 => Err(malformed("it is cut off in a member").into_io()),
            read => {
                self.left -= read as u64;
                Ok(read)
            }
        }
    }
}

/// The records of a pax header: `LENGTH KEY=VALUE\n`, the length that of the whole record.
fn records(mut note: &[u8]) -> impl Iterator<Item = Result<(&str, &[u8]), Trouble>> {
    let mut next = move || {
        let space = note.iter().position(|&byte| byte == b' ')?;
        let length: usize = std::str::from_utf8(note.get(..space)?).ok()?.parse().ok()?;
        let record = note.get(space + 1..length)?.strip_suffix(b"\n")?;
        note = note.get(length..)?;
        let equals = record.iter().position(|&byte| byte == b'=')?;
        Some((std::str::from_utf8(record.get(..equals)?).ok()?, record.get(equals + 1..)?, note.is_empty()))
    };
    let mut done = note.is_empty();
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        match next() {
            Some((key, value, last)) => {
                done = last;
                Some(Ok((key, value)))
            }
            None => {
                done = true;
                Some(Err(malformed("a pax header cannot be read")))
            }
        }
    })
}

/// A pax header of all members may not hold what tells them apart.
fn global(note: &[u8]) -> Result<(), Trouble> {
    for record in records(note) {
        let (key, _) = record?;
        if matches!(key, "path" | "linkpath" | "size") || key.starts_with("GNU.sparse") {
            return Err(malformed(format!("a pax header for all members sets `{key}`")));
        }
    }
    Ok(())
}

impl Notes {
    fn take(&mut self, note: &[u8]) -> Result<(), Trouble> {
        for record in records(note) {
            let (key, value) = record?;
            let text = || {
                std::str::from_utf8(value).map_err(|_| malformed(format!("the `{key}` of a pax header is not UTF-8")))
            };
            let wrong = || malformed(format!("the `{key}` of a pax header is not a number"));
            match key {
                "path" => self.name = Some(text()?.to_owned()),
                "linkpath" => self.link = Some(text()?.to_owned()),
                "size" => self.size = Some(text()?.parse().map_err(|_| wrong())?),
                "mtime" => {
                    let whole = text()?.split('.').next().unwrap_or_default();
                    self.modified = Some(whole.parse().map_err(|_| wrong())?);
                }
                key if key.starts_with("GNU.sparse") => self.sparse = true,
                _ => {}
            }
        }
        Ok(())
    }
}
