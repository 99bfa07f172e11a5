//! The command line uses the proxies that its environment names.

use std::net::TcpListener;
use std::process::Command;

#[test]
fn the_command_line_asks_the_proxy_of_its_environment() {
    let folder = tempfile::tempdir().unwrap();
    let settings = "[limits]\ntimeout = \"2s\"\n[fhir]\nurl = \"http://fhir.example.invalid/r4\"\n";
    std::fs::write(folder.path().join("sandbox.toml"), settings).unwrap();
    let task = "id: t\ncriteria:\n  - id: c\n    assertion: {assert: fhir-resource-state, resource_type: Patient}\n";
    std::fs::write(folder.path().join("task.yaml"), task).unwrap();
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let output = Command::new(candor_tests::candor())
        .arg("check")
        .arg(folder.path().join("task.yaml"))
        .arg("--sandbox")
        .arg(folder.path())
        .env("HTTP_PROXY", format!("http://{}", proxy.local_addr().unwrap()))
        .env_remove("NO_PROXY")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    proxy.set_nonblocking(true).unwrap();
    assert!(proxy.accept().is_ok(), "the proxy was not asked");
}
