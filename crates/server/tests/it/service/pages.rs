//! The pages: what they are answered with, and how they hold in a browser.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use candor_json::{Map, Value, json};
use candor_test_size::pick;

use crate::service::support::{Reply, Service, Started, booking};

/// The media types that a browser accepts.
const HTML: (&str, &str) = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
/// Markup and a character that turns the direction of writing, as an id or a name may hold it.
const NAME: &str = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&\u{202e}gnirts";
/// The same with control characters, as evidence may hold it.
const HOSTILE: &str = "<script>alert(1)</script><img src=https://elsewhere.example/x onerror=alert(1)>\"'&\u{202e}gnirts\u{1b}[2J\u{7}\r\n\t";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder sandbox as the parts of a request.
fn parts_of(folder: &Path) -> Value {
    fn files(folder: &Path, below: &str, of: &mut Map<String, Value>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
            match path.is_dir() {
                true => files(&path, &format!("{name}/"), of),
                false => drop(of.insert(name, json!(STANDARD.encode(std::fs::read(&path).unwrap())))),
            }
        }
    }
    let mut parts = Map::new();
    for part in ["hl7", "x12", "voice", "files"] {
        let mut of = Map::new();
        files(&folder.join(part), "", &mut of);
        parts.insert(part.to_owned(), Value::Object(of));
    }
    let read = |path: PathBuf| candor_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap();
    let json_files = |part: &str| {
        let all = std::fs::read_dir(folder.join(part)).unwrap().map(|entry| entry.unwrap().path());
        all.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), read(path))).collect::<Vec<_>>()
    };
    let resources = json_files("fhir").into_iter().flat_map(|(_, value)| match value {
        Value::Array(all) => all,
        one => vec![one],
    });
    parts.insert("fhir".to_owned(), resources.collect());
    parts.insert("portal".to_owned(), Value::Object(json_files("portal").into_iter().collect()));
    Value::Object(parts)
}

/// The bundled example, with the sandbox in which the work was done wrong.
fn prior_auth(sandbox: &str) -> (Value, Value) {
    let example = root().join("fixtures/examples/prior-auth");
    let task = candor_engine::Document::read(&example.join("task.yaml")).unwrap().value().clone();
    (task, parts_of(&example.join(sandbox)))
}

/// A task whose every text is hostile, and whose criteria fail on evidence that is hostile as well.
fn hostile() -> Value {
    json!({
        "id": NAME, "name": HOSTILE, "prompt": HOSTILE,
        "sandbox": {
            "fhir": [{"resourceType": "Patient", "id": "h", "name": [{"family": HOSTILE}], "active": true}],
            "portal": {"orders": [{"id": "1", "status": HOSTILE, HOSTILE: "x"}]},
            "hl7": {"a.hl7": {"text": format!("MSH|^~\\&|A|B|C|D|1||ADT^A01|1|P|2.5\rPID|1||77^{NAME}\r")}},
            "files": {format!("out/{NAME}.txt").replace('/', "_"): {"text": HOSTILE}},
            "voice": {"c.json": [{"speaker": HOSTILE, "text": HOSTILE}]},
            "x12": {},
        },
        "criteria": [
            {"id": HOSTILE, "label": HOSTILE, "axis": NAME, "assertion": {"assert": "portal-state-match",
                "correlate_by": {"resource": "orders", "key": "id", "value": "1"}, "assertions": [{"path": "status", "expected": "open"}]}},
            {"id": "said", "label": HOSTILE, "assertion": {"assert": "voice-transcript", "contains": [HOSTILE]}},
            {"id": "family", "assertion": {"assert": "fhir-resource-state", "resource_type": "Patient",
                "fields": [{"path": "name.0.family", "expected": HOSTILE.replace("alert", "other")}]}},
            {"id": "message", "assertion": {"assert": "hl7-structural", "correlate_by": {"message_type": "ADT^A01"},
                "fields": [{"path": "PID.3.2", "expected": "x"}]}},
            {"id": "file", "assertion": {"assert": "sftp-file-present", "path": format!("{NAME}*")}},
            {"id": "same", "label": HOSTILE, "assertion": {"assert": "state-unchanged", "parts": ["fhir"]}},
        ],
    })
}

