//! The things that a command reaches behind a boundary, and those that it does not. Each payload is run without a
//! boundary first: if it does nothing there, it proves nothing.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "tests"
)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use candor_confine::{Boundary, Found, Freezer, Mode, User};

fn shim() -> Vec<OsString> {
    vec![env!("CARGO_BIN_EXE_candor-confine").into()]
}

/// The mechanisms of this machine, found once: that starts processes. One that it refuses is named.
fn modes() -> Vec<Mode> {
    static MODES: OnceLock<Vec<Mode>> = OnceLock::new();
    let find = || {
        let found = Found::by(shim(), None);
        let (there, missing): (Vec<_>, Vec<_>) = found.modes.iter().partition(|(_, offered)| offered.is_ok());
        for (mode, why) in missing {
            eprintln!("this machine lacks {}: {why:?}; the weaker one alone is tested", mode.name());
        }
        assert!(!there.is_empty(), "this machine offers no boundary: {:?}", found.modes);
        there.into_iter().map(|(mode, _)| *mode).collect()
    };
    MODES.get_or_init(find).clone()
}

/// Another process of this test is a host: it offers nothing, and says what it found.
#[test]
fn a_host_finds_the_program() {
    if std::env::var_os("CANDOR_TEST_HOST").is_some() {
        let found = candor_confine::found();
        println!("best {:?}, refused {:?}", found.best(), found.refused);
        return;
    }
    modes();
    let own = std::env::current_exe().unwrap();
    let host = |program: &Path, setting: Option<&str>| {
        let mut command = Command::new(program);
        command.args(["--exact", "boundary::a_host_finds_the_program", "--nocapture"]).env("CANDOR_TEST_HOST", "1");
        match setting {
            Some(setting) => command.env("CANDOR_CONFINE", setting),
            None => command.env_remove("CANDOR_CONFINE"),
        };
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let built = env!("CARGO_BIN_EXE_candor-confine");
    assert!(host(&own, None).contains("best None, refused None"), "{}", host(&own, None));
    assert!(host(&own, Some(built)).contains("best Some("), "{}", host(&own, Some(built)));
    let folder = tempfile::tempdir().unwrap();
    let copied = folder.path().join("host");
    std::fs::copy(&own, &copied).unwrap();
    std::fs::copy(built, folder.path().join("candor-confine")).unwrap();
    assert!(host(&copied, None).contains("best Some("), "{}", host(&copied, None));
    // A wrong setting is refused, whatever lies next to the host.
    for wrong in ["/no/such/program", "/bin/true", ""] {
        let said = host(&copied, Some(wrong));
        assert!(said.contains("best None, refused Some(\"no command is started"), "{said}");
    }
}

fn script(script: &str) -> Vec<OsString> {
    ["sh", "-c", script].map(OsString::from).into()
}

fn started(words: &[OsString], boundary: Option<&Boundary>, folder: &Path) -> Command {
    let words = boundary.map_or_else(|| words.to_vec(), |boundary| boundary.launched(words).unwrap());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(folder).stdin(Stdio::null());
    command.envs(boundary.iter().flat_map(|boundary| boundary.environment()));
    command
}

fn run(words: &[OsString], boundary: Option<&Boundary>, folder: &Path) -> Output {
    started(words, boundary, folder).output().unwrap()
}

struct World {
    _folder: tempfile::TempDir,
    root: PathBuf,
    work: PathBuf,
}

/// A workspace, and next to it what a delegate must not reach.
fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let work = root.join("work");
    std::fs::create_dir_all(root.join("sandbox/portal")).unwrap();
    std::fs::create_dir(&work).unwrap();
    std::fs::write(root.join("task.yaml"), "the criteria").unwrap();
    std::fs::write(root.join("sandbox/portal/rows.json"), "[]").unwrap();
    World { _folder: folder, root, work }
}

