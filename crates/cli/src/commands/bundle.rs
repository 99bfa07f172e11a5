//! Evidence bundles: what the commands that judge have in common.

use std::path::{Path, PathBuf};

use candor::inner::bundle::{BundleError, MaskKey, SigningKey, Terms};
use candor::inner::engine::Engine;
use clap::Args as ClapArgs;
use jiff::Timestamp;

/// The environment variable that names the key where `--sign` does not.
const SIGNING_KEY: &str = "CANDOR_SIGNING_KEY";

#[derive(Debug, Default, ClapArgs)]
pub(crate) struct BundleArgs {
    /// Also write an evidence bundle, which `candor replay` judges again anywhere
    #[arg(long, value_name = "FILE")]
    pub bundle: Option<PathBuf>,
    /// Sign the bundle with this key: a PEM file, as `candor keys sign` writes it
    /// [default: the file that CANDOR_SIGNING_KEY names, if it names one]
    #[arg(long, value_name = "KEY", requires = "bundle")]
    pub sign: Option<PathBuf>,
}

/// Options that make a result repeatable, or ready to hand on.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct FixedArgs {
    /// Fix the clock and the ids, so that the same input gives the same bytes: 2026-11-20T10:00:00Z
    #[arg(long, value_name = "TIME")]
    pub at: Option<Timestamp>,
    /// Put keyed hashes in the place of actual values; the key is any file of at least 16 bytes
    #[arg(long, value_name = "KEYFILE")]
    pub mask: Option<PathBuf>,
}

/// The bundle that a command is to write, its keys read before anything runs.
pub(crate) struct ToWrite {
    file: Option<PathBuf>,
    key: Option<SigningKey>,
    pub mask: Option<MaskKey>,
    at: Option<Timestamp>,
}

impl ToWrite {
    pub(crate) fn new(bundle: &BundleArgs, fixed: &FixedArgs) -> Result<Self, String> {
        let key = match &bundle.bundle {
            Some(_) => signing_key(bundle.sign.as_deref())?,
            None => None,
        };
        let mask = fixed.mask.as_deref().map(mask_key).transpose()?;
        Ok(Self { file: bundle.bundle.clone(), key, mask, at: fixed.at })
    }

    pub(crate) fn engine(&self, engine: Engine) -> Engine {
        let engine = match self.at {
            Some(time) => engine.at(time),
            None => engine,
        };
        // What is masked is not kept.
        if self.file.is_some() && self.mask.is_none() { engine.recording() } else { engine }
    }

    pub(crate) fn write(
        &self,
        agent_id: Option<&str>,
        bundle: impl FnOnce(&Terms<'_>) -> Result<Vec<u8>, BundleError>,
    ) -> Result<(), String> {
        let Some(file) = &self.file else { return Ok(()) };
        let terms = Terms {
            at: self.at.unwrap_or_else(Timestamp::now),
            agent_id,
            key: self.key.as_ref(),
            masked: self.mask.is_some(),
        };
        let bytes = bundle(&terms).map_err(|error| format!("{}: {error}", file.display()))?;
        write(file, &bytes)
    }
}

/// Writes a bundle, which is there in whole or not at all.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: it cannot be written: {error}", file.display());
    // A path that is not a regular file, such as /dev/null, is written to directly.
    if file.exists() && !file.is_file() {
        return std::fs::write(file, bytes).map_err(wrong);
    }
    let mut beside = file.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let written = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, file));
    if written.is_err() {
        // Nothing else knows of it.
        let _ = std::fs::remove_file(&beside);
    }
    written.map_err(wrong)
}

/// The file of the key that signs, of `--sign`, else of the environment, and what names it.
pub(crate) fn key_file(file: Option<&Path>) -> Option<(PathBuf, &'static str)> {
    let named = || std::env::var_os(SIGNING_KEY).filter(|name| !name.is_empty());
    match file {
        Some(file) => Some((file.to_owned(), "--sign")),
        None => named().map(|name| (PathBuf::from(name), SIGNING_KEY)),
    }
}

/// The key that signs.
pub(crate) fn signing_key(file: Option<&Path>) -> Result<Option<SigningKey>, String> {
    let Some((file, named_by)) = key_file(file) else { return Ok(None) };
    let key = SigningKey::from_pem(&read(&file, named_by)?);
    key.map(Some).map_err(|error| format!("{named_by}: {}: {error}", file.display()))
}

pub(crate) fn mask_key(file: &Path) -> Result<MaskKey, String> {
    MaskKey::new(&read(file, "--mask")?).map_err(|error| format!("--mask: {}: {error}", file.display()))
}

/// A key file.
pub(crate) fn read(file: &Path, named_by: &str) -> Result<Vec<u8>, String> {
    const LARGEST: u64 = 1 << 20;
    let wrong = |what: String| format!("{named_by}: {}: {what}", file.display());
    let size = std::fs::metadata(file).map_err(|e| wrong(format!("it cannot be read: {e}")))?.len();
    if size > LARGEST {
        return Err(wrong(format!("it has {size} bytes; the largest key file that is read has {LARGEST}")));
    }
    std::fs::read(file).map_err(|e| wrong(format!("it cannot be read: {e}")))
}
