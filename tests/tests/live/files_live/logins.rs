//! Whose server it is, and who may read it.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use candor_json::{Value, json};
use candor_tests::grade::{Graded, all_within, within};
use candor_tests::http::closed;
use candor_tests::sshd::{Sshd, USER, shared};

use crate::files_live::sftp::Drop;
use crate::files_live::suite::{Place as _, graded};

fn assertion() -> Value {
    json!({"assert": "sftp-file-present", "path": "*.txt"})
}

/// Grades on a server with these settings, in a sandbox that holds what `lay` lays there.
fn with(drop: &Drop<'_>, settings: &str, lay: impl Fn(&Path)) -> Graded {
    let sandbox = tempfile::tempdir().unwrap();
    drop.lay(sandbox.path());
    drop.put("a.txt", b"x");
    lay(sandbox.path());
    let known = if settings.contains("known_hosts") { "" } else { "known_hosts = \"known_hosts\"\n" };
    let limits = if settings.contains("[limits]") { "" } else { "[limits]\ntimeout = \"5m\"\n" };
    within(sandbox.path(), &format!("[files]\n{}{known}{settings}\n{limits}", drop.url()), assertion())
}

fn nothing(_: &Path) {}

#[test]
fn passwords() {
    let drop = Drop::on(shared());
    with(&drop, "password = \"${env:CARGO_PKG_NAME}\"", nothing).is("passed", &[]);
    let wrong = with(&drop, "password = \"${env:CARGO_PKG_VERSION}\"", nothing);
    wrong.is("unverifiable source_denied", &["does not accept the password of candor-reader; it takes", "publickey"]);
    // Side by side, and however often: a password that was refused is not sent again.
    let server = Sshd::start("");
    let drop = Drop::on(&server);
    let sandbox = tempfile::tempdir().unwrap();
    drop.lay(sandbox.path());
    let files =
        format!("[files]\n{}known_hosts = \"known_hosts\"\npassword = \"${{env:CARGO_PKG_VERSION}}\"\n", drop.url());
    let mut waiting = assertion();
    waiting["within"] = json!({"timeout": "2s", "every": "200ms"});
    for run in all_within(sandbox.path(), &files, vec![assertion(), waiting, assertion()]) {
        run.is("unverifiable source_denied", &["the password"]);
    }
    assert_eq!(server.log().matches("Failed password").count(), 1, "{}", server.log());
}

#[test]
fn keys() {
    let drop = Drop::on(shared());
    with(&drop, "identity_file = \"key\"", nothing).is("passed", &[]);
    let encrypted = |sandbox: &Path| shared().encrypt_key(&sandbox.join("locked"));
    with(&drop, "identity_file = \"locked\"\npassphrase = \"${env:CARGO_PKG_NAME}\"", encrypted).is("passed", &[]);
    with(&drop, "identity_file = \"locked\"\npassphrase = \"${env:CARGO_PKG_VERSION}\"", encrypted)
        .is("unverifiable source_denied", &["locked", "the passphrase is wrong"]);
    with(&drop, "identity_file = \"locked\"", encrypted).is("unverifiable source_denied", &["is encrypted"]);
    let other = |sandbox: &Path| make_key(&sandbox.join("other"), "ed25519");
    with(&drop, "identity_file = \"other\"", other)
        .is("unverifiable source_denied", &["does not accept the key", "other", "of candor-reader"]);
    // What one way does not open, the next may.
    with(&drop, "identity_file = \"other\"\npassword = \"${env:CARGO_PKG_NAME}\"", other).is("passed", &[]);
    let garbage = |sandbox: &Path| std::fs::write(sandbox.join("garbage"), "no key at all").unwrap();
    with(&drop, "identity_file = \"garbage\"", garbage).is("unverifiable source_denied", &["not a private key"]);
    let begun = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n";
    let broken = |sandbox: &Path| std::fs::write(sandbox.join("broken"), begun).unwrap();
    with(&drop, "identity_file = \"broken\"", broken).is("unverifiable source_denied", &["broken"]);
    with(&drop, "", nothing).is("unverifiable source_denied", &["no way to log in"]);
}