/// A benchmark with a run that went wrong, an earlier one, and one that is under way.
struct World {
    run: String,
    before: String,
    under_way: String,
    task_runs: Vec<String>,
    pending: String,
    share: String,
}

/// Makes the runs.
fn world(service: &Service) -> World {
    let (task, wrong) = prior_auth("done-wrong");
    let (_, right) = prior_auth("done-right");
    for task in [&task, &hostile(), &booking()] {
        service.operator("POST", "/tasks", task.clone()).expect(201);
    }
    let entries = json!([
        {"task": task["id"], "id": "wrong", "sandbox": wrong}, {"task": task["id"], "id": "right", "sandbox": right},
        {"task": NAME}, {"task": "book"},
    ]);
    let id = NAME;
    service.operator("POST", "/benchmarks", json!({"id": id, "name": NAME, "tasks": entries})).expect(201);
    let run = |agent: &str, completed: usize| {
        let made = service
            .operator(
                "POST",
                "/v1/benchmark-runs",
                json!({"benchmark": id, "agent_id": agent, "scored": agent == NAME}),
            )
            .expect(201);
        let token = made["bearer_token"].as_str().unwrap().to_owned();
        let mut ids = Vec::new();
        for (number, task_run) in made["task_runs"].as_array().unwrap().iter().enumerate() {
            ids.push(task_run["id"].as_str().unwrap().to_owned());
            if number > completed {
                continue;
            }
            let started = service.json("POST", task_run["start_url"].as_str().unwrap(), &token, None).expect(200);
            if task_run["task_id"] == "book" && agent == NAME {
                let visit = json!({"resourceType": "Appointment", "status": "booked", "description": HOSTILE,
                    "participant": [{"actor": {"reference": "Patient/p2"}, "status": "accepted"}]});
                let fhir = started["sandbox"]["endpoints"]["fhir"].as_str().unwrap();
                let body = visit.to_string();
                let agent = started["agent_token"].as_str().unwrap();
                let sent = Some(("application/fhir+json", body.as_bytes()));
                service.send("POST", &format!("{fhir}/Appointment"), agent, sent, &[]).expect(201);
            }
            if number < completed {
                service.json("POST", task_run["complete_url"].as_str().unwrap(), &token, None).expect(200);
            }
        }
        (made["benchmark_run_id"].as_str().unwrap().to_owned(), ids)
    };
    let (before, _) = run("earlier", 4);
    let (under_way, started) = run("under way", 1);
    let (run, task_runs) = run(NAME, 4);
    let share = service.operator("POST", &format!("/benchmark-runs/{before}/share"), json!({})).expect(201);
    let share = share["url"].as_str().unwrap().strip_prefix(&service.url).unwrap().to_owned();
    World { run, before, under_way, task_runs, pending: started[1].clone(), share }
}

/// The addresses of all pages that show something of these runs; of task runs, those that are `shown`.
fn addresses(service: &Service, world: &World, shown: &[String]) -> Vec<String> {
    let World { run, before, under_way, task_runs, pending, .. } = world;
    let mut pages = vec![
        "/benchmark-runs".to_owned(),
        format!("/benchmark-runs/{run}"),
        format!("/benchmark-runs/{run}?verdict=fail&text=%3Cscript"),
        format!("/benchmark-runs/{under_way}"),
        format!("/benchmark-runs/{run}/comparison?before={before}"),
        format!("/task-runs/{pending}"),
        format!("/task-runs/{}/difference", task_runs[3]),
        format!("/task-runs/{}/audit?mutants=5", task_runs[3]),
    ];
    for task_run in shown {
        pages.push(format!("/task-runs/{task_run}"));
        let full = service.operator("GET", &format!("/task-runs/{task_run}"), None).expect(200);
        let failed = full["criterion_runs"].as_array().unwrap().iter().filter(|one| one["status"] != "passed");
        pages.extend(failed.take(pick(1, 20)).map(|one| format!("/criterion-runs/{}", one["id"].as_str().unwrap())));
    }
    pages
}

fn get(service: &Service, path: &str, headers: &[(&str, &str)]) -> Reply {
    service.send("GET", path, "", None, headers)
}

