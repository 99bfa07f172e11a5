//! The environment of a sandbox: a test, or the systems that patients are treated with.

use serde::{Deserialize, Serialize};

use crate::settings::one_of;

/// `environment` in `sandbox.toml`. A benchmark's sandbox is a test, and there a mark that says so means nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Environment {
    /// `test`, and what a sandbox is that does not say.
    #[default]
    Test,
    /// `production`: a record that is marked as a test does not prove work.
    Production,
}

const ENVIRONMENTS: &[(&str, Environment)] = &[("test", Environment::Test), ("production", Environment::Production)];

impl Environment {
    /// Returns `true` if it is a test.
    #[must_use]
    pub fn is_test(&self) -> bool {
        *self == Self::Test
    }

    pub(super) fn read(value: &toml::Value) -> Result<Self, String> {
        match value {
            toml::Value::String(name) => one_of("`environment`", name, ENVIRONMENTS),
            other => Err(format!("`environment` is {other}; expected \"production\" or \"test\"")),
        }
    }
}
