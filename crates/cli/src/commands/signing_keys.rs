//! `candor keys sign`.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use candor::inner::bundle::SigningKey;
use candor::inner::report::Format;
use candor_json::json;

use crate::exit::Outcome;
use crate::output::{OutputArgs, say};

pub(crate) fn make(output: &OutputArgs) -> Result<Outcome, String> {
    let name = output.out.as_ref().ok_or("`candor keys sign` writes two files: give their name as --out NAME")?;
    let (private, public) = (with(name, ".key"), with(name, ".pub"));
    let (key, pem) = SigningKey::generate().map_err(|error| error.to_string())?;
    let verifying = key.verifying();
    write_new(&private, 0o600, pem.as_bytes())?;
    write_new(&public, 0o644, verifying.to_pem().as_bytes())?;
    let (private, public) = (private.display().to_string(), public.display().to_string());
    let told = match output.format_to_read() {
        Format::Text => {
            format!("{private} signs: keep it secret.\n{public} verifies: hand it on.\nkey id {}\n", verifying.id())
        }
        _ => format!("{:#}\n", json!({"private": private, "public": public, "keyid": verifying.id()})),
    };
    say(told.as_bytes())?;
    Ok(Outcome::Pass)
}

fn with(name: &Path, extension: &str) -> PathBuf {
    let mut name = name.as_os_str().to_owned();
    name.push(extension);
    name.into()
}

/// Writes a file that is not there yet: a key that somebody has is not overwritten.
fn write_new(file: &Path, mode: u32, bytes: &[u8]) -> Result<(), String> {
    let open = OpenOptions::new().write(true).create_new(true).mode(mode).open(file);
    open.and_then(|mut open| open.write_all(bytes)).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => {
            format!("{}: it is there already, and a key is not overwritten; give another --out NAME", file.display())
        }
        _ => format!("{}: it cannot be written: {e}", file.display()),
    })
}
