//! Observations: the files that were matched, the files next to them, and the files found where none may be.

use candor_check::records::{Bytes, Observation};
use serde::{Deserialize, Serialize};

use crate::content::Pages;
use crate::hygiene::{Looks, SeenCompanion, SeenControl, SeenPgp};

/// The observation of the files that the glob matched.
#[derive(Debug, Serialize, Deserialize)]
pub struct Seen {
    /// Where the files lie, as messages name it.
    pub(crate) place: String,
    pub(crate) observation: Observation<Dropped>,
    /// Every path the glob matched and no `exclude` left out, those that could not be read included.
    pub(crate) matched: Vec<String>,
    /// The files found where nothing may be, when that is asserted.
    pub(crate) forbidden: Option<Forbidden>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Dropped {
    /// Relative to the prefix.
    pub path: String,
    /// Its size, as it is stored; of a member the uncompressed one.
    pub bytes: u64,
    /// When it was last modified: RFC 3339.
    pub modified: Option<String>,
    /// The files next to it; for a member, those next to its archive.
    #[serde(flatten)]
    pub beside: Beside,
    /// True if the content was compressed or encrypted, so that its places are not those of the file.
    #[serde(default)]
    pub unwrapped: bool,
    /// Its content, when something is asserted of that, less what it was wrapped in.
    pub content: Option<Bytes>,
    /// The text of a PDF, which represents its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<Pages>,
    /// Its OpenPGP view, where that is asserted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pgp: Option<SeenPgp>,
    /// True if its content could not be opened, and something asserted of it fails whatever it holds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_closed: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Beside {
    /// Unfinished files next to it.
    pub partials: Vec<String>,
    /// How it was at two looks.
    pub looks: Option<Looks>,
    /// Its companions.
    pub companions: Vec<SeenCompanion>,
    /// The file of its control numbers.
    pub control: Option<SeenControl>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Forbidden {
    /// The paths, the first of them.
    pub(crate) found: Vec<String>,
    /// The locator of the first.
    pub(crate) first: Option<String>,
    pub(crate) unread: Vec<String>,
    /// Links that were not followed, where something that is forbidden might have been.
    #[serde(default)]
    pub(crate) links: Vec<String>,
}
