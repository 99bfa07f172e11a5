//! Operators' keys and copies of the database, for the command line.

use crate::ids::{new_id, now};
use crate::options::Database;
use crate::store::{Backend, Store};
use crate::token::{self, Kind};

/// An operator's key, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its id: the part between `ck_` and the secret.
    pub id: String,
    /// The operator's name for it.
    pub name: String,
    /// When it was made.
    pub created_at: String,
    /// When it was revoked, if it was.
    pub revoked_at: Option<String>,
}

pub(crate) async fn open(database: &Database) -> Result<Store, String> {
    match database {
        Database::Folder(folder) => Store::sqlite(folder).await,
        Database::Postgres(url) => Store::postgres(url).await,
    }
}

/// Makes a key. It is shown once; its digest is stored.
///
/// # Errors
/// A sentence, if the database cannot be written.
pub async fn create_key(database: &Database, name: &str) -> Result<String, String> {
    let store = open(database).await?;
    // The random end of an id: short enough to be typed.
    let id: String = new_id("k").chars().rev().take(12).collect();
    let (key, digest) = token::mint(Kind::Operator, &id).map_err(|_| "the system gave no random bytes".to_owned())?;
    store.add_key(&id, name, &digest, &now()).await.map_err(|error| format!("the key cannot be stored: {error}"))?;
    Ok(key)
}

/// Lists keys, the oldest first.
///
/// # Errors
/// A sentence, if the database cannot be read.
pub async fn list_keys(database: &Database) -> Result<Vec<KeyRecord>, String> {
    let keys = open(database).await?.keys().await.map_err(|error| format!("the keys cannot be read: {error}"))?;
    let record = |key: crate::store::Key| KeyRecord {
        id: key.id,
        name: key.name,
        created_at: key.created_at,
        revoked_at: key.revoked_at,
    };
    Ok(keys.into_iter().map(record).collect())
}

/// Revokes a key, by its id or the key itself; whether there was one in use.
///
/// # Errors
/// A sentence, if the database cannot be written.
pub async fn revoke_key(database: &Database, key: &str) -> Result<bool, String> {
    let id = token::Presented::read(key).map_or_else(|| key.to_owned(), |presented| presented.id);
    open(database).await?.revoke_key(&id, &now()).await.map_err(|error| format!("the key cannot be revoked: {error}"))
}

/// Copies an embedded database, while it may be in use, to a file that must be new.
///
/// # Errors
/// A sentence, if the database is PostgreSQL, or the file exists or cannot be written.
pub async fn backup(database: &Database, file: &std::path::Path) -> Result<(), String> {
    let shown = file.display();
    let store = open(database).await?;
    if store.backend() == Backend::Postgres {
        return Err("--backup: PostgreSQL is backed up by its own tools, such as pg_dump".to_owned());
    }
    if file.exists() {
        return Err(format!("--backup: {shown} exists; name a new file"));
    }
    let path = file.to_str().ok_or_else(|| format!("--backup: {shown}: the path is not UTF-8"))?;
    store.backup(path).await.map_err(|error| format!("--backup: {shown}: {error}"))
}
