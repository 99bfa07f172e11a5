//! A service that is killed while it grades: nothing is lost, nothing is half, and it is graded on the next start.

use std::time::Duration;

use candor_json::json;
use candor_test_size::pick;

use crate::service::support::{Held, Postgres, Service, booking, slow_endpoint};

/// A booking whose grading takes half a second: it asks an endpoint that is slow.
fn slow_booking(endpoint: &str) -> candor_json::Value {
    let mut task = booking();
    let slow = json!({"id": "slow", "axis": "speed", "assertion": {"assert": "response-time", "url": endpoint, "limit": "2m", "samples": 2}});
    task["criteria"].as_array_mut().unwrap().push(slow);
    task
}

#[test]
fn a_completion_that_is_killed_is_whole_or_asked_for_again() {
    let endpoint = slow_endpoint(Duration::from_millis(250));
    let folder = tempfile::tempdir().unwrap();
    let mut phases = std::collections::BTreeMap::new();
    let mut service = Service::over(folder.path());
    let whole = {
        let at = service.started(&slow_booking(&endpoint), true);
        let began = std::time::Instant::now();
        service.complete(&at).expect(200);
        began.elapsed()
    };
    let mut untold = 0;
    for round in 0..pick(6, 100) {
        let at = service.started(&slow_booking(&endpoint), round % 2 == 0);
        let body = br#"{"resourceType": "Appointment", "status": "booked", "participant": [{"actor": {"reference": "Patient/p1"}}]}"#;
        let path = format!("{}/fhir/Appointment", at.sandbox);
        assert_eq!(
            service.send("POST", &path, &at.agent_token, Some(("application/fhir+json", body)), &[]).status,
            201
        );
        let service_url = service.url.clone();
        // Over all of a completion and what follows it, never twice at the same point.
        let moment = whole.mul_f64(1.25 * (f64::from(round) * 0.618).fract());
        let told = std::thread::scope(|scope| {
            let asking = scope.spawn(|| {
                let complete = format!("{service_url}/v1/task-runs/{}/complete", at.id);
                service.try_send("POST", &complete, &at.run_token, None, &[]).ok()
            });
            std::thread::sleep(moment);
            let _ = std::process::Command::new("kill").arg("-9").arg(service.pid().to_string()).status();
            asking.join().unwrap()
        });
        service.kill();
        let told = told.filter(|reply| reply.status == 200).map(|reply| reply.json());
        service = Service::over(folder.path());
        let seen = || service.operator("GET", &format!("/task-runs/{}", at.id), None).expect(200);
        // The service grades in the background, and may be done between two requests.
        let (before, runs) = loop {
            let before = seen();
            let runs = service.operator("GET", &format!("/criterion-runs?task_run_id={}", at.id), None).expect(200);
            if seen()["phase"] == before["phase"] {
                break (before, runs);
            }
        };
        *phases.entry(before["phase"].as_str().unwrap().to_owned()).or_insert(0) += 1;
        untold += usize::from(told.is_none());
        let full = before["phase"] == "completed";
        assert_eq!(runs["data"].as_array().unwrap().len(), if full { 3 } else { 0 }, "round {round}: half a result");
        let result = service.complete(&at).expect(200);
        assert_eq!(
            (&result["verdict"], &result["phase"]),
            (&json!("pass"), &json!("completed")),
            "round {round}: {result}"
        );
        if let Some(told) = told {
            assert_eq!(told, result, "round {round}: what was told is not what is stored");
        }
        assert_eq!(service.complete(&at).expect(200), result);
        let run = at.run["benchmark_run_id"].as_str().unwrap();
        assert_eq!(service.operator("GET", &format!("/benchmark-runs/{run}"), None).expect(200)["verdict"], "pass");
    }
    eprintln!("a completion took {whole:?}; phases after the kill: {phases:?}; {untold} without an answer");
    assert!(untold > 0, "no kill came before an answer: {phases:?}");
}

#[test]
fn asked_twenty_times_at_once_it_grades_once() {
    let endpoint = slow_endpoint(Duration::from_millis(250));
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let at = service.started(&slow_booking(&endpoint), false);
    let results: Vec<_> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..20).map(|_| scope.spawn(|| service.complete(&at).expect(200))).collect();
        asking.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(results.windows(2).all(|two| two[0] == two[1]));
    // It is counted soon after the result is there.
    while service.gradings() == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(service.gradings(), 1);
}

#[test]
fn a_grading_that_takes_longer_is_answered_with_202_and_a_url() {
    let endpoint = Held::start();
    let folder = tempfile::tempdir().unwrap();
    let service = Service::with(&json!({"data": folder.path(), "answer_within": "100ms"}));
    let at = service.started(&slow_booking(&endpoint.url), true);
    let reply = service.complete(&at);
    let told = reply.expect(202);
    assert_eq!((told["phase"].as_str(), reply.header("location")), (Some("grading"), told["url"].as_str()));
    endpoint.answer();
    let result = loop {
        let seen = service.json("GET", told["url"].as_str().unwrap(), &at.run_token, None).expect(200);
        if seen["phase"] != "grading" {
            break seen;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!((&result["verdict"], &result["criterion_runs"]), (&json!("partial"), &json!([])), "{result}");
}

#[test]
fn two_servers_share_one_postgresql() {
    let database = Postgres::start();
    let settings = json!({"postgres": database.url});
    let mut first = Service::with(&settings);
    let second = Service::with(&settings);
    let endpoint = slow_endpoint(Duration::from_millis(250));
    let at = first.started(&slow_booking(&endpoint), false);
    let body = br#"{"resourceType": "Appointment", "status": "booked", "participant": [{"actor": {"reference": "Patient/p1"}}]}"#;
    let path = format!("{}/fhir/Appointment", at.sandbox);
    // What one server stored the other one finds, in both directions.
    let made = second.send("POST", &path, &at.agent_token, Some(("application/fhir+json", body)), &[]);
    assert_eq!(made.status, 201, "{}", made.text());
    let found = first.send("GET", &format!("{path}?status=booked"), &at.agent_token, None, &[]).expect(200);
    assert_eq!(found["total"], 1);
    let servers = [&first, &second];
    let results: Vec<_> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..20)
            .map(|n| {
                scope.spawn({
                    let at = &at;
                    move || servers[n % 2].complete(at).expect(200)
                })
            })
            .collect();
        asking.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(results.windows(2).all(|two| two[0] == two[1]));
    assert_eq!(results[0]["verdict"], "pass");
    while first.gradings() + second.gradings() == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(first.gradings() + second.gradings(), 1, "one of the two graded");
    // A server that dies while it grades: the other one grades in its place.
    let endpoint = Held::start();
    let at = first.started(&slow_booking(&endpoint.url), false);
    let complete = format!("/v1/task-runs/{}/complete", at.id);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| first.try_send("POST", &complete, &at.run_token, None, &[]).is_err());
        endpoint.is_asked();
        let _ = std::process::Command::new("kill").arg("-9").arg(first.pid().to_string()).status();
        assert!(asking.join().unwrap());
    });
    first.kill();
    endpoint.answer();
    assert_eq!(second.complete(&at).expect(200)["verdict"], "partial");
}
