//! The three kinds, and the rooms that do their work.

use std::marker::PhantomData;

use candor_check::review::Review;
use candor_check::{Check, Evidence, Meta, Sandbox, Unverifiable};
use serde::{Deserialize, Deserializer};

use super::judge::judge;
use super::observe::observe;
use super::review::review;
use super::seen::Ran;
use super::settings::Settings;
use crate::looked::Looked;
use crate::meta;

pub(crate) trait Kind: Send + Sync + 'static {
    const META: Meta;
    /// True if tests are counted.
    const COUNTS: bool;
}

macro_rules! kind {
    ($(#[$about:meta])* $name:ident, $assert:literal, $words:literal, $counts:literal) => {
        $(#[$about])*
        #[derive(Debug)]
        pub(crate) struct $name;

        impl Kind for $name {
            const META: Meta = meta($assert, $words, include_str!(concat!("../../schemas/", $assert, ".json")));
            const COUNTS: bool = $counts;
        }
    };
}

kind!(CodeCompiles, "code-compiles", "Asserts that code compiles", false);
kind!(LintPasses, "lint-passes", "Asserts that a linter finds nothing", false);
kind!(TestsPass, "tests-pass", "Asserts that tests ran and passed", true);

#[derive(Debug)]
pub(crate) struct Command<K> {
    settings: Settings,
    kind: PhantomData<K>,
}

impl<'de, K: Kind> Deserialize<'de> for Command<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let settings = Settings::deserialize(deserializer)?;
        if !K::COUNTS && (settings.min_tests.is_some() || settings.report.is_some()) {
            return Err(serde::de::Error::custom("`min_tests` and `report` go with tests-pass"));
        }
        Ok(Self { settings, kind: PhantomData })
    }
}

impl<K: Kind> Check for Command<K> {
    const META: Meta = K::META;

    type Seen = Looked<Ran>;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Self::Seen, Unverifiable> {
        Ok(observe(&self.settings, K::COUNTS, sandbox).await)
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn review(&self) -> Review {
        review(&self.settings, K::COUNTS)
    }

    fn judge(&self, seen: &Self::Seen) -> Evidence {
        judge(&self.settings, seen)
    }
}
