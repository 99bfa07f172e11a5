//! Rows that are made when they are asked for, and by which criteria they are passed by, are seen as rows made at once are.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::sync::Mutex;

use candor_check::Sandbox;
use candor_check::work::{Budget, Work};
use candor_json::{Value, json};
use proptest::prelude::*;

use crate::look::Look;
use crate::rows::{CsvForm, Format, Held, RowFault, read};
use crate::seen::Seen;
use crate::selection::CorrelateBy;
use crate::settings::Settings;
use crate::source::PART;
use crate::source::folder::{FolderSource, Resource, ResourceFile, unreadable};
use crate::source::section::FolderSettings;

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

/// Rows as [`Held::read`] reads them, with every row made at once.
fn made(format: Format, bytes: &[u8], budget: &mut u64, zero_one: bool) -> (Held, Vec<RowFault>) {
    let mut read = read(format, bytes, budget);
    if zero_one {
        read.rows.iter_mut().for_each(|row| row.content.make_zero_one());
    }
    let faults = std::mem::take(&mut read.faults);
    (Held { read, file: bytes.to_vec().into(), places: Vec::new(), zero_one, marks: Mutex::default() }, faults)
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
        let made = made(format, text.as_bytes(), &mut budget.clone(), zero_one);
        prop_assert_eq!(&held.1, &made.1);
        prop_assert_eq!(seen(held, by, budget), seen(made, by, budget), "{:?}\n{}", by, text);
    }
}

/// Files of one table. Rows of many values take more memory for their bytes than rows of a long one. Some are damaged, and
/// one is larger than may be read.
fn files_of_a_table(max_total_bytes: u64) -> Sandbox {
    let limits = format!("[limits]\nmax_bytes = \"150KB\"\nmax_total_bytes = \"{max_total_bytes}B\"\n");
    let mut builder = Sandbox::builder().settings(limits);
    for at in 0..16 {
        let (number, note) = if at % 3 == 0 { (1500, 1) } else { (200, 400) };
        let row = |row: usize| json!({"id": format!("{at}-{row}"), "status": "open", "note": "x".repeat(note)});
        let mut rows: Vec<Value> = (0..number).map(row).collect();
        if at % 9 == 2 {
            rows.insert(7, json!("no row"));
        }
        let (extension, text) = match at % 4 {
            0 => ("json", json!(rows).to_string()),
            1 => ("csv", format!("id,status,note\n{}", format!("{at},open,{}\n", "y".repeat(note)).repeat(number))),
            _ => ("ndjson", rows.iter().map(|row| format!("{row}\n")).collect()),
        };
        let rest = if at == 6 { 200_000 } else { 0 };
        let text = text + &"\n".repeat(rest);
        builder = builder.file(format!("portal/{at:02}/t.{extension}"), text.into_bytes());
    }
    builder.build(&[]).unwrap()
}

fn one_after_another(source: &FolderSource) -> Resource {
    let (mut resource, mut budget) = (Resource::default(), source.folder.limits().max_total_bytes);
    for file in &source.files {
        match source.rows(file, budget) {
            Ok(read) => {
                budget -= read.cost;
                let locator = file.entry.locator.clone();
                resource.unreadable.extend(read.faults.into_iter().map(|fault| unreadable(&locator, fault)));
                resource.files.push(ResourceFile { locator, rows: read.held });
            }
            Err(unreadable) => resource.unreadable.push(unreadable),
        }
    }
    resource
}

fn shown(resource: &Resource) -> String {
    let rows = |file: &ResourceFile| -> Vec<String> {
        (0..file.rows.len()).map(|at| format!("{:?}", file.rows.row(at, &|_| true))).collect()
    };
    let files: Vec<_> =
        resource.files.iter().map(|file| (&file.locator, rows(file), file.rows.file.sha256())).collect();
    format!("{:?}\n{files:?}", resource.unreadable)
}

#[test]
fn files_of_a_table_hold_side_by_side_what_they_hold_one_after_another() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let mut limited = Vec::new();
    // All fit; all fit one after another, and not each into its part; some are cut off; some are not read.
    for limit in [100_000_000, 9_000_000, 3_000_000, 1_000_000] {
        let sandbox = files_of_a_table(limit);
        let open = || {
            let folder = sandbox.folder(PART).unwrap();
            let listing = folder.list_records().unwrap();
            FolderSource::new(folder, listing, FolderSettings::default())
        };
        let expected = shown(&one_after_another(&open()));
        limited.push(expected.contains("limit max_total_bytes"));
        assert!(expected.contains("limit max_bytes") && expected.contains("expected an object"));
        for threads in [1, 4] {
            let (source, work) = (open(), Work::new(Budget { threads, ..Budget::default() }));
            let read = move || Ok(shown(&source.load("t")));
            let found = runtime.block_on(sandbox.with_work(work).blocking("portal/", read)).unwrap();
            assert!(found == expected, "{limit} with {threads} threads");
        }
    }
    assert_eq!(limited, [false, false, true, true]);
}
