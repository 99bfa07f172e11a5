//! Properties of reading rows: nothing panics, nothing is lost in silence, what was written is read back.

use candor_check::Obstacle;
use candor_json::{Map, Value, json};
use candor_portal_state_match::rows::{Content, Format, Rows, read};
use proptest::prelude::*;

const FORMATS: [Format; 3] = [Format::Json, Format::Ndjson, Format::Csv];

fn all(format: Format, bytes: &[u8]) -> Rows {
    read(format, bytes, &mut (1 << 30))
}

fn columns(rows: &Rows) -> Vec<Value> {
    let of = |content: &Content| content.columns().clone();
    rows.rows.iter().map(|row| of(&row.content)).collect()
}

/// The text between rows and faults is separators and nothing else.
fn nothing_is_lost(format: Format, bytes: &[u8], rows: &Rows) {
    let mut spans: Vec<(u64, u64)> =
        rows.rows.iter().map(|r| r.span).chain(rows.faults.iter().map(|f| f.span)).collect();
    spans.sort_unstable();
    let separators: &[u8] = match format {
        Format::Json => b"[], \t\r\n",
        Format::Ndjson => b" \t\r\n\x0c",
        Format::Csv => b"\r\n",
    };
    let separates = |gap: Option<&[u8]>| gap.is_some_and(|gap| gap.iter().all(|byte| separators.contains(byte)));
    let mark = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    // In CSV the header is before the first row.
    let mut end = match format {
        Format::Csv => spans.first().map_or(bytes.len() as u64, |first| first.0),
        _ => mark,
    };
    for (start, stop) in spans {
        assert!(end <= start && start <= stop && stop <= bytes.len() as u64, "{format:?} {start}..{stop} after {end}");
        assert!(separates(bytes.get(end as usize..start as usize)), "{format:?} loses bytes before {start}");
        end = stop;
    }
    assert!(separates(bytes.get(end as usize..)), "{format:?} loses bytes after {end}");
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-c\"\\\\]{1,2}", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn row() -> impl Strategy<Value = Value> {
    prop::collection::btree_map(".{0,3}", value(), 0..4)
        .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into())
}

