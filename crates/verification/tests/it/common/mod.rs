//! A workspace, servers, and programs run in it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use candor_verification::script::{Grants, Limits, Runner};
use candor_verification::verifiers::Script;
use candor_verification::{Claim, Verifier, VerifierInput, VerifierVerdict};

/// The program that runs scripts.
pub(crate) const CHILD: &str = env!("CARGO_BIN_EXE_candor-script-child");

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Limits that only a program reaches which does not end.
pub(crate) fn limits() -> Limits {
    Limits { processor: Duration::from_secs(20), time: Duration::from_secs(600), ..Limits::default() }
}

pub(crate) fn runner(grants: Grants) -> Runner {
    Runner::default().program(CHILD, []).grants(grants).limits(limits())
}

/// A folder that scripts look at.
pub(crate) struct Workspace(tempfile::TempDir);

impl Workspace {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("work").join(name)
    }

    /// A path outside the workspace.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn input(&self) -> VerifierInput {
        VerifierInput {
            build_result: Claim {
                response: "Done.".to_owned(),
                tool_calls: vec![candor_json::json!({ "name": "book", "amount": 1.5 })],
                tool_results: vec![candor_json::json!("ok")],
                ..Claim::default()
            },
            eval_result: None,
            workspace: self.path(""),
            iteration: 2,
        }
    }

    /// The verdict of a program, or the message of its error.
    pub(crate) fn verify(&self, program: &str, runner: &Runner) -> Result<VerifierVerdict, String> {
        let script = Script::new("check.star", program, runner.clone());
        runtime().block_on(script.verify(&self.input())).map_err(|error| error.message)
    }

    /// Why a program whose `run` has these lines is broken.
    pub(crate) fn breaks(&self, lines: &str, grants: Grants) -> String {
        let body: String = lines.lines().map(|line| format!("    {line}\n")).collect();
        match self.verify(&format!("def run(result):\n{body}"), &runner(grants)) {
            Err(message) => message,
            Ok(verdict) => panic!("{lines}: {verdict:?}"),
        }
    }

    /// Holds that a program whose `run` has these lines passes.
    pub(crate) fn passes(&self, lines: &str, grants: Grants) {
        let body: String = lines.lines().map(|line| format!("    {line}\n")).collect();
        let verdict = self.verify(&format!("def run(result):\n{body}"), &runner(grants));
        assert_eq!(verdict, Ok(VerifierVerdict::Passed), "{lines}");
    }
}

/// A server that answers every connection's first request, and its address.
pub(crate) fn server(answer: impl Fn(&str, &mut dyn Write) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(600))).unwrap();
            let (mut request, mut buffer) = (Vec::new(), [0; 1024]);
            while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                match stream.read(&mut buffer) {
                    Ok(read @ 1..) => request.extend(&buffer[..read]),
                    _ => break,
                }
            }
            answer(&String::from_utf8_lossy(&request), &mut stream);
        }
    });
    address
}

/// A server that answers with this text.
pub(crate) fn says(head: &'static str, body: &'static str) -> String {
    server(move |_, out| {
        let _ = write!(out, "HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
    })
}

pub(crate) fn http(address: &str) -> Grants {
    Grants { http: vec![address.parse().unwrap()], ..Grants::default() }
}
