//! The check: its name, and the rooms that do its work.

use std::sync::Arc;

use candor_check::compare::Zone;
use candor_check::field::Expected;
use candor_check::review::Review;
use candor_check::{Check, Evidence, Judged, Meta, Sandbox, Unverifiable};
use serde::{Deserialize, Deserializer};

use crate::judge::judge;
use crate::observe::observe;
use crate::review::review;
use crate::seen::Seen;
use crate::settings::{Members, Settings};
use crate::source::PART;

/// Settings of `x12-response`.
#[derive(Debug)]
pub struct X12Response(Arc<Settings>);

impl<'de> Deserialize<'de> for X12Response {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members::deserialize(deserializer)?;
        Settings::try_from(members).map(|settings| Self(Arc::new(settings))).map_err(serde::de::Error::custom)
    }
}

impl X12Response {
    /// The same criterion, read without an index and a search: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn unsearched(mut self) -> Self {
        let settings = Arc::get_mut(&mut self.0).into_iter();
        for field in settings.flat_map(|settings| &mut settings.selection.correlation.0) {
            // `in` selects as `equals` does, and is not searched for.
            if let Expected::Equals(value) = &field.expected {
                field.expected = Expected::In(vec![value.clone()]);
            }
        }
        self
    }
}

impl Check for X12Response {
    const META: Meta = Meta {
        assert: "x12-response",
        about: "Asserts what X12 transaction sets answer",
        part: PART,
        files: &[],
        evidence_key: "fieldResults",
        schema: include_str!("../schema.json"),
    };

    type Seen = Seen;

    const JUDGED: &'static [Judged] = &[("fields", &[])];

    async fn observe(&self, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
        observe(&self.0, sandbox).await
    }

    fn judge(&self, seen: &Seen) -> Evidence {
        judge(&self.0, seen)
    }

    fn set_zone(&mut self, zone: &Zone) {
        if let Some(settings) = Arc::get_mut(&mut self.0) {
            settings.fields.iter_mut().for_each(|field| field.set_zone(zone));
        }
    }

    fn review(&self) -> Review {
        review(&self.0)
    }
}
