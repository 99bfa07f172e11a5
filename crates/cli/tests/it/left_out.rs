//! Parts that a build leaves out: each ends unverifiable, or as a refused command line, with the sentence that names the
//! feature. `cargo xtask test` runs this file twice: with every feature, and with a part of them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test fails it by panicking")]

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

use candor::check::feature::missing_feature;
use candor::check::{CheckType, Evidence, Obstacle, Reason, Sandbox, Status};
use candor::inner::checks::{ALL, KNOWN, NAMES};
use candor_json::{Value, json};

/// Something that a sandbox or a task asks for.
struct Part {
    /// The feature that brings it, and whether this build has it.
    feature: (&'static str, bool),
    /// How the sentence continues after "this build of Candor cannot".
    cannot: &'static str,
    /// The check that is asked, and whether this build has it.
    check: (&'static str, &'static str, bool),
    files: Vec<(&'static str, &'static str)>,
    assertion: Value,
}

const FHIR: (&str, &str, bool) = ("fhir-resource-state", "fhir", cfg!(feature = "fhir"));
const PORTAL: (&str, &str, bool) = ("portal-state-match", "portal", cfg!(feature = "portal"));
const FILES: (&str, &str, bool) = ("sftp-file-present", "files", cfg!(feature = "files"));
const VOICE: (&str, &str, bool) = ("voice-transcript", "voice", cfg!(feature = "voice"));
const HTTP: (&str, bool) = ("http", cfg!(feature = "http"));
const DATABASES: (&str, bool) = ("databases", cfg!(feature = "databases"));
const CLOUD: (&str, bool) = ("cloud", cfg!(feature = "cloud"));

/// An address where nothing listens, so a build that can ask ends at once as well. It is the near end of a connection, which
/// keeps it from others.
fn closed() -> SocketAddr {
    static HELD: OnceLock<(TcpListener, TcpStream)> = OnceLock::new();
    let (_, near) = HELD.get_or_init(|| {
        let far = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(far.local_addr().unwrap()).unwrap();
        (far, near)
    });
    near.local_addr().unwrap()
}

fn parts() -> Vec<Part> {
    let closed = closed();
    let of = |feature, cannot, check, toml: &'static str, assertion| {
        let limits = "[limits]\ntimeout = \"2s\"\n";
        let toml = Box::leak(format!("{limits}{toml}").replace("CLOSED", &closed.to_string()).into_boxed_str());
        Part { feature, cannot, check, files: vec![("sandbox.toml", toml), ("known_hosts", "")], assertion }
    };
    let with = |mut part: Part, name, content| {
        part.files.push((name, content));
        part
    };
    let endpoint = |name| (name, "workspace", cfg!(feature = "workspace"));
    let patient =
        json!({"resource_type": "Patient", "search": {"_id": "1"}, "fields": [{"path": "active", "expected": true}]});
    let row = json!({
        "correlate_by": {"resource": "claims", "key": "id", "value": "1"},
        "assertions": [{"path": "status", "expected": "paid"}],
    });
    let file = || json!({"path": "a.csv"});
    let field = |path: &str, name: &str| json!({"path": path, "fields": [{"path": name, "expected": "x"}]});
    let said = json!({"contains": [{"phrase": "The scan was approved.", "mode": "semantic"}]});
    let call = r#"[{"speaker": "agent", "text": "Your insurer said yes to the scan."}]"#;
    let (servers, databases, buckets) =
        ("ask HTTP servers", "read PostgreSQL databases", "read buckets of cloud stores");
    vec![
        of(HTTP, servers, FHIR, "[fhir]\nurl = \"http://CLOSED/fhir\"\n", patient),
        of(HTTP, servers, PORTAL, "[portal]\nurl = \"http://CLOSED/api/{resource}\"\n", row.clone()),
        with(
            of(
                HTTP,
                "ask a judge over HTTP",
                VOICE,
                "[voice]\njudge = { url = \"http://CLOSED/v1\", model = \"m\" }\n",
                said,
            ),
            "voice/call.json",
            call,
        ),
        of(HTTP, "ask HTTP endpoints", endpoint("endpoint-responds"), "", json!({"url": format!("http://{closed}/")})),
        of(
            HTTP,
            "ask HTTP endpoints",
            endpoint("response-time"),
            "",
            json!({"url": format!("http://{closed}/"), "limit": "500ms"}),
        ),
        with(
            of(("sqlite", cfg!(feature = "sqlite")), "read SQLite files", PORTAL, "", row.clone()),
            "portal/portal.db",
            "not read",
        ),
        with(
            of(
                ("sqlite", cfg!(feature = "sqlite")),
                "read SQLite files",
                PORTAL,
                "[portal]\nurl = \"sqlite:claims.db\"\n",
                row.clone(),
            ),
            "claims.db",
            "not read",
        ),
        of(DATABASES, databases, PORTAL, "[portal]\nurl = \"postgres://reader@CLOSED/portal\"\n", row.clone()),
        of(
            DATABASES,
            "read MySQL databases",
            PORTAL,
            "[portal]\nurl = \"mysql://reader@CLOSED/portal\"\n",
            row.clone(),
        ),
        of(
            ("sftp", cfg!(feature = "sftp")),
            "read SFTP servers",
            FILES,
            "[files]\nurl = \"sftp://user@CLOSED/drop\"\nknown_hosts = \"known_hosts\"\n",
            file(),
        ),
        of(
            CLOUD,
            buckets,
            FILES,
            "[files]\nurl = \"s3://claims/out\"\nendpoint = \"http://CLOSED\"\nanonymous = true\n",
            file(),
        ),
        of(
            CLOUD,
            buckets,
            FILES,
            "[files]\nurl = \"gs://claims/out\"\nendpoint = \"http://CLOSED\"\nanonymous = true\n",
            file(),
        ),
        of(
            CLOUD,
            buckets,
            FILES,
            "[files]\nurl = \"az://claims/out\"\naccount = \"a\"\nendpoint = \"http://CLOSED\"\nanonymous = true\n",
            file(),
        ),
        with(
            of(("pgp", cfg!(feature = "pgp")), "open OpenPGP files", FILES, "", field("a.json.pgp", "id")),
            "files/a.json.pgp",
            "not read",
        ),
        with(
            of(("pdf", cfg!(feature = "pdf")), "read PDF files", FILES, "", field("a.pdf", "$text")),
            "files/a.pdf",
            "not read",
        ),
    ]
}

