//! `stable`: a file is examined twice, and is the same.

use std::collections::HashMap;
use std::time::Duration;

use candor_check::field::FieldResult;
use candor_check::sandbox::duration;
use candor_check::{Obstacle, Unverifiable};
use candor_json::{Value, json};
use serde::{Deserialize, Serialize};

use crate::store::{Listing, Store, StoredFile};

#[derive(Clone, Debug)]
pub(crate) struct Stable {
    window: Duration,
    written: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    bytes: u64,
    modified: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Looks {
    /// `None`: it was not there yet.
    pub(crate) first: Option<State>,
    pub(crate) then: State,
}

impl Stable {
    pub(crate) fn parse(written: &str) -> Result<Self, String> {
        let window = duration(written).map_err(|what| format!("`stable`: {what}"))?;
        Ok(Self { window, written: written.to_owned() })
    }

    pub(crate) fn result(&self, looks: &Looks) -> FieldResult {
        let unchanged = looks.first.as_ref() == Some(&looks.then);
        let shown =
            |state: Option<&State>| state.and_then(|state| candor_json::to_value(state).ok()).unwrap_or(Value::Null);
        let actual = match unchanged {
            true => json!({"unchanged": shown(Some(&looks.then))}),
            false => json!({"first": shown(looks.first.as_ref()), "then": shown(Some(&looks.then))}),
        };
        FieldResult::constraint("$stable", json!(self.written), actual, unchanged)
    }
}

pub(crate) fn state(file: &StoredFile) -> State {
    State { bytes: file.size, modified: file.modified.map(|time| time.to_string()), version: file.version.clone() }
}

/// The files, and how those that `concerns` were at the first of two looks where two are asked for.
///
/// # Errors
/// When they cannot be listed, or the wait is longer than a read may take.
pub(crate) fn look(
    stable: Option<&Stable>,
    store: &dyn Store,
    below: &str,
    concerns: impl Fn(&StoredFile) -> bool,
) -> Result<(Listing, Option<HashMap<String, State>>), Unverifiable> {
    let listing = store.list(below)?;
    let Some(stable) = stable else { return Ok((listing, None)) };
    if stable.window >= store.limits().timeout {
        let details = format!(
            "`stable` waits {} between two looks at {}, and one read may take no longer than {:?} (limit timeout)",
            stable.written,
            store.name(),
            store.limits().timeout,
        );
        return Err(Unverifiable::new(Obstacle::LimitExceeded, details));
    }
    let first: HashMap<String, State> =
        listing.files.iter().filter(|file| concerns(file)).map(|file| (file.path.clone(), state(file))).collect();
    if first.is_empty() {
        return Ok((listing, Some(first)));
    }
    std::thread::sleep(stable.window);
    Ok((store.list(below)?, Some(first)))
}
