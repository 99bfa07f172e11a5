//! Tables of many rows: the database selects where it can, and nothing is lost where it cannot.

use candor_json::{Value, json};
use candor_tests::database::{Kind, shared};

use crate::portal_live::grade::{all, at, described, row, within};

/// Assertions about a table of 30,000 rows whose `member` is `00001`… as text and `id` 1… as a number.
fn assertions() -> Vec<(&'static str, Value)> {
    let counted = |key: &str, value: Value, count: u64| {
        let mut assertion = row("many", key, value, json!([]));
        assertion["count"] = json!(count);
        assertion
    };
    vec![
        ("passed", row("many", "id", 29_999, json!([{"path": "member", "expected": "029999"}]))),
        ("passed", row("many", "id", "29999", json!([{"path": "member", "expected": "029999"}]))),
        ("passed", row("many", "member", "000042", json!([{"path": "id", "expected": 42}]))),
        ("passed", counted("member", json!(42), 0)),
        ("passed", counted("member", json!("000042 "), 0)),
        ("passed", counted("status", json!("Open"), 0)),
        ("passed", counted("status", json!("open"), 3)),
        ("passed", counted("status", Value::Null, 29_997)),
        ("failed no_candidate", row("many", "member", "400000", json!([]))),
        ("failed no_candidate", row("many", "memberr", "000042", json!([]))),
    ]
}

const ROWS: &str = "CASE WHEN i % 10000 = 7 THEN 'open' END";

#[test]
fn in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("portal.db")).unwrap();
    database
        .execute_batch(&format!(
            "PRAGMA synchronous = OFF; CREATE TABLE many (id INTEGER PRIMARY KEY, member TEXT, status TEXT COLLATE NOCASE); \
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) \
             INSERT INTO many SELECT i, printf('%06d', i), {ROWS} FROM n; CREATE INDEX m ON many (member)"
        ))
        .unwrap();
    drop(database);
    for (expected, assertion) in assertions() {
        within(folder.path(), "[portal]\nurl = \"sqlite:portal.db\"\n", assertion).is(expected, &[]);
    }
}

/// SQLite compares by the type of the value and by that of the column: a large table gives out the rows that a small one does.
#[test]
fn in_sqlite_by_values_of_every_type() {
    let stored = "(12), (12.0), ('12'), ('12.0'), ('012'), (1000), ('1e3'), (9007199254740993), (1152921504606847000), \
        (1152921504606847000.0), (0.1), ('0.1'), (1e999), ('Infinity'), (1), (0.0), ('true'), ('TRUE'), (x'3132')";
    let wanted = "12 12.0 \"12\" \"12.0\" \"012\" 1e3 \"1e3\" 1000.0 \"1000\" \"1000.0\" 9007199254740993 \
        9007199254740993.0 \"9007199254740993\" 1152921504606847000 1152921504606847e3 0.1 1e-1 \"0.1\" 1e999 \"Infinity\" \
        \"-Infinity\" \"NaN\" 1 0 true false \"true\" null";
    let columns = ["a", "t", "i", "r", "n", "c"];
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("portal.db")).unwrap();
    let table = "a, t TEXT, i INTEGER, r REAL, n NUMERIC, c TEXT COLLATE NOCASE";
    database
        .execute_batch(&format!(
            "CREATE TABLE few ({table}); CREATE TABLE many ({table}); \
             INSERT INTO few WITH v(v) AS (VALUES {stored}) SELECT v, v, v, v, v, v FROM v; \
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100) \
             INSERT INTO many SELECT 'x', 'x', 'x', 'x', 'x', 'x' FROM n; INSERT INTO many SELECT * FROM few"
        ))
        .unwrap();
    drop(database);
    std::fs::write(folder.path().join("sandbox.toml"), "[portal]\nurl = \"sqlite:portal.db\"\n").unwrap();
    let mut assertions = Vec::new();
    for wanted in wanted.split_whitespace() {
        let wanted: Value = candor_json::from_str(wanted).unwrap();
        for column in columns {
            for resource in ["few", "many"] {
                let mut assertion = row(resource, column, wanted.clone(), json!([]));
                assertion["count"] = json!(0);
                assertions.push(assertion);
            }
        }
    }
    let graded = all(folder.path(), &assertions);
    let matched = |at: usize| graded[at].0["evidence"]["candidates"]["matched"].as_u64().unwrap();
    for (at, assertion) in assertions.iter().enumerate().step_by(2) {
        assert_eq!(matched(at), matched(at + 1), "{assertion}");
    }
    assert!((0..graded.len()).filter(|at| matched(*at) > 0).count() > 100);
}

