//! Files: a glob over 100,000 of them in a folder and on OpenSSH's server, compared with the listing of `sftp` itself;
//! the hash of 1 GB compared with `sha256sum`; a search in a text of 1 GB compared with `grep`.
//!
//! `cargo xtask bench files`. A check is what a criterion takes from a sandbox that is not open yet: connecting, observing
//! and judging, by the clock. Of five runs each the fastest counts.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use candor_check::{Sandbox, Status};
use candor_json::{Value, json};
use candor_sftp_file_present::CHECK;
use candor_tests::sshd::{Sshd, USER};

const FILES: usize = 100_000;
const LARGE: usize = 1_000_000_000;

fn main() {
    let server = Sshd::start("");
    let drop = server.root().join("drop");
    fs::create_dir_all(drop.join("many")).expect("a folder");
    for number in 0..FILES {
        fs::write(drop.join(format!("many/claim-{number:06}.json")), b"").expect("a file");
    }
    let sandbox = tempfile::tempdir().expect("a folder");
    let describe = |name: &str, files: &str| {
        let file = sandbox.path().join(name);
        let limits = "[limits]\ntimeout = \"5m\"\nmax_bytes = \"2GB\"\n";
        fs::write(&file, format!("[files]\n{files}\n{limits}")).expect("a description");
        file
    };
    let port = server.address.port();
    fs::write(sandbox.path().join("known_hosts"), server.known_hosts(port)).expect("known hosts");
    let folder = describe("folder.toml", &format!("url = \"file://{}\"", drop.display()));
    let sftp = describe(
        "sftp.toml",
        &format!(
            "url = \"sftp://{USER}@127.0.0.1:{port}/drop\"\nknown_hosts = \"known_hosts\"\nidentity_file = \"{}\"",
            server.key().display()
        ),
    );
    let many = json!({"assert": "sftp-file-present", "path": "many/*.json", "count": FILES});
    report("glob over 100,000, folder", &|| check(&folder, &many));
    report("glob over 100,000, SFTP", &|| check(&sftp, &many));
    let list = |command: &str| {
        let batch = sandbox.path().join("batch");
        fs::write(&batch, format!("{command} /drop/many\n")).expect("a batch");
        let mut sftp = Command::new("sftp");
        sftp.arg("-q").arg("-i").arg(server.key()).arg("-P").arg(port.to_string()).arg("-b").arg(&batch);
        sftp.arg("-o").arg(format!("UserKnownHostsFile={}", sandbox.path().join("known_hosts").display()));
        sftp.arg(format!("{USER}@127.0.0.1")).stdout(Stdio::null());
        assert!(sftp.status().expect("sftp runs").success());
    };
    report("sftp, ls -1", &|| list("ls -1"));
    report("sftp, ls -l", &|| list("ls -l"));
    let large = drop.join("large.bin");
    fs::write(&large, vec![7; LARGE]).expect("a file");
    let sum = || {
        let output = Command::new("sha256sum").arg(&large).output().expect("sha256sum runs");
        String::from_utf8_lossy(&output.stdout).split_whitespace().next().unwrap_or_default().to_owned()
    };
    let hash = json!({"assert": "sftp-file-present", "path": "large.bin", "sha256": sum()});
    report("hash of 1 GB, sha256sum", &|| drop_text(sum()));
    report("hash of 1 GB, folder", &|| check(&folder, &hash));
    report("hash of 1 GB, SFTP", &|| check(&sftp, &hash));
    let text = drop.join("large.txt");
    let mut lines = "2026-11-20T10:30:00Z claim accepted by the clearinghouse\n".repeat(LARGE / 57);
    lines.push_str("claim 4711 accepted\n");
    fs::write(&text, lines).expect("a file");
    let found = json!({"path": "$text", "op": "contains", "expected": "claim 4711"});
    let scan = json!({"assert": "sftp-file-present", "path": "large.txt", "format": "text", "fields": [found]});
    report("scan of 1 GB, folder", &|| check(&folder, &scan));
    report("scan of 1 GB, grep", &|| grep("claim 4711", &text));
}

fn grep(what: &str, file: &Path) {
    let mut grep = Command::new("grep");
    assert!(grep.arg("-c").arg("-F").arg(what).arg(file).stdout(Stdio::null()).status().expect("grep runs").success());
}

fn drop_text(text: String) {
    assert_eq!(text.len(), 64);
}

fn check(sandbox: &Path, assertion: &Value) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let sandbox = Sandbox::open(sandbox, &[candor_sftp_file_present::PART]).expect("a sandbox");
    let evidence = runtime.block_on(CHECK.run(assertion.clone(), &sandbox));
    assert_eq!(evidence.status(), Status::Passed, "{}", evidence.details());
}

fn report(what: &str, run: &dyn Fn()) {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    let fastest = (0..5).map(time).min().unwrap_or(Duration::ZERO);
    println!("{what:<28} {:>8.3} s", fastest.as_secs_f64());
}
