//! Faults while files are read from a server: each is not a failure of the agent, and not a pass.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use candor_json::{Value, json};
use candor_tests::grade::Graded;
use candor_tests::sshd::{Sshd, shared};
use candor_tests::throttle::{Mark, Relay};

use crate::files_live::sftp::Drop;
use crate::files_live::suite::{Place as _, graded, graded_as, matched, noise};

fn on(drop: &Drop<'_>, limits: &str, mut assertion: Value) -> Graded {
    assertion["assert"] = json!("sftp-file-present");
    graded_as(drop, &drop.files(), limits, vec![assertion]).swap_remove(0)
}

/// The drop as it is seen through a relay.
fn through<'a>(drop: &Drop<'a>, relay: &Relay) -> Drop<'a> {
    Drop { server: drop.server, port: relay.address.port(), name: drop.name.clone(), folder: drop.folder.clone() }
}

const WRONG: &str = "0000000000000000000000000000000000000000000000000000000000000000";

#[test]
fn a_connection_that_ends_in_mid_read() {
    let drop = Drop::on(shared());
    drop.put("large.bin", &noise(8 << 20));
    let read = || json!({"path": "large.bin", "sha256": WRONG});
    let cut = Relay::before(shared().address, 2 << 20, Mark::Cut, usize::MAX);
    on(&through(&drop, &cut), "", read()).is("unverifiable source_unavailable", &["large.bin", "broke off"]);
    let stalled = Relay::before(shared().address, 2 << 20, Mark::Stall, usize::MAX);
    on(&through(&drop, &stalled), "timeout = \"3s\"", read()).is("unverifiable timeout", &[]);
}

#[test]
fn a_server_that_is_killed_in_mid_read() {
    let server = Arc::new(Sshd::start(""));
    let drop = Drop::on(&server);
    drop.put("large.bin", &noise(8 << 20));
    let killed = Arc::clone(&server);
    let relay = Relay::before(server.address, 2 << 20, Mark::Act(Arc::new(move || killed.kill())), 1);
    on(&through(&drop, &relay), "", json!({"path": "large.bin", "sha256": WRONG}))
        .is("unverifiable source_unavailable", &["large.bin"]);
}

#[test]
fn a_listing_that_is_cut_is_not_an_empty_one() {
    let drop = Drop::on(shared());
    let files = candor_test_size::pick(2000, 6000);
    for number in 0..files {
        drop.put(&format!("in/{number:04}.txt"), b"x");
    }
    // Behind the login, and within the listing: some 200 bytes to a name.
    for bytes in [15 * files, 50 * files, 100 * files] {
        let cut = Relay::before(shared().address, bytes, Mark::Cut, usize::MAX);
        let too_few = json!({"path": "in/*.txt", "count": {"max": files - 1}});
        for assertion in [json!({"path": "in/none*", "count": 0}), too_few] {
            on(&through(&drop, &cut), "", assertion).is("unverifiable source_unavailable", &[]);
        }
    }
    // A connection that held once and was closed since is made anew, once.
    let once = Relay::before(shared().address, 100_000, Mark::Cut, 1);
    let mut waiting = json!({"path": "in/*.txt", "count": files, "within": {"timeout": "15m", "every": "100ms"}});
    waiting["assert"] = json!("sftp-file-present");
    let through = through(&drop, &once);
    graded_as(&through, &through.files(), "", vec![waiting]).swap_remove(0).is("passed", &[]);
}

#[test]
fn one_connection_for_all_criteria() {
    let drop = Drop::on(shared());
    drop.put("a.txt", b"x");
    let relay = Relay::before(shared().address, usize::MAX, Mark::Cut, 0);
    let through = through(&drop, &relay);
    let assertion =
        json!({"assert": "sftp-file-present", "path": "a.txt", "fields": [{"path": "$text", "expected": "x"}]});
    for run in graded_as(&through, &through.files(), "", vec![assertion; 10]) {
        run.is("passed", &[]);
    }
    assert_eq!(relay.connections(), 1);
}