/// A path into a column may lead to a value only in rows that are not selected.
#[test]
fn in_sqlite_by_a_path_into_other_rows() {
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("portal.db")).unwrap();
    database
        .execute_batch(
            "CREATE TABLE many (id INTEGER PRIMARY KEY, lines TEXT); \
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) \
             INSERT INTO many SELECT i, CASE i WHEN 1 THEN '[]' ELSE '[{\"cpt\": \"72148\"}]' END FROM n",
        )
        .unwrap();
    drop(database);
    let mut assertion = row("many", "id", 1, json!([]));
    assertion["unique"] = json!(["lines.0.cpt"]);
    within(folder.path(), "[portal]\nurl = \"sqlite:portal.db\"\n", assertion).is("passed", &[]);
}

/// The nearest row is one that meets the first condition alone.
#[test]
fn in_sqlite_the_nearest_meets_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("portal.db")).unwrap();
    database
        .execute_batch(
            "CREATE TABLE many (id INTEGER PRIMARY KEY, status TEXT); \
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) \
             INSERT INTO many SELECT i, 'open' FROM n",
        )
        .unwrap();
    drop(database);
    let mut assertion = row("many", "id", 1900, json!([]));
    assertion["correlate_by"]["where"] = json!({"status": "closed"});
    let details = ["the server found none", "#many[id=1900], has status \"open\", not \"closed\""];
    within(folder.path(), "[portal]\nurl = \"sqlite:portal.db\"\n", assertion).is("failed no_candidate", &details);
}

#[test]
fn in_postgres() {
    let server = shared(Kind::Postgres);
    server.sql_in(
        "portal",
        &format!(
            "CREATE TABLE public.many (id INTEGER PRIMARY KEY, member VARCHAR(10), status TEXT); \
             INSERT INTO public.many SELECT i, lpad(i::text, 6, '0'), {ROWS} FROM generate_series(1, 30000) i; \
             CREATE INDEX ON public.many (member); ANALYZE public.many; GRANT SELECT ON public.many TO reader"
        ),
    );
    for (expected, assertion) in assertions() {
        described(&at(&server.url("reader")), assertion).is(expected, &[]);
    }
    // The server writes down the statements of this user. The row is the only one that it hands over in the end.
    let password = env!("CARGO_PKG_NAME");
    server.sql_in(
        "portal",
        &format!(
            "CREATE ROLE counted LOGIN PASSWORD '{password}'; ALTER ROLE counted SET log_statement = 'all'; \
             GRANT SELECT ON public.many TO counted"
        ),
    );
    described(&at(&server.url("counted")), assertions().remove(2).1).is("passed", &[]);
    let log = server.log();
    // Errors of other users are in the log, too, but they are not lines of this kind.
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("LOG:")).collect();
    let last = lines.iter().rposition(|line| line.contains("DECLARE candor")).unwrap();
    let fetches = |lines: &[&str]| lines.iter().filter(|line| line.contains("FETCH ")).count();
    assert!(lines[last].contains("WHERE \"member\" IN ($1)"), "{}", lines[last]);
    assert!(fetches(&lines[last..]) == 1 && fetches(&lines[..last]) < 10, "{lines:#?}");
}

#[test]
fn in_mariadb() {
    let server = shared(Kind::Mariadb);
    server.sql("GRANT SELECT ON portal.* TO reader@'%'");
    server.sql_in(
        "portal",
        &format!(
            "CREATE TABLE many (id INTEGER PRIMARY KEY, member VARCHAR(10), status TEXT, INDEX (member)); \
             INSERT INTO many SELECT seq, lpad(seq, 6, '0'), {} FROM seq_1_to_30000",
            ROWS.replace('i', "seq").replace("seqN", "IN")
        ),
    );
    for (expected, assertion) in assertions() {
        described(&at(&server.url("reader")), assertion).is(expected, &[]);
    }
    // A result that is given up in the middle is not read to its end.
    let limited = at(&server.url("reader")) + "max_total_bytes = \"1MiB\"\n";
    let everything = json!({"assert": "portal-state-match", "correlate_by": {"resource": "many"}, "count": 30_000});
    described(&limited, everything).is("unverifiable limit_exceeded", &["max_total_bytes"]);
}
