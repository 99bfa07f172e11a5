//! Values of every type, as they are seen.

use candor_json::{Value, json};
use candor_tests::database::{Kind, shared};

use crate::portal_live::grade::{at, described};

/// Asserts every column of the one row of a table.
fn asserted(resource: &str, columns: &[(&str, Value)]) -> Value {
    let assertions: Vec<Value> =
        columns.iter().map(|(path, expected)| json!({"path": path, "expected": expected})).collect();
    json!({"assert": "portal-state-match", "correlate_by": {"resource": resource}, "assertions": assertions})
}

/// A number with its digits as they are written.
fn exact(text: &str) -> Value {
    candor_json::from_str(text).unwrap()
}

#[test]
fn of_postgres() {
    let server = shared(Kind::Postgres);
    server.sql_in(
        "portal",
        "CREATE SCHEMA types; CREATE TYPE types.state AS ENUM ('open', 'closed'); \
         CREATE DOMAIN types.code AS VARCHAR(5); CREATE TYPE types.pair AS (a INTEGER, b TEXT); \
         CREATE TABLE types.t (small SMALLINT, big BIGINT, num NUMERIC, half NUMERIC(6, 2), f4 REAL, f8 DOUBLE PRECISION, \
         nan NUMERIC, truth BOOLEAN, fixed CHAR(8), code types.code, state types.state, id UUID, day DATE, at TIMESTAMP, \
         zoned TIMESTAMPTZ, span INTERVAL, money MONEY, bytes BYTEA, doc JSONB, raw JSON, list INTEGER[], pair types.pair, \
         nothing TEXT); \
         INSERT INTO types.t VALUES (1, 9223372036854775807, 0.1000000000000000000000000000001, 120.5, 0.1, 1e300, 'NaN', \
         true, 'ab', 'x', 'open', '6F9619FF-8B86-D011-B42D-00CF4FC964FF', '2026-11-20', '2026-11-20 10:30:00.5', \
         '2026-11-20 10:30:00+02', '1 day 2 hours', 1234.5, '\\xdeadbeef', '{\"a\": [1, {\"b\": 2.50}]}', '{\"z\": 1}', \
         '{1,2,NULL}', ROW(1, 'x'), NULL); \
         GRANT USAGE ON SCHEMA types TO reader; GRANT SELECT ON types.t TO reader",
    );
    let expected = [
        ("small", json!(1)),
        ("big", json!(i64::MAX)),
        ("num", exact("0.1000000000000000000000000000001")),
        ("half", exact("120.50")),
        ("f4", json!(0.1)),
        ("f8", exact("1e300")),
        ("nan", json!("NaN")),
        ("truth", json!(true)),
        ("fixed", json!("ab")),
        ("code", json!("x")),
        ("state", json!("open")),
        ("id", json!("6f9619ff-8b86-d011-b42d-00cf4fc964ff")),
        ("day", json!("2026-11-20")),
        ("at", json!("2026-11-20T10:30:00.5")),
        ("zoned", json!("2026-11-20T08:30:00Z")),
        ("span", json!("P1DT2H")),
        ("money", exact("1234.50")),
        ("bytes", json!({"base64": "3q2+7w=="})),
        ("doc.a.1.b", exact("2.5")),
        ("doc", json!({"a": [1, {"b": exact("2.50")}]})),
        ("raw.z", json!(1)),
        ("list", json!([1, 2, null])),
        ("pair.b", json!("x")),
        ("nothing", Value::Null),
    ];
    described(&at(&server.url("reader")), asserted("types.t", &expected)).is("passed", &["all 24 assertions"]);
    // Each column selects its row, whether or not the server is asked to compare.
    server.sql_in("portal", "CREATE TABLE types.many AS SELECT t.* FROM types.t CROSS JOIN generate_series(1, 1200)");
    server.sql_in("portal", "GRANT SELECT ON types.many TO reader");
    for (key, value) in expected {
        let assertion = json!({
            "assert": "portal-state-match", "count": 1200,
            "correlate_by": {"resource": "types.many", "key": key, "value": value}
        });
        described(&at(&server.url("reader")), assertion).is("passed", &[]);
    }
}

#[test]
fn of_mariadb() {
    let server = shared(Kind::Mariadb);
    server.sql("CREATE DATABASE types CHARACTER SET utf8mb4; GRANT SELECT ON types.* TO reader@'%'");
    server.sql_in(
        "types",
        "SET sql_mode = ''; SET time_zone = '+00:00'; \
         CREATE TABLE t (tiny TINYINT(1), big BIGINT UNSIGNED, num DECIMAL(38, 30), half DECIMAL(6, 2), f4 FLOAT, \
         f8 DOUBLE, fixed CHAR(8), code VARCHAR(5) CHARACTER SET latin1, state ENUM('open', 'closed'), day DATE, \
         zero DATE NOT NULL, at DATETIME(1), zoned TIMESTAMP, span TIME, bits BIT(10), bytes VARBINARY(8), `blob` BLOB, \
         doc JSON, smile TEXT, y YEAR, nothing TEXT); \
         INSERT INTO t VALUES (1, 18446744073709551615, 0.100000000000000000000000000001, 120.5, 0.1, 1e300, 'ab', 'ü', \
         'open', '2026-11-20', '0000-00-00', '2026-11-20 10:30:00.5', '2026-11-20 08:30:00', '-26:03:04', b'100000001', \
         x'dead', x'beef', '{\"a\": [1, {\"b\": 2.50}]}', '😀', 2026, NULL)",
    );
    let expected = [
        ("tiny", json!(true)),
        ("big", json!(u64::MAX)),
        ("num", exact("0.100000000000000000000000000001")),
        ("half", exact("120.5")),
        ("f4", json!(0.1)),
        ("f8", exact("1e300")),
        ("fixed", json!("ab")),
        ("code", json!("ü")),
        ("state", json!("open")),
        ("day", json!("2026-11-20")),
        ("zero", json!("0000-00-00")),
        ("at", json!("2026-11-20T10:30:00.5")),
        ("zoned", json!("2026-11-20T08:30:00Z")),
        ("span", json!("-26:03:04")),
        ("bits", json!(257)),
        ("bytes", json!({"base64": "3q0="})),
        ("blob", json!({"base64": "vu8="})),
        ("doc.a.1.b", exact("2.5")),
        ("smile", json!("😀")),
        ("y", json!(2026)),
        ("nothing", Value::Null),
    ];
    let description = at(&server.url("reader").replace("/portal", "/types"));
    described(&description, asserted("t", &expected)).is("passed", &["all 21 assertions"]);
    server.sql_in("types", "CREATE TABLE many AS SELECT t.* FROM t CROSS JOIN seq_1_to_1200");
    for (key, value) in expected {
        let assertion = json!({
            "assert": "portal-state-match", "count": 1200,
            "correlate_by": {"resource": "many", "key": key, "value": value}
        });
        described(&description, assertion).is("passed", &[]);
    }
}
