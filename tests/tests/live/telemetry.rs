//! The telemetry that `candor loop` sends to an OpenTelemetry collector, read behind a real one by the protocol's own
//! definitions. A collector that is not there, hangs or refuses changes nothing but a line of warning.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use base64::Engine as _;
use candor_json::Value;
use candor_tests::collector::{Collector, Sink};
use candor_tests::http::closed;

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// Words of a patient's record and of sentences about it. None of them may leave the machine.
const SECRETS: [&str; 12] = [
    "Rosalind",
    "Quimby",
    "MRN-7741-X",
    "1961-03-09",
    "metastatic",
    "W555000111",
    "Book the visit",
    "I have done",
    "The visit of",
    "appointments.json",
    "patient_name",
    "Dr. Rivera",
];

const TASK: &str = "id: book-visit
prompt: 'Book the visit of Rosalind Quimby, MRN-7741-X.'
criteria:
  - id: visit-booked
    label: The visit of Rosalind Quimby is booked
    weight: 3
    assertion:
      assert: portal-state-match
      correlate_by: { resource: appointments, key: mrn, value: MRN-7741-X }
      assertions: [{ path: patient_name, expected: Rosalind Quimby }, { path: status, expected: booked }]
  - id: 'Rosalind Quimby W555000111'
    assertion:
      assert: portal-state-match
      correlate_by: { resource: appointments, key: born, value: '1961-03-09' }
      assertions: [{ path: provider, expected: Dr. Rivera }]
";

const DRAFT: &str = r#"[{"mrn": "MRN-7741-X", "patient_name": "Rosalind Quimby", "born": "1961-03-09", "note": "metastatic", "provider": "Dr. Rivera", "status": "draft"}]"#;

/// A folder with the task, a world and an agent that mends it on its second attempt, and keeps each `TRACEPARENT`.
struct World(tempfile::TempDir);

impl World {
    fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(world.path("world/portal")).unwrap();
        fs::write(world.path("task.yaml"), TASK).unwrap();
        fs::write(world.path("world/portal/appointments.json"), DRAFT).unwrap();
        let booked = DRAFT.replace("draft", "booked");
        let rows = world.path("world/portal/appointments.json");
        let told = world.path("told");
        let agent = format!(
            "#!/bin/sh\ncat >/dev/null\necho \"$TRACEPARENT\" >> '{}'\nif [ \"$CANDOR_ATTEMPT\" != 0 ]; then cat > '{}' <<'END'\n{booked}\nEND\nfi\necho 'I have done what MRN-7741-X needs.'\n",
            told.display(),
            rows.display()
        );
        fs::write(world.path("agent"), agent).unwrap();
        let mut mode = fs::metadata(world.path("agent")).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
        fs::set_permissions(world.path("agent"), mode).unwrap();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, world: &Path, more: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(candor_tests::candor());
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("OTEL_")) {
            command.env_remove(name);
        }
        command.env_remove("TRACEPARENT").envs(variables.iter().copied()).stdin(Stdio::null());
        command.arg("loop").arg(self.path("task.yaml")).arg("--sandbox").arg(world).args(more);
        // The agent writes next to its world, too.
        command.arg("--no-isolation");
        command.arg("--").arg(self.path("agent")).output().unwrap()
    }
}

fn attributes(of: &Value) -> BTreeMap<String, Value> {
    let all = of["attributes"].as_array().unwrap();
    all.iter().map(|one| (one["key"].as_str().unwrap().to_owned(), one["value"].clone())).collect()
}

