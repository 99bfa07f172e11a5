//! The assertion, read and valid.

use serde::Deserialize;

use crate::except::Exception;

/// Settings of `state-unchanged`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// The parts that are compared; all that the baseline has where nothing is said.
    #[serde(default)]
    pub(crate) parts: Option<Vec<String>>,
    /// What may have changed.
    #[serde(default)]
    pub(crate) except: Vec<Exception>,
}
