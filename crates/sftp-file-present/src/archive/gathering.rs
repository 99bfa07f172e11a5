//! The members of an archive as a walk meets them: those that somebody asked for are unpacked and held against their
//! checksums.

use std::collections::HashMap;
use std::io::{self, Read};

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::member_name::member_path;
use super::trouble::{Bounded, Bounds, Trouble};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    No,
    Hash,
    Keep,
}

#[derive(Debug)]
pub(crate) struct Extracted {
    pub(crate) path: String,
    pub(crate) size: u64,
    /// SHA-256 of its uncompressed bytes, in lower-case hex.
    pub(crate) sha256: String,
    /// When it was last modified, where the archive says so in a time with a zone.
    pub(crate) modified: Option<Timestamp>,
    /// Its uncompressed bytes, where they are kept.
    pub(crate) bytes: Option<Vec<u8>>,
}

#[derive(Debug, Default)]
pub(crate) struct Extraction {
    pub(crate) names: Vec<String>,
    pub(crate) members: Vec<Extracted>,
    /// Those that were asked for and could not be read.
    pub(crate) unreadable: Vec<(String, Trouble)>,
    /// Other faults of the archive: names that are refused.
    pub(crate) refused: Vec<Trouble>,
    /// Links that have a name somebody asked for, with their targets. They are not followed.
    pub(crate) links: Vec<(String, String)>,
}

pub(super) enum MemberKind {
    File,
    Folder,
    Link(String),
    /// A device, a pipe: nothing that holds bytes.
    Special,
    Unread(Trouble),
}

pub(super) struct Entry {
    pub(super) name: String,
    pub(super) kind: MemberKind,
    pub(super) modified: Option<Timestamp>,
}

pub(super) struct Gathering<'a> {
    bounds: &'a Bounds,
    wanted: &'a dyn Fn(&str) -> Wanted,
    left: u64,
    counts: HashMap<String, u64>,
    found: Extraction,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(bounds: &'a Bounds, wanted: &'a dyn Fn(&str) -> Wanted) -> Self {
        let left = bounds.max_total_bytes;
        Self { bounds, wanted, left, counts: HashMap::new(), found: Extraction::default() }
    }

    pub(super) fn bounds(&self) -> &Bounds {
        self.bounds
    }

    /// Takes one member in; `content` gives its bytes, and an error where they are not as the archive says.
    pub(super) fn member(&mut self, entry: Entry, content: &mut dyn Read) {
        let path = match member_path(&entry.name) {
            Ok(Some(path)) => path,
            Ok(None) => return,
            Err(what) => {
                self.found.refused.push(Trouble::malformed(what));
                return;
            }
        };
        if matches!(entry.kind, MemberKind::Folder) {
            return;
        }
        let wanted = (self.wanted)(&path);
        let count = self.counts.entry(path.clone()).or_default();
        *count += 1;
        if *count == 1 {
            self.found.names.push(path.clone());
        }
        if wanted == Wanted::No || *count > 1 {
            return;
        }
        match entry.kind {
            MemberKind::Link(target) => self.found.links.push((path, target)),
            MemberKind::Unread(trouble) => self.found.unreadable.push((path, trouble)),
            MemberKind::Special => {
                self.found.unreadable.push((path, Trouble::malformed("is not a file but a device or a pipe")))
            }
            MemberKind::Folder => {}
            MemberKind::File => match self.take(content, wanted == Wanted::Keep) {
                Ok((size, sha256, bytes)) => {
                    let modified = entry.modified;
                    self.found.members.push(Extracted { path, size, sha256, modified, bytes });
                }
                Err(trouble) => self.found.unreadable.push((path, trouble)),
            },
        }
    }

    fn take(&mut self, reader: &mut dyn Read, keep: bool) -> Result<(u64, String, Option<Vec<u8>>), Trouble> {
        let reader = Bounded::new(reader, self.left, self.bounds.total_too_large());
        let mut reader = Bounded::new(reader, self.bounds.max_bytes, self.bounds.object_too_large());
        let mut hasher = Sha256::new();
        let mut bytes = keep.then(Vec::new);
        let mut piece = vec![0; 64 << 10];
        let mut size = 0;
        loop {
            match reader.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => {
                    let piece = piece.get(..read).unwrap_or_default();
                    size += read as u64;
                    hasher.update(piece);
                    if let Some(bytes) = &mut bytes {
                        bytes.extend_from_slice(piece);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.left = self.left.saturating_sub(size);
                    return Err(Trouble::of(error, |error| {
                        Trouble::malformed(format!("cannot be unpacked ({error})"))
                    }));
                }
            }
        }
        self.left = self.left.saturating_sub(size);
        let sha256 = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok((size, sha256, bytes))
    }

    /// Of members of one name none is the one that is meant: readers of archives differ in which they take.
    pub(super) fn finished(self) -> Extraction {
        let Self { counts, mut found, wanted, .. } = self;
        let twice = |path: &str| counts.get(path).is_some_and(|count| *count > 1);
        found.members.retain(|member| !twice(&member.path));
        found.unreadable.retain(|(path, _)| !twice(path));
        found.links.retain(|(path, _)| !twice(path));
        let named: Vec<(&String, &u64)> =
            found.names.iter().filter_map(|name| counts.get_key_value(name)).filter(|(_, count)| **count > 1).collect();
        for (path, count) in named.into_iter().filter(|(path, _)| wanted(path) != Wanted::No) {
            found.refused.push(Trouble::malformed(format!("has {count} members named \"{path}\"")));
        }
        found.names.sort();
        found.members.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }
}