fn run(check: &CheckType, mut assertion: Value, files: &[(&str, &str)]) -> Evidence {
    let root = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    if let Some(members) = assertion.as_object_mut() {
        members.insert("assert".to_owned(), json!(check.meta().assert));
    }
    let sandbox = Sandbox::open(root.path(), candor::inner::checks::PARTS).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(check.run(assertion, &sandbox))
}

fn known(assert: &str) -> &'static CheckType {
    KNOWN.iter().find(|check| check.meta().assert == assert).unwrap()
}

/// Asserts that it ends unverifiable because the build has no such source, and names the feature.
fn is_left_out(evidence: &Evidence, cannot: &str, feature: &str) {
    let details = evidence.details();
    assert_eq!(evidence.status(), Status::Unverifiable, "{feature}: {details}");
    assert_eq!(evidence.reason(), Some(Reason::Unverifiable(Obstacle::NoSource)), "{feature}: {details}");
    assert!(details.contains(&missing_feature(cannot, feature)), "{feature}: {details}");
}

#[test]
fn a_part_that_is_left_out_ends_unverifiable_and_names_its_feature() {
    for part in parts() {
        let (assert, check_feature, has_check) = part.check;
        let evidence = run(known(assert), part.assertion, &part.files);
        match (has_check, part.feature) {
            (false, _) => is_left_out(&evidence, &format!("check `{assert}`"), check_feature),
            (true, (feature, false)) => is_left_out(&evidence, part.cannot, feature),
            (true, (feature, true)) => {
                let details = evidence.details();
                assert!(!details.contains("this build of Candor"), "{feature}: {details}");
                assert!(!details.contains("invalid"), "{feature}: {details}");
            }
        }
    }
}

#[test]
fn a_check_that_is_left_out_is_known_by_its_name() {
    assert_eq!(KNOWN.len(), NAMES.len());
    let left_out = KNOWN.iter().filter(|check| check.missing_feature().is_some());
    assert_eq!(ALL.len() + left_out.clone().count(), KNOWN.len());
    for check in left_out {
        let feature = check.missing_feature().unwrap();
        let evidence = run(check, json!({"anything": 1}), &[]);
        is_left_out(&evidence, &format!("check `{}`", check.meta().assert), feature);
        let bound = check.bind(json!({"assert": check.meta().assert})).unwrap_or_else(|e| panic!("{e}"));
        assert!(bound.review().weaknesses.is_empty());
        assert!(bound.restore(json!({})).is_err());
    }
}

#[test]
fn the_names_are_those_of_the_checks() {
    for (check, kept) in KNOWN.iter().zip(NAMES) {
        let meta = check.meta();
        let names = |meta: &candor::check::Meta| (meta.assert, meta.part, meta.files, meta.evidence_key);
        assert_eq!(names(meta), names(kept));
    }
}

fn candor(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_candor"));
    command.args(args).current_dir(folder).env_clear();
    command.output().unwrap()
}

