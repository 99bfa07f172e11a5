//! `cargo xtask dist`: the command line as an archive for machines without Rust or Python.
//!
//! The archive has one program with every feature, for glibc 2.17 and newer, with licences and the changelog. Two
//! builds of one commit give archives that differ only if the programs do: order, owners and times are fixed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{say, status, tools, wheel};

/// The files next to the program in the archive.
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// The largest that the stripped program may be.
const MOST_BYTES: u64 = 60_000_000;

/// `PROFILE`: default `dist`, as releases are.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let root = wheel::root()?;
    let profile = args.first().map_or("dist", String::as_str);
    let out = root.join("target/archives");
    wheel::remove(&out)?;
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    build(&root, &root.join("target"), profile, &out)?;
    tools::sums(&out)
}

pub(crate) fn build(root: &Path, target_dir: &Path, profile: &str, out: &Path) -> Result<PathBuf, String> {
    let tools = tools::installed(&wheel::root()?)?;
    let program = tools::command(root, target_dir, profile, Some(&tools))?;
    let name = format!("candor-{}-{}", version(root)?, tools::target());
    let stage = root.join("target/stage");
    wheel::remove(&stage)?;
    let folder = stage.join(&name);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let stripped = folder.join("candor");
    status(Command::new("strip").arg("-o").arg(&stripped).arg(&program), "strip")?;
    for text in TEXTS {
        fs::copy(root.join(text), folder.join(text)).map_err(|error| format!("{text}: {error}"))?;
    }
    look(&stripped, profile)?;
    completions(&stripped, &folder.join("completions"))?;
    let archive = out.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "--mode=u+w,go-w,a+rX"]);
    tar.args(["--use-compress-program", "gzip -n -9", "-cf"]).arg(&archive).arg("-C").arg(&stage).arg(&name);
    status(&mut tar, "tar")?;
    fs::copy(root.join("install.sh"), out.join("install.sh")).map_err(|error| format!("install.sh: {error}"))?;
    Ok(archive)
}

/// Writes what shells complete, a file each, by the names that they look for.
fn completions(program: &Path, folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (shell, file) in [("bash", "candor.bash"), ("fish", "candor.fish"), ("zsh", "_candor")] {
        let to = folder.join(file);
        status(Command::new(program).args(["completions", shell, "--out"]).arg(&to), "candor completions")?;
    }
    Ok(())
}

/// Holds a program to what is promised of it: the glibc, the libraries, the size, and that it starts.
fn look(program: &Path, profile: &str) -> Result<(), String> {
    let size = fs::metadata(program).map_err(|error| format!("{}: {error}", program.display()))?.len();
    let (glibc, libraries) = (tools::glibc(program)?, tools::libraries(program)?);
    say(&format!(
        "{}: {:.1} MB, glibc {}.{}, needs {}\n",
        program.display(),
        size as f64 / 1e6,
        glibc.0,
        glibc.1,
        libraries.join(" ")
    ));
    if glibc > tools::GLIBC {
        return Err(format!("it needs glibc {}.{}; at most {}.{}", glibc.0, glibc.1, tools::GLIBC.0, tools::GLIBC.1));
    }
    if let Some(other) = libraries.iter().find(|name| !recipe().contains(name.as_str())) {
        return Err(format!("it needs {other}, which the container recipe of docs/results.md does not copy"));
    }
    // Debug builds are for trying this command.
    if profile != "dev" && size > MOST_BYTES {
        return Err(format!("it has {size} bytes; at most {MOST_BYTES}"));
    }
    status(Command::new(program).args(["--version", "--verbose"]), "candor --version")
}

/// The container recipe: the block of docs/results.md.
fn recipe() -> &'static str {
    let page = include_str!("../../../docs/results.md");
    page.split("```dockerfile\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default()
}

pub(crate) fn version(root: &Path) -> Result<String, String> {
    let file = root.join("Cargo.toml");
    let manifest = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    version.map(str::to_owned).ok_or_else(|| "the workspace has no version".to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_script_looks_for_the_archive_of_this_machine() {
        let name = super::tools::target().replace(std::env::consts::ARCH, "$(uname -m)");
        assert!(include_str!("../../../install.sh").contains(&format!("candor-*-{name}.tar.gz")));
    }

    #[test]
    fn the_recipe_copies_the_c_library_and_its_loader() {
        let recipe = super::recipe();
        assert!(
            recipe.contains("FROM scratch") && recipe.contains("libc.so.6") && recipe.contains("ld-linux"),
            "{recipe}"
        );
    }
}
