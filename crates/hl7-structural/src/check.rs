//! The check: its name, and the rooms that do its work.

use std::sync::Arc;

use candor_check::compare::Zone;
use candor_check::review::Review;
use candor_check::{Check, Evidence, Judged, Meta, Sandbox, Unverifiable};
use serde::{Deserialize, Deserializer};

use crate::judge::judge;
use crate::observe::observe;
use crate::review::review;
use crate::seen::Seen;
use crate::settings::Settings;
use crate::source::PART;

/// The check, with its settings.
#[derive(Debug)]
pub struct Hl7Structural(Arc<Settings>);

impl<'de> Deserialize<'de> for Hl7Structural {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Settings::deserialize(deserializer).map(|settings| Self(Arc::new(settings)))
    }
}

impl Check for Hl7Structural {
    const META: Meta = Meta {
        assert: "hl7-structural",
        about: "Asserts what the HL7 v2 messages say that were sent",
        part: PART,
        files: &["profile"],
        evidence_key: "field_results",
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
            settings.correlate_by.set_zone(zone);
            settings.same_as.iter_mut().for_each(|same_as| same_as.set_zone(zone));
        }
    }

    fn review(&self) -> Review {
        review(&self.0)
    }
}