/// Logs in as a browser does: the session's cookie.
fn logged_in(service: &Service) -> String {
    let form = get(service, "/login", &[HTML]);
    let nonce = form.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let csrf = hidden(&form.text(), "csrf_token");
    let body = format!("key={}&csrf_token={csrf}&next=%2F", service.key);
    let sent = Some(("application/x-www-form-urlencoded", body.as_bytes()));
    let reply = service.send("POST", "/login", "", sent, &[HTML, ("Cookie", &nonce)]);
    assert_eq!((reply.status, reply.header("location")), (303, Some("/")), "{}", reply.text());
    reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

/// The value of a hidden field.
fn hidden(page: &str, name: &str) -> String {
    let rest = page.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

#[test]
fn pages_are_for_browsers_and_json_is_for_everybody_else() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let world = world(&service);
    let cookie = logged_in(&service);
    let policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; \
                  base-uri 'none'; frame-ancestors 'none'";
    let mut assets = std::collections::BTreeSet::new();
    for path in addresses(&service, &world, &world.task_runs) {
        let page = get(&service, &path, &[HTML, ("Cookie", &cookie)]);
        assert_eq!(page.status, 200, "{path}: {}", page.text());
        assert_eq!(page.header("content-security-policy"), Some(policy), "{path}");
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        for (name, value) in
            [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"), ("cache-control", "no-store")]
        {
            assert_eq!(page.header(name), Some(value), "{path}");
        }
        let text = page.text();
        for forbidden in
            ["<script>alert", "<img", "\u{202e}", "\u{1b}", "\u{7}", " style=", "<style", "javascript:", "onerror=\""]
        {
            assert!(!text.contains(forbidden), "{path} holds {forbidden:?}");
        }
        // Where it links within the service, there is a page.
        let links = text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        assets.extend(links.filter(|link| link.starts_with('/')).map(|link| link.replace("&amp;", "&")));
        // The same as JSON, for a program and for a browser that asks for it.
        let json = service.send("GET", &path, &service.key, None, &[]);
        assert!(json.status == 200 && json.header("content-type") == Some("application/json"), "{path}");
        let with = if path.contains('?') { format!("{path}&format=json") } else { format!("{path}?format=json") };
        let asked = get(&service, &with, &[HTML, ("Cookie", &cookie)]);
        assert_eq!(asked.header("content-type"), Some("application/json"), "{with}");
    }
    assert!(assets.len() > 20, "{assets:?}");
    for link in assets {
        let reply = get(&service, &link, &[HTML, ("Cookie", &cookie)]);
        assert!([200, 303].contains(&reply.status), "{link}: {}", reply.status);
    }
    // Who is not logged in is led to the login and back, and never elsewhere.
    let refused = get(&service, "/benchmark-runs?limit=5", &[HTML]);
    assert_eq!((refused.status, refused.header("location")), (303, Some("/login?next=%2Fbenchmark-runs%3Flimit%3D5")));
    for next in ["//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example", "%2F%0D%0Ax"] {
        let form = get(&service, &format!("/login?next={next}"), &[HTML]);
        assert_eq!(hidden(&form.text(), "next"), "/", "{next}");
    }
    let lost = get(&service, "/nothing-here", &[HTML]);
    assert!(lost.status == 404 && lost.text().contains("<h1>Not Found</h1>"), "{}", lost.text());
    assert_eq!(get(&service, "/task-runs/tr_none", &[HTML, ("Cookie", &cookie)]).status, 404);
}

#[test]
fn forms_of_other_sites_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let at = service.started(&booking(), false);
    let run = at.run["benchmark_run_id"].as_str().unwrap();
    let cookie = logged_in(&service);
    let post = |path: &str, body: &str| {
        let sent = Some(("application/x-www-form-urlencoded", body.as_bytes()));
        service.send("POST", path, "", sent, &[HTML, ("Cookie", &cookie)])
    };
    let page = get(&service, &format!("/benchmark-runs/{run}"), &[HTML, ("Cookie", &cookie)]).text();
    let csrf = hidden(&page, "csrf_token");
    for path in [format!("/benchmark-runs/{run}/delete"), format!("/benchmark-runs/{run}/share"), "/logout".to_owned()]
    {
        for body in ["confirm=yes", "confirm=yes&csrf_token=", "confirm=yes&csrf_token=0000"] {
            assert_eq!(post(&path, body).status, 403, "{path} {body}");
        }
    }
    let delete = format!("/benchmark-runs/{run}/delete");
    assert_eq!(post(&delete, &format!("csrf_token={csrf}")).status, 422);
    let shared = post(&format!("/benchmark-runs/{run}/share"), &format!("csrf_token={csrf}&expires_in=1d"));
    assert!(shared.status == 201 && shared.text().contains("/shared?token=csh_"), "{}", shared.text());
    let deleted = post(&delete, &format!("csrf_token={csrf}&confirm=yes"));
    assert_eq!((deleted.status, deleted.header("location")), (303, Some("/benchmark-runs")));
    assert_eq!(service.operator("GET", &format!("/benchmark-runs/{run}"), None).status, 404);
    // A login that another site sends is refused, also without its Accept.
    let body = format!("key={}", service.key);
    let sent = Some(("application/x-www-form-urlencoded", body.as_bytes()));
    assert_eq!(service.send("POST", "/login", "", sent, &[HTML]).status, 401);
    let origin = ("Origin", "https://elsewhere.example");
    assert_eq!(service.send("POST", "/login", "", sent, &[origin]).status, 403);
    // A session that is ended opens nothing.
    assert_eq!(post("/logout", &format!("csrf_token={csrf}")).status, 303);
    assert_eq!(get(&service, "/benchmark-runs", &[("Cookie", &cookie)]).status, 401);
}

#[test]
fn a_share_link_shows_one_run_until_it_expires() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let (task, wrong) = prior_auth("done-wrong");
    let mut task = task;
    task["sandbox"] = wrong;
    let share = |at: &Started, expires_in: &str| {
        service.complete(at).expect(200);
        let path = format!("/benchmark-runs/{}/share", at.run["benchmark_run_id"].as_str().unwrap());
        let link = service.operator("POST", &path, json!({"expires_in": expires_in})).expect(201);
        link["url"].as_str().unwrap().strip_prefix(&service.url).unwrap().to_owned()
    };
    let (open, scored) = (service.started(&task, false), service.started(&task, true));
    let (open_link, scored_link) = (share(&open, "1h"), share(&scored, "1h"));
    let open_page = get(&service, &open_link, &[HTML]);
    assert!(open_page.status == 200 && open_page.text().contains("The payer answered that John Smith is covered"));
    assert!(open_page.text().contains(&format!("task_run={}", open.id)));
    let task_page = get(&service, &format!("{open_link}&task_run={}", open.id), &[HTML]);
    assert!(task_page.status == 200 && task_page.text().contains("coverage"), "{}", task_page.text());
    for path in [scored_link.clone(), format!("{scored_link}&task_run={}", scored.id)] {
        let page = get(&service, &path, &[HTML]);
        assert!(page.status == 200 && page.text().contains("rubric"), "{}", page.text());
        assert!(!page.text().contains("payer answered") && !page.text().contains("eligibility"), "{}", page.text());
    }
    // Of another run it shows nothing.
    assert_eq!(get(&service, &format!("{open_link}&task_run={}", scored.id), &[HTML]).status, 404);
    assert!(!open_page.text().contains("<form method=\"post\"") && !open_page.text().contains("Log out"));
    // A busy machine may be too late for a link that ends after two seconds, and gets another one.
    let brief = (0..100).map(|_| share(&open, "2s")).find(|link| get(&service, link, &[HTML]).status == 200).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2100));
    for headers in [&[HTML][..], &[]] {
        assert_eq!(get(&service, &brief, headers).status, 401);
    }
    assert_eq!(get(&service, &open_link, &[HTML]).status, 200);
}

