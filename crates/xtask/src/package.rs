//! Packages the published crates as a registry would receive them, and builds the facade from these packages alone.
//!
//! The packages are unpacked under `target/package/unpacked`, next to `cargo.toml`: a configuration for cargo that puts
//! them in the place of a registry's. A program outside the workspace is built from them with
//! `cargo build --offline --config target/package/unpacked/cargo.toml`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cargo, status};

/// The crate that hosts depend on: the only one that is built from its package, with everything that it needs.
const FACADE: &str = "candor";

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
    let crates = published(&root)?;
    let mut package = cargo();
    package.current_dir(&root).args(["package", "--quiet", "--offline", "--no-verify", "--allow-dirty"]).args(args);
    for name in &crates {
        package.args(["--package", name]);
    }
    status(&mut package, "packaging")?;
    let unpacked = unpack(&root, &crates)?;
    verify(&root, &unpacked)
}

/// The packages of the workspace that are published: those whose manifest does not take over `publish = false`.
pub(crate) fn published(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("crates");
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(problem)? {
        let manifest = read(&entry.map_err(problem)?.path().join("Cargo.toml"))?;
        if !manifest.contains("publish.workspace = true") {
            let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
            names.push(name.ok_or("a manifest has no name")?.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn unpack(root: &Path, crates: &[String]) -> Result<PathBuf, String> {
    let version = version(root)?;
    let packages = root.join("target/package");
    let unpacked = packages.join("unpacked");
    let problem = |error: std::io::Error| format!("{}: {error}", unpacked.display());
    let fresh = packages.join("fresh");
    if fresh.exists() {
        std::fs::remove_dir_all(&fresh).map_err(problem)?;
    }
    std::fs::create_dir_all(&fresh).map_err(problem)?;
    std::fs::create_dir_all(&unpacked).map_err(problem)?;
    let mut configuration = "[profile.dev]\ndebug = \"line-tables-only\"\n\n[patch.crates-io]\n".to_owned();
    for name in crates {
        let file = packages.join(format!("{name}-{version}.crate"));
        // With today's times: those in a package are always the same, and cargo would take new contents for old.
        status(Command::new("tar").arg("-xzmf").arg(&file).arg("-C").arg(&fresh), "tar")?;
        let (new, folder) = (fresh.join(format!("{name}-{version}")), unpacked.join(format!("{name}-{version}")));
        if !is_same(&new, &folder)? {
            if folder.exists() {
                std::fs::remove_dir_all(&folder).map_err(problem)?;
            }
            std::fs::rename(&new, &folder).map_err(problem)?;
        }
        configuration += &format!("{name} = {{ path = {:?} }}\n", folder.display().to_string());
    }
    let file = unpacked.join("cargo.toml");
    std::fs::write(&file, configuration).map_err(problem)?;
    Ok(unpacked)
}

/// Returns `true` if a package's folder has the same contents as before. It then stays as it is, and is not built again.
fn is_same(new: &Path, old: &Path) -> Result<bool, String> {
    let mut diff = Command::new("diff");
    // The first names the commit, the second is written by whoever builds.
    diff.args(["-rq", "-x", ".cargo_vcs_info.json", "-x", "Cargo.lock"]).arg(new).arg(old);
    let output = diff.output().map_err(|error| format!("diff could not be started: {error}"))?;
    Ok(old.exists() && output.status.success())
}

/// Builds the facade's package from the others, with the third-party versions of the workspace and without a network.
fn verify(root: &Path, unpacked: &Path) -> Result<(), String> {
    let folder = unpacked.join(format!("{FACADE}-{}", version(root)?));
    let lock = folder.join("Cargo.lock");
    std::fs::copy(root.join("Cargo.lock"), &lock).map_err(|error| format!("{}: {error}", lock.display()))?;
    let mut build = cargo();
    build.current_dir(&folder).args(["build", "--offline", "--lib", "--config"]).arg(unpacked.join("cargo.toml"));
    build.arg("--target-dir").arg(root.join("target"));
    status(&mut build, "building the facade from its package")
}

fn version(root: &Path) -> Result<String, String> {
    let manifest = read(&root.join("Cargo.toml"))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    version.map(str::to_owned).ok_or_else(|| "the workspace has no version".to_owned())
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}
