//! Tricks by which a delegate could earn a pass: tests/attacks holds them as data, and its README says what a trick is.
//! Each payload must succeed without isolation, and must not earn a pass within the boundary.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use candor_tests::reachable;
use serde::Deserialize;

/// No trick takes longer; one that does has stopped the loop.
const LONGEST: Duration = Duration::from_secs(600);

/// The user and group `nobody`, who has no rights of its own anywhere.
const ORDINARY: &str = "65534";

/// A payer's portal holds the row, and nothing that the delegate may write to does.
const SUBMITTED: &str = "
- id: submitted
  label: The request is submitted
  assertion:
    assert: portal-state-match
    correlate_by: { resource: reqs, key: member_id, value: W1 }
    assertions: [{ path: status, expected: submitted }]
";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tricks {
    trick: Vec<Trick>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trick {
    name: String,
    #[allow(dead_code, reason = "for whoever reads the file")]
    about: String,
    kind: String,
    criteria: Option<String>,
    r#loop: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    links: BTreeMap<String, String>,
    caller: Option<String>,
    agent: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    grants: Vec<String>,
    payload: String,
    #[serde(default = "yes")]
    fooled: bool,
    #[serde(default = "failed")]
    ends: Vec<i32>,
    after: Option<String>,
}

fn yes() -> bool {
    true
}

fn failed() -> Vec<i32> {
    vec![1]
}

/// How a trick is run.
#[derive(Clone, Copy, Debug)]
enum Mode {
    Open,
    Namespaces,
    Landlock,
    OrdinaryNamespaces,
    OrdinaryLandlock,
    /// Root, who hands the delegate to an ordinary user.
    HandedNamespaces,
    HandedLandlock,
}

impl Mode {
    const BOUNDED: [Self; 6] = [
        Self::Namespaces,
        Self::Landlock,
        Self::OrdinaryNamespaces,
        Self::OrdinaryLandlock,
        Self::HandedNamespaces,
        Self::HandedLandlock,
    ];

    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Open => &["--no-isolation"],
            Self::Namespaces | Self::OrdinaryNamespaces => &["--boundary", "namespaces"],
            Self::Landlock | Self::OrdinaryLandlock => &["--boundary", "landlock"],
            Self::HandedNamespaces => &["--boundary", "namespaces", "--as-user", "nobody"],
            Self::HandedLandlock => &["--boundary", "landlock", "--as-user", "nobody"],
        }
    }

    /// The mechanism that `candor doctor` must find for it.
    fn mechanism(self) -> Option<&'static str> {
        self.options().get(1).copied()
    }

    /// True if the machine offers it. If not, the test prints so; the next weaker one is in the list.
    fn is_offered(self) -> bool {
        let offered = OFFERED.iter().find(|(ordinary, _)| *ordinary == self.is_ordinary());
        let offers = |mechanism: &str| offered.is_some_and(|(_, said)| said.contains(&format!("✓ {mechanism}\n")));
        let mechanism = self.mechanism().unwrap();
        if offers(mechanism) {
            return true;
        }
        let who = if self.is_ordinary() { "an ordinary user" } else { "this user" };
        match mechanism == "namespaces" && offers("landlock") {
            true => eprintln!("this machine has no namespaces for {who}: the tricks run behind Landlock"),
            false => eprintln!("this machine has no {mechanism} for {who}: these tricks do not run behind it"),
        }
        false
    }

    fn is_handed(self) -> bool {
        matches!(self, Self::HandedNamespaces | Self::HandedLandlock)
    }

    /// The modes that this machine offers; only root hands a delegate to another user.
    fn offered() -> Vec<Self> {
        Self::BOUNDED.into_iter().filter(|mode| mode.is_offered() && (!mode.is_handed() || is_root())).collect()
    }

    /// Those in which a trick is run. In small size it is run once behind each mechanism, as one of the users in turn, and not
    /// as the same user behind both.
    fn of_trick(offered: &[Self], trick: usize) -> Vec<Self> {
        let in_turn = ["namespaces", "landlock"].into_iter().enumerate().filter_map(|(shift, mechanism)| {
            let users: Vec<Self> = offered.iter().copied().filter(|mode| mode.mechanism() == Some(mechanism)).collect();
            users.get((trick + shift) % users.len().max(1)).copied()
        });
        candor_test_size::pick(in_turn.collect(), offered.to_vec())
    }

    /// True if the process must become an ordinary user first. An ordinary user stays who they are.
    fn is_ordinary(self) -> bool {
        matches!(self, Self::OrdinaryNamespaces | Self::OrdinaryLandlock) && is_root()
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout == b"0\n"
}