/// A criterion that no work can meet says nothing of the work.
#[test]
fn a_task_file_that_is_wrong_is_not_the_work_of_an_agent() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let mut task = booking();
    let wrong = json!({"id": "typo", "assertion": {"assert": "portal-state-match", "no_such_setting": 1}});
    task["criteria"].as_array_mut().unwrap().push(wrong);
    let cookie = logged_in(&service);
    for scored in [false, true] {
        let at = service.started(&task, scored);
        let answered = service.complete(&at).expect(200);
        let record = service.operator("GET", &format!("/task-runs/{}", at.id), None).expect(200);
        assert_eq!(record["invalid_criteria"], json!(["typo"]), "{record}");
        match scored {
            true => {
                assert!(answered["task_file_wrong"] == true && !answered.to_string().contains("typo"), "{answered}")
            }
            false => assert_eq!(answered["invalid_criteria"], json!(["typo"]), "{answered}"),
        }
        let page = get(&service, &format!("/task-runs/{}", at.id), &[HTML, ("Cookie", &cookie)]).text();
        let told = format!("1 of {} criteria: typo", task["criteria"].as_array().unwrap().len());
        assert!(page.contains("TASK FILE IS WRONG") && page.contains(&told), "{page}");
        let run = at.run["benchmark_run_id"].as_str().unwrap();
        let page = get(&service, &format!("/benchmark-runs/{run}"), &[HTML, ("Cookie", &cookie)]).text();
        assert!(page.contains("TASK FILE IS WRONG"), "{page}");
    }
}

