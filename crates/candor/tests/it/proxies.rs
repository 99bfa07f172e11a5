//! A program uses the proxies of the environment only if it asks for them.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::net::TcpListener;
use std::process::Command;

use candor::{Engine, Sandbox, Status, Task};
use candor_json::json;

/// Set in the program that grades: whether it asks for proxies.
const ASKS: &str = "CANDOR_TEST_ASKS_FOR_PROXIES";

/// Grades a server that is not there, as a program of its own with the proxy in its environment.
fn grade(engine: &Engine) {
    let task = Task::from_value(json!({"id": "t", "criteria": [
        {"id": "c", "assertion": {"assert": "fhir-resource-state", "resource_type": "Patient"}},
    ]}));
    let settings = "[limits]\ntimeout = \"2s\"\n[fhir]\nurl = \"http://fhir.example.invalid/r4\"\n";
    let sandbox = Sandbox::builder().settings(settings).build().unwrap();
    let run = candor::blocking::run(engine, &task.unwrap(), &sandbox).unwrap();
    assert_eq!(run.criterion_run("c").unwrap().status(), Status::Unverifiable);
}

/// Runs this test binary as a program that asks for proxies or not, and says if the proxy got a request.
fn is_proxy_asked(test: &str, asks: &str) -> bool {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let program = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("proxies::{test}")])
        .env(ASKS, asks)
        .env("HTTP_PROXY", format!("http://{}", proxy.local_addr().unwrap()))
        .env_remove("NO_PROXY")
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&program.stdout);
    assert!(program.status.success() && shown.contains("1 passed"), "{shown}");
    proxy.set_nonblocking(true).unwrap();
    proxy.accept().is_ok()
}

#[test]
fn proxies_are_used_if_the_program_asks() {
    match std::env::var(ASKS).as_deref() {
        Ok("yes") => grade(&Engine::standard().proxy_from_env()),
        Ok(_) => grade(&Engine::standard()),
        Err(_) => {
            let test = "proxies_are_used_if_the_program_asks";
            assert!(!is_proxy_asked(test, "no"));
            assert!(is_proxy_asked(test, "yes"));
        }
    }
}