fn make_key(path: &Path, kind: &str) {
    let mut command = Command::new("ssh-keygen");
    command.args(["-q", "-N", "", "-t", kind, "-f"]).arg(path);
    assert!(command.status().unwrap().success());
}

#[test]
fn keys_of_every_kind() {
    let server = Sshd::start("");
    let drop = Drop::on(&server);
    let accepted = server.root().with_file_name("keys").join(USER);
    for kind in ["rsa", "ecdsa", "ed25519"] {
        let key = |sandbox: &Path| {
            let file = sandbox.join("made");
            make_key(&file, kind);
            std::fs::copy(file.with_extension("pub"), &accepted).unwrap();
        };
        with(&drop, "identity_file = \"made\"", key).is("passed", &[]);
    }
}

#[test]
fn both_where_both_are_wanted() {
    let server = Sshd::start("AuthenticationMethods publickey,password");
    let drop = Drop::on(&server);
    with(&drop, "identity_file = \"key\"\npassword = \"${env:CARGO_PKG_NAME}\"", nothing).is("passed", &[]);
    with(&drop, "identity_file = \"key\"", nothing).is("unverifiable source_denied", &[]);
}

#[test]
fn agents() {
    let drop = Drop::on(shared());
    drop.put("a.txt", b"x");
    let sandbox = tempfile::tempdir().unwrap();
    drop.lay(sandbox.path());
    let description = format!("[files]\n{}known_hosts = \"known_hosts\"\nagent = true\n", drop.url());
    std::fs::write(sandbox.path().join("sandbox.toml"), description).unwrap();
    let criteria = json!([{"id": "c", "label": "c", "assertion": assertion()}]);
    let task = sandbox.path().join("task.json");
    std::fs::write(&task, json!({"id": "t", "criteria": criteria}).to_string()).unwrap();
    let socket = sandbox.path().join("agent");
    let mut agent =
        Command::new("ssh-agent").args(["-D", "-a"]).arg(&socket).stdout(std::process::Stdio::null()).spawn().unwrap();
    while !socket.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let run = || {
        let mut candor = Command::new(candor_tests::candor());
        candor.arg("check").arg(&task).arg("--sandbox").arg(sandbox.path()).args(["--format", "json"]);
        let output = candor.env("SSH_AUTH_SOCK", &socket).output().unwrap();
        let run: Value = candor_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        Graded(run["criterion_runs"][0].clone())
    };
    let empty = run();
    let add = |key: &Path| {
        let mut add = Command::new("ssh-add");
        add.arg("-q").arg(key).env("SSH_AUTH_SOCK", &socket);
        assert!(add.status().unwrap().success());
    };
    // The second key is tried where the first is not accepted.
    make_key(&sandbox.path().join("other"), "ed25519");
    add(&sandbox.path().join("other"));
    let other = run();
    let key = sandbox.path().join("key");
    std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    add(&key);
    let both = run();
    agent.kill().unwrap();
    agent.wait().unwrap();
    let gone = run();
    empty.is("unverifiable source_denied", &["the SSH agent holds no key"]);
    other.is("unverifiable source_denied", &["does not accept the agent's key SHA256:"]);
    both.is("passed", &[]);
    gone.is("unverifiable source_denied", &["no SSH agent answers"]);
}

