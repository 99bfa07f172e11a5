//! The same rows in JSON files, SQLite, PostgreSQL and MariaDB: the same assertions come out the same.

use std::path::Path;

use candor_json::{Value, json};
use candor_tests::database::{Kind, shared};
use candor_tests::state::faithful;

use crate::portal_live::grade::{all, at, row};

const ROWS: &str = r#"[
    {"request_id": "PA-1001", "member_id": "W123456789", "status": "submitted", "cpt": "72148", "units": 1,
     "urgent": false, "amount": 120.50, "note": null, "lines": [{"cpt": "72148", "units": 2}], "created": "2026-11-20"},
    {"request_id": "PA-1002", "member_id": "W123456789", "status": "draft", "cpt": "72148", "units": 2, "urgent": true,
     "amount": 0.1, "note": "resend", "lines": [{"cpt": "72148", "units": 1}, {"cpt": "97110", "units": 4}],
     "created": "2026-11-21"},
    {"request_id": "PA-1003", "member_id": "W987654321", "status": "submitted", "cpt": "00123", "units": 12,
     "urgent": false, "amount": 99999999.99, "note": "", "lines": [], "created": null},
    {"request_id": "pa-1001 ", "member_id": "w123456789", "status": "Submitted", "cpt": "1", "units": 0, "urgent": true,
     "amount": -1, "note": "Müller 😀", "lines": [{"cpt": "x"}], "created": "2026-01-01"}
]"#;

const VALUES: &str = "('PA-1003', 'W987654321', 'submitted', '00123', 12, {false}, 99999999.99, '', '[]', NULL), \
    ('PA-1001', 'W123456789', 'submitted', '72148', 1, {false}, 120.50, NULL, '[{\"cpt\": \"72148\", \"units\": 2}]', \
    '2026-11-20'), \
    ('PA-1002', 'W123456789', 'draft', '72148', 2, {true}, 0.1, 'resend', \
    '[{\"cpt\": \"72148\", \"units\": 1}, {\"cpt\": \"97110\", \"units\": 4}]', '2026-11-21'), \
    ('pa-1001 ', 'w123456789', 'Submitted', '1', 0, {true}, -1, 'Müller 😀', '[{\"cpt\": \"x\"}]', '2026-01-01')";

/// Statements that make the table in a dialect.
fn statements(columns: &str, truth: [&str; 2]) -> String {
    let values = VALUES.replace("{false}", truth[0]).replace("{true}", truth[1]);
    format!(
        "CREATE TABLE pa_requests (request_id {columns}); CREATE TABLE none_yet (id INTEGER); \
         INSERT INTO pa_requests VALUES {values}; \
         CREATE VIEW open_requests AS SELECT * FROM pa_requests WHERE status <> 'draft'"
    )
}