/// A task with one criterion of each check, over an empty sandbox.
fn task(folder: &Path) {
    let criterion = |check: &CheckType| {
        let name = check.meta().assert;
        json!({"id": name, "label": name, "weight": 1, "axis": "correctness", "assertion": {"assert": name}})
    };
    let criteria: Vec<Value> = KNOWN.iter().map(criterion).collect();
    let task = json!({"id": "t", "prompt": "Do it.", "pass": "all", "criteria": criteria});
    fs::write(folder.join("task.json"), task.to_string()).unwrap();
    fs::create_dir(folder.join("sandbox")).unwrap();
    fs::write(folder.join("hook.star"), "def handle(event, payload):\n    pass\n").unwrap();
    fs::write(folder.join("call.json"), "[]").unwrap();
    fs::write(folder.join("message.hl7"), "MSH|^~\\&|A\r").unwrap();
    fs::write(folder.join("patient.json"), "{\"resourceType\": \"Patient\"}").unwrap();
}

#[test]
fn a_command_that_needs_a_part_which_is_left_out_says_which() {
    let delegate = ["loop", "task.json", "--sandbox", "sandbox", "--keep-going"];
    let otlp: &'static str = format!("http://{}", closed()).leak();
    let url: &'static str = format!("{otlp}/").leak();
    let with = |more: &[&'static str]| [&delegate[..], more].concat();
    for (feature, has, cannot, args) in [
        ("telemetry", cfg!(feature = "telemetry"), "send telemetry", with(&["--otlp", otlp, "--", "true"])),
        ("script", cfg!(feature = "script"), "run scripts", with(&["--hook", "hook.star", "--", "true"])),
        ("http", cfg!(feature = "http"), "ask a delegate behind an HTTP endpoint", with(&["--url", url])),
        ("voice", cfg!(feature = "voice"), "read transcripts of calls", vec!["explain", "--voice", "call.json"]),
        ("hl7", cfg!(feature = "hl7"), "explain HL7 v2 messages", vec!["explain", "message.hl7"]),
        ("fhir", cfg!(feature = "fhir"), "explain FHIR resources", vec!["explain", "patient.json"]),
        (
            "html",
            cfg!(feature = "html"),
            "write the format html",
            vec!["check", "task.json", "--sandbox", "sandbox", "--format", "html"],
        ),
        (
            "html",
            cfg!(feature = "html"),
            "write pages",
            vec!["check", "task.json", "--sandbox", "sandbox", "--html", "x.html"],
        ),
        ("x12", cfg!(feature = "x12"), "check `x12-response`", vec!["schema", "x12-response"]),
        (
            "server",
            cfg!(feature = "server"),
            "serve runs over HTTP",
            vec!["serve", "--data", "d", "--backup", "copy.db"],
        ),
        ("server", cfg!(feature = "server"), "keep the keys of a service", vec!["keys", "list", "--data", "d"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        task(folder.path());
        let output = candor(folder.path(), &args);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(said.contains(&missing_feature(cannot, feature)), !has, "{feature}: {said}");
        if !has {
            assert!(matches!(output.status.code(), Some(2 | 3)), "{feature}: {:?}", output.status);
        }
    }
}

#[cfg(not(feature = "telemetry"))]
#[test]
fn a_collector_that_the_environment_names_is_a_warning() {
    let warning = format!("warning: no telemetry is sent: {}", missing_feature("send telemetry", "telemetry"));
    for (collector, warns) in [(Some("http://127.0.0.1:4318"), true), (Some(" "), false), (None, false)] {
        let folder = tempfile::tempdir().unwrap();
        task(folder.path());
        let mut command = Command::new(env!("CARGO_BIN_EXE_candor"));
        command.args(["loop", "task.json", "--sandbox", "sandbox", "--keep-going", "--", "true"]);
        command.current_dir(folder.path()).env_clear();
        command.envs(collector.map(|collector| ("OTEL_EXPORTER_OTLP_ENDPOINT", collector)));
        let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
        assert_eq!(said.contains(&warning), warns, "{collector:?}: {said}");
    }
}

#[test]
fn a_task_names_the_missing_feature_for_each_criterion_and_lints() {
    let folder = tempfile::tempdir().unwrap();
    task(folder.path());
    let output = candor(folder.path(), &["check", "task.json", "--sandbox", "sandbox", "--format", "json"]);
    let run: Value = candor_json::from_slice(&output.stdout).unwrap();
    let runs = run.get("criterion_runs").and_then(Value::as_array).unwrap();
    assert_eq!(runs.len(), KNOWN.len());
    for (check, run) in KNOWN.iter().zip(runs) {
        let text = run.to_string();
        let Some(feature) = check.missing_feature() else {
            assert!(!text.contains("this build of Candor"), "{text}");
            continue;
        };
        let cannot = format!("check `{}`", check.meta().assert);
        assert!(text.contains(&missing_feature(&cannot, feature)), "{text}");
        assert!(text.contains("\"unverifiable\"") && text.contains("\"no_source\""), "{text}");
    }
    let lint = candor(folder.path(), &["lint", "task.json", "--format", "json"]);
    let said = String::from_utf8(lint.stdout).unwrap();
    assert!(!said.contains("No check asserts"), "{said}");
    for check in KNOWN.iter().filter(|check| check.missing_feature().is_some()) {
        assert!(!said.contains(check.meta().assert), "{said}");
    }
}
