//! The command line uses the proxies that its environment names, for every part that speaks HTTP, and names a proxy's
//! refusal as the proxy's.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use candor_json::Value;

/// A proxy that refuses everything with 502, and hands on the first line of what it was asked.
fn refusing_proxy() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (tell, asked) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            // The whole request is read: a connection that is closed before that is reset.
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let line = head.first().cloned().unwrap_or_default();
            stream.write_all(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n").unwrap();
            if tell.send(line).is_err() {
                return;
            }
        }
    });
    (address, asked)
}

/// The reason and the sentence of a criterion over a sandbox with such settings.
fn judged(settings: &str, assertion: &str, proxy: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sandbox.toml"), format!("[limits]\ntimeout = \"10s\"\n{settings}")).unwrap();
    let task = format!("id: t\ncriteria:\n  - id: c\n    assertion: {assertion}\n");
    std::fs::write(folder.path().join("task.yaml"), task).unwrap();
    let output = Command::new(candor_tests::candor())
        .args(["check", "--format", "json"])
        .arg(folder.path().join("task.yaml"))
        .arg("--sandbox")
        .arg(folder.path())
        .env("HTTP_PROXY", proxy)
        .env("HTTPS_PROXY", proxy)
        .env_remove("NO_PROXY")
        .env_remove("ALL_PROXY")
        .env("AWS_ACCESS_KEY_ID", "key")
        .env("AWS_SECRET_ACCESS_KEY", "secret")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let run: Value = candor_json::from_slice(&output.stdout).unwrap();
    let text = |member: &str| run["criterion_runs"][0][member].as_str().unwrap().to_owned();
    (text("reason"), text("details"))
}

const PATIENT: &str = "{assert: fhir-resource-state, resource_type: Patient}";

#[test]
fn a_server_elsewhere_is_asked_through_the_proxy_and_its_refusal_is_the_proxys() {
    let (proxy, asked) = refusing_proxy();
    let (reason, details) = judged("[fhir]\nurl = \"https://fhir.example.invalid/r4\"\n", PATIENT, &proxy);
    assert_eq!(asked.recv_timeout(Duration::from_secs(120)).unwrap(), "CONNECT fhir.example.invalid:443 HTTP/1.1");
    assert_eq!(reason, "source_unavailable");
    assert!(details.contains("the proxy refused the connection (502)"), "{details}");
}

#[test]
fn a_plain_server_elsewhere_is_asked_through_the_proxy() {
    let (proxy, asked) = refusing_proxy();
    judged("[fhir]\nurl = \"http://fhir.example.invalid/r4\"\n", PATIENT, &proxy);
    let line = asked.recv_timeout(Duration::from_secs(120)).unwrap();
    assert!(line.contains("fhir.example.invalid"), "{line}");
}

#[test]
fn a_host_that_only_begins_as_this_machine_is_asked_through_the_proxy() {
    let (proxy, asked) = refusing_proxy();
    let settings =
        "[files]\nurl = \"s3://drop/in/\"\nendpoint = \"https://127.0.0.1.evil.example\"\nregion = \"us-east-1\"\n";
    let (reason, details) = judged(settings, "{assert: sftp-file-present, path: \"*.json\", count: 1}", &proxy);
    let line = asked.recv_timeout(Duration::from_secs(120)).unwrap();
    assert_eq!(line, "CONNECT 127.0.0.1.evil.example:443 HTTP/1.1", "{details}");
    assert_eq!(reason, "source_unavailable");
}

#[test]
fn this_machine_is_never_asked_through_the_proxy() {
    let (proxy, asked) = refusing_proxy();
    for host in ["127.0.0.1", "localhost", "[::1]", "LocalHost"] {
        let (reason, details) = judged(&format!("[fhir]\nurl = \"http://{host}:1/r4\"\n"), PATIENT, &proxy);
        assert_eq!(reason, "source_unavailable");
        assert!(details.contains("the connection was refused"), "{host}: {details}");
    }
    assert!(asked.try_recv().is_err());
}