fn spans(request: &Value) -> Vec<Value> {
    request["message"]["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
}

fn no_patient_in(requests: &[&Value]) {
    for request in requests {
        let body = base64::engine::general_purpose::STANDARD.decode(request["body"].as_str().unwrap()).unwrap();
        let text = String::from_utf8_lossy(&body);
        for secret in SECRETS {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
}

fn text(value: &str) -> Value {
    candor_json::json!({ "stringValue": value })
}

fn int(value: u64) -> Value {
    candor_json::json!({ "intValue": value.to_string() })
}

#[test]
fn a_collector_is_told_of_the_delegation_and_of_no_patient() {
    let collector = Collector::start();
    // In binary through a collector; in JSON straight to the definitions, as Rotel loses the numbers of metrics in JSON.
    let direct = Sink::start();
    for (protocol, address, sink) in
        [("http/protobuf", &collector.address, &collector.sink), ("http/json", &direct.address, &direct)]
    {
        let world = World::new();
        let variables = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", address.as_str()),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
            ("OTEL_SERVICE_NAME", "nightly-grader"),
            ("TRACEPARENT", PARENT),
        ];
        let output = world.run(&world.path("world"), &[], &variables);
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (Some(0), ""),
            "{protocol}"
        );
        let [traces, metrics] = sink.requests(["/v1/traces", "/v1/metrics"]);
        no_patient_in(&[&traces, &metrics]);

        let resource = attributes(&traces["message"]["resourceSpans"][0]["resource"]);
        assert_eq!(resource["service.name"], text("nightly-grader"));
        let spans = spans(&traces);
        let (whole, runs): (Vec<_>, Vec<_>) = spans.iter().partition(|span| span["name"] == "delegation.execute");
        let [whole] = whole.as_slice() else { panic!("{spans:?}") };
        assert_eq!(whole["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(whole["parentSpanId"], "00f067aa0ba902b7");
        assert_eq!(whole["status"]["code"], "STATUS_CODE_OK");
        let told = attributes(whole);
        let expected = [
            ("delegation.kind", text("command")),
            ("delegation.verify_attempts", int(2)),
            ("delegation.verify_outcome", text("passed")),
            ("delegation.verify_passed", candor_json::json!({"boolValue": true})),
            ("task.id", text("book-visit")),
        ];
        assert_eq!(told, expected.map(|(name, value)| (name.to_owned(), value)).into());

        assert_eq!(runs.len(), 4, "two criteria, two attempts");
        let nanos = |span: &Value, name: &str| span[name].as_str().unwrap().parse::<u64>().unwrap();
        for run in &runs {
            assert_eq!((run["name"].as_str(), &run["parentSpanId"]), (Some("criterion.run"), &whole["spanId"]));
            assert_eq!(run["traceId"], whole["traceId"]);
            let [from, to] = ["startTimeUnixNano", "endTimeUnixNano"];
            assert!(nanos(whole, from) <= nanos(run, from) && nanos(run, from) <= nanos(run, to));
            assert!(nanos(run, to) <= nanos(whole, to));
            assert_eq!(attributes(run)["criterion.check"], text("portal-state-match"));
        }
        let run = |attempt: u64, index: u64| {
            let mut told = runs.iter().map(|run| attributes(run));
            told.find(|told| told["delegation.attempt"] == int(attempt) && told["criterion.index"] == int(index))
                .unwrap()
        };
        let first = run(0, 0);
        assert_eq!(first["criterion.id"], text("visit-booked"));
        assert_eq!(
            (&first["criterion.status"], &first["criterion.reason"]),
            (&text("failed"), &text("field_mismatch"))
        );
        assert_eq!(first["criterion.score"]["doubleValue"], 0.0);
        assert_eq!(first["criterion.weight_share"]["doubleValue"], 0.75);
        assert_eq!(run(1, 0)["criterion.status"], text("passed"));
        assert!(!run(1, 0).contains_key("criterion.reason"));
        // An id that is a text is not sent.
        assert!(!run(1, 1).contains_key("criterion.id"));

        // The delegate's own spans would be children of this one.
        let parents = fs::read_to_string(world.path("told")).unwrap();
        let parent = format!("00-4bf92f3577b34da6a3ce929d0e0e4736-{}-01", whole["spanId"].as_str().unwrap());
        assert_eq!(parents.lines().collect::<Vec<_>>(), [&parent, &parent]);

        let all = metrics["message"]["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
        let metric = |name: &str| all.iter().find(|metric| metric["name"] == name).unwrap();
        let counted = &metric("candor.delegations")["sum"];
        assert_eq!((&counted["isMonotonic"], &counted["dataPoints"][0]["asInt"]), (&Value::Bool(true), &"1".into()));
        assert_eq!(counted["aggregationTemporality"], "AGGREGATION_TEMPORALITY_CUMULATIVE");
        assert_eq!(attributes(&counted["dataPoints"][0])["delegation.verify_outcome"], text("passed"));
        let attempts = &metric("candor.delegation.attempts")["histogram"]["dataPoints"][0];
        assert_eq!((&attempts["count"], attempts["sum"].as_f64()), (&"1".into(), Some(2.0)));
        let number = |point: &Value| point["asInt"].as_str().unwrap().parse::<u64>().unwrap();
        let runs: BTreeMap<String, u64> = metric("candor.criterion.runs")["sum"]["dataPoints"]
            .as_array()
            .unwrap()
            .iter()
            .map(|point| {
                (attributes(point)["criterion.status"]["stringValue"].as_str().unwrap().to_owned(), number(point))
            })
            .collect();
        assert_eq!(runs, [("failed".to_owned(), 1), ("passed".to_owned(), 3)].into());
        let durations = metric("candor.criterion.duration")["histogram"]["dataPoints"].as_array().unwrap();
        for point in durations {
            let [buckets, bounds] = ["bucketCounts", "explicitBounds"].map(|name| point[name].as_array().unwrap());
            assert_eq!(buckets.len(), bounds.len() + 1);
        }
    }
}

#[test]
fn what_came_to_no_answer_is_skipped_and_what_failed_is_an_error() {
    let sink = Sink::start();
    let world = World::new();
    let otlp = ["--otlp", sink.address.as_str()];
    let header = [("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20t0ken")];
    let failed = world.run(&world.path("world"), &[&otlp[..], &["--max-verify-retries", "0"]].concat(), &header);
    assert_eq!(failed.status.code(), Some(1));
    let [traces, metrics] = sink.requests(["/v1/traces", "/v1/metrics"]);
    assert_eq!(traces["headers"]["authorization"], "Bearer t0ken");
    no_patient_in(&[&traces, &metrics]);
    let whole = spans(&traces).remove(0);
    assert_eq!(attributes(&whole)["delegation.verify_outcome"], text("failed"));
    assert_eq!(whole["status"]["code"], "STATUS_CODE_ERROR");
    assert_eq!(whole.get("parentSpanId"), None, "no parent, no trace to belong to");

    fs::create_dir(world.path("nothing")).unwrap();
    let open = world.run(&world.path("nothing"), &otlp, &[]);
    assert_eq!(open.status.code(), Some(3), "{}", String::from_utf8_lossy(&open.stderr));
    let [traces, _] = sink.requests(["/v1/traces", "/v1/metrics"]);
    let whole = spans(&traces).remove(0);
    let told = attributes(&whole);
    assert_eq!(told["delegation.verify_outcome"], text("skipped"));
    assert_eq!(told["delegation.verify_passed"], candor_json::json!({"boolValue": false}));

    // A trace that the caller did not sample gets no spans; counters count.
    let unsampled = PARENT.replace("-01", "-00");
    assert_eq!(world.run(&world.path("nothing"), &otlp, &[("TRACEPARENT", &unsampled)]).status.code(), Some(3));
    let [_] = sink.requests(["/v1/metrics"]);
    assert!(sink.is_silent());
}

#[test]
fn nothing_is_sent_unless_it_is_configured() {
    let sink = Sink::start();
    let world = World::new();
    let failing = ["--max-verify-retries", "0"];
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", sink.address.as_str());
    for variables in [&[][..], &[endpoint, ("OTEL_SDK_DISABLED", "true")]] {
        let output = world.run(&world.path("world"), &failing, variables);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(1), 0));
    }
    assert!(sink.is_silent());
    assert_eq!(fs::read_to_string(world.path("told")).unwrap(), "\n\n", "and the delegate is told of no trace");

    // A setting of the environment that cannot be had brings a warning, and the loop runs.
    let grpc = ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
    let output = world.run(&world.path("world"), &failing, &[endpoint, grpc]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(said.contains("OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not spoken"), "{said}");
    // An option of the command line that cannot be had is an error.
    let output = world.run(&world.path("world"), &["--otlp", "collector"], &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && String::from_utf8_lossy(&output.stderr).contains("--otlp"));
}

#[test]
fn a_collector_on_this_machine_is_never_asked_through_the_proxy() {
    let sink = Sink::start();
    let world = World::new();
    let proxy = format!("http://{}", closed());
    // The machine may have exceptions of its own.
    let variables = [("ALL_PROXY", proxy.as_str()), ("NO_PROXY", "example.invalid")];
    let output = world.run(&world.path("world"), &["--otlp", &sink.address], &variables);
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    let [_, _] = sink.requests(["/v1/traces", "/v1/metrics"]);
}

/// Answers every connection so, or never; and its address.
fn collector_that(answers: Option<&'static str>) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for mut stream in listener.incoming().map_while(Result::ok) {
            let Some(answer) = answers else {
                open.push(stream);
                continue;
            };
            let mut request = [0; 65536];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

#[test]
fn a_collector_that_does_not_work_costs_a_line_and_its_time() {
    let world = World::new();
    let failing = ["--max-verify-retries", "0"];
    let result = |output: &Output| {
        let record: Value = candor_json::from_slice(&output.stdout).unwrap();
        ["outcome", "status", "first_score", "last_score"].map(|name| record[name].clone())
    };
    let without = world.run(&world.path("world"), &failing, &[]);
    let refusing = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let busy = "HTTP/1.1 429 Too Many Requests\r\nretry-after: 3600\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    // Whoever answers has time enough for that, and who asks for an hour is not waited for.
    for (address, time, said) in [
        (format!("http://{}", closed()), "60000", "cannot be reached"),
        (collector_that(None), "700", "did not answer in time"),
        (collector_that(Some(refusing)), "60000", "answered 500"),
        (collector_that(Some(busy)), "60000", "answered 429"),
        (collector_that(Some("no HTTP at all\r\n\r\n")), "60000", "cannot be reached"),
    ] {
        let variables = [("OTEL_EXPORTER_OTLP_TIMEOUT", time)];
        let output = world.run(&world.path("world"), &[&failing[..], &["--otlp", &address]].concat(), &variables);
        let told = String::from_utf8(output.stderr.clone()).unwrap();
        assert_eq!(output.status.code(), without.status.code(), "{told}");
        assert_eq!(result(&output), result(&without));
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(told.contains("telemetry was not delivered") && told.contains(said), "{told}");
    }
}
