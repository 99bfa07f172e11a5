//! Walking a tree of which only single questions can be asked: what is there, where does a link lead, what does a folder
//! hold. Nothing here knows of a connection.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::Instant;

use candor_check::sandbox::{Above, Limits, size_text};
use candor_check::{Obstacle, Unverifiable};
use jiff::Timestamp;

use super::super::{Listing, StoredFile};
use super::trouble::Trouble;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File,
    Link,
    /// A socket, a pipe, a device: it holds no ground truth, and reading it may never end.
    Other,
}

/// The attributes of a path on a server, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attributes {
    /// `None` where the server does not say.
    pub(super) kind: Option<Kind>,
    pub(super) size: Option<u64>,
    /// Seconds since 1970.
    pub(super) modified: Option<u64>,
}

pub(super) type Each<'a> = dyn FnMut(&[u8], Attributes) -> Result<(), Trouble> + 'a;

pub(super) trait Tree {
    fn attributes(&self, path: &[u8]) -> Result<Attributes, Trouble>;

    fn target(&self, path: &[u8]) -> Result<Vec<u8>, Trouble>;

    /// Hands every entry of a folder on, in any order. An error that `each` gives ends it.
    fn entries(&self, path: &[u8], each: &mut Each<'_>) -> Result<(), Trouble>;
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    Inside(Vec<u8>, Attributes),
    Outside,
    /// It leads to nothing, or in a circle.
    Nowhere,
}

const FOLDER: Attributes = Attributes { kind: Some(Kind::Folder), size: None, modified: None };

/// As many links as Linux follows.
pub(super) const HOPS: usize = 40;

fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if folder.ends_with(b"/") { b"" } else { b"/" };
    [folder, slash, name].concat()
}

pub(super) fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || folder == b"/")
}

/// Follows a path from a folder, every link in it by what it holds: not every server resolves links when it is asked where a
/// path really is. Both `root` and `from` are real.
pub(super) fn resolve(tree: &dyn Tree, root: &[u8], from: &[u8], path: &[u8]) -> Result<Place, Trouble> {
    let mut at = from.to_vec();
    let mut found = FOLDER;
    let mut todo: Vec<Vec<u8>> = path.split(|&byte| byte == b'/').rev().map(<[u8]>::to_vec).collect();
    let mut hops = 0;
    while let Some(part) = todo.pop() {
        if part.is_empty() || part == b"." {
            continue;
        }
        if found.kind != Some(Kind::Folder) {
            return Ok(Place::Nowhere);
        }
        if part == b".." {
            at.truncate(at.iter().rposition(|&byte| byte == b'/').unwrap_or_default().max(1));
            continue;
        }
        let next = joined(&at, &part);
        // What leads to the root is real, and may not be asked about.
        if is_below(root, &next) {
            at = next;
            continue;
        }
        let attributes = match tree.attributes(&next) {
            Ok(attributes) => attributes,
            Err(Trouble::Missing) => return Ok(Place::Nowhere),
            Err(trouble) => return Err(trouble),
        };
        if attributes.kind != Some(Kind::Link) {
            (at, found) = (next, attributes);
            continue;
        }
        hops += 1;
        if hops > HOPS {
            return Ok(Place::Nowhere);
        }
        let target = match tree.target(&next) {
            Ok(target) => target,
            Err(Trouble::Missing) => return Ok(Place::Nowhere),
            Err(trouble) => return Err(trouble),
        };
        if target.starts_with(b"/") {
            at = b"/".to_vec();
        }
        todo.extend(target.split(|&byte| byte == b'/').rev().map(<[u8]>::to_vec));
    }
    Ok(if is_below(&at, root) { Place::Inside(at, found) } else { Place::Outside })
}

#[derive(Default)]
pub(super) struct Walked {
    pub(super) listing: Listing,
    /// Where the folders really are, by their paths.
    pub(super) folders: HashMap<String, Vec<u8>>,
    /// Where the files are whose names are not text, by their paths as text.
    pub(super) odd: HashMap<String, Vec<u8>>,
}

