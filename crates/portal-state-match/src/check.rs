//! The check: its name, and the rooms that do its work.

use candor_check::compare::Zone;
use candor_check::review::Review;
use candor_check::{Check, Evidence, Judged, Meta, Sandbox, Unverifiable, Within};
use serde::Deserialize;

use crate::judge::judge;
use crate::observe::observe;
use crate::review::review;
use crate::seen::Seen;
use crate::settings::Settings;
use crate::source::PART;

/// Asserts what the rows behind a portal hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct PortalStateMatch {
    settings: Settings,
}

impl Check for PortalStateMatch {
    const META: Meta = Meta {
        assert: "portal-state-match",
        about: "Rows behind a portal, found by a key, hold what was asserted",
        part: PART,
        files: &[],
        evidence_key: "assertionResults",
        schema: include_str!("../schema.json"),
    };
    type Seen = Seen;

    const JUDGED: &'static [Judged] = &[("assertions", &[]), ("match", &[]), ("count", &[]), ("allow_modifiers", &[])];

    async fn observe(&self, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
        observe(&self.settings, sandbox).await
    }

    fn within(&self) -> Option<Within> {
        self.settings.within
    }

    fn judge(&self, seen: &Seen) -> Evidence {
        judge(&self.settings, seen)
    }

    fn set_zone(&mut self, zone: &Zone) {
        self.settings.assertions.iter_mut().for_each(|field| field.set_zone(zone));
    }

    fn review(&self) -> Review {
        review(&self.settings)
    }
}
