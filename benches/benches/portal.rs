//! A row check on a SQLite table of ten million rows, by a column with an index and by one without.
//!
//! `cargo bench -p candor-benches --bench portal [rows]`. The table is made once, below the target folder. A check is what
//! a criterion takes from an open sandbox: observing and judging, by the clock; the first one opens the database. Memory is
//! the most that the process ever held.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use candor_check::{Sandbox, Status};
use candor_json::{Value, json};
use candor_portal_state_match::CHECK;

fn main() {
    let rows: u64 = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(10_000_000);
    let folder = made(rows);
    let size = std::fs::metadata(folder.join("portal.db")).expect("a database").len();
    println!("{rows} rows, {:.0} MB", size as f64 / 1e6);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let sandbox = Sandbox::open(&folder, &[candor_portal_state_match::PART]).expect("a sandbox");
    let check = |key: &str, value: &str| {
        let start = Instant::now();
        let evidence = runtime.block_on(CHECK.run(asserted(key, value), &sandbox));
        let taken = start.elapsed();
        assert_eq!(evidence.status(), Status::Passed, "{}", evidence.details());
        taken
    };
    let number = |at: u64| format!("PA-{:09}", at % rows + 1);
    println!("with an index, first   {:>10.3} ms", ms(check("request_id", &number(7))));
    let mut times: Vec<Duration> = (0..101).map(|at| check("request_id", &number(at * 7_654_321))).collect();
    times.sort_unstable();
    println!("with an index, median  {:>10.3} ms, slowest {:.3} ms", ms(times[50]), ms(times[100]));
    println!("memory                 {:>10.1} MB", most_held());
    let mut times: Vec<Duration> =
        (0..3).map(|at| check("tracking", &format!("T{}", at * 1_234_567 % rows + 1))).collect();
    times.sort_unstable();
    println!("without an index       {:>10.0} ms", ms(times[1]));
    println!("memory                 {:>10.1} MB", most_held());
    let mut none = asserted("tracking", "none");
    none["count"] = json!(0);
    none["assertions"] = json!([]);
    let evidence = runtime.block_on(CHECK.run(none, &sandbox));
    assert_eq!(evidence.status(), Status::Passed, "{}", evidence.details());
    // A path into a column: every row comes to the check.
    let start = Instant::now();
    let evidence = runtime.block_on(CHECK.run(asserted("lines.0.cpt", "99999"), &sandbox));
    assert_eq!(evidence.status(), Status::Passed, "{}", evidence.details());
    println!("every row looked at    {:>10.0} ms", ms(start.elapsed()));
    println!("memory                 {:>10.1} MB", most_held());
}

fn asserted(key: &str, value: &str) -> Value {
    json!({
        "assert": "portal-state-match",
        "correlate_by": {"resource": "prior_auth_requests", "key": key, "value": value},
        "assertions": [{"path": "status", "expected": "submitted"}]
    })
}

/// The folder of a sandbox with such a database.
fn made(rows: u64) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    let folder = target.join(format!("bench-portal-{rows}"));
    let (database, unfinished) = (folder.join("portal.db"), folder.join("unfinished.db"));
    if !database.exists() {
        println!("making the table");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(
            folder.join("sandbox.toml"),
            "[portal]\nurl = \"sqlite:portal.db\"\n[limits]\ntimeout = \"5m\"\n",
        )
        .expect("a file");
        let _ = std::fs::remove_file(&unfinished);
        let connection = rusqlite::Connection::open(&unfinished).expect("a database");
        connection
            .execute_batch(&format!(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; \
                 CREATE TABLE prior_auth_requests (request_id TEXT, member_id TEXT, status TEXT, units INTEGER, \
                 amount REAL, tracking TEXT, lines TEXT); \
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) \
                 INSERT INTO prior_auth_requests SELECT printf('PA-%09d', i), printf('W%09d', i % 1000003), 'submitted', \
                 i % 12, i * 0.5, 'T' || i, '[{{\"cpt\": \"' || (i % 90000 + 10000) || '\"}}]' FROM n; \
                 CREATE INDEX by_request ON prior_auth_requests (request_id)"
            ))
            .expect("a table");
        drop(connection);
        std::fs::rename(&unfinished, &database).expect("a file");
    }
    folder
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The most memory that the process held, in MB.
fn most_held() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: f64 =
        line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|n| n.parse().ok()).unwrap_or(0.0);
    kilobytes / 1e3
}