#[test]
fn a_server_that_grants_one_channel() {
    let server = Sshd::start("MaxSessions 1");
    let drop = Drop::on(&server);
    drop.put("a.bin", &noise(500_000));
    let assertion =
        json!({"assert": "sftp-file-present", "path": "a.bin", "min_bytes": 500_000, "encoding": "iso-8859-1"});
    for run in graded_as(&drop, &drop.files(), "", vec![assertion; 5]) {
        run.is("passed", &[]);
    }
}

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn permissions_that_are_taken_away() {
    let drop = Drop::on(shared());
    drop.put("open/a.txt", b"x");
    drop.put("closed/a.txt", b"x");
    drop.put("open/locked.txt", b"x");
    mode(&drop.folder.join("closed"), 0o700);
    mode(&drop.folder.join("open/locked.txt"), 0o600);
    let denied = "unverifiable source_denied";
    on(&drop, "", json!({"path": "closed/*.txt"})).is(denied, &["closed", "permission"]);
    on(&drop, "", json!({"path": "closed/*.txt", "count": 0})).is(denied, &["closed"]);
    on(&drop, "", json!({"path": "**/b.txt"})).is(denied, &["closed"]);
    on(&drop, "", json!({"path": "**/a.txt", "count": 1})).is(denied, &["closed"]);
    // What is found elsewhere is found.
    on(&drop, "", json!({"path": "**/a.txt"})).is("passed", &[]);
    on(&drop, "", json!({"path": "open/locked.txt"})).is("passed", &[]);
    on(&drop, "", json!({"path": "open/locked.txt", "sha256": WRONG})).is(denied, &["open/locked.txt"]);
    mode(&drop.folder, 0o700);
    on(&drop, "", json!({"path": "open/*.txt", "count": 0})).is(denied, &[]);
    mode(&drop.folder, 0o755);
}

#[test]
fn things_that_are_no_files() {
    let drop = Drop::on(shared());
    drop.put("a.txt", b"x");
    assert!(Command::new("mkfifo").arg(drop.folder.join("pipe.txt")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(drop.folder.join("socket.txt")).unwrap();
    let all = graded(&drop, json!({"path": "*.txt", "count": 1, "match": "all", "encoding": "utf-8"}));
    all.is("passed", &[]);
    assert_eq!(matched(&all), ["a.txt"]);
}

#[test]
fn names_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt as _;
    let drop = Drop::on(shared());
    std::fs::create_dir(drop.folder.join(std::ffi::OsStr::from_bytes(b"f\xf6lder"))).unwrap();
    for name in [&b"caf\xe9.txt"[..], b"f\xf6lder/x.txt"] {
        std::fs::write(drop.folder.join(std::ffi::OsStr::from_bytes(name)), b"here").unwrap();
    }
    let read =
        json!({"path": "**/*.txt", "count": 2, "match": "all", "fields": [{"path": "$text", "expected": "here"}]});
    let all = graded(&drop, read);
    all.is("passed", &[]);
    assert_eq!(matched(&all), ["caf\u{fffd}.txt", "f\u{fffd}lder/x.txt"]);
}

#[test]
fn a_prefix_that_is_no_folder() {
    let mut drop = Drop::on(shared());
    drop.put("file", b"x");
    let count = || json!({"path": "*", "count": 0});
    drop.name.push_str("/file");
    on(&drop, "", count()).is("unverifiable source_unavailable", &["is no folder"]);
    drop.name.push_str("/below");
    on(&drop, "", count()).is("unverifiable source_unavailable", &["is not there"]);
}

#[test]
fn what_shows_later_is_waited_for() {
    let drop = Drop::on(shared());
    drop.put("in/other.txt", b"x");
    let polls = |number: u32| {
        let name = format!("in/late-{number}");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(number * Duration::from_millis(1500));
                drop.put(&format!("{name}.json"), br#"{"a": 1}"#);
            });
            let within = json!({"timeout": "30m", "every": "200ms"});
            let waiting =
                json!({"path": format!("{name}.js*"), "within": within, "fields": [{"path": "a", "expected": 1}]});
            let run = graded(&drop, waiting);
            run.is("passed", &["Looked"]);
            run.0["evidence"]["polls"].as_array().unwrap().len()
        })
    };
    // On a busy machine it may be there before the first look: then the next one comes later.
    assert!((1..=8).any(|number| polls(number) >= 2));
    // What must not be there is looked for to the end.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(700));
            drop.put("error/bad.txt", b"x");
        });
        let within = json!({"timeout": "3s", "every": "200ms"});
        on(&drop, "", json!({"path": "error/**", "count": 0, "within": within})).is("failed count_mismatch", &[]);
    });
}

/// Everything that a folder contains, as `find` lists it, without access times.
fn state(folder: &Path) -> String {
    let output = Command::new("find").arg(folder).args(["-printf", "%p %y %m %U %s %T@ %C@\\n"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn nothing_is_left_behind() {
    let server = Sshd::start("");
    let drop = Drop::on(&server);
    drop.put("in/a.txt", b"x");
    drop.put("in/b.bin", &noise(100_000));
    let before = state(&server.root());
    graded(&drop, json!({"path": "**", "count": 2, "match": "all", "encoding": "iso-8859-1"})).is("passed", &[]);
    graded(&drop, json!({"path": "in/*", "stable": "1s"})).is("passed", &[]);
    on(&drop, "timeout = \"1ms\"", json!({"path": "**", "sha256": WRONG})).is("unverifiable timeout", &[]);
    assert_eq!(state(&server.root()), before);
}
