//! `cargo xtask release`: makes everything that a release consists of from the last commit, and publishes nothing.
//!
//! The commit is copied to `target/releases/VERSION/tree`, and the version is raised there. The crates are packaged in the
//! order in which a registry takes them; the wheel and the archive are built. `target/releases/VERSION/files` then has all
//! of them with their SHA-256 sums, and `PUBLISH`: the commands, in order. `raise.patch` is the commit that a release needs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cargo, dist, package, say, status, wheel};

/// Files in which a release changes the version, and how: see [`raised`].
const FILES: [&str; 5] = [
    "Cargo.toml",
    "Cargo.lock",
    "tests/fuzz/Cargo.lock",
    "tests/strangers/host-json/Cargo.toml",
    "tests/strangers/seventh-check/Cargo.toml",
];
/// The end of the heading in the changelog for what is not released.
const NEXT: &str = " (unreleased)";

/// `patch`, `minor`, `major` or a version; `--dry-run`; `--crates-only`; `--profile NAME` (default `dist`).
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let asked = Asked::read(args)?;
    let root = wheel::root()?;
    let old = dist::version(&root)?;
    let new = next(&old, &asked.level)?;
    let folder = root.join("target/releases").join(&new);
    let (tree, files) = (folder.join("tree"), folder.join("files"));
    wheel::remove(&folder)?;
    fs::create_dir_all(&tree).and_then(|()| fs::create_dir_all(&files)).map_err(|error| format!("{new}: {error}"))?;
    say(&format!("release {new}, from {old}\n"));
    copy(&root, &folder, &tree)?;
    raise(&tree, &old, &new)?;
    let target_dir = root.join("target");
    let order = crates(&tree, &target_dir, &new, &files)?;
    for (at, name) in order.iter().enumerate() {
        say(&format!("{:3}  {name} {new}\n", at + 1));
    }
    let mut publish: Vec<String> =
        order.iter().map(|name| format!("cargo publish --locked --package {name}")).collect();
    if !asked.crates_only {
        for wheel in wheel::build(&tree, &target_dir, &asked.profile, true)? {
            let name = wheel.file_name().ok_or("the wheel has no name")?.to_string_lossy().into_owned();
            fs::copy(&wheel, files.join(&name)).map_err(|error| format!("{name}: {error}"))?;
            publish.push(format!("twine upload {name}"));
        }
        dist::build(&tree, &target_dir, &asked.profile, &files)?;
    }
    let list = files.join("PUBLISH");
    fs::write(&list, publish.join("\n") + "\n").map_err(|error| format!("{}: {error}", list.display()))?;
    crate::tools::sums(&files)?;
    say(&format!("{}: nothing was published; PUBLISH has the commands\n", files.display()));
    Ok(())
}

struct Asked {
    level: String,
    profile: String,
    crates_only: bool,
}

impl Asked {
    fn read(args: &[String]) -> Result<Self, String> {
        let (mut level, mut profile, mut crates_only, mut dry) = (None, "dist".to_owned(), false, false);
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--dry-run" => dry = true,
                "--crates-only" => crates_only = true,
                "--profile" => profile = args.next().ok_or("--profile needs the name of a profile")?.clone(),
                other if other.starts_with("--") => return Err(format!("there is no option {other}")),
                other => level = Some(other.to_owned()),
            }
        }
        if !dry {
            return Err(
                "nothing is published from here: give --dry-run, then follow target/releases/VERSION/files/PUBLISH"
                    .to_owned(),
            );
        }
        let level = level.ok_or("give patch, minor, major or a version")?;
        Ok(Self { level, profile, crates_only })
    }
}

fn next(old: &str, level: &str) -> Result<String, String> {
    let read = |text: &str| -> Option<[u64; 3]> {
        let parts: Vec<u64> = text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        parts.try_into().ok()
    };
    let [major, minor, patch] = read(old).ok_or_else(|| format!("{old} is not a version of three numbers"))?;
    let new = match level {
        "patch" => [major, minor, patch + 1],
        "minor" => [major, minor + 1, 0],
        "major" => [major + 1, 0, 0],
        other => {
            read(other).ok_or_else(|| format!("`{other}`: expected patch, minor, major or a version such as 0.2.0"))?
        }
    };
    if new <= [major, minor, patch] {
        return Err(format!("{level} is not later than {old}"));
    }
    Ok(new.map(|part| part.to_string()).join("."))
}

