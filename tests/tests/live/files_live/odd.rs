//! Servers that keep the protocol, and say strange things in it.

use std::path::Path;
use std::sync::OnceLock;

use candor_json::{Value, json};
use candor_tests::sshd::{Sshd, USER};

use crate::files_live::suite::{Place, graded, matched};

struct Odd(&'static str);

fn server() -> &'static Sshd {
    static RUNNING: OnceLock<Sshd> = OnceLock::new();
    RUNNING.get_or_init(|| Sshd::speaking("/usr/bin/env python3", include_str!("../../../peers/sftp_odd.py")))
}

impl Place for Odd {
    fn files(&self) -> String {
        let port = server().address.port();
        format!(
            "url = \"sftp://{USER}@127.0.0.1:{port}/odd/{}\"\nknown_hosts = \"known_hosts\"\nidentity_file = \"key\"",
            self.0
        )
    }

    fn lay(&self, sandbox: &Path) {
        std::fs::write(sandbox.join("known_hosts"), server().known_hosts(server().address.port())).unwrap();
        std::fs::copy(server().key(), sandbox.join("key")).unwrap();
    }

    fn put(&self, path: &str, _: &[u8]) {
        panic!("{path} cannot be put on a server that makes up what it holds");
    }

    fn append(&self, path: &str, bytes: &[u8]) {
        self.put(path, bytes);
    }
}

fn count(number: Value) -> Value {
    json!({"path": "*.json", "count": number})
}

#[test]
fn listings() {
    graded(&Odd("plain"), count(json!(2))).is("passed", &[]);
    graded(&Odd("empty"), count(json!(0))).is("passed", &[]);
    for (folder, all) in [("gaps", 2), ("twice", 2), ("nameless", 2)] {
        let run = graded(&Odd(folder), json!({"path": "*.json"}));
        assert_eq!(matched(&run).len(), all, "{folder}: {run:?}");
        for wrong in [0, 1, 4] {
            assert_ne!(graded(&Odd(folder), count(json!(wrong))).outcome(), "passed", "{folder} {wrong}");
        }
    }
    // What the listing does not say is asked for.
    graded(&Odd("silent"), count(json!(1))).is("passed", &[]);
    // A folder in the store that breaks off is not one that was never there.
    for folder in ["missing", "broken", "lying"] {
        let path = format!("{folder}/*.json");
        let run = graded(&Odd(""), json!({"path": path, "count": {"max": 2}}));
        assert!(run.outcome().starts_with("unverifiable "), "{folder}: {run:?}");
    }
    for folder in ["escaping", "lying", "broken", "missing"] {
        let run = graded(&Odd(folder), count(json!({"min": 0})));
        assert!(run.outcome().starts_with("unverifiable "), "{folder}: {run:?}");
        let run = graded(&Odd(folder), json!({"path": "*.json", "sha256": "0".repeat(64)}));
        assert!(run.outcome().starts_with("unverifiable "), "{folder}: {run:?}");
    }
}

#[test]
fn contents() {
    let read = json!({"path": "a.json", "fields": [{"path": "a", "expected": 1}]});
    graded(&Odd("plain"), read.clone()).is("passed", &[]);
    for folder in ["short", "long", "refused"] {
        graded(&Odd(folder), read.clone()).is("unverifiable source_unavailable", &["a.json"]);
    }
    graded(&Odd("none"), read).is("unverifiable source_unavailable", &["is not there"]);
}
