//! Operators' keys, in the database of a service.

use std::path::Path;

use candor_server::{Database, KeyRecord, create_key, list_keys, revoke_key};

use super::runtime;

/// A key: its id, its name, when it was made, when it was revoked.
pub(crate) type Listed = (String, String, String, Option<String>);

pub(crate) fn database((folder, url): (Option<&Path>, Option<&str>)) -> Database {
    match url {
        Some(url) => Database::Postgres(url.to_owned()),
        None => Database::Folder(folder.unwrap_or(Path::new("")).to_owned()),
    }
}

pub(crate) fn create(place: (Option<&Path>, Option<&str>), name: &str) -> Result<String, String> {
    runtime()?.block_on(create_key(&database(place), name))
}

pub(crate) fn list(place: (Option<&Path>, Option<&str>)) -> Result<Vec<Listed>, String> {
    let keys = runtime()?.block_on(list_keys(&database(place)))?;
    let listed = |key: KeyRecord| (key.id, key.name, key.created_at, key.revoked_at);
    Ok(keys.into_iter().map(listed).collect())
}

pub(crate) fn revoke(place: (Option<&Path>, Option<&str>), key: &str) -> Result<bool, String> {
    runtime()?.block_on(revoke_key(&database(place), key))
}