fn csv_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(&b","[..]),
        Just(&b";"[..]),
        Just(&b"\t"[..]),
        Just(&b"\""[..]),
        Just(&b"\n"[..]),
        Just(&b"\r\n"[..]),
        Just(&b"\r"[..]),
        Just(&b"a"[..]),
        Just(&b"bc"[..]),
        Just(&b" "[..]),
        Just(&b"\xE9"[..]),
        Just(&b"\xEF\xBB\xBF"[..]),
    ];
    let header = prop_oneof![Just(&b"a,b\n"[..]), Just(&b"a;b\n"[..]), Just(&b"sep=;\r\na;b\n"[..])];
    (header, prop::collection::vec(piece, 0..24))
        .prop_map(|(header, pieces)| [header].into_iter().chain(pieces).collect::<Vec<_>>().concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: candor_test_size::cases(400), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        for format in FORMATS {
            nothing_is_lost(format, &bytes, &all(format, &bytes));
        }
    }

    #[test]
    fn any_csv(bytes in csv_like()) {
        nothing_is_lost(Format::Csv, &bytes, &all(Format::Csv, &bytes));
    }

    #[test]
    fn json_reads_back(rows in prop::collection::vec(row(), 0..5), pretty: bool) {
        let text = if pretty { candor_json::to_string_pretty(&rows) } else { candor_json::to_string(&rows) }.unwrap();
        let read = all(Format::Json, text.as_bytes());
        prop_assert_eq!(&read.faults, &[]);
        prop_assert_eq!(columns(&read), rows.clone());
        for row in &read.rows {
            let alone = &text[row.span.0 as usize..row.span.1 as usize];
            prop_assert_eq!(&Content::Typed(candor_json::from_str(alone).unwrap()), &row.content);
        }
        let lines: String = rows.iter().map(|row| format!("{row}\r\n")).collect();
        let read = all(Format::Ndjson, lines.as_bytes());
        prop_assert_eq!(&read.faults, &[]);
        prop_assert_eq!(columns(&read), rows);
    }

    #[test]
    fn cut_off_json_says_so(rows in prop::collection::vec(row(), 1..5), at: prop::sample::Index) {
        let text = candor_json::to_string(&rows).unwrap();
        let bytes = &text.as_bytes()[..at.index(text.len())];
        let read = all(Format::Json, bytes);
        nothing_is_lost(Format::Json, bytes, &read);
        prop_assert!(!read.faults.is_empty());
        let columns = columns(&read);
        prop_assert_eq!(&columns[..], &rows[..columns.len()]);
    }

    #[test]
    fn csv_reads_back(cells in prop::collection::vec(prop::collection::vec("[a,\"\r\né ]{0,4}", 3), 0..5), crlf: bool) {
        let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let mut writer = csv::WriterBuilder::new().terminator(terminator).from_writer(Vec::new());
        writer.write_record(["x", "y", "z"]).unwrap();
        cells.iter().for_each(|row| writer.write_record(row).unwrap());
        let bytes = writer.into_inner().unwrap();
        let read = all(Format::Csv, &bytes);
        nothing_is_lost(Format::Csv, &bytes, &read);
        prop_assert_eq!(&read.faults, &[]);
        let written: Vec<Value> = cells.iter().map(|row| json!({"x": row[0], "y": row[1], "z": row[2]})).collect();
        prop_assert_eq!(columns(&read), written);
    }

    #[test]
    fn other_delimiters_read_back(
        cells in prop::collection::vec(prop::collection::vec("[a,\"\r\né ;|]{0,4}", 3), 0..5),
        delimiter in prop::sample::select(vec![b';', b'\t', b'|']),
        said: bool,
    ) {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        writer.write_record(["x", "y", "z"]).unwrap();
        cells.iter().for_each(|row| writer.write_record(row).unwrap());
        let bytes = writer.into_inner().unwrap();
        let line = if said { format!("sep={}\r\n", char::from(delimiter)) } else { String::new() };
        let bytes = [line.as_bytes(), &bytes].concat();
        let read = all(Format::Csv, &bytes);
        nothing_is_lost(Format::Csv, &bytes, &read);
        prop_assert_eq!(&read.faults, &[]);
        let written: Vec<Value> = cells.iter().map(|row| json!({"x": row[0], "y": row[1], "z": row[2]})).collect();
        prop_assert_eq!(columns(&read), written);
    }

    #[test]
    fn memory_is_within_the_budget(rows in prop::collection::vec(row(), 0..30), budget in 0u64..6000) {
        let text = candor_json::to_string(&rows).unwrap();
        let mut left = budget;
        let read = read(Format::Json, text.as_bytes(), &mut left);
        prop_assert!(left <= budget);
        let over = read.faults.iter().any(|fault| fault.obstacle == Some(Obstacle::LimitExceeded));
        prop_assert_eq!(over, read.rows.len() < rows.len());
        nothing_is_lost(Format::Json, text.as_bytes(), &read);
    }
}

#[test]
fn faults_are_counted_and_not_kept_without_end() {
    let read = all(Format::Ndjson, "x\n".repeat(5000).as_bytes());
    assert_eq!(read.faults.len(), 101);
    assert_eq!(read.faults[100].what, "4900 more rows from byte 200 on cannot be read");
    nothing_is_lost(Format::Ndjson, "x\n".repeat(5000).as_bytes(), &read);
}

#[test]
fn an_empty_object_costs_more_than_its_bytes() {
    let text = format!("[{}{{}}]", "{},".repeat(10_000));
    let mut budget = 100_000;
    let read = read(Format::Json, text.as_bytes(), &mut budget);
    assert!(read.rows.len() < 1000, "{}", read.rows.len());
    assert_eq!(read.faults[0].obstacle, Some(Obstacle::LimitExceeded));
}