/// Assertions, and what must come of them everywhere.
fn assertions() -> Vec<(&'static str, Value)> {
    let by = |key: &str, value: Value, assertions: Value| row("pa_requests", key, value, assertions);
    let is = |path: &str, expected: Value| json!([{"path": path, "expected": expected}]);
    let counted = |mut assertion: Value, count: Value| {
        assertion["count"] = count;
        assertion
    };
    let of = |resource: &str| json!({"assert": "portal-state-match", "correlate_by": {"resource": resource}});
    vec![
        ("passed", by("request_id", json!("PA-1001"), is("status", json!("submitted")))),
        ("failed field_mismatch", by("request_id", json!("PA-1002"), is("status", json!("submitted")))),
        ("passed", by("request_id", json!("pa-1001 "), is("status", json!("Submitted")))),
        ("failed no_candidate", by("request_id", json!("pa-1001"), is("status", json!("Submitted")))),
        ("failed no_candidate", by("request_id", json!("PA-1001 "), json!([]))),
        ("failed field_mismatch", by("request_id", json!("PA-1001"), is("status", json!("Submitted")))),
        ("passed", counted(by("member_id", json!("W123456789"), json!([])), json!(2))),
        ("passed", counted(by("cpt", json!(72148), json!([])), json!(2))),
        ("passed", counted(by("cpt", json!("00123"), json!([])), json!(1))),
        ("passed", counted(by("cpt", json!(123), json!([])), json!(0))),
        ("passed", counted(by("units", json!("12"), json!([])), json!(1))),
        ("passed", counted(by("units", json!("012"), json!([])), json!(0))),
        ("passed", by("units", json!(12.0), is("request_id", json!("PA-1003")))),
        ("passed", by("urgent", json!(true), json!([{"path": "urgent", "expected": true}]))),
        ("failed field_mismatch", by("request_id", json!("PA-1001"), is("urgent", json!(true)))),
        ("passed", counted(by("urgent", json!(false), json!([])), json!(2))),
        ("passed", by("amount", json!(120.5), is("request_id", json!("PA-1001")))),
        ("passed", by("request_id", json!("PA-1002"), is("amount", json!(0.1)))),
        (
            "passed",
            by("request_id", json!("PA-1003"), json!([{"path": "amount", "op": "lessThan", "expected": 100_000_000}])),
        ),
        ("passed", by("note", Value::Null, is("request_id", json!("PA-1001")))),
        ("passed", by("note", json!(""), is("request_id", json!("PA-1003")))),
        ("passed", by("request_id", json!("PA-1001"), json!([{"path": "note", "op": "empty"}]))),
        ("failed field_mismatch", by("request_id", json!("PA-1003"), is("note", Value::Null))),
        ("passed", by("note", json!("Müller 😀"), is("units", json!(0)))),
        ("passed", counted(by("note", json!("MÜLLER 😀"), json!([])), json!(0))),
        ("passed", by("request_id", json!("PA-1002"), is("lines.cpt", json!(["72148", "97110"])))),
        ("passed", by("lines.cpt", json!("97110"), is("request_id", json!("PA-1002")))),
        ("passed", by("created", json!("2026-11-20"), is("request_id", json!("PA-1001")))),
        ("passed", by("created", Value::Null, is("request_id", json!("PA-1003")))),
        (
            "passed",
            by(
                "request_id",
                json!("PA-1001"),
                json!([{"path": "created", "as": "date", "op": "lessThan", "expected": "2026-11-21"}]),
            ),
        ),
        ("passed", counted(of("pa_requests"), json!(4))),
        ("passed", counted(of("none_yet"), json!(0))),
        ("failed no_candidate", counted(of("pa_request"), json!(0))),
        ("failed no_candidate", counted(of("pa_requests\"; DROP TABLE pa_requests; --"), json!(0))),
        ("failed no_candidate", counted(of("pa_requests`; DROP TABLE pa_requests; --"), json!(0))),
        ("failed no_candidate", by("request_id\" OR 1=1 --", json!("x"), json!([]))),
        ("failed no_candidate", by("request_id` OR 1=1 -- ", json!("x"), json!([]))),
        ("failed no_candidate", by("request_id", json!("' OR '1'='1"), json!([]))),
        ("failed no_candidate", by("request_id", json!("\\' OR 1=1 -- "), json!([]))),
        ("failed no_candidate", by("request_id", json!("%"), json!([]))),
        ("failed no_candidate", by("request_idd", json!("PA-1001"), json!([]))),
        ("failed no_candidate", by("request_idd", Value::Null, json!([]))),
        ("failed no_candidate", by("REQUEST_ID", json!("PA-1001"), json!([]))),
        ("failed count_mismatch", counted(by("member_id", json!("W123456789"), json!([])), json!(1))),
    ]
}

/// Outcome, score, and how many rows there were and were selected.
fn outcomes(folder: &Path) -> Vec<String> {
    let assertions: Vec<Value> = assertions().into_iter().map(|(_, assertion)| assertion).collect();
    let graded = all(folder, &assertions);
    let outcome = graded.iter().map(|one| {
        let candidates = &one.0["evidence"]["candidates"];
        format!("{} {} {} of {}", one.outcome(), one.0["score"], candidates["matched"], candidates["considered"])
    });
    outcome.collect()
}