/// The output of `candor doctor`, for an ordinary user (true) and for this one (false).
static OFFERED: LazyLock<Vec<(bool, String)>> = LazyLock::new(|| {
    let found = [Mode::Namespaces, Mode::OrdinaryNamespaces].map(|mode| {
        let folder = tempfile::tempdir_in(reachable::place()).unwrap();
        let mut command = as_user(mode, folder.path(), None);
        let said = command.arg("doctor").env("TMPDIR", folder.path()).current_dir("/").output().unwrap();
        (mode.is_ordinary(), String::from_utf8(said.stdout).unwrap())
    });
    // On a machine without any boundary, nothing would be tested: that must not pass.
    assert!(found.iter().any(|(_, said)| said.contains("The boundary of `candor loop` is held by")), "{found:?}");
    found.into()
});

/// The command as a mode's user, to whom a folder then belongs. `caller` is what a shell of that user does before it becomes
/// the command.
fn as_user(mode: Mode, folder: &Path, caller: Option<&str>) -> Command {
    let candor = reachable::candor();
    let mut words: Vec<OsString> = Vec::new();
    if mode.is_ordinary() {
        let owner = format!("{ORDINARY}:{ORDINARY}");
        assert!(Command::new("chown").args(["-R", &owner]).arg(folder).status().unwrap().success());
        words.extend(["setpriv", "--reuid", ORDINARY, "--regid", ORDINARY, "--clear-groups"].map(OsString::from));
    }
    if let Some(caller) = caller {
        let script = format!("{caller}\nexec \"$@\"");
        words.extend(["sh", "-c", script.as_str(), "sh"].map(OsString::from));
    }
    words.push(candor.into());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// Distinguishes the processes of one run from those of another.
static RUNS: AtomicU32 = AtomicU32::new(0);

struct Run {
    folder: tempfile::TempDir,
    id: String,
}

impl Run {
    fn prepared(trick: &Trick) -> Self {
        let folder = tempfile::tempdir_in(reachable::place()).unwrap();
        let id = format!("{}{:03}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
        let run = Self { folder, id };
        let criteria = trick.criteria.as_deref().unwrap_or(SUBMITTED);
        let settings = trick.r#loop.as_ref().map(|text| format!("loop: {text}\n")).unwrap_or_default();
        run.write("task.yaml", &format!("id: pa\nprompt: Do it.\n{settings}criteria: {}\n", indented(criteria)));
        run.write("sb/portal/reqs.json", "[]\n");
        for own in ["w", "home", "tmp"] {
            fs::create_dir_all(run.path(own)).unwrap();
        }
        for (name, content) in &trick.files {
            run.write(name, content);
        }
        fs::set_permissions(run.path("."), fs::Permissions::from_mode(0o711)).unwrap();
        // The input of one that is kept running does not end.
        let asked =
            if trick.options.iter().any(|option| option == "--lines") { "read -r asked" } else { "cat >/dev/null" };
        run.write("agent", &format!("#!/bin/sh\n{asked}\n{}\n", trick.agent));
        for (name, target) in &trick.links {
            symlink(target, run.path(name)).unwrap();
        }
        run
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn filled(&self, text: &str) -> String {
        text.replace("{folder}", &self.folder.path().to_string_lossy()).replace("{id}", &self.id)
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, self.filled(content)).unwrap();
        if content.starts_with("#!") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn looped(&self, trick: &Trick, mode: Mode) -> (Option<i32>, String) {
        let caller = trick.caller.as_deref().map(|caller| self.filled(caller));
        let mut command = as_user(mode, self.folder.path(), caller.as_deref());
        if mode.is_handed() {
            let handed = Command::new("chown").args(["-R", ORDINARY]).arg(self.path("w")).status().unwrap();
            assert!(handed.success());
        }
        command.args(["loop", "task.yaml", "--sandbox", "sb", "--workspace", "w"]);
        if !trick.options.iter().any(|option| option == "--max-verify-retries") {
            command.args(["--max-verify-retries", "0"]);
        }
        if !matches!(mode, Mode::Open) {
            command.args(trick.grants.iter().flat_map(|grant| ["--grant", grant.as_str()]));
        }
        command
            .args(trick.options.iter().map(|option| self.filled(option)))
            .args(mode.options())
            .args(["--", "./agent"]);
        command.current_dir(self.folder.path()).env("PORTAL_KEY", "the-verifiers-key");
        // Payloads that write to HOME find one of their own, and the toolchains where they were.
        for (name, below) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            let usual = std::env::var_os("HOME").map(|home| Path::new(&home).join(below)).filter(|path| path.is_dir());
            command.envs(std::env::var_os(name).map(PathBuf::from).or(usual).map(|path| (name, path)));
        }
        command.env("HOME", self.path("home")).env("TMPDIR", self.path("tmp"));
        let said = self.path("said");
        let to = fs::File::create(&said).unwrap();
        let child = command.stdin(Stdio::null()).stdout(to.try_clone().unwrap()).stderr(to).spawn().unwrap();
        let code = waited(child).and_then(|status| status.code());
        (code, fs::read_to_string(said).unwrap_or_default())
    }

    fn holds(&self, command: &str) -> bool {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(self.filled(command)).current_dir(self.folder.path());
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    }
}

fn indented(criteria: &str) -> String {
    match criteria.trim() {
        "[]" => "[]".to_owned(),
        list => format!("\n  {}", list.replace('\n', "\n  ")),
    }
}

fn waited(mut child: Child) -> Option<ExitStatus> {
    let begun = Instant::now();
    while begun.elapsed() < LONGEST {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

fn tricks(file: &str) -> Tricks {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("attacks").join(file);
    toml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Runs every trick of a file, and says of all that went wrong.
fn all_end_as_they_should(file: &str) {
    let tricks = tricks(file);
    let offered = Mode::offered();
    let mut ran: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (number, trick) in tricks.trick.iter().enumerate() {
        let name = &trick.name;
        let open = Run::prepared(trick);
        let (code, said) = open.looped(trick, Mode::Open);
        if trick.fooled && code != Some(0) {
            wrong.push(format!("{name} does not fool a loop without isolation: {code:?}\n{said}"));
        }
        if !open.holds(&trick.payload) {
            wrong.push(format!("{name}: the payload does not work: {}\n{said}", trick.payload));
        }
        for mode in Mode::of_trick(&offered, number) {
            *ran.entry(format!("{mode:?}")).or_default() += 1;
            let run = Run::prepared(trick);
            let (code, said) = run.looped(trick, mode);
            if !code.is_some_and(|code| trick.ends.contains(&code)) {
                wrong.push(format!("{name}, {mode:?}: ended with {code:?}, not {:?}\n{said}", trick.ends));
            }
            if let Some(after) = trick.after.as_deref().filter(|after| !run.holds(after)) {
                wrong.push(format!("{name}, {mode:?}: does not hold afterwards: {after}\n{said}"));
            }
        }
    }
    println!("{} tricks; behind a boundary: {ran:?}", tricks.trick.len());
    assert!(ran.len() == offered.len() && ran.values().sum::<usize>() >= tricks.trick.len(), "{ran:?} of {offered:?}");
    assert!(wrong.is_empty(), "{} of {} tricks:\n{}", wrong.len(), tricks.trick.len(), wrong.join("\n\n"));
}

/// The page has a row for each kind, with the number of tricks that are tried. These are held by both mechanisms, whoever the
/// user is, or one of the tests below fails.
#[test]
fn the_page_has_what_is_tried() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for file in ["evidence.toml", "processes.toml", "second-opinions.toml", "tests.toml"] {
        for trick in tricks(file).trick {
            *counts.entry(trick.kind).or_default() += 1;
        }
    }
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("attacks/README.md")).unwrap();
    let table = page.split("## What was tried\n").nth(1).unwrap().split("\n#").next().unwrap();
    let rows: BTreeMap<String, usize> = table
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let number = cells.get(2)?.parse().ok()?;
            assert_eq!(cells.get(3..5), Some(&["held", "held"][..]), "{line}");
            Some(((*cells.get(1)?).to_owned(), number))
        })
        .collect();
    assert_eq!(rows, counts);
}

#[test]
fn nobody_writes_the_evidence() {
    all_end_as_they_should("evidence.toml");
}

#[test]
fn nobody_answers_for_the_tests() {
    all_end_as_they_should("tests.toml");
}

#[test]
fn nothing_is_left_and_nobody_gets_away() {
    all_end_as_they_should("processes.toml");
}

#[test]
fn nobody_speaks_for_who_looks() {
    all_end_as_they_should("second-opinions.toml");
}
