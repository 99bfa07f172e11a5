//! The assertions about several files: none delivered twice, none where none may be.

use std::collections::BTreeMap;

use candor_check::Failure;
use candor_check::field::{FieldReason, FieldResult, Location};
use candor_check::records::Candidate;
use candor_glob::Glob;
use candor_json::json;

use crate::seen::{Dropped, Forbidden};
use crate::store::{Listing, Store};

/// How many paths are named.
const MOST: usize = 20;

/// Checks that no two candidates hold the same bytes.
pub(crate) fn unique_result(candidates: &[Candidate<Dropped>]) -> (Failure, FieldResult) {
    let mut same: BTreeMap<(u64, &str), Vec<&Candidate<Dropped>>> = BTreeMap::new();
    for candidate in candidates {
        // Without a hash nothing else is of its size.
        if let Some(sha256) = &candidate.source.sha256 {
            same.entry((candidate.content.bytes, sha256)).or_default().push(candidate);
        }
    }
    let twins: Vec<&Vec<&Candidate<Dropped>>> = same.values().filter(|files| files.len() > 1).collect();
    let mut names: Vec<Vec<&str>> =
        twins.iter().map(|files| files.iter().map(|file| file.content.path.as_str()).take(MOST).collect()).collect();
    names.sort();
    names.truncate(MOST);
    let second = twins.iter().filter_map(|files| files.get(1)).min_by_key(|file| &file.content.path);
    let source = second.copied().or(candidates.first()).map(|file| file.source.place());
    let result = FieldResult::constraint("$unique", json!([]), json!(names), twins.is_empty());
    (Failure::CountMismatch, FieldResult { source, ..result })
}

/// A glob that nothing may match, in whatever case, and behind a leading dot as well: a file that is hidden is there.
#[derive(Clone, Debug)]
pub(crate) struct Forbidding {
    glob: Glob,
    folded: Glob,
}

impl Forbidding {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let read = |text: &str| Glob::parse(text).map_err(|error| error.to_string());
        let glob = read(text)?;
        match glob.names_members() {
            true => Err(format!("`{text}` asks for members of archives, which are not looked into here")),
            false => Ok(Self { folded: read(&text.to_lowercase())?, glob }),
        }
    }

    fn matches(&self, path: &str) -> bool {
        self.any(path, Glob::matches)
    }

    /// Returns `true` if a path matches, or something below it can.
    fn reaches(&self, path: &str) -> bool {
        self.matches(path) || self.any(path, Glob::reaches)
    }

    fn any(&self, path: &str, holds: fn(&Glob, &str) -> bool) -> bool {
        let shown: Vec<&str> = path.split('/').map(|name| name.trim_start_matches('.')).collect();
        holds(&self.glob, path) || [path, &shown.join("/")].iter().any(|path| holds(&self.folded, &path.to_lowercase()))
    }
}

/// Lists the whole store: to a store, a folder whose name has other case is another folder.
pub(crate) fn forbidden(globs: &[Forbidding], store: &dyn Store) -> Forbidden {
    let mut forbidden = Forbidden::default();
    let Listing { files, outside_links, unreadable, special } = match store.list("") {
        Ok(listing) => listing,
        Err(why) => {
            forbidden.unread.push(why.details);
            return forbidden;
        }
    };
    let path = |place: &str| place.strip_prefix(store.name()).unwrap_or(place).trim_start_matches('/').to_owned();
    let is_reached = |place: &str| globs.iter().any(|forbidding| forbidding.reaches(&path(place)));
    let nowhere = outside_links.iter().filter(|link| is_reached(link) && store.leads_nowhere(&path(link)));
    forbidden.unread.extend(nowhere.map(|link| format!("{link} is a link that leads nowhere")));
    forbidden.links.extend(outside_links.into_iter().filter(|link| is_reached(link)));
    let unread = unreadable.into_iter().chain(special).filter(|(place, _)| is_reached(place));
    forbidden.unread.extend(unread.map(|(_, why)| why.details));
    for file in files.iter().filter(|file| globs.iter().any(|forbidding| forbidding.matches(&file.path))) {
        forbidden.first.get_or_insert_with(|| file.locator.clone());
        forbidden.found.push(file.path.clone());
    }
    forbidden.found.sort();
    forbidden.found.dedup();
    forbidden.found.truncate(MOST);
    forbidden
}

/// Passes if no forbidden file was found. A file that could not be examined leaves it open.
pub(crate) fn forbidden_result(forbidden: &Forbidden) -> (Failure, FieldResult) {
    let result = match (forbidden.found.as_slice(), forbidden.unread.first()) {
        ([], Some(unread)) => {
            FieldResult::constraint("$none", json!([]), json!(unread), false).because(FieldReason::Undecidable)
        }
        (found, _) => FieldResult::constraint("$none", json!([]), json!(found), found.is_empty()),
    };
    let source = forbidden.first.as_ref().map(Location::whole);
    (Failure::ForbiddenFound, FieldResult { source, ..result })
}
