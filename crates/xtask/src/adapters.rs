//! `cargo xtask adapters`: tests the connections of the Python package to other frameworks against the real packages.
//!
//! `crates/python/adapters/NAME.txt` lists the versions of one environment; its tests are named below. With `--newest` the
//! newest versions are installed in the place of the listed ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::{cargo, peers, say, status, tools, wheel};

/// Each environment, and the tests that run in it. The last one begins first: those that take longest are last.
const ENVIRONMENTS: [(&str, &str); 6] = [
    ("inspect", "test_inspect.py"),
    ("rubrics", "test_verifiers.py"),
    ("verifiers", "test_verifiers.py"),
    ("nemo", "test_nemo.py"),
    ("ray", "test_ray.py"),
    ("harbor", "test_harbor.py"),
];

/// Environments of the full size, unless they are named. `nemo` takes a gigabyte; what its client sends is recorded for the
/// service's own tests. `rubrics` runs the file of `verifiers` with an older version.
const LARGE: [&str; 2] = ["nemo", "rubrics"];

/// Names of environments (default: all but the large ones), `--newest`, and `--full` for the tests in full size and in all.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let newest = args.iter().any(|arg| arg == "--newest");
    let named: Vec<&String> = args.iter().filter(|arg| !arg.starts_with("--")).collect();
    let known: Vec<&str> = ENVIRONMENTS.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = named.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("there is no environment `{unknown}`; known are {}", known.join(", ")));
    }
    let root = wheel::root()?;
    // Not all frameworks run with older ones.
    let python = wheel::pythons().pop().filter(|(version, _)| !["3.10", "3.11"].contains(&version.as_str()));
    let (version, python) = python.ok_or("there is no CPython from 3.12 on")?;
    say(&format!("adapters: Python {version}\n"));
    let (command, module) = built(&root)?;
    let wheel = package(&root, &module, &command.with_file_name("candor-confine"))?;
    let of = if newest { "newest" } else { "pinned" };
    let size = if args.iter().any(|arg| arg == "--full") { "full" } else { "small" };
    // The newest verifiers are one environment, whatever they have.
    let wanted = |name: &str| match named.is_empty() {
        true => size == "full" || !LARGE.contains(&name),
        false => named.iter().any(|wanted| *wanted == name),
    };
    let chosen = ENVIRONMENTS.iter().filter(|(name, _)| wanted(name) && !(newest && *name == "rubrics"));
    let queue = Mutex::new(chosen.collect::<Vec<_>>());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let one = |(name, tests): &(&str, &str)| -> Result<(), String> {
        let began = Instant::now();
        let folder = root.join("target/adapters").join(format!("{name}-{version}-{of}"));
        let (own, versions) = environment(&root, &folder, name, &python, newest)?;
        let mut pip = Command::new(tools::uv(&root)?);
        pip.args(["pip", "install", "--quiet", "--no-deps", "--no-index", "--reinstall", "--python"]).arg(&own);
        status(pip.arg(&wheel), "uv pip install")?;
        let mut pytest = Command::new(&own);
        pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", tests]).env("CANDOR", &command);
        pytest.env("CANDOR_TEST_SIZE", size);
        // Wherever the environment forbids byte code, every process would compile its framework anew.
        pytest.env_remove("PYTHONDONTWRITEBYTECODE").env("PYTHONPYCACHEPREFIX", folder.join("bytecode"));
        pytest.current_dir(root.join("crates/python/adapters"));
        let output = pytest.output().map_err(|error| format!("pytest could not be started: {error}"))?;
        let (printed, took) = (String::from_utf8_lossy(&output.stdout), began.elapsed().as_secs());
        say(&format!("{name}, {took} s: {versions}\n{printed}"));
        match output.status.success() {
            true => Ok(()),
            false => Err(format!("the tests of {name} failed\n{}", String::from_utf8_lossy(&output.stderr))),
        }
    };
    // Two at a time: most of what they do is to import, on one core.
    let work = || std::iter::from_fn(next).filter_map(|environment| one(environment).err()).collect::<Vec<_>>();
    let failed = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut failed = work();
        failed.extend(other.join().unwrap_or_else(|_| vec!["a thread broke".to_owned()]));
        failed
    });
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// The command line and the module, of one build with every feature: the one that the tests use.
fn built(root: &Path) -> Result<(PathBuf, PathBuf), String> {
    let mut build = cargo();
    // With a test, so that cargo chooses the features of dependencies as it does for all tests.
    build.current_dir(root).args(["build", "--locked", "--workspace", "--features", "candor-cli/full"]);
    status(
        build.args(["--bin", "candor", "--bin", "candor-confine", "--lib", "--test", "it"]),
        "building the package",
    )?;
    let debug = peers::target().join("debug");
    Ok((debug.join("candor"), debug.join("lib_native.so")))
}

/// Makes the environment unless it is there as its list wants it. Returns its Python, and the versions of what is listed.
fn environment(
    root: &Path,
    folder: &Path,
    name: &str,
    python: &Path,
    newest: bool,
) -> Result<(PathBuf, String), String> {
    let list = root.join("crates/python/adapters").join(format!("{name}.txt"));
    let listed = fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
    let wanted: String = match newest {
        true => listed.lines().filter_map(|line| Some(format!("{}\n", line.split("==").next()?))).collect(),
        false => listed,
    };
    let (stamp, own) = (folder.join("installed.txt"), folder.join("bin/python"));
    if newest || fs::read_to_string(&stamp).is_ok_and(|installed| installed != wanted) || !stamp.exists() {
        let uv = tools::uv(root)?;
        let mut venv = Command::new(&uv);
        venv.args(["venv", "--quiet", "--clear", "--no-project", "--python"]).arg(python).arg(folder);
        status(&mut venv, "uv venv")?;
        let requirements = folder.join("wanted.txt");
        fs::write(&requirements, &wanted).map_err(|error| format!("{}: {error}", requirements.display()))?;
        let mut pip = Command::new(&uv);
        pip.args(["pip", "install", "--quiet", "--python"]).arg(&own).arg("--requirement").arg(&requirements);
        status(&mut pip, "uv pip install")?;
        fs::write(&stamp, &wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    }
    let names = wanted.lines().filter(|line| !line.starts_with(['#', ' ']));
    let names = names.filter_map(|line| line.split(['=', '[']).next());
    let script = "import sys, importlib.metadata as m; print(*(f'{n} {m.version(n)}' for n in sys.argv[1:]), sep=', ')";
    let versions = Command::new(&own).args(["-c", script]).args(names).output();
    let versions = versions.map_err(|error| format!("python could not be started: {error}"))?;
    Ok((own, String::from_utf8_lossy(&versions.stdout).trim().to_owned()))
}

fn package(root: &Path, module: &Path, confine: &Path) -> Result<String, String> {
    let folder = root.join("target/adapters");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let stripped = folder.join("_native.so");
    status(Command::new("strip").args(["--strip-debug", "-o"]).arg(&stripped).arg(module), "strip")?;
    let script = root.join("crates/python/tests/dev_wheel.py");
    let made = Command::new("python3").arg(script).arg(&stripped).arg(confine).arg(&folder).output();
    let made = made.map_err(|error| format!("python3 could not be started: {error}"))?;
    if !made.status.success() {
        return Err(format!("the wheel could not be made: {}", String::from_utf8_lossy(&made.stderr)));
    }
    Ok(String::from_utf8_lossy(&made.stdout).trim().to_owned())
}