#[track_caller]
fn same(found: &[String], source: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("portal")).unwrap();
    std::fs::write(folder.path().join("portal/pa_requests.json"), ROWS).unwrap();
    std::fs::write(folder.path().join("portal/none_yet.json"), "[]").unwrap();
    let files = outcomes(folder.path());
    assert_eq!(files.len(), found.len());
    for (((expected, assertion), file), found) in assertions().iter().zip(&files).zip(found) {
        assert!(file.starts_with(expected), "files: {file}, expected {expected}: {assertion}");
        assert_eq!(found, file, "{source}: {assertion}");
    }
}

/// The same from a capture of the source.
#[track_caller]
fn same_captured(sandbox: &Path, source: &str) {
    let folder = faithful(sandbox);
    same(&outcomes(folder.path()), &format!("{source}, captured"));
}

#[test]
fn in_sqlite() {
    let columns = "TEXT COLLATE NOCASE PRIMARY KEY, member_id VARCHAR(20), status TEXT COLLATE RTRIM, cpt CHAR(5), \
        units INTEGER, urgent BOOLEAN, amount DECIMAL(10, 2), note TEXT, lines JSON, created DATE";
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("portal.db")).unwrap();
    database.execute_batch(&statements(columns, ["0", "1"])).unwrap();
    drop(database);
    std::fs::write(folder.path().join("sandbox.toml"), "[portal]\nurl = \"sqlite:portal.db\"\n").unwrap();
    same(&outcomes(folder.path()), "SQLite");
    same_captured(folder.path(), "SQLite");
}

#[test]
fn in_postgres() {
    let columns = "TEXT PRIMARY KEY, member_id VARCHAR(20), status TEXT, cpt VARCHAR(5), units INTEGER, \
        urgent BOOLEAN, amount NUMERIC(12, 2), note TEXT, lines JSONB, created DATE";
    // A database of its own: a capture reads every schema, those of other tests too.
    let server = shared(Kind::Postgres);
    server.sql("CREATE DATABASE alike");
    let tables = format!("CREATE SCHEMA alike; SET search_path = alike; {}", statements(columns, ["false", "true"]));
    server.sql_in("alike", &tables);
    server
        .sql_in("alike", "GRANT USAGE ON SCHEMA alike TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA alike TO reader");
    let content = "SELECT string_agg(t::text, '|' ORDER BY request_id) FROM alike.pa_requests t";
    let before = server.sql_in("alike", content);
    let folder = tempfile::tempdir().unwrap();
    let url = server.url("reader").replace("/portal", "/alike");
    let description = at(&url).replace("[limits]", "schema = \"alike\"\n[limits]");
    std::fs::write(folder.path().join("sandbox.toml"), description).unwrap();
    same(&outcomes(folder.path()), "PostgreSQL");
    same_captured(folder.path(), "PostgreSQL");
    assert_eq!(server.sql_in("alike", content), before);
}

#[test]
fn in_mariadb() {
    let columns = "VARCHAR(20) COLLATE utf8mb4_bin PRIMARY KEY, member_id VARCHAR(20), status TEXT, cpt CHAR(5), \
        units INTEGER, urgent TINYINT(1), amount DECIMAL(12, 2), note TEXT, `lines` JSON, created DATE";
    // A user of its own: a capture reads every database that its user sees, those of other tests too.
    let server = shared(Kind::Mariadb);
    let password = env!("CARGO_PKG_NAME");
    server.sql(format!(
        "CREATE DATABASE alike CHARACTER SET utf8mb4; CREATE USER alike@'%' IDENTIFIED BY '{password}'; \
         GRANT SELECT ON alike.* TO alike@'%'"
    ));
    server.sql_in("alike", &statements(columns, ["0", "1"]));
    let before = server.sql_in("alike", "CHECKSUM TABLE pa_requests");
    let folder = tempfile::tempdir().unwrap();
    let url = server.url("alike").replace("/portal", "/alike");
    std::fs::write(folder.path().join("sandbox.toml"), at(&url)).unwrap();
    same(&outcomes(folder.path()), "MariaDB");
    same_captured(folder.path(), "MariaDB");
    assert_eq!(server.sql_in("alike", "CHECKSUM TABLE pa_requests"), before);
}
