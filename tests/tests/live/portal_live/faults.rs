//! Faults that keep a database from being read: each ends unverifiable with its reason, in its time, and not as failed.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use candor_json::{Value, json};
use candor_tests::database::{Database, Kind, shared};
use candor_tests::http::closed;

use crate::portal_live::grade::{Graded, at, described, row, timed, within};

fn open() -> Value {
    row("claims", "id", "C-1", json!([{"path": "status", "expected": "open"}]))
}

/// A schema (or database) of a test's own with a table of claims, and the description it is read by.
fn claims(server: &Database, kind: Kind, name: &str) -> String {
    let rows = "(id VARCHAR(20) PRIMARY KEY, status TEXT); INSERT INTO claims VALUES ('C-1', 'open'), ('C-2', 'draft')";
    match kind {
        Kind::Postgres => {
            server.sql_in(
                "portal",
                &format!(
                    "CREATE SCHEMA {name}; CREATE TABLE {name}.claims {}",
                    rows.replace("INTO claims", &format!("INTO {name}.claims"))
                ),
            );
            server.sql_in(
                "portal",
                &format!("GRANT USAGE ON SCHEMA {name} TO reader; GRANT SELECT ON {name}.claims TO reader"),
            );
            at(&server.url("reader")).replace("[limits]", &format!("schema = \"{name}\"\n[limits]"))
        }
        Kind::Mariadb => {
            server.sql(format!("CREATE DATABASE {name}; GRANT SELECT ON {name}.* TO reader@'%'"));
            server.sql_in(name, &format!("CREATE TABLE claims {rows}"));
            at(&server.url("reader").replace("/portal", &format!("/{name}")))
        }
    }
}

const BOTH: [Kind; 2] = [Kind::Postgres, Kind::Mariadb];

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(300), "{what} never came");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_wrong_password_is_denied_and_nothing_of_it_is_told() {
    for kind in BOTH {
        let description = at(&shared(kind).url("reader")).replace("CARGO_PKG_NAME", "CARGO_PKG_VERSION");
        let graded = described(&description, open());
        graded.is("unverifiable source_denied", &["refuses the login"]);
        assert!(!graded.0.to_string().contains(env!("CARGO_PKG_VERSION")), "{:#}", graded.0);
    }
}

#[test]
fn nobody_there() {
    for scheme in ["postgres", "mysql"] {
        let port = closed().port();
        let graded = described(&at(&format!("{scheme}://reader@127.0.0.1:{port}/portal")), open());
        graded.is("unverifiable source_unavailable", &[&format!("{scheme}://reader@127.0.0.1:{port}/portal")]);
    }
}

#[test]
fn somebody_there_who_never_answers() {
    for scheme in ["postgres", "mysql"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let graded = described(&timed(&format!("{scheme}://reader@127.0.0.1:{port}/portal"), "1s"), open());
        graded.is("unverifiable timeout", &[]);
    }
}

#[test]
fn no_such_database() {
    for kind in BOTH {
        let url = shared(kind).url("reader").replace("/portal", "/no_such_portal");
        let graded = described(&at(&url), open());
        // MariaDB does not tell who may not look from what there is not.
        let expected =
            if kind == Kind::Postgres { "unverifiable source_unavailable" } else { "unverifiable source_denied" };
        graded.is(expected, &["no_such_portal"]);
    }
}

#[test]
fn a_table_without_permission_is_not_a_table_that_is_not_there() {
    let server = shared(Kind::Postgres);
    let description = claims(server, Kind::Postgres, "denied");
    server.sql_in("portal", "CREATE TABLE denied.secrets (id TEXT)");
    let secrets = row("secrets", "id", "x", json!([]));
    described(&description, secrets).is("unverifiable source_denied", &["permission denied for the table `secrets`"]);
    described(&description, row("secret", "id", "x", json!([])))
        .is("failed no_candidate", &["did you mean `secrets`?"]);
    let hidden = "CREATE SCHEMA hidden; CREATE TABLE hidden.notes (id TEXT)";
    server.sql_in("portal", hidden);
    let notes = row("hidden.notes", "id", "x", json!([]));
    described(&description, notes).is("unverifiable source_denied", &["permission denied for the schema `hidden`"]);

    let server = shared(Kind::Mariadb);
    server.sql("CREATE DATABASE denied");
    server.sql_in(
        "denied",
        "CREATE TABLE secrets (id TEXT); CREATE TABLE claims (id TEXT); INSERT INTO claims VALUES ('C-1'); \
         GRANT SELECT ON denied.claims TO reader@'%'",
    );
    let description = at(&server.url("reader").replace("/portal", "/denied"));
    described(&description, row("claims", "id", "C-1", json!([]))).is("passed", &[]);
    described(&description, row("secrets", "id", "x", json!([])))
        .is("unverifiable source_denied", &["refuses to be read"]);
}

#[test]
fn rows_that_a_policy_hides_prove_nothing() {
    let server = shared(Kind::Postgres);
    let description = claims(server, Kind::Postgres, "policed");
    server.sql_in(
        "portal",
        "ALTER TABLE policed.claims ENABLE ROW LEVEL SECURITY; \
         CREATE POLICY p ON policed.claims FOR SELECT TO reader USING (status <> 'draft')",
    );
    let mut none = row("claims", "status", "draft", json!([]));
    none["count"] = json!(0);
    described(&description, none.clone()).is("unverifiable source_denied", &["row-level security"]);
    let allowed = description.replace("schema =", "row_security = true\nschema =");
    described(&allowed, none).is("passed", &[]);
}