pub(super) struct Bounds<'a> {
    pub(super) limits: &'a Limits,
    pub(super) until: Instant,
    /// The text before every path.
    pub(super) name: &'a str,
}

impl Bounds<'_> {
    fn too_many(&self) -> Trouble {
        let details = format!("{} holds more than {} files (limit max_files)", self.name, self.limits.max_files);
        Trouble::Here(Unverifiable::new(Obstacle::LimitExceeded, details))
    }
}

struct Walk<'a> {
    tree: &'a dyn Tree,
    root: &'a [u8],
    bounds: &'a Bounds<'a>,
    walked: Walked,
    odd_seen: HashSet<Vec<u8>>,
    /// How many bytes of paths are held.
    held: u64,
}

struct Open {
    path: String,
    real: Vec<u8>,
    above: Option<Rc<Above<Rc<[u8]>>>>,
}

/// Lists every file below a folder of the tree.
///
/// # Errors
/// When the folder itself cannot be listed, the connection is lost, or a limit is reached.
pub(super) fn walk(tree: &dyn Tree, root: &[u8], below: &str, bounds: &Bounds<'_>) -> Result<Walked, Trouble> {
    let mut walk = Walk { tree, root, bounds, walked: Walked::default(), odd_seen: HashSet::new(), held: 0 };
    let start = match resolve(tree, root, root, below.as_bytes())? {
        Place::Inside(real, Attributes { kind: Some(Kind::Folder), .. }) => real,
        Place::Inside(..) | Place::Nowhere => return Ok(walk.walked),
        Place::Outside => {
            walk.walked.listing.outside_links.push(format!("{}{below}", bounds.name));
            return Ok(walk.walked);
        }
    };
    let mut open = vec![Open { path: below.trim_matches('/').to_owned(), real: start, above: None }];
    let mut looked = 0;
    while let Some(folder) = open.pop() {
        let real: Rc<[u8]> = folder.real.clone().into();
        // A folder that links to one above it is looked into once; one that has two names is looked into by both.
        let Some(above) = Above::of(real, folder.above.clone()) else { continue };
        looked += 1;
        if looked > bounds.limits.max_files {
            return Err(bounds.too_many());
        }
        let first = looked == 1;
        match walk.look_into(&folder, &mut |path, real| {
            open.push(Open { path, real, above: Some(Rc::clone(&above)) });
        }) {
            Ok(()) => {}
            // A folder that is not there holds nothing; where it went away between two looks, what it held is not known.
            Err(Trouble::Missing) if first && !folder.path.is_empty() => {}
            Err(Trouble::Missing) if first => return Err(Trouble::Missing),
            Err(Trouble::Missing) => walk.cannot(&folder.path, Trouble::Missing),
            Err(Trouble::Here(why))
                if !first && why.obstacle != Obstacle::LimitExceeded && why.obstacle != Obstacle::Timeout =>
            {
                walk.cannot(&folder.path, Trouble::Here(why));
            }
            Err(trouble) => return Err(trouble),
        }
        if walk.walked.listing.files.len() as u64 > bounds.limits.max_files {
            return Err(bounds.too_many());
        }
        walk.walked.folders.insert(folder.path, folder.real);
    }
    let Listing { files, outside_links, unreadable, .. } = &mut walk.walked.listing;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    // A server may list a name twice if its folder changes meanwhile.
    files.dedup_by(|a, b| a.path == b.path);
    outside_links.sort();
    unreadable.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(walk.walked)
}

