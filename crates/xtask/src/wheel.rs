//! `cargo xtask wheel`: builds the Python package with maturin, looks at it, and tests it in fresh environments of every
//! CPython from 3.10 on that is at hand.
//!
//! The same wheel is for every CPython with a global lock. A free-threaded one has another interface and its own wheel.
//! A wheel holds the module, next to it the program that confines commands, and as a script the command line: the module
//! has no server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::{cargo, say, status, tools};

/// The longest that `import candor` may take.
const MOST_IMPORT: Duration = Duration::from_millis(150);
/// The longest that a stranger may need for the page, from an empty environment to the last result.
const MOST_WALK: Duration = Duration::from_secs(120);
/// The variable that makes this program maturin's cargo. It names the real one.
pub(crate) const AS_CARGO: &str = "CANDOR_XTASK_CARGO";
/// The variable that makes it build for [`tools::GLIBC`].
const ZIG: &str = "CANDOR_XTASK_ZIG";
/// The test files for every CPython: they need only pytest and `fhir.resources`. The newest CPython runs all files.
const CORE: [&str; 7] = [
    "test_confine.py",
    "test_core.py",
    "test_equal.py",
    "test_errors.py",
    "test_plugin.py",
    "test_reward_dir.py",
    "test_waiting.py",
];
/// The packages of `crates/python/tests/requirements.txt` that those files need.
const CORE_NEEDS: [&str; 2] = ["fhir.resources", "pytest"];

/// `PROFILE` (default `dist`, as releases are) and `--zig` (for glibc 2.17).
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let zig = args.iter().any(|arg| arg == "--zig");
    let profile = args.iter().find(|arg| !arg.starts_with("--")).map_or("dist", String::as_str);
    let root = root()?;
    let wheels = build(&root, &root.join("target"), profile, zig)?;
    let mut pythons = pythons();
    let Some((newest, _)) = pythons.last().cloned() else {
        return Err("there is no CPython from 3.10 on with the module venv".to_owned());
    };
    pythons.extend(free_threaded());
    let out = root.join("target/wheel");
    let folder = wheels.first().and_then(|wheel| wheel.parent()).ok_or("the wheels are in no folder")?;
    for (version, python) in &pythons {
        test(&root, &out.join(format!("python{version}")), version, python, folder, *version == newest)?;
    }
    let tested: Vec<&str> = pythons.iter().map(|(version, _)| version.as_str()).collect();
    say(&format!("tested with CPython {}\n", tested.join(", ")));
    Ok(())
}

