//! The programs not written in Rust that the tests compare with and run against: readers and stand-ins for clouds in a
//! virtual environment of Python, a FHIR server and Azurite for Node, OpenSSH's server, PostgreSQL, MariaDB and
//! Chromium.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{say, status, tools, wheel};

/// Makes the environment unless it is there as `tests/peers/requirements.txt` wants it, and says where its Python is.
pub(crate) fn python() -> Result<PathBuf, String> {
    environment(
        &wanted("requirements.txt"),
        &folder(),
        "the readers that the differential tests compare with, and stand-ins for clouds",
        &[],
    )
}

pub(crate) fn package() -> Result<PathBuf, String> {
    let requirements = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python/tests/requirements.txt");
    let what = "what the tests of the Python package need";
    // Its tests write no byte code: without this, every process compiles what it imports.
    environment(&requirements, &folder().with_file_name("peers-package"), what, &["--compile-bytecode"])
}

fn environment(requirements: &Path, folder: &Path, what: &str, options: &[&str]) -> Result<PathBuf, String> {
    let content = read(requirements)?;
    let python = folder.join("bin/python");
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == content) {
        return absolute(&python);
    }
    say(&format!("installing {what}\n"));
    if by_uv(requirements, folder, &python, options).is_err() {
        by_pip(requirements, folder, &python)?;
    }
    write(&stamp, &content)?;
    absolute(&python)
}

/// In seconds, where pip takes a minute.
fn by_uv(requirements: &Path, folder: &Path, python: &Path, options: &[&str]) -> Result<(), String> {
    let uv = tools::uv(&wheel::root()?)?;
    let mut venv = Command::new(&uv);
    // The tests of the package install it with pip.
    venv.args(["venv", "--quiet", "--seed", "--clear", "--no-project", "--python", "python3"]).arg(folder);
    status(&mut venv, "uv venv")?;
    let mut install = Command::new(&uv);
    install.args(["pip", "install", "--quiet"]).args(options).arg("--python").arg(python);
    status(install.arg("--requirement").arg(requirements), "uv pip install")
}

fn by_pip(requirements: &Path, folder: &Path, python: &Path) -> Result<(), String> {
    let mut make = Command::new("python3");
    make.args(["-m", "venv", "--clear"]).arg(folder);
    if status(&mut make, "python3 -m venv").is_err() {
        debian(&["python3", "python3-venv"])?;
        status(&mut make, "python3 -m venv")?;
    }
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(requirements);
    status(&mut pip, "pip install")
}

/// Installs the packages that `tests/peers/package-lock.json` names unless they are there, and says in which folder.
pub(crate) fn node() -> Result<PathBuf, String> {
    let files = ["package.json", "package-lock.json"].map(|name| (name, wanted(name)));
    let contents = files.iter().map(|(_, path)| read(path)).collect::<Result<Vec<_>, _>>()?;
    // Next to the environment of Python, not in it: that one is made anew when its list changes.
    let folder = folder().with_file_name("peers-node");
    let stamp = folder.join("installed.txt");
    let modules = folder.join("node_modules");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == contents.concat()) && runs("node") {
        return absolute(&modules);
    }
    if !(runs("node") && runs("npm")) {
        debian(&["nodejs", "npm"])?;
    }
    say("installing the FHIR server and Azurite, which the tests run against, and fhirpath.js\n");
    fs::create_dir_all(&folder).map_err(|e| format!("{} cannot be made: {e}", folder.display()))?;
    for ((name, _), content) in files.iter().zip(&contents) {
        write(&folder.join(name), content)?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]).current_dir(&folder);
    status(&mut npm, "npm ci")?;
    write(&stamp, &contents.concat())?;
    absolute(&modules)
}

/// Installs OpenSSH's server, with what tells it of users that the machine does not have, unless both are there, and says
/// where the server is.
pub(crate) fn sshd() -> Result<PathBuf, String> {
    let sshd = Path::new("/usr/sbin/sshd");
    // The loader finds a library by name, or says on standard error that it does not.
    let has_wrapper = Command::new("true").env("LD_PRELOAD", "libnss_wrapper.so").output();
    let has_wrapper = has_wrapper.is_ok_and(|output| output.stderr.is_empty());
    if !(sshd.is_file() && has_wrapper) {
        debian(&["openssh-server", "libnss-wrapper"])?;
    }
    Ok(sshd.to_owned())
}

/// Installs PostgreSQL unless it is there, and says in which folder its programs are.
pub(crate) fn postgres() -> Result<PathBuf, String> {
    let found = || newest(Path::new("/usr/lib/postgresql"), "bin/initdb");
    if let (Some(folder), true) = (found(), runs("psql")) {
        return Ok(folder);
    }
    debian(&["postgresql"])?;
    found().ok_or_else(|| "PostgreSQL was installed and its programs are not below /usr/lib/postgresql".to_owned())
}

/// Installs MariaDB unless it is there, and says in which folder its server is.
pub(crate) fn mariadb() -> Result<PathBuf, String> {
    let found = || ["/usr/sbin", "/usr/libexec"].iter().map(Path::new).find(|folder| folder.join("mariadbd").is_file());
    if let (Some(folder), true) = (found(), runs("mariadb") && Path::new("/usr/bin/mariadb-install-db").is_file()) {
        return Ok(folder.to_owned());
    }
    debian(&["mariadb-server"])?;
    found().map(Path::to_owned).ok_or_else(|| "MariaDB was installed and its server is not in /usr/sbin".to_owned())
}

/// Installs Chromium unless it is there, and says where it is. Without its windows, where the system has it so: a page
/// then takes half the time.
pub(crate) fn chromium() -> Result<PathBuf, String> {
    let [shell, whole] = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].map(Path::new);
    if !shell.is_file() && !whole.is_file() && debian(&["chromium-headless-shell"]).is_err() {
        debian(&["chromium"])?;
    }
    Ok(if shell.is_file() { shell } else { whole }.to_owned())
}

/// Of the folders named by a version the one with the highest that has this program; the folder of the program.
fn newest(folder: &Path, program: &str) -> Option<PathBuf> {
    let versions = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path().join(program));
    let version = |path: &PathBuf| {
        let of = path.strip_prefix(folder).ok()?.components().next()?.as_os_str().to_str()?.parse::<u32>().ok();
        path.is_file().then_some(of).flatten()
    };
    let newest = versions.filter_map(|path| Some((version(&path)?, path))).max()?;
    newest.1.parent().map(Path::to_owned)
}

fn runs(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn wanted(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/peers").join(name)
}

pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(target) => PathBuf::from(target),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
    }
}

fn folder() -> PathBuf {
    target().join("peers")
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{} cannot be read: {e}", path.display()))
}

fn write(path: &Path, content: &str) -> Result<(), String> {
    fs::write(path, content).map_err(|e| format!("{} cannot be written: {e}", path.display()))
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