/// Every way to write the path of an entry of a folder: plain, relative to the working folder, through its neighbour, through
/// a link to the folder, with a dot, and with a slash at the end.
fn spellings(folder: &Path, name: &str) -> Vec<PathBuf> {
    let near = folder.join("near");
    std::fs::create_dir_all(&near).unwrap();
    let linked = folder.join("linked");
    if !linked.exists() {
        std::os::unix::fs::symlink(folder, &linked).unwrap();
    }
    let own = std::env::current_dir().unwrap().canonicalize().unwrap();
    let up: PathBuf = own.components().skip(1).map(|_| "..").collect();
    let all = [
        folder.join(name),
        up.join(folder.strip_prefix("/").unwrap()).join(name),
        near.join("..").join(name),
        near.join("../linked/near/..").join(name),
        folder.join(".").join(name),
        folder.join(format!("{name}/")),
    ];
    all.into()
}

#[test]
fn a_path_means_the_same_however_it_is_written() {
    for mode in modes() {
        let world = world();
        std::fs::create_dir(world.root.join("given")).unwrap();
        std::fs::write(world.root.join("given/a.txt"), "given").unwrap();
        for path in spellings(&world.root, "given") {
            let read = format!("grep -q given {}/given/a.txt", world.root.display());
            let reading = Boundary::new(mode, shim()).unwrap().writing(&world.work).reading(&path);
            let ran = run(&script(&read), Some(&reading), &world.work);
            assert!(ran.status.success(), "{mode:?} {path:?} {ran:?}");
            let write = format!("echo x > {}/given/b.txt", world.root.display());
            let writing = Boundary::new(mode, shim()).unwrap().writing(&world.work).writing(&path);
            let ran = run(&script(&write), Some(&writing), &world.work);
            assert!(ran.status.success(), "{mode:?} {path:?} {ran:?}");
        }
        if mode == Mode::Landlock {
            // It cannot hide what a granted folder contains.
            continue;
        }
        // A path that does not exist yet is hidden as well, without an error.
        for name in ["given", "absent"] {
            for path in spellings(&world.root, name) {
                let hiding = Boundary::new(mode, shim()).unwrap().writing(&world.root).hiding(&path);
                let words = format!("test ! -e {}/given/a.txt -o {name} = absent", world.root.display());
                let ran = run(&script(&words), Some(&hiding), &world.work);
                assert!(ran.status.success(), "{mode:?} {path:?} {ran:?}");
            }
        }
    }
}

#[test]
fn arguments_that_are_not_read_are_a_problem_of_the_boundary() {
    let world = world();
    let file = world.root.join("problem");
    let words = ["--problem", file.to_str().unwrap(), "--read", "relative", "--", "true"];
    let mut command = Command::new(&shim()[0]);
    assert_eq!(command.args(words).output().unwrap().status.code(), Some(125));
    assert!(std::fs::read_to_string(file).unwrap().contains("--read is \"relative\""));
}