#[test]
fn a_lock_is_waited_for_no_longer_than_there_is_time() {
    for (kind, lock) in [
        (Kind::Postgres, "BEGIN; LOCK TABLE locked.claims IN ACCESS EXCLUSIVE MODE;"),
        (Kind::Mariadb, "LOCK TABLES locked.claims WRITE;"),
    ] {
        let server = shared(kind);
        let description = claims(server, kind, "locked").replace("30s", "3s");
        let mut session = server.session();
        session.run(lock);
        wait_for("the lock", || match kind {
            Kind::Postgres => {
                let locks = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted \
                             AND relation = 'locked.claims'::regclass";
                server.sql_in("portal", locks) != "0"
            }
            Kind::Mariadb => !server.sql("SHOW OPEN TABLES FROM locked WHERE In_use > 0").is_empty(),
        });
        described(&description, open()).is("unverifiable timeout", &["in time"]);
        drop(session);
        described(&description.replace("3s", "30s"), open()).is("passed", &[]);
    }
}

#[test]
fn what_is_not_committed_is_neither_seen_nor_waited_for() {
    for kind in BOTH {
        let server = shared(kind);
        let description = claims(server, kind, "pending");
        let mut session = server.session();
        session.run(
            "BEGIN; UPDATE pending.claims SET status = 'draft'; INSERT INTO pending.claims VALUES ('C-3', 'open');",
        );
        wait_for("the transaction", || {
            let pending = match kind {
                Kind::Postgres => {
                    "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' \
                     AND query LIKE 'INSERT INTO pending%'"
                }
                Kind::Mariadb => "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_rows_modified > 0",
            };
            server.sql(pending) != "0"
        });
        let mut three = row("claims", "status", "open", json!([]));
        three["count"] = json!(1);
        described(&description, open()).is("passed", &[]);
        described(&description, three).is("passed", &[]);
    }
}

#[test]
fn a_slow_view_is_broken_off() {
    for (kind, view) in [
        (Kind::Postgres, "CREATE VIEW slow.sluggish AS SELECT 1 AS id, pg_sleep(3600)::text AS s"),
        (Kind::Mariadb, "CREATE VIEW slow.sluggish AS SELECT 1 AS id, sleep(3600) AS s FROM claims"),
    ] {
        let server = shared(kind);
        let description = claims(server, kind, "slow").replace("30s", "2s");
        server.sql_in(if kind == Kind::Postgres { "portal" } else { "slow" }, view);
        if kind == Kind::Postgres {
            server.sql_in("portal", "GRANT SELECT ON slow.sluggish TO reader");
        }
        let graded = described(&description, row("sluggish", "id", 2, json!([])));
        graded.is("unverifiable timeout", &[]);
    }
}

#[test]
fn a_server_that_stops_in_the_middle() {
    for (kind, view) in [
        (
            Kind::Postgres,
            "CREATE VIEW stopping.sluggish AS SELECT i AS id, pg_sleep(0.05)::text AS s FROM generate_series(1, 1000) i",
        ),
        (Kind::Mariadb, "CREATE VIEW stopping.sluggish AS SELECT c.id, sleep(20) AS s FROM claims c"),
    ] {
        let mut server = Database::start(kind);
        let description = claims(&server, kind, "stopping");
        server.sql_in(if kind == Kind::Postgres { "portal" } else { "stopping" }, view);
        if kind == Kind::Postgres {
            server.sql_in("portal", "GRANT SELECT ON stopping.sluggish TO reader");
        }
        let graded: Graded = std::thread::scope(|scope| {
            let looking = scope.spawn(|| described(&description, row("sluggish", "id", "none", json!([]))));
            std::thread::sleep(Duration::from_secs(2));
            server.stop();
            looking.join().unwrap()
        });
        // Whoever does not notice has no time left after half a minute, which is another reason.
        graded.is("unverifiable source_unavailable", &[]);
        described(&description, open()).is("unverifiable source_unavailable", &[]);
    }
}

#[test]
fn a_view_that_writes_does_not() {
    let server = shared(Kind::Postgres);
    let description = claims(server, Kind::Postgres, "writing");
    server.sql_in(
        "portal",
        "CREATE FUNCTION writing.spend() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS \
         'BEGIN DELETE FROM writing.claims; RETURN 1; END'; \
         CREATE VIEW writing.trap AS SELECT writing.spend() AS id; GRANT SELECT ON writing.trap TO reader",
    );
    described(&description, row("trap", "id", "1", json!([])))
        .is("unverifiable source_unavailable", &["SQLSTATE 25006"]);
    assert_eq!(server.sql_in("portal", "SELECT count(*) FROM writing.claims"), "2");
}

#[test]
fn over_tls_only_to_who_is_known() {
    for kind in BOTH {
        let server = shared(kind);
        let description = claims(server, kind, "encrypted").replace("127.0.0.1", "localhost");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), server.certificate()).unwrap();
        let known = description.replace("password", "ca_file = \"ca.pem\"\ntls = \"require\"\npassword");
        within(folder.path(), &known, open()).is("passed", &[]);
        let strange = description.replace("password", "tls = \"require\"\npassword");
        within(folder.path(), &strange, open()).is("unverifiable source_unavailable", &[]);
        let other = known.replace("localhost", "127.0.0.1");
        within(folder.path(), &other, open()).is("unverifiable source_unavailable", &[]);
    }
}

#[test]
fn a_schema_that_is_not_there() {
    let server = shared(Kind::Postgres);
    let description = at(&server.url("reader")).replace("[limits]", "schema = \"no_such\"\n[limits]");
    let mut none = row("claims", "id", "C-1", json!([]));
    none["count"] = json!(0);
    described(&description, none).is("unverifiable source_unavailable", &["has no schema `no_such`"]);
}
