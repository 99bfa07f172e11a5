//! `http.get` in a build without the feature `http`: no server is asked.

use std::time::Duration;

use candor_check::feature::missing_feature;
use candor_json::Value as Json;

use crate::script::grants::Origin;

#[derive(Debug)]
pub(super) struct Servers;

impl Servers {
    /// None, whatever is granted.
    pub(super) fn new(_: Vec<Origin>, _: Duration) -> Self {
        Self
    }

    /// Refuses: this build leaves HTTP out.
    pub(super) fn get(&self, _: &str, _: &[(String, String)], _: i32) -> Result<Json, String> {
        Err(missing_feature("ask HTTP servers", "http"))
    }
}