#[test]
fn what_judges_is_out_of_reach() {
    // Each ends with 0 if it reached what it was after.
    let tricks = [
        ("the task is read", "grep -q criteria ROOT/task.yaml"),
        ("the evidence is written", "echo '[1]' > ROOT/sandbox/portal/rows.json"),
        ("the sandbox is replaced", "mv ROOT/sandbox ROOT/moved && mv ROOT/moved ROOT/sandbox"),
        (
            "the workspace is replaced",
            "mv ROOT/work ROOT/other && ln -s ROOT/other ROOT/work && rm ROOT/work && mv ROOT/other ROOT/work",
        ),
        (
            "the task is found by its name",
            "test -n \"$(find / -xdev -maxdepth DEPTH -path ROOT/task.yaml 2>/dev/null)\"",
        ),
        ("the command line of another process is read", "tr '\\0' ' ' < /proc/OTHER/cmdline | grep -q sleep"),
        ("the environment of another process is read", "test -n \"$(tr -d '\\0' < /proc/OTHER/environ)\""),
        ("another process is signalled", "kill -0 OTHER"),
        ("the root of another process is passed through", "test -r /proc/OTHER/root/ROOT/task.yaml"),
    ];
    for mode in modes() {
        for (name, trick) in tricks {
            let world = world();
            let mut other = Command::new("sleep").arg("600").spawn().unwrap();
            // The name of its program is there only when it was executed.
            let line = format!("/proc/{}/cmdline", other.id());
            assert!(is_soon(|| std::fs::read(&line).is_ok_and(|line| line.starts_with(b"sleep\0"))));
            let depth = world.root.components().count().to_string();
            let trick = trick.replace("ROOT", &format!("'{}'", world.root.display())).replace("DEPTH", &depth);
            let trick = trick.replace("OTHER", &other.id().to_string());
            let boundary = Boundary::new(mode, shim()).unwrap().writing(&world.work);
            let open = run(&script(&trick), None, &world.work);
            let behind = run(&script(&trick), Some(&boundary), &world.work);
            let _ = (other.kill(), other.wait());
            assert!(open.status.success(), "{name}: without a boundary it fails, too: {open:?}");
            assert!(!behind.status.success(), "{name}: {} let it through", mode.name());
            assert_ne!(behind.status.code(), Some(125), "{name}: it did not run: {behind:?}");
        }
    }
}

#[test]
fn a_command_works_where_it_is_granted() {
    for mode in modes() {
        let world = world();
        let boundary = Boundary::new(mode, shim()).unwrap().writing(&world.work).reading(world.root.join("task.yaml"));
        let words = "set -e; cat ../task.yaml; echo x > made; echo x > \"$HOME/made\"; echo x > \"$TMPDIR/made\"; \
                     test -z \"$(ls -A \"$HOME\" | grep -v made)\"; ! echo x >> ../task.yaml; pwd; exit 7";
        let ran = run(&script(words), Some(&boundary), &world.work);
        assert_eq!(ran.status.code(), Some(7), "{mode:?} {ran:?}");
        assert_eq!(String::from_utf8_lossy(&ran.stdout), format!("the criteria{}\n", world.work.display()));
        assert!(world.work.join("made").exists());
        let home = boundary.home.clone();
        drop(boundary);
        assert!(!home.exists(), "HOME is removed");
        use std::os::unix::process::ExitStatusExt as _;
        let boundary = Boundary::new(mode, shim()).unwrap().writing(&world.work);
        let ran = run(&script("kill -9 $$"), Some(&boundary), &world.work);
        assert_eq!(ran.status.signal(), Some(9), "{mode:?} {ran:?}");
    }
}

/// Who may write above a granted path could put a link in its place, and is not granted what that leads to.
#[test]
fn a_grant_that_became_a_link_is_left_out() {
    for mode in modes() {
        let world = world();
        let cache = world.work.join("cache");
        std::fs::create_dir(&cache).unwrap();
        std::fs::create_dir(world.root.join("private")).unwrap();
        std::fs::write(world.root.join("private/word"), "secret").unwrap();
        let secret = script(&format!("cat {}/private/word", world.root.display()));
        for read_only in [false, true] {
            let boundary = Boundary::new(mode, shim()).unwrap().writing(&world.work);
            let boundary = if read_only { boundary.reading(&cache) } else { boundary.writing(&cache) };
            assert!(run(&script("true"), Some(&boundary), &world.work).status.success());
            std::fs::remove_dir(&cache).unwrap();
            std::os::unix::fs::symlink(world.root.join("private"), &cache).unwrap();
            for boundary in [&boundary, &boundary.another().unwrap()] {
                assert_eq!(run(&script("echo on"), Some(boundary), &world.work).stdout, b"on\n", "{mode:?}");
                assert_eq!(run(&secret, Some(boundary), &world.work).stdout, b"", "{mode:?}");
            }
            std::fs::remove_file(&cache).unwrap();
            assert_eq!(run(&script("echo on"), Some(&boundary), &world.work).stdout, b"on\n", "{mode:?}");
            std::fs::create_dir(&cache).unwrap();
        }
    }
}