/// Copies the last commit.
fn copy(root: &Path, folder: &Path, tree: &Path) -> Result<(), String> {
    let archive = folder.join("tree.tar");
    let mut git = Command::new("git");
    git.current_dir(root).args(["archive", "--format=tar", "--output"]).arg(&archive).arg("HEAD");
    status(&mut git, "git archive")?;
    // With today's times: cargo would take files of an earlier copy for newer ones.
    status(Command::new("tar").arg("-xmf").arg(&archive).arg("-C").arg(tree), "tar")?;
    fs::remove_file(&archive).map_err(|error| format!("{}: {error}", archive.display()))
}

fn raise(tree: &Path, old: &str, new: &str) -> Result<(), String> {
    let mut patch = Vec::new();
    let mut write = |name: &str, change: &dyn Fn(&str) -> Result<String, String>| -> Result<(), String> {
        let file = tree.join(name);
        let text = fs::read_to_string(&file).map_err(|error| format!("{name}: {error}"))?;
        let raised = change(&text).map_err(|error| format!("{name}: {error}"))?;
        let before = tree.with_file_name("before");
        fs::write(&before, &text)
            .and_then(|()| fs::write(&file, raised))
            .map_err(|error| format!("{name}: {error}"))?;
        let mut diff = Command::new("diff");
        diff.args(["-u", "--label", &format!("a/{name}"), "--label", &format!("b/{name}")]).arg(&before).arg(&file);
        let diff = diff.output().map_err(|error| format!("diff could not be started: {error}"))?;
        patch.extend_from_slice(&diff.stdout);
        fs::remove_file(&before).map_err(|error| format!("{name}: {error}"))
    };
    for name in FILES {
        write(name, &|text| raised(name, text, old, new))?;
    }
    let day = Command::new("date").args(["-u", "+%Y-%m-%d"]).output().map_err(|error| format!("date: {error}"))?;
    let day = String::from_utf8_lossy(&day.stdout).trim().to_owned();
    write("CHANGELOG.md", &|text| match text.lines().find(|line| line.starts_with("## ") && line.ends_with(NEXT)) {
        Some(heading) => Ok(text.replacen(heading, &format!("## {new} ({day})"), 1)),
        None => Err(format!("there is no heading `## VERSION{NEXT}`, so nothing is to be released")),
    })?;
    let file = tree.with_file_name("raise.patch");
    fs::write(&file, patch).map_err(|error| format!("{}: {error}", file.display()))
}

/// A file with the new version where it has the old one of this project. Versions of others stay.
fn raised(name: &str, text: &str, old: &str, new: &str) -> Result<String, String> {
    let (old_line, new_line) = (format!("version = \"{old}\""), format!("version = \"{new}\""));
    let (old_text, new_text) = (format!("\"{old}\""), format!("\"{new}\""));
    let mut ours = false;
    let mut count = 0;
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            if let Some(package) = line.strip_prefix("name = \"") {
                ours = package.starts_with("candor\"") || package.starts_with("candor-");
            }
            let of_workspace = name == "Cargo.toml" && line == old_line;
            let raised = if of_workspace || (name.ends_with("Cargo.lock") && ours && line == old_line) {
                new_line.clone()
            } else if line.starts_with("candor") {
                line.replace(&old_text, &new_text)
            } else {
                line.to_owned()
            };
            count += usize::from(raised != line);
            raised
        })
        .collect();
    if count == 0 {
        return Err(format!("the version {old} is not in it"));
    }
    Ok(lines.join("\n") + "\n")
}