#[test]
fn the_files_of_a_sandbox_give_the_same_verdict_again() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let (mut task, wrong) = prior_auth("done-wrong");
    task["sandbox"] = wrong;
    let at = service.started(&task, false);
    service
        .json("POST", &format!("{}/voice/turns", at.sandbox), &at.run_token, json!({"speaker": "payer", "text": "Hi"}))
        .expect(201);
    let result = service.complete(&at).expect(200);
    let archive = service.send("GET", &format!("/task-runs/{}/sandbox.tar", at.id), &service.key, None, &[]);
    assert_eq!((archive.status, archive.header("content-type")), (200, Some("application/x-tar")));
    let files = tempfile::tempdir().unwrap();
    std::fs::write(files.path().join("a.tar"), &archive.body).unwrap();
    let run = std::process::Command::new("tar").args(["xf", "a.tar"]).current_dir(files.path()).status().unwrap();
    assert!(run.success());
    let read = |name: &str| std::fs::read(files.path().join(name)).unwrap();
    let task: Value = candor_json::from_slice(&read("task.json")).unwrap();
    let task = candor_engine::Task::from_document(candor_engine::Document::from_value(task).unwrap()).unwrap();
    let parts: Vec<candor::PartType> = candor::parts().collect();
    let open = |name: &str| candor::check::Sandbox::open(&files.path().join(name), &parts).unwrap();
    let sandbox = open("sandbox").with_baseline(open("baseline"));
    let checks = candor::Engine::standard();
    let engine = candor_engine::Engine::new(checks.checks().iter().copied(), "candor/test").with_parts(parts);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let again = runtime.block_on(engine.run(&engine.plan(std::sync::Arc::new(task)), &sandbox));
    let again = candor_json::to_value(&again).unwrap();
    assert_eq!((&again["verdict"], &again["score"]), (&result["verdict"], &result["score"]));
    let told = |run: &Value| -> Vec<Value> {
        let all = run["criterion_runs"].as_array().unwrap().iter();
        all.map(|one| json!([one["criterion_id"], one["status"], one["reason"], one["details"]])).collect()
    };
    assert_eq!(told(&again), told(&result));
}

#[test]
fn pages_hold_in_a_browser() {
    let modules = std::env::var_os("CANDOR_PEERS_NODE")
        .expect("`cargo xtask test` installs axe and Playwright and names their folder in CANDOR_PEERS_NODE");
    let chromium = std::env::var_os("CANDOR_PEERS_CHROMIUM")
        .expect("`cargo xtask test` installs Chromium and names it in CANDOR_PEERS_CHROMIUM");
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let world = world(&service);
    // In small size the work that was done wrong, and what is hostile in every text.
    let [wrong, _, hostile, ..] = world.task_runs.as_slice() else { panic!("{:?}", world.task_runs) };
    let shown = pick(vec![wrong.clone(), hostile.clone()], world.task_runs.clone());
    let settings = json!({
        "url": service.url, "key": service.key, "run": world.run, "before": world.before,
        "pages": addresses(&service, &world, &shown),
        "open": ["/login", world.share],
    });
    let file = folder.path().join("settings.json");
    std::fs::write(&file, settings.to_string()).unwrap();
    let mut looks = std::process::Command::new("node");
    looks.arg(root().join("tests/peers/service_pages.cjs")).arg(pick("small", "full")).arg(&file);
    looks.args(std::env::var_os("CANDOR_PICTURES"));
    let output = looks.env("NODE_PATH", modules).env("CANDOR_PEERS_CHROMIUM", chromium).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
