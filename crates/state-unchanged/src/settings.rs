//! The assertion, read and valid.

use candor_check::PartType;
use candor_check::settings::InvalidAssertion;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::except::{Exception, part_named};

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// The parts that are compared; by default all that either side has.
    #[serde(default, deserialize_with = "some_parts")]
    pub(crate) parts: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) except: Vec<Exception>,
}

impl Settings {
    /// Refuses parts, and exceptions of parts and collections, that no sandbox can have. Without parts, nothing is known of
    /// them.
    pub(crate) fn check_names(&self, parts: &[PartType]) -> Result<(), InvalidAssertion> {
        for (index, name) in self.parts.iter().flatten().enumerate().filter(|_| !parts.is_empty()) {
            part_named(name, parts).map_err(|rest| InvalidAssertion {
                place: format!("parts[{index}]"),
                message: format!("the part `{name}` does not exist{rest}"),
            })?;
        }
        for (index, exception) in self.except.iter().enumerate().filter(|_| !parts.is_empty()) {
            exception
                .check_names(parts)
                .map_err(|message| InvalidAssertion { place: format!("except[{index}]"), message })?;
        }
        Ok(())
    }
}

fn some_parts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    let parts = Vec::<String>::deserialize(deserializer)?;
    match parts.is_empty() {
        true => Err(D::Error::custom("`parts` is empty, so that nothing is compared; leave it out to compare all")),
        false => Ok(Some(parts)),
    }
}
