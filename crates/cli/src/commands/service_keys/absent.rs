//! Operators' keys in a build without the service.

use std::path::Path;

use candor::check::feature::missing_feature;

/// A key: its id, its name, when it was made, when it was revoked.
pub(crate) type Listed = (String, String, String, Option<String>);

pub(crate) fn create(_place: (Option<&Path>, Option<&str>), _name: &str) -> Result<String, String> {
    Err(missing_feature("keep the keys of a service", "server"))
}

pub(crate) fn list(_place: (Option<&Path>, Option<&str>)) -> Result<Vec<Listed>, String> {
    Err(missing_feature("keep the keys of a service", "server"))
}

pub(crate) fn revoke(_place: (Option<&Path>, Option<&str>), _key: &str) -> Result<bool, String> {
    Err(missing_feature("keep the keys of a service", "server"))
}
