//! 200 task runs that are completed at once: what `complete` takes on SQLite and on PostgreSQL.
//!
//! `cargo xtask bench service`. Each agent has created one appointment; each completion freezes a sandbox, grades two
//! criteria and stores the result. The service has a process of its own and two threads, its clients are threads here.
#![allow(dead_code, reason = "the tests of the service have helpers that this does not need")]

#[path = "../../crates/server/tests/it/service/support.rs"]
mod support;

use std::sync::Barrier;
use std::time::{Duration, Instant};

use candor_json::json;
use support::{Postgres, Service, booking};

const RUNS: usize = 200;

fn main() {
    support::be_the_service();
    let folder = tempfile::tempdir().expect("a folder");
    measured("SQLite", &Service::over(folder.path()));
    if std::env::var_os("CANDOR_PEERS_POSTGRES").is_some() {
        let database = Postgres::start();
        measured("PostgreSQL", &Service::with(&json!({"postgres": database.url})));
    }
}

fn measured(database: &str, service: &Service) {
    let at_rest = memory(service, "VmRSS");
    service.operator("POST", "/tasks", booking()).expect(201);
    let entries: Vec<_> = (0..RUNS).map(|n| json!({"task": "book", "id": format!("book-{n}")})).collect();
    service.operator("POST", "/benchmarks", json!({"id": "all", "tasks": entries})).expect(201);
    let run = service.operator("POST", "/v1/benchmark-runs", json!({"benchmark": "all"})).expect(201);
    let token = run["bearer_token"].as_str().expect("a token");
    let visit = json!({"resourceType": "Appointment", "status": "booked",
        "participant": [{"actor": {"reference": "Patient/p1"}, "status": "accepted"}]})
    .to_string();
    let mut completions = Vec::new();
    for task_run in run["task_runs"].as_array().expect("task runs") {
        let started = service.json("POST", task_run["start_url"].as_str().expect("a URL"), token, None).expect(200);
        let fhir = format!("{}/Appointment", started["sandbox"]["endpoints"]["fhir"].as_str().expect("a URL"));
        let agent = started["agent_token"].as_str().expect("a token");
        let body = Some(("application/fhir+json", visit.as_bytes()));
        service.send("POST", &fhir, agent, body, &[]).expect(201);
        completions.push(task_run["complete_url"].as_str().expect("a URL").to_owned());
    }
    let barrier = Barrier::new(RUNS + 1);
    let (mut times, whole) = std::thread::scope(|scope| {
        let asking: Vec<_> = completions
            .iter()
            .map(|url| {
                scope.spawn(|| {
                    barrier.wait();
                    let began = Instant::now();
                    let reply = service.json("POST", url, token, None);
                    (reply.status, began.elapsed())
                })
            })
            .collect();
        barrier.wait();
        let began = Instant::now();
        let times: Vec<(u16, Duration)> = asking.into_iter().map(|one| one.join().expect("a client")).collect();
        (times, began.elapsed())
    });
    let answered = times.iter().filter(|(status, _)| *status == 200).count();
    times.sort_by_key(|(_, time)| *time);
    let quantile = |share: f64| times[((RUNS as f64 * share) as usize).min(RUNS - 1)].1.as_secs_f64();
    println!(
        "{database}: complete p50 {:.3} s, p99 {:.3} s, all {RUNS} in {:.2} s ({answered} answered 200); memory at rest \
         {at_rest} MB, most {} MB",
        quantile(0.5),
        quantile(0.99),
        whole.as_secs_f64(),
        memory(service, "VmHWM"),
    );
}

/// The memory of the service's process, in megabytes, where the system tells.
fn memory(service: &Service, what: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.pid())).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(what)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).unwrap_or_default() / 1024
}
