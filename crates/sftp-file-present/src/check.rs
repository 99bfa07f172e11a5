//! The check: its name, and the rooms that do its work.

use std::sync::Arc;

use candor_check::compare::Zone;
use candor_check::review::Review;
use candor_check::{Check, Evidence, Meta, Sandbox, Unverifiable, Within};
use serde::{Deserialize, Deserializer};

use crate::judge::judge;
use crate::observe::observe;
use crate::review::review;
use crate::seen::Seen;
use crate::settings::Settings;
use crate::source::PART;

/// The assertion `sftp-file-present`.
#[derive(Clone, Debug)]
pub struct SftpFilePresent(Arc<Settings>);

impl<'de> Deserialize<'de> for SftpFilePresent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Settings::deserialize(deserializer).map(|settings| Self(Arc::new(settings)))
    }
}

impl Check for SftpFilePresent {
    const META: Meta = Meta {
        assert: "sftp-file-present",
        about: "Asserts which files were dropped, and what they hold",
        part: PART,
        files: &[],
        evidence_key: "fieldResults",
        schema: include_str!("../schema.json"),
    };

    type Seen = Seen;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
        observe(&self.0, sandbox).await
    }

    fn within(&self) -> Option<Within> {
        self.0.within
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
