//! Rows that are made when they are asked for, and by which criteria they are passed by, are seen as rows made at once are.

use candor_json::{Value, json};
use proptest::prelude::*;

use super::*;
use crate::settings::Settings;

/// Values of a column as they may be written: the same in several ways, and what is nearly the same.
const WRITTEN: &[&str] = &[
    "\"PA-1\"",
    "\"\\u0050A-1\"",
    "\"pa1\"",
    "\" PA-1\"",
    "\"PA-2\"",
    "\"PA\\u002d1\\n\"",
    "\"***A-1\"",
    "\"XXXXA1\"",
    "\"\\u002a\\u002a1\"",
    "\"**\"",
    "\"é1\"",
    "\"e\u{301}1\"",
    "\"É1\"",
    "\"\\u00e91\"",
    "\"1\"",
    "\"01\"",
    "\"1.0\"",
    "\"true\"",
    "\"\"",
    "\"{\\\"k\\\": 1}\"",
    "1",
    "1.0",
    "10e-1",
    "-1",
    "-0",
    "0",
    "1E0",
    "100000000000000000000000000000",
    "true",
    "false",
    "null",
    "[]",
    "[\"PA-1\", 1]",
    "[null]",
    "{}",
    "{\"k\": \"PA-1\"}",
    "{\"k\": [1, \"1\"]}",
];

/// Lines that are not rows, that only a slow reader can judge, or that have names with a meaning for other readers.
const LINES: &[&str] = &[
    "",
    " \t",
    "x",
    "[1]",
    "\"PA-1\"",
    "{\"k\": 1, \"k\": 2}",
    "{\"k\": \"\\ud800\"}",
    "{\"k\": \"\\ud83d\\ude00\"}",
    "{\"k\": \"PA-1\"",
    "{\"$serde_json::private::Number\": \"1\"}",
    "{\"$\": \"PA-1\", \"\": 1}",
    "\u{c}{\"k\": \"PA-1\"}\u{c}",
];

const NAMES: &[&str] = &["k", "\\u006b", "K", "id", "w", "a.b", "a", "$.k", "k[0]"];

fn line(pool: Vec<&'static str>) -> impl Strategy<Value = String> {
    let written = prop::sample::select(pool);
    let member =
        (prop::sample::select(NAMES), written.clone()).prop_map(|(name, value)| format!("\"{name}\": {value}"));
    let with_key = (written, prop::collection::vec(member.clone(), 0..3))
        .prop_map(|(key, others)| [vec![format!("\"k\":{key}")], others].concat());
    let members = prop_oneof![3 => with_key, 1 => prop::collection::vec(member, 0..4)];
    prop_oneof![
        12 => members.prop_map(|members| format!("{{{}}}", members.join(","))),
        1 => prop::sample::select(LINES).prop_map(str::to_owned),
    ]
}

fn selection(pool: Vec<&'static str>) -> impl Strategy<Value = Value> {
    let value = || prop::sample::select(pool.clone()).prop_map(|text| candor_json::from_str::<Value>(text).unwrap());
    let key = prop::sample::select(&["k", "k", "k", "id", "w", "a.b", "$.k", "k[0]"][..]);
    let condition = (prop::sample::select(&["k", "w", "a.b"][..]), value());
    let using = prop::sample::select(&["case", "punctuation", "leading_zeros"][..]);
    let rules = prop_oneof![4 => Just(Vec::new()), 1 => prop::collection::vec(using, 1)];
    let count = prop_oneof![Just(None), Just(Some(json!(0))), Just(Some(json!({"min": 1})))];
    let unique = prop_oneof![4 => Just(None), 1 => Just(Some(json!(["w"])))];
    let key = prop::option::weighted(0.9, (key, prop::option::weighted(0.9, value())));
    (key, prop::collection::vec(condition, 0..2), rules, count, unique).prop_map(
        |(key, conditions, using, count, unique)| {
            let mut by = json!({"resource": "t", "using": using});
            if let Some((key, value)) = key {
                by["key"] = json!(key);
                if let Some(value) = value {
                    by["value"] = value;
                }
            }
            by["where"] = conditions.into_iter().map(|(column, value)| (column.to_owned(), value)).collect();
            let mut written = json!({"correlate_by": by, "assertions": [{"path": "k", "op": "notEmpty"}]});
            for (name, value) in [("count", count), ("unique", unique)] {
                written.as_object_mut().unwrap().extend(value.map(|value| (name.to_owned(), value)));
            }
            written
        },
    )
}

/// Lines and a selection of few values, so that they meet.
fn case() -> impl Strategy<Value = (Vec<String>, Value)> {
    let pool = prop::collection::vec(prop::sample::select(WRITTEN), 2..5);
    pool.prop_flat_map(|pool| (prop::collection::vec(line(pool.clone()), 0..12), selection(pool)))
}

fn seen((rows, faults): (Held, Vec<RowFault>), by: &CorrelateBy, budget: u64) -> Seen {
    let locator = "portal/t.ndjson".to_owned();
    let unreadable = faults.into_iter().map(|fault| unreadable(&locator, fault)).collect();
    let resource = Resource { files: vec![ResourceFile { locator, rows }], unreadable };
    resource.look(&|| Look::new(by, budget)).finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: candor_test_size::cases(4000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_seen_as_if_each_was_looked_at(
        (lines, written) in case(),
        as_array: bool,
        zero_one: bool,
        budget in prop_oneof![4 => Just(u64::MAX), 1 => 0..4000u64],
    ) {
        let settings: Settings = candor_json::from_value(written).unwrap();
        let (format, text) = match as_array {
            true => (Format::Json, format!("[{}]", lines.join(",\n"))),
            false => (Format::Ndjson, lines.join("\n")),
        };
        let by = &settings.correlate_by;
        let held = Held::read(format, &CsvForm::default(), text.clone().into_bytes().into(), &mut budget.clone(), zero_one);
        let made = Held::made(format, text.as_bytes(), &mut budget.clone(), zero_one);
        prop_assert_eq!(&held.1, &made.1);
        prop_assert_eq!(seen(held, by, budget), seen(made, by, budget), "{:?}\n{}", by, text);
    }
}