impl Walk<'_> {
    fn cannot(&mut self, path: &str, trouble: Trouble) {
        let place = format!("{}{path}", self.bounds.name);
        let why = trouble.about(&place);
        self.walked.listing.unreadable.push((place, why));
    }

    fn look_into(&mut self, folder: &Open, below: &mut dyn FnMut(String, Vec<u8>)) -> Result<(), Trouble> {
        let tree = self.tree;
        tree.entries(&folder.real, &mut |name, attributes| {
            if name == b"." || name == b".." {
                return Ok(());
            }
            self.within_bounds(folder.path.len() + name.len())?;
            let text = String::from_utf8_lossy(name);
            let path = if folder.path.is_empty() { text.into_owned() } else { format!("{}/{text}", folder.path) };
            if name.is_empty() || name.contains(&b'/') || name.contains(&0) {
                let what = format!("{}{path}: the server lists a name that can be none", self.bounds.name);
                self.cannot(&path, Trouble::Here(Unverifiable::new(Obstacle::SourceMalformed, what)));
                return Ok(());
            }
            match self.entry(&path, &folder.real, name, attributes) {
                Ok(Some((real, Attributes { kind: Some(Kind::Folder), .. }))) => below(path, real),
                Ok(Some((real, attributes))) => self.file(path, name, real, attributes),
                Ok(None) => {}
                Err(Trouble::Lost(why)) => return Err(Trouble::Lost(why)),
                Err(trouble) => self.cannot(&path, trouble),
            }
            Ok(())
        })
    }

    fn within_bounds(&mut self, length: usize) -> Result<(), Trouble> {
        self.held += length as u64;
        let limits = self.bounds.limits;
        if self.walked.listing.files.len() as u64 > limits.max_files {
            return Err(self.bounds.too_many());
        }
        if self.held > limits.max_total_bytes.max(1 << 20) {
            let size = size_text(limits.max_total_bytes);
            let details = format!("the names in {} are longer than {size} (limit max_total_bytes)", self.bounds.name);
            return Err(Trouble::Here(Unverifiable::new(Obstacle::LimitExceeded, details)));
        }
        if Instant::now() > self.bounds.until {
            let details = format!("listing {} takes longer than the limit", self.bounds.name);
            return Err(Trouble::Here(Unverifiable::new(Obstacle::Timeout, details)));
        }
        Ok(())
    }

    /// The kind of an entry, a link as what it points to; nothing for what holds no ground truth.
    fn entry(
        &mut self,
        path: &str,
        folder: &[u8],
        name: &[u8],
        mut attributes: Attributes,
    ) -> Result<Option<(Vec<u8>, Attributes)>, Trouble> {
        let real = joined(folder, name);
        let is_short = attributes.kind == Some(Kind::File) && attributes.size.is_none();
        if attributes.kind.is_none() || is_short {
            attributes = self.tree.attributes(&real)?;
        }
        match attributes.kind {
            Some(Kind::Other) => Ok(None),
            Some(Kind::Link) => match resolve(self.tree, self.root, folder, name)? {
                Place::Inside(_, Attributes { kind: Some(Kind::Other), .. }) => Ok(None),
                Place::Inside(real, attributes) => Ok(Some((real, attributes))),
                Place::Outside | Place::Nowhere => {
                    self.walked.listing.outside_links.push(format!("{}{path}", self.bounds.name));
                    Ok(None)
                }
            },
            _ => Ok(Some((real, attributes))),
        }
    }

    fn file(&mut self, path: String, name: &[u8], real: Vec<u8>, attributes: Attributes) {
        let locator = format!("{}{path}", self.bounds.name);
        let (Some(Kind::File), Some(size)) = (attributes.kind, attributes.size) else {
            let what = format!("{locator} cannot be looked at: the server does not say what it is, or how large");
            self.cannot(&path, Trouble::Here(Unverifiable::new(Obstacle::SourceUnavailable, what)));
            return;
        };
        if std::str::from_utf8(name).is_err() && self.odd_seen.insert(real.clone()) {
            if self.walked.odd.contains_key(&path) {
                let what = format!("{locator} names several files that differ in bytes that are not UTF-8");
                self.cannot(&path, Trouble::Here(Unverifiable::new(Obstacle::Undecidable, what)));
                return;
            }
            self.walked.odd.insert(path.clone(), real);
        }
        let modified =
            attributes.modified.and_then(|seconds| Timestamp::from_second(i64::try_from(seconds).ok()?).ok());
        self.walked.listing.files.push(StoredFile { path, locator, size, modified, version: None });
    }
}
