//! Other readers that the differential tests compare with, in a virtual environment of Python.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{say, status};

/// Makes the environment unless it is there as `tests/peers/requirements.txt` wants it, and says where its Python is.
pub(crate) fn python() -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let requirements = root.join("tests/peers/requirements.txt");
    let wanted =
        fs::read_to_string(&requirements).map_err(|e| format!("{} cannot be read: {e}", requirements.display()))?;
    let folder = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(target) => PathBuf::from(target),
        None => root.join("target"),
    }
    .join("peers");
    let python = folder.join("bin/python");
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return absolute(&python);
    }
    say("installing the readers that the differential tests compare with\n");
    let mut make = Command::new("python3");
    make.args(["-m", "venv", "--clear"]).arg(&folder);
    if status(&mut make, "python3 -m venv").is_err() {
        debian(&["python3", "python3-venv"])?;
        status(&mut make, "python3 -m venv")?;
    }
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(&requirements);
    status(&mut pip, "pip install")?;
    fs::write(&stamp, wanted).map_err(|e| format!("{} cannot be written: {e}", stamp.display()))?;
    absolute(&python)
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Installs packages of Debian, where there is an `apt-get` that may.
fn debian(packages: &[&str]) -> Result<(), String> {
    let what = format!("installing {}", packages.join(" "));
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--no-install-recommends"]).args(packages).env("DEBIAN_FRONTEND", "noninteractive");
    if status(&mut apt, &what).is_ok() {
        return Ok(());
    }
    status(Command::new("apt-get").arg("update"), "apt-get update")
        .and_then(|()| status(&mut apt, &what))
        .map_err(|e| format!("{e}; the tests need {}: install them and try again", packages.join(" and ")))
}
