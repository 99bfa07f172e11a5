//! The check: its name, and the rooms that do its work.

use candor_check::compare::Zone;
use candor_check::records::Observation;
use candor_check::review::Review;
use candor_check::{Check, Evidence, Judged, Meta, Sandbox, Unverifiable, Within};
use serde::Deserialize;

use crate::judge::judge;
use crate::observe::observe;
use crate::review::review;
use crate::seen::Content;
use crate::settings::Settings;
use crate::source::PART;

/// Asserts what FHIR resources hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct FhirResourceState {
    pub(crate) settings: Settings,
}

impl Check for FhirResourceState {
    const META: Meta = Meta {
        assert: "fhir-resource-state",
        about: "FHIR resources found by search hold what was asserted",
        part: PART,
        files: &[],
        evidence_key: "fieldResults",
        schema: include_str!("../schema.json"),
    };
    type Seen = Observation<Content>;

    const JUDGED: &'static [Judged] = &[("fields", &["resolve", "urn:"]), ("count", &[]), ("allow_modifiers", &[])];

    async fn observe(&self, sandbox: &Sandbox) -> Result<Self::Seen, Unverifiable> {
        observe(&self.settings, sandbox).await
    }

    fn within(&self) -> Option<Within> {
        self.settings.within
    }

    fn judge(&self, seen: &Self::Seen) -> Evidence {
        judge(&self.settings, seen)
    }

    fn set_zone(&mut self, zone: &Zone) {
        self.settings.fields.iter_mut().for_each(|field| field.set_zone(zone));
    }

    fn review(&self) -> Review {
        review(&self.settings)
    }
}
