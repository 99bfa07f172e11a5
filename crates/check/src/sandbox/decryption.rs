//! What the encrypted files of a part are decrypted with: `pgp_key_file`, `pgp_passphrase`, wherever the files lie.

use std::path::{Path, PathBuf};

use toml::Table;

use super::description::secret;
use super::{Secret, on};

/// The parts whose files may be encrypted.
const PARTS: &[&str] = &["files"];

/// The secret key that files are encrypted to.
///
/// In `sandbox.toml`, beside the place of the files:
/// ```toml
/// [files]
/// pgp_key_file = "checker.key"              # binary or armored, on the sandbox's folder
/// pgp_passphrase = "${env:CHECKER_PASSPHRASE}"  # where the key is protected
/// ```
#[derive(Clone, Debug)]
pub struct Decryption {
    /// The file of the key, which was there when the sandbox was opened.
    pub key_file: PathBuf,
    /// What opens the key.
    pub passphrase: Option<Secret>,
}

/// Takes the settings out of a part's table.
///
/// # Errors
/// The setting that is wrong, and a sentence.
pub(super) fn take(root: &Path, part: &str, settings: &mut Table) -> Result<Option<Decryption>, (String, String)> {
    if !PARTS.contains(&part) {
        return Ok(None);
    }
    let mut text = |key: &str| match settings.remove(key) {
        None => Ok(None),
        // What stands there may be the secret.
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err((key.to_owned(), format!("`{key}` is no string"))),
        },
    };
    let (key_file, passphrase) = (text("pgp_key_file")?, text("pgp_passphrase")?);
    let passphrase = passphrase
        .map(|text| secret(&text).map_err(|what| ("pgp_passphrase".to_owned(), format!("`pgp_passphrase` {what}"))))
        .transpose()?;
    let Some(key_file) = key_file else {
        return match passphrase {
            Some(_) => {
                Err(("pgp_passphrase".to_owned(), "`pgp_passphrase` opens a key; give `pgp_key_file`".to_owned()))
            }
            None => Ok(None),
        };
    };
    match on(root, &key_file) {
        path if path.is_file() => Ok(Some(Decryption { key_file: path, passphrase })),
        path => Err(("pgp_key_file".to_owned(), format!("`pgp_key_file`: there is no file {}", path.display()))),
    }
}