/// Packages all published crates. Returns their names in the order in which cargo packages them: each after those that it
/// needs.
fn crates(tree: &Path, target_dir: &Path, version: &str, files: &Path) -> Result<Vec<String>, String> {
    let published = package::published(tree)?;
    let mut command = cargo();
    command.current_dir(tree).env("CARGO_TARGET_DIR", target_dir);
    command.args(["package", "--locked", "--offline", "--no-verify", "--allow-dirty", "--color", "never"]);
    for name in &published {
        command.args(["--package", name]);
    }
    let output = command.output().map_err(|error| format!("cargo could not be started: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(format!("packaging failed:\n{printed}"));
    }
    let order = packaged(&printed);
    if order.len() != published.len() {
        return Err(format!("cargo packaged {} of {} crates:\n{printed}", order.len(), published.len()));
    }
    in_order(tree, &order)?;
    for name in &order {
        let file = format!("{name}-{version}.crate");
        let from: PathBuf = target_dir.join("package").join(&file);
        fs::copy(&from, files.join(&file)).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    Ok(order)
}

/// The names in cargo's lines `   Packaging candor-glob v0.1.0 (…)`.
fn packaged(printed: &str) -> Vec<String> {
    let lines = printed.lines().filter_map(|line| line.trim_start().strip_prefix("Packaging "));
    lines.filter_map(|line| Some(line.split(' ').next()?.to_owned())).collect()
}

/// Holds the order to the manifests: what a crate needs was packaged before it.
fn in_order(tree: &Path, order: &[String]) -> Result<(), String> {
    let manifests = fs::read_dir(tree.join("crates")).map_err(|error| format!("crates: {error}"))?;
    for entry in manifests.flatten() {
        let manifest = entry.path().join("Cargo.toml");
        let text = fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
        let name = text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).unwrap_or_default();
        let Some(at) = order.iter().position(|one| one == name) else { continue };
        for needed in needs(&text) {
            if !order.iter().take(at).any(|one| *one == needed) {
                return Err(format!("{name} is packaged before {needed}, which it needs"));
            }
        }
    }
    Ok(())
}

fn needs(manifest: &str) -> Vec<String> {
    let mut within = false;
    let mut needs = Vec::new();
    for line in manifest.lines() {
        if let Some(table) = line.strip_prefix('[') {
            within = table.contains("dependencies]") && !table.contains("dev-");
        } else if within {
            let name: &str = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if name == "candor" || name.starts_with("candor-") {
                needs.push(name.to_owned());
            }
        }
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::{needs, next, packaged, raised};

    #[test]
    fn the_next_version_is_later() {
        assert_eq!(next("0.1.9", "patch").as_deref(), Ok("0.1.10"));
        assert_eq!(next("0.1.9", "minor").as_deref(), Ok("0.2.0"));
        assert_eq!(next("0.1.9", "major").as_deref(), Ok("1.0.0"));
        assert_eq!(next("0.1.9", "0.1.10").as_deref(), Ok("0.1.10"));
        for wrong in ["0.1.9", "0.1.8", "0.2", "next", "1.0.0-rc"] {
            assert!(next("0.1.9", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_versions_of_this_project_are_raised() {
        let lock = "[[package]]\nname = \"candor-x12\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"calc\"\nversion = \"0.1.0\"\n";
        let new = raised("a/Cargo.lock", lock, "0.1.0", "0.2.0").unwrap();
        assert_eq!(new, lock.replacen("0.1.0", "0.2.0", 1));
        let manifest = "version = \"0.1.0\"\ncandor-a = { path = \"crates/a\", version = \"0.1.0\" }\nother = { version = \"0.1.0\" }\n";
        let new = raised("Cargo.toml", manifest, "0.1.0", "0.2.0").unwrap();
        assert_eq!(new, manifest.replacen("0.1.0", "0.2.0", 2));
        let stranger = "name = \"host-json\"\nversion = \"0.1.0\"\n[dependencies]\ncandor = { version = \"0.1.0\", optional = true }\n";
        let new = raised("host/Cargo.toml", stranger, "0.1.0", "0.2.0").unwrap();
        assert_eq!(new, stranger.replace("{ version = \"0.1.0\"", "{ version = \"0.2.0\""));
        assert!(raised("README.md", "nothing\n", "0.1.0", "0.2.0").is_err());
    }

    #[test]
    fn every_version_of_this_project_is_found() {
        let manifest =
            raised("Cargo.toml", include_str!("../../../Cargo.toml"), env!("CARGO_PKG_VERSION"), "99.0.0").unwrap();
        let ours =
            manifest.lines().filter(|line| line.contains("path = \"crates/") && line.contains("version")).count();
        assert_eq!(manifest.matches("99.0.0").count(), ours + 1);
    }

    #[test]
    fn what_cargo_says_is_read() {
        let told = "   Packaging candor-glob v0.1.0 (/x)\n    Packaged 9 files\n   Packaging candor v0.1.0 (/x)\n";
        assert_eq!(packaged(told), ["candor-glob", "candor"]);
        let manifest = "[dependencies]\ncandor-a.workspace = true\nserde = \"1\"\n[target.'cfg(unix)'.dependencies]\ncandor-b = { workspace = true }\n[dev-dependencies]\ncandor-c.workspace = true\n";
        assert_eq!(needs(manifest), ["candor-a", "candor-b"]);
    }
}
