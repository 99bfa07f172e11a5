//! The check `state-unchanged`.

use candor_check::review::Review;
use candor_check::settings::InvalidAssertion;
use candor_check::{Check, Evidence, Judged, Meta, PartType, Sandbox, Unverifiable};
use serde::Deserialize;

use crate::seen::Seen;
use crate::settings::Settings;
use crate::source::PART;
use crate::{judge, observe, review};

#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct StateUnchanged(Settings);

impl Check for StateUnchanged {
    const META: Meta = Meta {
        assert: "state-unchanged",
        about: "Asserts that nothing else changed: every record is the same as before the work",
        part: PART,
        files: &[],
        evidence_key: "fieldResults",
        schema: include_str!("../schema.json"),
    };

    type Seen = Seen;

    const JUDGED: &'static [Judged] = &[("except", &[])];

    async fn observe(&self, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
        observe::observe(&self.0, sandbox).await
    }

    fn judge(&self, seen: &Seen) -> Evidence {
        judge::judge(&self.0, seen)
    }

    fn check_names(&self, parts: &[PartType]) -> Result<(), InvalidAssertion> {
        self.0.check_names(parts)
    }

    fn review(&self) -> Review {
        review::review(&self.0)
    }
}
