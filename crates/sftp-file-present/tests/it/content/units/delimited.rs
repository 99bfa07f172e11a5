//! Delimited rows.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use proptest::prelude::*;

use crate::content::rows::{RowPath, Shape, Table};

fn values(text: &str, path: &str, shape: &Shape) -> Vec<String> {
    let table = Table::delimited(text, shape).unwrap();
    let path = RowPath::parse(path).unwrap();
    table.select(&path).values.iter().map(|f| f.datum.string().unwrap().to_owned()).collect()
}

#[test]
fn reads_rows_as_rfc_4180_writes_them() {
    let shape = Shape::default();
    let text = "id,name,n.o\r\n1,\"a,\"\"b\"\"\nc\",x\r\n2,,\r\n3\r\n\r\n";
    assert_eq!(values(text, "id", &shape), ["1", "2", "3"]);
    assert_eq!(values(text, "name", &shape), ["a,\"b\"\nc", ""]);
    assert_eq!(values(text, "2.id", &shape), ["2"]);
    assert_eq!(values(text, "n.o", &shape), ["x", ""]);
    assert!(values(text, "9.id", &shape).is_empty());
    assert!(values(text, "nothing", &shape).is_empty());
    assert!(values("", "id", &shape).is_empty());
    let bare = Shape { delimiter: Some('|'), header: false, ..Shape::default() };
    assert_eq!(values("a|b\nc|d", "2", &bare), ["b", "d"]);
    assert_eq!(values("a|b\nc|d", "2.1", &bare), ["c"]);
    assert!(RowPath::parse("0.id").is_err());
}

#[test]
fn any_character_divides_and_any_line_end_ends() {
    for delimiter in ['\t', ';', '|', '\u{1f}', '§', '€'] {
        let shape = Shape { delimiter: Some(delimiter), ..Shape::default() };
        let text = "a,b\rc,\"d,e\"\nf,g\r\n\u{1a}\0\0".replace(',', &delimiter.to_string());
        assert_eq!(values(&text, "b", &shape), [format!("d{delimiter}e"), "g".to_owned()], "{delimiter:?}");
        assert_eq!(values(&text, "a", &shape), ["c", "f"], "{delimiter:?}");
    }
}

#[test]
fn rows_are_selected_by_what_they_hold() {
    let shape = Shape::default();
    let text = "type,id,a=b,amount\nCLM,1,x,10\nHDR,2,x,\nCLM,3,\"y]\",30\n";
    for (path, expected) in [
        ("row[type=CLM].amount", vec!["10", "30"]),
        ("row[type=CLM][2].amount", vec!["30"]),
        ("row[type=CLM][id=3].amount", vec!["30"]),
        (r"row[a\=b=y\]].id", vec!["3"]),
        (r#"row[a\=b="y]"].id"#, vec!["3"]),
        ("row[3].id", vec!["3"]),
        ("row[type=].id", vec![]),
        ("row[amount=].id", vec!["2"]),
        ("row[nothing=1].id", vec![]),
        ("row[type=CLM].nothing", vec![]),
    ] {
        assert_eq!(values(text, path, &shape), expected, "{path}");
    }
    let bare = Shape { header: false, ..Shape::default() };
    assert_eq!(values(text, "row[1=CLM].4", &bare), ["10", "30"]);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let shape = Shape::default();
    for (text, offset, what) in [
        ("a,b\n1,2,3\n", 4, "line 2, whose row has 3 cells where the header has 2"),
        ("a,b\n\"x\n\r\ny\",2\n\n1,2,3\n", 15, "line 6, whose"),
        (
            "a;b\n1,5;2\n",
            4,
            "line 2, whose row has 2 cells where the header has 1; its cells seem to be divided by ';'",
        ),
        ("a,b\n1,2\na,b\n3,4\n", 8, "line 3, which is the header again"),
        ("a,b\n1,2\n\"A\",b\n3,4\n", 8, "line 3, which is the header again"),
        ("a,b\n1,2\n<html>error</html>\n", 8, "line 3, which is HTML"),
        ("a,a\n", 0, "column `a` twice"),
        ("a\n\"b", 2, "does not close"),
        ("a\n\"b\"c\n", 5, "behind a closing quotation mark"),
    ] {
        let error = Table::delimited(text, &shape).unwrap_err();
        assert_eq!(error.offset, offset, "{text}: {}", error.what);
        assert!(error.what.contains(what), "{text}: {}", error.what);
    }
}

#[test]
fn a_delimiter_that_was_not_meant_is_seen() {
    let hint = |text, path, delimiter| {
        let shape = Shape { delimiter, ..Shape::default() };
        Table::delimited(text, &shape).unwrap().hint(&RowPath::parse(path).unwrap()).unwrap_or_default()
    };
    let said = hint("a;b;c\n1;2;3\n", "b", None);
    assert!(said.contains("\"a;b;c\"") && said.contains("no `delimiter`") && said.contains("';'"), "{said}");
    let said = hint("a,b\n1,2\n", "2.b", Some('|'));
    assert!(said.contains("'|' is the `delimiter` given") && said.contains("','"), "{said}");
    assert_eq!(hint("total,b\n1,2\n", "row[totl=1].b", None), "has no column `totl`; did you mean `total`?");
    assert_eq!(hint("a,b\n1,2\n", "9.b", None), "");
}

proptest! {
    #[test]
    fn what_is_written_is_read(rows in prop::collection::vec(prop::collection::vec("[a\"',\n\ré]{0,4}", 2), 1..6)) {
        let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
        let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
        let text: String = rows.iter().map(line).collect();
        let shape = Shape { header: false, ..Shape::default() };
        let expected: Vec<String> = rows.iter().map(|row| row[1].clone()).collect();
        prop_assert_eq!(values(&text, "2", &shape), expected);
    }

    #[test]
    fn never_panics(text in "[a\",\n\r|é\0]{0,40}", header in any::<bool>(), delimiter in "[,é|]") {
        let shape = Shape { delimiter: delimiter.chars().next(), header, ..Shape::default() };
        if let Ok(table) = Table::delimited(&text, &shape) {
            for path in ["a", "1", "2.1", "9.a", "row[a=a].a", "row[1=a][1].2"] {
                let path = RowPath::parse(path).unwrap();
                for found in table.select(&path).values {
                    prop_assert!(text.get(found.span.clone().unwrap().start as usize..found.span.unwrap().end as usize).is_some());
                }
                let _ = table.hint(&path);
            }
        }
    }
}
