//! The programs that build and look at what is released. They come from PyPI into an environment below `target/`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cargo, status};

/// maturin builds the wheel, auditwheel looks at it, cargo-zigbuild and ziglang build for an old glibc.
const TOOLS: [&str; 4] = ["maturin==1.16.0", "auditwheel==6.8.2", "cargo-zigbuild==0.24.1", "ziglang==0.15.2"];

/// The glibc that releases run with: that of CentOS 7, which `manylinux2014` names.
pub(crate) const GLIBC: (u32, u32) = (2, 17);

/// The platform that is built for: this machine's.
pub(crate) fn target() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// Installs packages of Python: an environment of a framework in seconds, where pip takes minutes.
const UV: &str = "uv==0.13.9";

/// Installs the tools unless they are there in these versions. Returns the folder of their programs.
pub(crate) fn installed(root: &Path) -> Result<PathBuf, String> {
    environment(&root.join("target/tools"), &TOOLS)
}

/// Installs `uv` unless it is there in this version. Returns its place.
pub(crate) fn uv(root: &Path) -> Result<PathBuf, String> {
    Ok(environment(&root.join("target/uv"), &[UV])?.join("uv"))
}

fn environment(folder: &Path, packages: &[&str]) -> Result<PathBuf, String> {
    let bin = folder.join("bin");
    once(folder, &packages.join("\n"), || {
        status(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder), "python3 -m venv")?;
        let mut pip = Command::new(bin.join("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
        status(&mut pip, "pip install")
    })?;
    Ok(bin)
}

/// Makes the folder unless it was made as it is wanted.
fn once(folder: &Path, wanted: &str, make: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let stamp = folder.join("installed.txt");
    // Threads and other runs of xtask may ask for it at the same time. Closing the file unlocks it.
    let lock = folder.with_extension("lock");
    let unusable = |error| format!("{}: {error}", lock.display());
    fs::create_dir_all(folder).map_err(unusable)?;
    let locked = fs::File::create(&lock).map_err(unusable)?;
    locked.lock().map_err(unusable)?;
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    make()?;
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

/// `PATH` with the tools before everything else.
pub(crate) fn path(tools: &Path) -> OsString {
    let mut path = tools.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("PATH") {
        path.push(":");
        path.push(others);
    }
    path
}

/// Arguments that select the command line, the module of Python and the program that confines its commands, with all
/// features. They are built together, so that a release builds everything once.
pub(crate) const BOTH: [&str; 8] = [
    "--package",
    "candor-cli",
    "--package",
    "candor-confine",
    "--package",
    "candor-python",
    "--features",
    "candor-cli/full",
];

/// Builds the command line with all features. Returns its place.
///
/// `zig` names the folder of the tools, and builds for [`GLIBC`]; without it, this machine's linker and glibc are used.
pub(crate) fn command(root: &Path, target_dir: &Path, profile: &str, zig: Option<&Path>) -> Result<PathBuf, String> {
    let mut build = cargo();
    build.current_dir(root).env("CARGO_TARGET_DIR", target_dir);
    build.arg(if zig.is_some() { "zigbuild" } else { "build" });
    build.args(BOTH).args(["--locked", "--profile", profile]);
    if let Some(tools) = zig {
        build.env("PATH", path(tools)).args(["--target", &format!("{}.{}.{}", target(), GLIBC.0, GLIBC.1)]);
    }
    status(&mut build, "building the command line")?;
    let folder = if profile == "dev" { "debug" } else { profile };
    let within = if zig.is_some() { target_dir.join(target()) } else { target_dir.to_owned() };
    Ok(within.join(folder).join("candor"))
}

pub(crate) fn glibc(program: &Path) -> Result<(u32, u32), String> {
    let symbols = Command::new("objdump").arg("-T").arg(program).output();
    let symbols = symbols.map_err(|error| format!("objdump could not be started: {error}"))?;
    if !symbols.status.success() {
        return Err(format!("objdump: {}", String::from_utf8_lossy(&symbols.stderr)));
    }
    newest(&String::from_utf8_lossy(&symbols.stdout))
        .ok_or_else(|| format!("{}: it names no version of glibc", program.display()))
}

/// The newest version in lines such as `0000 DF *UND* 0000 (GLIBC_2.17) clock_gettime`.
fn newest(symbols: &str) -> Option<(u32, u32)> {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let version = rest.split(|other: char| !(other.is_ascii_digit() || other == '.')).next()?;
        let mut parts = version.split('.').map(str::parse);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    });
    versions.max()
}