/// The wheel for CPython with a global lock, and the one for the free-threaded 3.14 if that is at hand.
pub(crate) fn build(root: &Path, target_dir: &Path, profile: &str, zig: bool) -> Result<Vec<PathBuf>, String> {
    let out = root.join("target/wheel");
    let wheels = out.join("dist");
    remove(&wheels)?;
    let tools = tools::installed(&self::root()?)?;
    let command = tools::command(root, target_dir, profile, zig.then_some(tools.as_path()))?;
    for (folder, program) in [("scripts", "candor"), ("platlib/candor", "candor-confine")] {
        let folder = out.join("data").join(folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let built = command.with_file_name(program);
        status(Command::new("strip").arg("-o").arg(folder.join(program)).arg(built), "strip")?;
    }
    // This program is maturin's cargo: see `as_cargo`.
    let own = std::env::current_exe().map_err(|error| format!("the place of this program is not known: {error}"))?;
    let free = free_threaded();
    if free.is_none() {
        say("no free-threaded CPython 3.14 was found, so no wheel for it is built\n");
    }
    let mut made = Vec::new();
    for python in std::iter::once(None).chain(free.map(|(_, python)| Some(python))) {
        let out = wheels.join(if python.is_some() { "free" } else { "abi3" });
        let mut maturin = Command::new(tools.join("maturin"));
        maturin.current_dir(root.join("crates/python")).env("CARGO_TARGET_DIR", target_dir);
        maturin.args(["build", "--locked", "--profile", profile, "--auditwheel", "skip", "--out"]).arg(&out);
        maturin.env(AS_CARGO, cargo().get_program()).env("CARGO", &own).env("PATH", tools::path(&tools));
        if zig {
            maturin.args(["--compatibility", "manylinux2014", "--target", &tools::target()]).env(ZIG, "1");
        }
        if let Some(python) = python {
            maturin.arg("--interpreter").arg(python);
        }
        status(&mut maturin, "maturin build")?;
        let built = only_file(&out)?;
        let wheel = wheels.join(built.file_name().ok_or("the wheel has no name")?);
        fs::rename(&built, &wheel)
            .and_then(|()| fs::remove_dir(&out))
            .map_err(|error| format!("{}: {error}", wheel.display()))?;
        look(&tools, &wheel, zig)?;
        made.push(wheel);
    }
    Ok(made)
}

/// Says the size of a wheel, and the glibc that it needs.
fn look(tools: &Path, wheel: &Path, zig: bool) -> Result<(), String> {
    let size = fs::metadata(wheel).map_err(|error| format!("{}: {error}", wheel.display()))?.len();
    say(&format!("{}: {:.1} MB\n", wheel.display(), size as f64 / 1e6));
    let shown = Command::new(tools.join("auditwheel")).arg("show").arg(wheel).output();
    let shown = shown.map_err(|error| format!("auditwheel could not be started: {error}"))?;
    let shown = format!("{}{}", String::from_utf8_lossy(&shown.stdout), String::from_utf8_lossy(&shown.stderr));
    say(&shown);
    if zig && !shown.split_whitespace().collect::<String>().contains("\"manylinux_2_17_") {
        return Err(format!("auditwheel does not find that {} runs with glibc 2.17", wheel.display()));
    }
    Ok(())
}

/// The program that maturin calls in the place of cargo.
///
/// maturin builds the module alone, with fewer features of common crates than the command line needs: everything would be
/// built twice. Here both are built together, from what was built for the command line. With [`ZIG`] in the environment,
/// `cargo zigbuild` does it, as for the command line. Any other command is cargo's.
pub(crate) fn as_cargo(cargo: &std::ffi::OsStr, args: &[String]) -> Result<(), String> {
    let mut command = Command::new(cargo);
    match args.split_first() {
        Some((first, rest)) if first == "rustc" => {
            let zig = std::env::var_os(ZIG).is_some();
            command.args(joint(rest, zig)).env("CARGO", cargo);
        }
        _ => drop(command.args(args).env("CARGO", cargo)),
    }
    status(&mut command, "cargo")
}

/// The arguments that build the module and the command line, for those that build the module alone.
fn joint(args: &[String], zig: bool) -> Vec<String> {
    let build = if zig { "zigbuild" } else { "build" };
    let mut joint: Vec<String> = std::iter::once(build).chain(tools::BOTH).map(str::to_owned).collect();
    let mut args = args.iter().take_while(|arg| *arg != "--");
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--lib" => {}
            "--manifest-path" => drop(args.next()),
            "--target" if zig => {
                let target = args.next().map(String::as_str).unwrap_or_default();
                let (major, minor) = tools::GLIBC;
                joint.extend(["--target".to_owned(), format!("{target}.{major}.{minor}")]);
            }
            other => joint.push(other.to_owned()),
        }
    }
    joint
}

pub(crate) fn root() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))
}

/// Every CPython from 3.10 on that has a global lock, the newest last: those of pyenv and those of the system.
pub(crate) fn pythons() -> Vec<(String, PathBuf)> {
    let locked = at_hand().into_iter().filter(|(_, is_free, _)| !is_free);
    locked.map(|(minor, _, python)| (format!("3.{minor}"), python)).collect()
}

/// The free-threaded CPython 3.14.
fn free_threaded() -> Option<(String, PathBuf)> {
    let found = at_hand().into_iter().find(|(minor, is_free, _)| *is_free && *minor == 14)?;
    Some(("3.14t".to_owned(), found.2))
}

/// CPython 3.10 and later: the minor version, `true` if it is free-threaded, and its place.
fn at_hand() -> Vec<(u32, bool, PathBuf)> {
    let mut found: Vec<(u32, bool, PathBuf)> = Vec::new();
    let home = std::env::var_os("PYENV_ROOT").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".pyenv")));
    let installed = home.and_then(|home| fs::read_dir(home.join("versions")).ok());
    let of_pyenv = installed.into_iter().flatten().flatten().map(|entry| entry.path().join("bin/python"));
    let of_system = ["/usr/bin", "/usr/local/bin"]
        .iter()
        .flat_map(|folder| ["python3", "python3.14t"].map(|name| Path::new(folder).join(name)));
    for python in of_pyenv.chain(of_system) {
        let script = "import sys, sysconfig, ensurepip; print(sys.implementation.name, sys.version_info[0], \
                      sys.version_info[1], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)";
        let Ok(output) = Command::new(&python).args(["-c", script]).output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.trim().strip_prefix("cpython 3 ").and_then(|version| version.split_once(' '));
        let version = version.and_then(|(minor, free)| Some((minor.parse::<u32>().ok()?, free == "1")));
        if let Some((minor, is_free)) = version.filter(|(minor, _)| *minor >= 10)
            && !found.iter().any(|(known, free, _)| (*known, *free) == (minor, is_free))
        {
            found.push((minor, is_free, python));
        }
    }
    found.sort();
    found
}

