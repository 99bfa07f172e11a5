//! `cargo xtask features`: lints the build with each feature alone and with none. A feature that compiles only together with
//! another one is found here.
//!
//! Each feature is linted in the crate of the list of checks, where it selects code. The command line is linted with none,
//! and with those that only it has. The tests are built with all of them.

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::{cargo, say, status};

/// Features that only select others, and one that takes minutes to build.
const NOT_ALONE: [&str; 3] = ["default", "full", "fhir-sdk"];

/// The argument that lints [`SAMPLES`] alone.
const SAMPLE: &str = "--sample";

/// A few builds of the list of checks, in the place of one for each feature: no check, one alone, and all of them over
/// files. For a feature alone, cargo checks most dependencies anew.
const SAMPLES: [&str; 3] = [NONE, "state", "fhir,hl7,portal,files,voice,x12,workspace,state"];

const NONE: &str = "none";

/// Names of features or of packages; without any, all. With [`SAMPLE`], a few builds instead of one for each feature.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if args == [SAMPLE] {
        return SAMPLES.iter().try_for_each(|names| lint("candor-checks", names));
    }
    let of_checks = alone("checks")?;
    let mut builds: Vec<(&str, &str)> = vec![("candor-checks", NONE), ("candor-cli", NONE)];
    builds.extend(of_checks.iter().map(|name| ("candor-checks", name.as_str())));
    let of_command = alone("cli")?;
    let own = of_command.iter().filter(|name| !of_checks.contains(name));
    builds.extend(own.map(|name| ("candor-cli", name.as_str())));
    let is_named = |(package, name): &(&str, &str), arg: &&String| package == arg || name == arg;
    if let Some(unknown) = args.iter().find(|arg| !builds.iter().any(|build| is_named(build, arg))) {
        let known: Vec<&str> = builds.iter().map(|(_, name)| *name).collect();
        return Err(format!("there is no feature `{unknown}`; known are {}", known.join(", ")));
    }
    let wanted = |build: &&(&str, &str)| args.is_empty() || args.iter().any(|arg| is_named(build, &arg));
    builds.iter().filter(wanted).try_for_each(|(package, name)| lint(package, name))
}

/// Lints the build of a package with the features of that name, or of several with commas between them.
fn lint(package: &str, names: &str) -> Result<(), String> {
    let began = Instant::now();
    let mut clippy = cargo();
    clippy.args(["clippy", "--package", package, "--locked", "--quiet", "--no-default-features"]);
    if names != NONE {
        clippy.args(["--features", names]);
    }
    status(clippy.args(["--", "-D", "warnings"]), &format!("the build of {package} with the features `{names}`"))?;
    say(&format!("{:8.1} s  {package} with {names}\n", began.elapsed().as_secs_f64()));
    Ok(())
}

/// The features of a crate that are checked alone.
fn alone(folder: &str) -> Result<Vec<String>, String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join("Cargo.toml");
    let manifest = fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    Ok(declared(&manifest).filter(|name| !NOT_ALONE.contains(name)).map(str::to_owned).collect())
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

    #[test]
    fn the_samples_have_each_feature_of_the_checks_but_those_that_are_slow() {
        let mut sampled: Vec<String> =
            super::SAMPLES.iter().flat_map(|names| names.split(',')).map(str::to_owned).collect();
        // All tests are built with these.
        sampled.extend(["cloud", "databases", "pgp", "http", "sqlite", "sftp", "pdf"].map(str::to_owned));
        sampled.retain(|name| name != super::NONE);
        sampled.sort();
        sampled.dedup();
        let mut all = super::alone("checks").expect("a manifest");
        all.sort();
        assert_eq!(sampled, all);
    }
}