/// The shared libraries that a program needs, by the names that the loader looks for.
pub(crate) fn libraries(program: &Path) -> Result<Vec<String>, String> {
    let dynamic = Command::new("readelf").arg("-d").arg(program).output();
    let dynamic = dynamic.map_err(|error| format!("readelf could not be started: {error}"))?;
    let dynamic = String::from_utf8_lossy(&dynamic.stdout).into_owned();
    let needed = dynamic.lines().filter(|line| line.contains("(NEEDED)"));
    let mut names: Vec<String> =
        needed.filter_map(|line| Some(line.split_once('[')?.1.split(']').next()?.to_owned())).collect();
    names.sort();
    if names.is_empty() { Err(format!("{}: it names no library", program.display())) } else { Ok(names) }
}

/// Writes `SHA256SUMS` of the files of a folder, and verifies it.
pub(crate) fn sums(folder: &Path) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<OsString> = entries.flatten().filter(|e| e.path().is_file()).map(|e| e.file_name()).collect();
    names.retain(|name| name != "SHA256SUMS");
    names.sort();
    let made = Command::new("sha256sum").args(&names).current_dir(folder).output();
    let made = made.map_err(|error| format!("sha256sum could not be started: {error}"))?;
    if names.is_empty() || !made.status.success() {
        return Err(format!("{}: no sums of {} files", folder.display(), names.len()));
    }
    let file = folder.join("SHA256SUMS");
    fs::write(&file, &made.stdout).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut verify = Command::new("sha256sum");
    status(verify.args(["--check", "--quiet", "SHA256SUMS"]).current_dir(folder), "sha256sum --check")?;
    crate::say(&String::from_utf8_lossy(&made.stdout));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::{newest, once};

    #[test]
    fn two_threads_may_ask_for_one_environment_at_once() {
        let folder = std::env::temp_dir().join(format!("candor-tools-{}", std::process::id()));
        let made = AtomicUsize::new(0);
        let asked = |wanted: &str| {
            once(&folder.join("uv"), wanted, || {
                std::thread::sleep(Duration::from_millis(50));
                made.fetch_add(1, Ordering::SeqCst);
                Ok(())
            })
            .expect("made");
            made.load(Ordering::SeqCst)
        };
        let both = std::thread::scope(|scope| {
            let other = scope.spawn(|| asked("uv==1"));
            [asked("uv==1"), other.join().expect("a thread")]
        });
        assert_eq!((both, asked("uv==1"), asked("uv==2")), ([1, 1], 1, 2));
        std::fs::remove_dir_all(&folder).expect("the test's own folder");
    }

    #[test]
    fn the_newest_version_is_a_number_and_not_a_text() {
        let symbols = "0 DF *UND* 0 (GLIBC_2.9) a\n0 DF *UND* 0 (GLIBC_2.17) b\n0 DF *UND* 0 (GLIBC_2.2.5) c\n";
        assert_eq!(newest(symbols), Some((2, 17)));
        assert_eq!(newest("0 DF *UND* 0 (GLIBC_2.34) x\n0 DO *UND* 0 (GLIBC_PRIVATE) y\n"), Some((2, 34)));
        assert_eq!(newest("0 DF .text 0 Base main\n"), None);
    }
}
