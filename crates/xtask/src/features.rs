//! `cargo xtask features`: the command line with each feature alone, with none and with all. A feature that compiles only
//! beside another one is found here.

use std::fs;
use std::path::Path;

use crate::{cargo, say, status};

/// Features that only stand for others, and one that takes minutes to build and needs a newer compiler.
const NOT_ALONE: [&str; 3] = ["default", "full", "fhir-sdk"];

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/Cargo.toml");
    let manifest = fs::read_to_string(&manifest).map_err(|e| format!("{}: {e}", manifest.display()))?;
    let alone: Vec<&str> = declared(&manifest).filter(|name| !NOT_ALONE.contains(name)).collect();
    let all: Vec<&str> = ["none", "full"].into_iter().chain(alone).collect();
    if let Some(unknown) = args.iter().find(|name| !all.contains(&name.as_str())) {
        return Err(format!("there is no feature `{unknown}`; known are {}", all.join(", ")));
    }
    for name in all.iter().filter(|name| args.is_empty() || args.iter().any(|arg| arg == *name)) {
        say(&format!("features: {name}\n"));
        let mut clippy = cargo();
        clippy.args(["clippy", "--package", "candor-cli", "--locked", "--quiet", "--no-default-features"]);
        if *name != "none" {
            clippy.args(["--features", name]);
        }
        status(clippy.args(["--", "-D", "warnings"]), &format!("the build with the features `{name}`"))?;
    }
    Ok(())
}

/// The names in the table `[features]` of a manifest.
fn declared(manifest: &str) -> impl Iterator<Item = &str> {
    let table = manifest.split("\n[features]\n").nth(1).unwrap_or_default();
    let table = table.split("\n[").next().unwrap_or_default();
    table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| Some(line.split_once(" = ")?.0))
}

#[cfg(test)]
mod tests {
    #[test]
    fn features_are_read_from_the_manifest() {
        let manifest =
            "[package]\n\n[features]\n# All.\ndefault = [\"a\"]\na = [\"dep:x\"]\n\n[dependencies]\nb = \"1\"\n";
        assert_eq!(super::declared(manifest).collect::<Vec<_>>(), ["default", "a"]);
        let own: Vec<&str> = super::declared(include_str!("../../cli/Cargo.toml")).collect();
        assert!(own.contains(&"sftp") && own.contains(&"full") && !own.contains(&"clap.workspace"), "{own:?}");
    }
}