#[test]
fn host_keys() {
    let server = shared();
    let drop = Drop::on(server);
    let port = server.address.port();
    let known = |line: &str| {
        with(&drop, "identity_file = \"key\"", |sandbox| std::fs::write(sandbox.join("known_hosts"), line).unwrap())
    };
    let print = |kind: &str| {
        let file = server.root().with_file_name(format!("host_{kind}.pub"));
        let output = Command::new("ssh-keygen").arg("-lf").arg(file).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.split_whitespace().nth(1).unwrap().to_owned()
    };
    let (own, others) = (server.host_key("ed25519"), Sshd::start("").host_key("ed25519"));
    known("").is("unverifiable source_denied", &["the host key is unknown", &print("ecdsa")[..7], "known_hosts"]);
    known(&format!("other.example {own}\n")).is("unverifiable source_denied", &["the host key is unknown"]);
    let changed = known(&format!("[127.0.0.1]:{port} {others}\n"));
    changed.is("unverifiable source_denied", &["the host key has changed", "ssh-ed25519", &print("ed25519")]);
    known(&format!("@revoked * {own}\n127.0.0.1 {own}\n"))
        .is("unverifiable source_denied", &["the host key is revoked", &print("ed25519")]);
    known(&format!("@cert-authority * {own}\n")).is("unverifiable source_denied", &["unknown"]);
    // Whatever kind is known is the one that is asked for.
    known(&format!("[127.0.0.1]:{port} {}\n", server.host_key("ecdsa"))).is("passed", &[]);
    known(&format!("# a comment\n\nnonsense\n127.0.0.1 {own} comment\n")).is("passed", &[]);
    known(&format!("[127.0.0.1]:{port} {others}\n[127.0.0.1]:{port} {own}\n")).is("passed", &[]);
    let hashed = with(&drop, "identity_file = \"key\"", |sandbox| {
        let mut keygen = Command::new("ssh-keygen");
        keygen.arg("-q").arg("-H").arg("-f").arg(sandbox.join("known_hosts"));
        assert!(keygen.output().unwrap().status.success());
        assert!(std::fs::read_to_string(sandbox.join("known_hosts")).unwrap().starts_with("|1|"));
    });
    hashed.is("passed", &[]);
}

#[test]
fn a_host_key_that_changes_between_two_runs() {
    let server = Sshd::start("");
    let drop = Drop::on(&server);
    drop.put("a.txt", b"x");
    graded(&drop, json!({"path": "a.txt"})).is("passed", &[]);
    let known = server.known_hosts(server.address.port());
    let other = Sshd::start("");
    let port = other.address.port();
    let moved = Drop { server: &other, port, name: drop.name.clone(), folder: drop.folder.clone() };
    let sandbox = tempfile::tempdir().unwrap();
    moved.lay(sandbox.path());
    std::fs::write(sandbox.path().join("known_hosts"), known.replace(&drop.port.to_string(), &port.to_string()))
        .unwrap();
    within(sandbox.path(), &format!("[files]\n{}", moved.files()), assertion())
        .is("unverifiable source_denied", &["the host key has changed"]);
}

#[test]
fn servers_that_do_not_answer() {
    let drop = |port| Drop { server: shared(), port, name: "drop".into(), folder: tempfile::tempdir().unwrap().keep() };
    let asked = |port, settings: &str| {
        let sandbox = tempfile::tempdir().unwrap();
        let drop = drop(port);
        drop.lay(sandbox.path());
        let run = within(sandbox.path(), &format!("[files]\n{}\n{settings}", drop.files()), assertion());
        std::fs::remove_dir(&drop.folder).unwrap();
        run
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // It accepts, and never says a word.
    let run = asked(port, "connect_timeout = \"1s\"\n");
    run.is("unverifiable timeout", &["did not introduce itself within 1 s"]);
    asked(port, "[limits]\ntimeout = \"1s\"\n").is("unverifiable timeout", &[]);
    let speaks = |words: &'static [u8]| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = std::io::Write::write_all(&mut stream, words);
            }
        });
        asked(port, "[limits]\ntimeout = \"5m\"\n")
    };
    speaks(b"").is("unverifiable source_unavailable", &[]);
    speaks(b"HTTP/1.1 400 Bad Request\r\n\r\n").is("unverifiable source_unavailable", &[]);
    speaks(b"SSH-2.0-strange\r\n\0\0\0\xffgarbage").is("unverifiable source_unavailable", &[]);
    asked(closed().port(), "").is("unverifiable source_unavailable", &["the connection was refused"]);
}

#[test]
fn a_host_that_is_not_found() {
    let sandbox = tempfile::tempdir().unwrap();
    Drop::on(shared()).lay(sandbox.path());
    let files = "url = \"sftp://u@no-such-host.invalid/x\"\nknown_hosts = \"known_hosts\"\nidentity_file = \"key\"\n";
    within(sandbox.path(), &format!("[files]\n{files}"), assertion())
        .is("unverifiable source_unavailable", &["no-such-host.invalid is not found"]);
}

#[test]
fn a_server_without_sftp() {
    let server = Sshd::speaking("/bin/false", "");
    let drop = Drop::on(&server);
    with(&drop, "identity_file = \"key\"", nothing).is("unverifiable source_unavailable", &["offers no SFTP"]);
}
