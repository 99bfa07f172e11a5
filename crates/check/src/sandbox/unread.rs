//! Files that a part does not read and that may hold its records, so that they prove no absence.

use super::folder::{FileEntry, Folder, Listing};
use crate::field::Location;
use crate::outcome::{Obstacle, Unverifiable};
use crate::records::{Fault, Unreadable};

/// Extensions of files that hold others, or hold one in fewer bytes.
const PACKED: &[&str] = &[
    "7z", "br", "bz2", "cab", "gz", "lz", "lz4", "lzma", "rar", "sz", "tar", "tbz", "tbz2", "tgz", "txz", "tzst", "xz",
    "z", "zip", "zst", "zstd",
];

/// How such files begin, whatever they are called. Documents are zip archives, too: those are known by their names alone.
const BEGINNINGS: &[&[u8]] = &[
    b"\x1f\x8b",
    b"\x1f\x9d",
    b"BZh",
    b"\xfd7zXZ\0",
    b"\x28\xb5\x2f\xfd",
    b"\x04\x22\x4d\x18",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
];

/// Words of errors that servers and gateways send in place of a file. Source: RFC 9110, 15.5 and 15.6.
const ERRORS: &[&str] = &[
    "bad gateway",
    "bad request",
    "denied",
    "error",
    "errors",
    "exception",
    "expired",
    "failed",
    "forbidden",
    "not found",
    "timeout",
    "too many requests",
    "unauthorised",
    "unauthorized",
    "unavailable",
];

/// Returns `true` if a text has a word of an error: `401 Unauthorized`, `Error: not found`.
#[must_use]
pub fn reads_like_an_error(text: &str) -> bool {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let words = format!(" {} ", words.join(" ")).to_lowercase();
    ERRORS.iter().any(|error| words.contains(&format!(" {error} ")))
}

/// Returns `true` if a file is packed by its name: `claims.csv.gz`, `export.zip`.
#[must_use]
pub fn is_packed(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, own)| PACKED.iter().any(|known| own.eq_ignore_ascii_case(known)))
}

impl Folder {
    /// As [`Folder::list`]. A link that leads nowhere may have led to records: it is among the places that cannot be read, and
    /// so are pipes, sockets and devices.
    ///
    /// # Errors
    /// As [`Folder::list`].
    pub fn list_records(&self) -> Result<Listing, Unverifiable> {
        let mut listing = self.list()?;
        let path = |link: &String| link.get(self.part().len() + 1..).unwrap_or_default().to_owned();
        let (nowhere, outside) = listing.outside_links.into_iter().partition(|link| self.leads_nowhere(&path(link)));
        listing.outside_links = outside;
        let unreadable = |link: String| {
            let why = Unverifiable::new(Obstacle::SourceUnavailable, format!("{link} is a link that leads nowhere"));
            (link, why)
        };
        listing.unreadable.extend(Vec::into_iter(nowhere).map(unreadable));
        listing.unreadable.append(&mut listing.special);
        Ok(listing)
    }

    /// The packed ones among files that a part does not read, and those that may be: their beginnings cannot be read. Hidden
    /// files are left out.
    #[must_use]
    pub fn not_unpacked<'a>(&self, others: impl IntoIterator<Item = &'a FileEntry>) -> Vec<Unreadable> {
        let hidden = |file: &FileEntry| file.path.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
        others.into_iter().filter(|file| !hidden(file)).filter_map(|file| self.packed(file)).collect()
    }

    fn packed(&self, file: &FileEntry) -> Option<Unreadable> {
        let packed = || Some(not_read(file, "a packed file is not read here; unpack it"));
        if is_packed(&file.path) {
            return packed();
        }
        match self.beginning(file, 8) {
            Ok(head) if BEGINNINGS.iter().any(|beginning| head.starts_with(beginning)) => packed(),
            Ok(_) => None,
            Err(why) => {
                // The place is named by itself.
                let what =
                    why.details.strip_prefix(file.locator.as_str()).map_or(why.details.as_str(), str::trim_start);
                Some(Unreadable { fault: Fault::Obstacle(why.obstacle), ..not_read(file, what) })
            }
        }
    }

    /// The first bytes of a file, however large it is.
    fn beginning(&self, file: &FileEntry, most: u64) -> Result<Vec<u8>, Unverifiable> {
        self.read_at(file, (0, most.min(self.limits().max_bytes)))
    }

    /// The first bytes of a file, at most so many; none where it cannot be read.
    #[must_use]
    pub fn head(&self, file: &FileEntry, most: u64) -> Vec<u8> {
        self.beginning(file, most).unwrap_or_default()
    }
}

/// A link out of a part's folder. Nothing is read through it, so what it leads to may be what is asserted to be absent.
#[must_use]
pub fn not_followed(link: &str) -> Unreadable {
    let what = "this link leads out of the folder and was not followed, so it proves no absence".to_owned();
    Unreadable { place: Location::whole(link), what, fault: Fault::Obstacle(Obstacle::SourceUnavailable) }
}

/// A file that may hold records and is in no form that is read.
#[must_use]
pub fn not_read(file: &FileEntry, what: &str) -> Unreadable {
    Unreadable { place: Location::whole(file.locator.as_str()), what: what.to_owned(), fault: Fault::Recording }
}