#[test]
fn a_program_is_started_whatever_way_leads_to_it() {
    use std::os::unix::fs::PermissionsExt as _;
    for mode in modes() {
        let world = world();
        let agents = world.root.join("agents");
        std::fs::create_dir(&agents).unwrap();
        std::os::unix::fs::symlink(&agents, world.root.join("link")).unwrap();
        std::fs::write(agents.join("agent"), "#!/bin/sh\necho \"$0\"\n").unwrap();
        std::fs::set_permissions(agents.join("agent"), std::fs::Permissions::from_mode(0o755)).unwrap();
        for way in ["agents/agent", "sandbox/../agents/agent", "link/agent"] {
            let boundary = Boundary::new(mode, shim()).unwrap().writing(&world.work);
            let ran = run(&[world.root.join(way).into()], Some(&boundary), &world.work);
            assert_eq!(
                String::from_utf8_lossy(&ran.stdout),
                format!("{}\n", agents.join("agent").display()),
                "{way}: {ran:?}"
            );
        }
    }
}

#[test]
fn a_program_that_is_a_link_in_a_granted_folder_is_started() {
    use std::os::unix::fs::PermissionsExt as _;
    for mode in modes() {
        let world = world();
        // As installers do it: bin/agent leads to share/agent/1.0, and nothing else of the folder is granted.
        let (bin, share) = (world.root.join("own/bin"), world.root.join("own/share/agent"));
        for folder in [&bin, &share] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(share.join("1.0"), "#!/bin/sh\necho started\n").unwrap();
        std::fs::set_permissions(share.join("1.0"), std::fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("../share/agent/1.0", bin.join("agent")).unwrap();
        let boundary = Boundary::new(mode, shim()).unwrap().writing(&world.work).reading(&bin);
        // Of Debian, by two links: /usr/bin/awk, /etc/alternatives/awk.
        for words in [vec![bin.join("agent").into()], vec!["awk".into(), "BEGIN { print \"started\" }".into()]] {
            let ran = run(&words, Some(&boundary), &world.work);
            assert_eq!(String::from_utf8_lossy(&ran.stdout), "started\n", "{mode:?} {words:?}: {ran:?}");
        }
    }
}

#[test]
fn what_keeps_a_boundary_from_being_made_is_no_end_of_the_command() {
    let world = world();
    for mode in modes() {
        let boundary = Boundary::new(mode, shim()).unwrap().writing(world.root.join("nowhere"));
        let ran = run(&script("true"), Some(&boundary), &world.work);
        let why = boundary.problem();
        assert!(why.is_some_and(|why| why.contains("nowhere")), "{ran:?}");
        assert_eq!(boundary.problem(), None);
    }
}

/// The command line of a shell that does something before it becomes the command.
fn called(caller: &str, words: Vec<OsString>) -> Vec<OsString> {
    let script = format!("{caller}; exec \"$@\"");
    ["sh", "-c", script.as_str(), "sh"].map(OsString::from).into_iter().chain(words).collect()
}

/// The boundaries of this machine around a workspace: by every mechanism, as this user and, where this one is root, as
/// another.
fn boundaries(world: &World) -> Vec<Boundary> {
    use std::os::unix::fs::PermissionsExt as _;
    // Behind Landlock, the other user passes through folders with its own rights.
    std::fs::set_permissions(&world.root, std::fs::Permissions::from_mode(0o755)).unwrap();
    let Ok(user) = User::named("nobody") else { panic!("there is no user `nobody`") };
    let of = |mode| Boundary::new(mode, shim()).unwrap().writing(&world.work);
    let both = modes().into_iter().flat_map(|mode| [Ok(of(mode)), of(mode).run_by(user)]);
    both.filter_map(Result::ok).collect()
}

#[test]
fn what_the_caller_left_open_is_closed() {
    let tricks = [
        ("a file is read", "exec 7< ROOT/task.yaml", "grep -q criteria <&7"),
        ("a file is written", "exec 8>> ROOT/sandbox/portal/rows.json", "echo x >&8"),
        ("a folder is passed through", "exec 9< ROOT", "test -r /proc/self/fd/9/task.yaml"),
    ];
    for (name, caller, trick) in tricks {
        let world = world();
        let at = |text: &str| text.replace("ROOT", &world.root.display().to_string());
        let (caller, trick) = (at(caller), script(&at(trick)));
        let open = run(&called(&caller, trick.clone()), None, &world.work);
        assert!(open.status.success(), "{name}: without a boundary it fails, too: {open:?}");
        for boundary in boundaries(&world) {
            let behind = run(&called(&caller, boundary.launched(&trick).unwrap()), None, &world.work);
            assert!(!behind.status.success(), "{name}: {:?} {:?} let it through", boundary.mode, boundary.user);
            assert_ne!(behind.status.code(), Some(125), "{name}: it did not run: {behind:?}");
        }
    }
}

#[test]
fn keyrings_are_not_there() {
    if let Some(why) = Found::by(shim(), None).keyrings {
        eprintln!("this machine does not keep commands from keyrings: {why}");
        return;
    }
    // Each call is refused as on a system without keyrings: ENOSYS.
    let asks = "import ctypes, platform\n\
                libc = ctypes.CDLL(None, use_errno=True)\n\
                first = {'x86_64': 248, 'aarch64': 217, 'riscv64': 217}[platform.machine()]\n\
                calls = [(b'user', b'candor-test', b'x', 1, -3), (b'user', b'candor-test', None, -3), (0, -3, 0)]\n\
                refused = []\n\
                for number, words in enumerate(calls, first):\n    \
                    libc.syscall(number, *words)\n    \
                    refused.append(ctypes.get_errno())\n\
                print(refused)\n";
    let words = ["/usr/bin/python3", "-c", asks].map(OsString::from);
    let world = world();
    for boundary in boundaries(&world) {
        let ran = run(&words, Some(&boundary), &world.work);
        assert_eq!(String::from_utf8_lossy(&ran.stdout), "[38, 38, 38]\n", "{:?} {ran:?}", boundary.mode);
    }
}

/// True if a process with this mark in its command line is running.
fn is_running(mark: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let state = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        line.starts_with(b"sleep\0") && String::from_utf8_lossy(&line).contains(mark) && !state.contains(") Z ")
    })
}

