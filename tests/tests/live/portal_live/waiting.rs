//! All criteria of a run share one snapshot; a criterion that waits gets a new one for every look.

use std::time::Duration;

use candor_json::{Value, json};
use candor_tests::database::{Database, Kind, shared};

use crate::portal_live::grade::{all, at, described, row, within};

fn table(server: &Database, kind: Kind, name: &str) -> String {
    let made = "(id VARCHAR(20) PRIMARY KEY, status TEXT)";
    match kind {
        Kind::Postgres => {
            server.sql_in(
                "portal",
                &format!("CREATE TABLE public.{name} {made}; GRANT SELECT ON public.{name} TO reader"),
            );
        }
        Kind::Mariadb => {
            server.sql("GRANT SELECT ON portal.* TO reader@'%'");
            server.sql_in("portal", &format!("CREATE TABLE {name} {made}"));
        }
    }
    at(&server.url("reader"))
}

fn submitted(resource: &str) -> Value {
    let mut assertion = row(resource, "id", "C-1", json!([{"path": "status", "expected": "submitted"}]));
    assertion["within"] = json!({"timeout": "15m", "every": "100ms"});
    assertion
}

#[test]
fn what_shows_in_time_passes() {
    for kind in [Kind::Postgres, Kind::Mariadb] {
        let server = shared(kind);
        let description = table(server, kind, "waited");
        let reasons = |pause: Duration| {
            server.sql_in("portal", "DELETE FROM waited");
            let graded = std::thread::scope(|scope| {
                let waiting = scope.spawn(|| described(&description, submitted("waited")));
                std::thread::sleep(pause);
                server.sql_in("portal", "INSERT INTO waited VALUES ('C-1', 'draft')");
                std::thread::sleep(pause);
                server.sql_in("portal", "UPDATE waited SET status = 'submitted'");
                waiting.join().unwrap()
            });
            graded.is("passed", &["Looked"]);
            let polls = graded.0["evidence"]["polls"].as_array().unwrap();
            let reason = |poll: &Value| poll["reason"].as_str().unwrap_or("passed").to_owned();
            polls.iter().map(reason).collect::<Vec<_>>()
        };
        // On a busy machine a row may be as it is for less time than a look takes: then each state lasts longer.
        let expected = ["no_candidate", "field_mismatch", "passed"];
        assert!((1..=8).any(|times| reasons(times * Duration::from_millis(700)) == expected), "{kind:?}");
    }
}

#[test]
fn in_sqlite_too() {
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("portal.db")).unwrap();
    database.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE waited (id TEXT, status TEXT)").unwrap();
    let graded = std::thread::scope(|scope| {
        let description = "[portal]\nurl = \"sqlite:portal.db\"\n";
        let waiting = scope.spawn(|| within(folder.path(), description, submitted("waited")));
        std::thread::sleep(Duration::from_millis(500));
        database.execute_batch("INSERT INTO waited VALUES ('C-1', 'submitted')").unwrap();
        waiting.join().unwrap()
    });
    graded.is("passed", &["Looked"]);
}

#[test]
fn criteria_of_a_run_see_one_snapshot() {
    for kind in [Kind::Postgres, Kind::Mariadb] {
        let server = shared(kind);
        // By a user of its own, so that its statement differs from those of other tests.
        let description = table(server, kind, "still").replace("reader@", "still@");
        let password = env!("CARGO_PKG_NAME");
        let (slow, sleeps) = match kind {
            Kind::Postgres => (
                format!(
                    "CREATE VIEW slow_still AS SELECT 'x' AS id, pg_sleep(1.5)::text AS s; \
                     CREATE ROLE still LOGIN PASSWORD '{password}'; GRANT SELECT ON still, slow_still TO still"
                ),
                "SELECT count(*) FROM pg_stat_activity WHERE usename = 'still' AND wait_event = 'PgSleep'",
            ),
            Kind::Mariadb => (
                format!(
                    "CREATE VIEW slow_still AS SELECT 'x' AS id, sleep(1.5) AS s; \
                     CREATE USER still@'%' IDENTIFIED BY '{password}'; GRANT SELECT ON portal.* TO still@'%'"
                ),
                "SELECT count(*) FROM information_schema.processlist WHERE user = 'still' AND state = 'User sleep'",
            ),
        };
        server.sql_in("portal", &slow);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("sandbox.toml"), &description).unwrap();
        let none = json!({"assert": "portal-state-match", "correlate_by": {"resource": "still"}, "count": 0});
        // Whichever criterion goes first: the others wait for the slow one, and see what it saw.
        let graded = std::thread::scope(|scope| {
            let looks = scope.spawn(|| {
                let slow = row("slow_still", "id", "x", json!([]));
                all(folder.path(), &[slow, none.clone(), none.clone()])
            });
            // What the looks see is settled once one of them reads the slow view.
            while server.sql(sleeps) == "0" && !looks.is_finished() {
                std::thread::sleep(Duration::from_millis(20));
            }
            server.sql_in("portal", "INSERT INTO still VALUES ('C-1', 'open')");
            looks.join().unwrap()
        });
        for one in &graded {
            one.is("passed", &[]);
        }
        described(&description, none).is("failed count_mismatch", &[]);
    }
}