fn test(
    root: &Path,
    folder: &Path,
    version: &str,
    python: &Path,
    wheels: &Path,
    everything: bool,
) -> Result<(), String> {
    say(&format!("Python {version}: the package in a fresh environment\n"));
    walk(root, folder, version, python, wheels)?;
    let python = folder.join("bin/python");
    import(&python, version)?;
    let tests = root.join("crates/python/tests");
    let list = tests.join("requirements.txt");
    let list = fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
    let needs = list.lines().filter(|line| line.contains("=="));
    let needs = needs.filter(|line| everything || CORE_NEEDS.iter().any(|name| line.starts_with(name)));
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(needs);
    status(&mut pip, "pip install")?;
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(&tests);
    pytest.args(if everything { &[][..] } else { &CORE[..] }).env("CANDOR", folder.join("bin/candor"));
    status(&mut pytest, &format!("the tests with Python {version}"))
}

/// Does what a stranger does: an empty environment, `pip install candor-checks`, and docs/python.md word for word.
fn walk(root: &Path, folder: &Path, version: &str, python: &Path, wheels: &Path) -> Result<(), String> {
    let began = Instant::now();
    status(Command::new(python).args(["-m", "venv", "--clear"]).arg(folder), "python -m venv")?;
    let (python, page) = (folder.join("bin/python"), root.join("docs/python.md"));
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--find-links"]);
    status(pip.arg(wheels).arg("candor-checks"), "pip install candor-checks")?;
    let text = fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
    let blocks = examples(&text);
    for block in &blocks {
        // From a folder of its own, where no source is: what is imported is what was installed.
        status(Command::new(&python).args(["-I", "-c", block]).current_dir(folder), "an example of docs/python.md")?;
    }
    status(Command::new(folder.join("bin/candor")).arg("--version"), "the command candor of the wheel")?;
    let took = began.elapsed();
    let (count, seconds) = (blocks.len(), took.as_secs_f64());
    say(&format!("Python {version}: installed, {count} examples of docs/python.md, in {seconds:.1} s\n"));
    if count < 2 || took > MOST_WALK {
        return Err(format!("{count} examples took {seconds:.1} s; expected 2 or more within {MOST_WALK:?}"));
    }
    Ok(())
}

/// The examples of a page that need nothing but the package.
fn examples(page: &str) -> Vec<&str> {
    let blocks = page.split("```python\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.filter(|block| !block.starts_with("# skip") && !block.starts_with("# mine.py")).collect()
}

/// Measures what `import candor` takes, at best of five.
fn import(python: &Path, version: &str) -> Result<(), String> {
    let took = |module: &str| -> Result<Duration, String> {
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let began = Instant::now();
            status(Command::new(python).args(["-I", "-c", &format!("import {module}")]), "import")?;
            best = best.min(began.elapsed());
        }
        Ok(best)
    };
    let import = took("candor")?.saturating_sub(took("sys")?);
    let text = format!("Python {version}: import candor takes {} ms", import.as_millis());
    say(&format!("{text}\n"));
    if import > MOST_IMPORT { Err(format!("{text}; at most {}", MOST_IMPORT.as_millis())) } else { Ok(()) }
}

fn only_file(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    match files.as_slice() {
        [file] => Ok(file.clone()),
        files => Err(format!("{} has {} files; expected the wheel", folder.display(), files.len())),
    }
}

pub(crate) fn remove(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(format!("{}: {error}", folder.display())),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_module_is_built_with_the_command() {
        let args =
            "--profile dev --locked --target x86_64-unknown-linux-gnu --manifest-path a/Cargo.toml --lib -- -C strip";
        let args: Vec<String> = args.split(' ').map(str::to_owned).collect();
        let both = "--package candor-cli --package candor-confine --package candor-python --features candor-cli/full --profile dev --locked";
        let zig = super::joint(&args, true).join(" ");
        assert_eq!(zig, format!("zigbuild {both} --target x86_64-unknown-linux-gnu.2.17"));
        assert!(super::joint(&args, false).join(" ").ends_with("--locked --target x86_64-unknown-linux-gnu"));
    }

    #[test]
    fn examples_are_those_that_run_alone() {
        let page =
            "a\n```python\nimport candor\n```\n```sh\nx\n```\n```python\n# skip: no\n```\n```python\n# mine.py\n```\n";
        assert_eq!(super::examples(page), ["import candor\n"]);
        assert!(super::examples(include_str!("../../../docs/python.md")).len() >= 2);
    }
}