fn is_soon(what: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(120) {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

#[test]
fn nothing_is_left_however_it_ends() {
    for (number, mode) in modes().into_iter().enumerate() {
        let world = world();
        let mark = |case: u32| format!("98{}{number}{case}", std::process::id());
        // It is there before the script goes on, and a moment later it has its name.
        let daemon = |mark: &str| {
            format!(
                "setsid sh -c 'echo x > is-{mark}; exec sleep {mark}' >/dev/null 2>&1 </dev/null & \
                 while [ ! -e is-{mark} ]; do sleep 0.01; done; sleep 0.1"
            )
        };
        let open = mark(0);
        run(&script(&daemon(&open)), None, &world.work);
        assert!(is_soon(|| is_running(&open)), "without a boundary a daemon is left");
        let _ = Command::new("pkill").args(["-f", &format!("^sleep {open}")]).status();
        let boundary = Boundary::new(mode, shim()).unwrap().writing(&world.work);
        let ended = mark(1);
        run(&script(&daemon(&ended)), Some(&boundary), &world.work);
        assert!(!is_running(&ended), "{mode:?}: it is gone as soon as the command has ended");
        let killed = mark(2);
        let mut child =
            started(&script(&format!("{}; sleep 600", daemon(&killed))), Some(&boundary), &world.work).spawn().unwrap();
        assert!(is_soon(|| is_running(&killed)), "{mode:?}: it was started");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_soon(|| !is_running(&killed)), "{mode:?}: it ends with the process that started it");
    }
}

#[test]
fn a_frozen_command_does_nothing_until_it_is_thawed() {
    for mode in modes() {
        let world = world();
        let mut boundary = Boundary::new(mode, shim()).unwrap().writing(&world.work);
        let mut freezer = Freezer::of(&mut boundary).unwrap();
        let ticks = world.work.join("ticks").display().to_string();
        let words = &format!("setsid sh -c 'while :; do echo x >> {ticks}; done' & while :; do echo x >> ticks; done");
        let mut child = started(&script(words), Some(&boundary), &world.work).spawn().unwrap();
        let size = || std::fs::metadata(world.work.join("ticks")).map_or(0, |file| file.len());
        assert!(is_soon(|| size() > 0), "{mode:?}");
        freezer.freeze().unwrap();
        let before = size();
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(size(), before, "{mode:?}: it is frozen");
        freezer.held().unwrap();
        freezer.thaw().unwrap();
        assert!(is_soon(|| size() > before), "{mode:?}: it goes on");
        freezer.freeze().unwrap();
        let before = size();
        // As a timer does that the command prepared.
        assert!(Command::new("pkill").args(["-CONT", "-f", &ticks]).status().unwrap().success());
        assert!(is_soon(|| size() > before), "{mode:?}: it was woken");
        freezer.held().unwrap_err();
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn mounts_privileges_and_secrets_are_not_there() {
    for mode in modes() {
        let world = world();
        let boundary = Boundary::new(mode, shim()).unwrap().writing(&world.work);
        for words in
            ["umount /proc", "mount -t tmpfs none \"$TMPDIR\"", "cat /etc/shadow | grep .", "echo x > /usr/candor-test"]
        {
            let ran = run(&script(words), Some(&boundary), &world.work);
            assert!(!ran.status.success(), "{mode:?} {words}: {ran:?}");
        }
    }
}

/// By right and not by a list: also a file that is made, or takes another one's place, when the command already runs.
#[test]
fn what_is_closed_in_etc_is_closed_to_root_when_it_is_made_later() {
    use std::os::unix::fs::PermissionsExt as _;
    if !modes().contains(&Mode::Namespaces) {
        return;
    }
    let world = world();
    let etc = world.root.join("etc");
    std::fs::create_dir_all(etc.join("open")).unwrap();
    for name in ["passwd", "group", "ld.so.cache"] {
        let _ = std::fs::copy(Path::new("/etc").join(name), etc.join(name));
    }
    std::fs::write(etc.join("replaced"), "as before\n").unwrap();
    let written = |name: &str, mode: u32| {
        std::fs::write(etc.join(name), format!("written to {name}\n")).unwrap();
        std::fs::set_permissions(etc.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    written("closed", 0o600);
    // The machine's own /etc stays as it is.
    let caller = format!("mount --bind {} /etc", etc.display());
    let reads = "touch started; until test -e go; do sleep 0.01; done; cd /etc\n\
                 cat closed late open/late open/other replaced 2>/dev/null >\"$OLDPWD/read\"; true";
    let boundary = Boundary::new(Mode::Namespaces, shim()).unwrap().writing(&world.work);
    let unshare = ["unshare", "-m"].map(OsString::from).into_iter();
    let words: Vec<_> = unshare.chain(called(&caller, boundary.launched(&script(reads)).unwrap())).collect();
    let mut child = started(&words, None, &world.work).envs(boundary.environment()).spawn().unwrap();
    if !is_soon(|| world.work.join("started").exists()) {
        let ended = child.try_wait().unwrap();
        assert!(ended.is_some(), "it does not begin");
        eprintln!("this user is not root, and mounts nothing over /etc: {ended:?}");
        return;
    }
    for (name, mode) in [("late", 0o600), ("open/late", 0o600), ("open/other", 0o644), ("new", 0o600)] {
        written(name, mode);
    }
    std::fs::rename(etc.join("new"), etc.join("replaced")).unwrap();
    std::fs::write(world.work.join("go"), "").unwrap();
    assert!(child.wait().unwrap().success());
    let read = std::fs::read_to_string(world.work.join("read")).unwrap();
    // Of a file whose place was taken, nothing or what was there before.
    let read = read.strip_suffix("as before\n").unwrap_or(&read);
    assert_eq!(read, "written to open/other\n");
}

#[test]
fn another_user_runs_it_where_root_asks() {
    if std::env::temp_dir() != Path::new("/tmp") {
        // The other user does not enter a folder that is closed above TMPDIR.
        let mut again = Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "boundary::another_user_runs_it_where_root_asks"]).env("TMPDIR", "/tmp");
        let again = again.output().unwrap();
        assert!(again.status.success() && String::from_utf8_lossy(&again.stdout).contains("1 passed"), "{again:?}");
        return;
    }
    let Ok(user) = User::named("nobody") else { panic!("there is no user `nobody`") };
    let world = world();
    for mode in modes() {
        let boundary = match Boundary::new(mode, shim()).unwrap().writing(&world.work).run_by(user) {
            Ok(boundary) => boundary,
            Err(error) => {
                eprintln!("this user is not root and chooses no other: {error}");
                return;
            }
        };
        if mode == Mode::Landlock {
            // It passes through folders with its own rights.
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&world.root, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let ran = run(&script("id -u; echo x > \"$HOME/made\" && cat \"$HOME/made\""), Some(&boundary), &world.work);
        assert_eq!(String::from_utf8_lossy(&ran.stdout), format!("{}\nx\n", user.uid), "{mode:?} {ran:?}");
    }
}

#[test]
fn a_layer_keeps_the_folder_below() {
    let found = Found::by(shim(), None);
    if let Some(why) = &found.overlay {
        eprintln!("this machine lacks an overlay: {why}");
        return;
    }
    let world = world();
    let (lower, at) = (world.root.join("a, b:c"), world.root.join("seen"));
    std::fs::create_dir_all(&lower).unwrap();
    std::fs::write(lower.join("kept"), "kept").unwrap();
    std::fs::create_dir(&at).unwrap();
    let boundary = Boundary::new(Mode::Namespaces, shim()).unwrap().overlaid(&lower, &at);
    let home = boundary.home.clone();
    let ran = run(&script("cat kept && rm kept && echo x > new && ls"), Some(&boundary), &at);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "keptnew\n", "{ran:?}");
    assert!(lower.join("kept").exists() && !lower.join("new").exists());
    drop(boundary);
    assert!(!home.parent().unwrap().exists(), "the layer is removed");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(8))]
    #[test]
    fn a_path_that_is_not_granted_is_never_read(granted in proptest::collection::vec(proptest::bool::ANY, 4)) {
        let world = world();
        let paths: Vec<PathBuf> = ["a", "a/b", "c", "c/d/e"].iter().map(|name| world.root.join(name)).collect();
        for path in &paths {
            std::fs::create_dir_all(path).unwrap();
            std::fs::write(path.join("file"), format!("{}\n", path.display())).unwrap();
        }
        let readable = |path: &PathBuf| paths.iter().zip(&granted).any(|(other, granted)| *granted && path.starts_with(other));
        let expected: String = paths.iter().filter(|path| readable(path)).map(|path| format!("{}\n", path.display())).collect();
        // `cat` goes on behind a file that it cannot read.
        let cat: Vec<OsString> = std::iter::once("cat".into()).chain(paths.iter().map(|path| path.join("file").into())).collect();
        for mode in modes() {
            let boundary = Boundary::new(mode, shim()).unwrap().writing(&world.work);
            let boundary = paths.iter().zip(&granted).filter(|(_, granted)| **granted).fold(boundary, |all, (path, _)| all.reading(path));
            let ran = run(&cat, Some(&boundary), &world.work);
            assert_eq!(String::from_utf8_lossy(&ran.stdout), expected, "{mode:?} of {granted:?}: {ran:?}");
            assert_eq!(ran.status.success(), paths.iter().all(readable), "{mode:?} of {granted:?}: {ran:?}");
        }
    }
}
