//! Which files of a workspace are meant: globs, and what they select.

use std::collections::BTreeMap;

use candor_check::{EvidenceSource, FileEntry, Folder, Obstacle, Sandbox, Unverifiable};
use candor_glob::Glob;
use serde::{Deserialize, Deserializer, Serialize};

use crate::PART;

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
    /// Whether a path is one of those that are meant.
    pub(crate) fn matches(&self, path: &str) -> bool {
        self.0.iter().any(|glob| glob.matches(path))
    }

    /// As the author wrote them.
    pub(crate) fn shown(&self) -> String {
        self.0.iter().map(|glob| format!("`{}`", glob.as_str())).collect::<Vec<_>>().join(", ")
    }

    /// The files that are meant. Only what the globs' literal prefixes cover is listed; a path without a glob's
    /// characters is looked up.
    ///
    /// # Errors
    /// When the folder cannot be listed within its limits.
    pub(crate) fn select(&self, folder: &Folder) -> Result<Selected, Unverifiable> {
        let mut files = BTreeMap::new();
        let mut selected = Selected::default();
        for glob in &self.0 {
            let text = glob.as_str();
            if !text.contains(['*', '?', '[', ']', '{', '\\']) {
                match folder.entry(text) {
                    Ok(Some(file)) => drop(files.insert(file.path.clone(), file)),
                    Ok(None) if folder.leads_out(text) => selected.links.push(format!("{PART}/{text}")),
                    Ok(None) => {}
                    Err(why) => selected.unreadable.push(why),
                }
                continue;
            }
            let listing = folder.list_below(&glob.literal_prefix())?;
            selected.unreadable.extend(listing.unreadable.into_iter().map(|(_, why)| why));
            let below = |locator: &&String| {
                locator
                    .strip_prefix(PART)
                    .and_then(|rest| rest.strip_prefix('/'))
                    .is_some_and(|path| glob.matches(path))
            };
            selected.links.extend(listing.outside_links.iter().filter(below).cloned());
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

/// What globs select.
#[derive(Debug, Default)]
pub(crate) struct Selected {
    /// The files, in order of path.
    pub(crate) files: Vec<FileEntry>,
    /// How many were looked through.
    pub(crate) considered: u64,
    /// Links that would match and lead out of the workspace.
    pub(crate) links: Vec<String>,
    /// What could not be looked at.
    pub(crate) unreadable: Vec<Unverifiable>,
}

impl Selected {
    /// What is told of the selection, whatever comes of it.
    pub(crate) fn about(&self) -> About {
        let stop = self.unreadable.first();
        About {
            considered: self.considered,
            notes: self
                .links
                .iter()
                .map(|link| format!("{link} is a link that leads out and was not followed."))
                .collect(),
            unreadable: stop.map(|why| (why.obstacle.name().to_owned(), why.details.clone())),
        }
    }
}

/// What an observation keeps of a selection, beside its files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct About {
    /// How many files were looked through.
    pub considered: u64,
    /// What `details` has to name.
    pub notes: Vec<String>,
    /// What could not be looked at, where that could hide something: reason and sentence.
    pub unreadable: Option<(String, String)>,
}

/// The workspace's folder.
///
/// # Errors
/// [`Obstacle::NoSource`] where there is none.
pub(crate) fn workspace(sandbox: &Sandbox) -> Result<Folder, Unverifiable> {
    sandbox.folder(PART).ok_or_else(|| sandbox.no_source(PART))
}

/// The place that a whole file is.
pub(crate) fn source(locator: &str, sha256: Option<&str>) -> EvidenceSource {
    EvidenceSource { locator: locator.to_owned(), sha256: sha256.map(str::to_owned), span: None }
}

/// The sentence of a limit that the texts of a part exceed together.
pub(crate) fn too_much() -> Unverifiable {
    let details = "the files that match hold more than the limit max_total_bytes";
    Unverifiable::new(Obstacle::LimitExceeded, details)
}
