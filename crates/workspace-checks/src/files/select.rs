//! Which files of a workspace are meant: globs, and what they select.

use std::collections::BTreeMap;

use candor_check::evidence::SourceRef;
use candor_check::sandbox::{FileEntry, Folder};
use candor_check::{Obstacle, Unverifiable};
use candor_glob::Glob;
use serde::{Deserialize, Deserializer, Serialize};

use crate::source::PART;

/// `path`: a glob, or several, relative to the workspace.
#[derive(Clone, Debug)]
pub(crate) struct Paths(Vec<Glob>);

impl<'de> Deserialize<'de> for Paths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a path, or an array of paths")]
        enum Written {
            One(String),
            Several(Vec<String>),
        }
        let texts = match Written::deserialize(deserializer)? {
            Written::One(text) => vec![text],
            Written::Several(texts) => texts,
        };
        if texts.is_empty() {
            return Err(serde::de::Error::custom("there is no path in the array"));
        }
        texts.iter().map(|text| glob(text)).collect::<Result<_, _>>().map(Self).map_err(serde::de::Error::custom)
    }
}

fn glob(text: &str) -> Result<Glob, String> {
    let glob = Glob::parse(text).map_err(|error| error.to_string())?;
    if glob.names_members() {
        return Err(format!(
            "the glob `{text}` asks for members of an archive, which are not opened here; write \\! for the character"
        ));
    }
    Ok(glob)
}

impl Paths {
    pub(crate) fn matches(&self, path: &str) -> bool {
        self.0.iter().any(|glob| glob.matches(path))
    }

    pub(crate) fn matches_all(&self) -> bool {
        self.0.iter().any(Glob::matches_all)
    }

    pub(crate) fn globs(&self) -> &[Glob] {
        &self.0
    }

    pub(crate) fn shown(&self) -> String {
        self.0.iter().map(|glob| format!("`{}`", glob.as_str())).collect::<Vec<_>>().join(", ")
    }

    /// The files that are meant. Only what the globs' literal prefixes cover is listed; a path without a glob's
    /// characters is looked up.
    pub(crate) fn select(&self, folder: &Folder) -> Result<Selected, Unverifiable> {
        let mut files = BTreeMap::new();
        let mut selected = Selected::default();
        for glob in &self.0 {
            let text = glob.as_str();
            if is_literal(text) {
                match folder.entry(text) {
                    Ok(Some(file)) => drop(files.insert(file.path.clone(), file)),
                    Ok(None) => selected.links.extend(leading_out(folder, text)),
                    Err(why) => selected.unreadable.push(why),
                }
                continue;
            }
            let listing = folder.list_below(&glob.literal_prefix())?;
            selected.unreadable.extend(listing.unreadable.into_iter().map(|(_, why)| why));
            let links = listing.outside_links.iter().map(|link| Link::of(folder, link));
            selected.links.extend(links.filter(|link| {
                let path = link.path();
                glob.matches(path) || (!link.nowhere && glob.reaches(path))
            }));
            selected.considered += listing.files.len() as u64;
            let matching = listing.files.into_iter().filter(|file| glob.matches(&file.path));
            files.extend(matching.map(|file| (file.path.clone(), file)));
        }
        selected.files = files.into_values().collect();
        selected.considered = selected.considered.max(selected.files.len() as u64);
        selected.links.sort();
        selected.links.dedup();
        Ok(selected)
    }
}

/// True if a glob is a path without a glob's characters.
pub(crate) fn is_literal(text: &str) -> bool {
    !text.contains(['*', '?', '[', ']', '{', '\\'])
}

/// A link that was not followed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Link {
    locator: String,
    /// True if its target does not exist.
    nowhere: bool,
}

impl Link {
    pub(crate) fn of(folder: &Folder, locator: &str) -> Self {
        let link = Self { locator: locator.to_owned(), nowhere: false };
        Self { nowhere: folder.leads_nowhere(link.path()), ..link }
    }

    pub(crate) fn path(&self) -> &str {
        self.locator.strip_prefix(PART).and_then(|rest| rest.strip_prefix('/')).unwrap_or_default()
    }
}

/// The link by which a path without a glob's characters leads out: itself, or a folder on the way.
fn leading_out(folder: &Folder, path: &str) -> Option<Link> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let mut ways = ends.filter_map(|end| path.get(..end));
    ways.find(|way| folder.leads_out(way)).map(|way| Link::of(folder, &format!("{PART}/{way}")))
}

/// The sentences that name links, and how many more there are.
pub(crate) fn notes(links: &[Link]) -> Vec<String> {
    const MOST: usize = 10;
    let sentence = |link: &Link| match link.nowhere {
        true => format!("{} is a link that leads nowhere.", link.locator),
        false => format!("{} is a link that leads out and was not followed.", link.locator),
    };
    let more = links.len().saturating_sub(MOST);
    let more = (more > 0).then(|| format!("{more} more links lead out or nowhere."));
    links.iter().take(MOST).map(sentence).chain(more).collect()
}

#[derive(Debug, Default)]
pub(crate) struct Selected {
    /// The files, in order of path.
    pub(crate) files: Vec<FileEntry>,
    pub(crate) considered: u64,
    /// Links that would match, or hold what would, and lead out of the workspace or nowhere.
    pub(crate) links: Vec<Link>,
    pub(crate) unreadable: Vec<Unverifiable>,
}

impl Selected {
    pub(crate) fn about(&self) -> About {
        let stop = self.unreadable.first();
        About {
            considered: self.considered,
            notes: notes(&self.links),
            unreadable: stop.map(|why| (why.obstacle.name().to_owned(), why.details.clone())),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct About {
    /// How many files were looked through.
    pub considered: u64,
    /// The sentences that `details` has to contain.
    pub notes: Vec<String>,
    /// The first obstacle that could hide something: reason and sentence.
    pub unreadable: Option<(String, String)>,
}

impl About {
    /// The same, where something must not be there: behind a link that leads out it may be.
    pub(crate) fn hidden_by<'l>(self, links: impl IntoIterator<Item = &'l Link>) -> Self {
        let out = links.into_iter().find(|link| !link.nowhere);
        let what =
            |link: &Link| format!("{} is a link that leads out, and what is behind it was not seen", link.locator);
        let hidden = || out.map(|link| ("undecidable".to_owned(), what(link)));
        Self { unreadable: self.unreadable.or_else(hidden), ..self }
    }
}

pub(crate) fn source(locator: &str, sha256: Option<&str>) -> SourceRef {
    SourceRef { locator: locator.into(), sha256: sha256.map(Into::into), span: None, record: None }
}

pub(crate) fn too_much() -> Unverifiable {
    let details = "the files that match hold more than the limit max_total_bytes";
    Unverifiable::new(Obstacle::LimitExceeded, details)
}
