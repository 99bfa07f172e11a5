//! CSV, JSON and XML: every damage has its finding, at its place.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use candor_validate::{Finding, Report, csv, json, xml};
use proptest::prelude::*;

type Read = fn(&str, &[u8]) -> Report;

/// A format, a text, and the code, line and path of its one finding; nothing for a sound one.
type Damage = (Read, &'static [u8], Option<(&'static str, u64, &'static str)>);

const DAMAGES: &[Damage] = &[
    (csv, b"id,name\n1,Ann\n2,\"Lee, Bo\"\n", None),
    (csv, b"id;name\r\n1;\"a \"\"b\"\"\"\r\n\r\n", None),
    (csv, b"\xEF\xBB\xBFid\tname\n1\t\n", None),
    (csv, b"sep=;\r\nid;a,b,c\r\n1;x\r\n", None),
    (csv, b"\"a,b\";\"c,d\";e\n1;2;3\n", None),
    (csv, b"id|name\n1|\"two\nlines\"\n", None),
    (csv, b"id,name\n1,Ann\n2\n", Some(("row-length", 3, "row 2"))),
    (csv, b"id,name\n1,Ann,x\n", Some(("row-length", 2, "row 1"))),
    (csv, b"id,id\n1,2\n", Some(("duplicate-column", 1, "column 2"))),
    (csv, b"id,\n1,2\n", Some(("no-column-name", 1, "column 2"))),
    (csv, b"id,name\n1,\"Ann\n", Some(("quotation-mark", 2, "$readable"))),
    (csv, b"id,name\n1,\"Ann\"x\n", Some(("quotation-mark", 2, "$readable"))),
    (csv, b"id,name\n1,An\"n\n", Some(("quotation-mark", 2, "$readable"))),
    (csv, b"id,name\n1,M\xFCller\n", Some(("encoding", 2, "$readable"))),
    (csv, b"", Some(("no-header", 1, "row 0"))),
    (json, b"{\"a\": [1, 2.50, null]}\n", None),
    (json, b"{\"a\": 1}\n{\"a\": 2}\n", None),
    (json, b"{\n\"a\": 1,\n\"b\": }", Some(("invalid-json", 3, "$readable"))),
    (json, b"{\"a\": 1, \"a\": 2}", Some(("duplicate-member", 1, "$readable"))),
    (json, b"{\"a\": 1}\n{\"a\": 1, }\n", Some(("invalid-json", 2, "$readable"))),
    (json, b"{\"a\": \"\xE4\"}", Some(("encoding", 1, "$readable"))),
    (json, b"", Some(("invalid-json", 1, "$readable"))),
    (xml, b"<?xml version=\"1.0\"?>\n<a><b>x</b></a>", None),
    (xml, b"<a>\n<b></a>", Some(("invalid-xml", 2, "$readable"))),
    (xml, b"<a><b/></a", Some(("invalid-xml", 1, "$readable"))),
    (xml, b"<!DOCTYPE a [<!ENTITY e SYSTEM \"/etc/passwd\">]>\n<a>&e;</a>", Some(("document-type", 1, "$readable"))),
];

#[test]
fn every_damage_has_its_finding() {
    for (read, text, expected) in DAMAGES {
        let report = read("a", text);
        let found: Vec<_> =
            report.findings.iter().map(|one| (one.code.as_str(), one.line.unwrap(), one.path.as_str())).collect();
        let shown = String::from_utf8_lossy(text);
        assert_eq!(found, expected.iter().copied().collect::<Vec<_>>(), "{shown}: {:?}", report.findings);
        assert!(!report.not_looked_at.is_empty() || found.iter().any(|(code, ..)| *code == "encoding"), "{shown}");
    }
}

#[test]
fn xml_beyond_a_limit_is_a_finding_and_costs_no_stack() {
    // The second one has an end within a comment.
    for open in ["<a>", "<a><!--></a>-->"] {
        let nested = |levels: usize| xml("a", (open.repeat(levels) + &"</a>".repeat(levels)).as_bytes());
        assert!(nested(256).is_sound());
        for levels in [257, 100_000] {
            let report = nested(levels);
            let finding = |one: &Finding| (one.code.clone(), one.offset.unwrap(), one.found.clone().unwrap());
            let found: Vec<_> = report.findings.iter().map(finding).collect();
            let what = "elements more than 256 levels deep";
            assert_eq!(found, [("too-deep".to_owned(), 256 * open.len() as u64, what.to_owned())]);
        }
    }
    let attributes: String = (0..300).map(|number| format!(" a{number}='1'")).collect();
    let report = xml("a", format!("<a{attributes}/>").as_bytes());
    assert_eq!(report.findings.first().map(|one| one.code.as_str()), Some("limit"));
}

proptest! {
    #[test]
    fn a_table_that_was_written_is_sound(rows in prop::collection::vec(prop::array::uniform3("[ a-z,;\"\n\r|\t]{0,6}"), 0..8)) {
        let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
        let mut text = "a,b,c\n".to_owned();
        for row in &rows {
            text += &(row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n");
        }
        let report = csv("a.csv", text.as_bytes());
        prop_assert!(report.is_sound(), "{text}: {:?}", report.findings);
        prop_assert_eq!(&report.units, &[format!("{} {} of 3 cells", rows.len(), if rows.len() == 1 { "row" } else { "rows" })]);
    }

    #[test]
    fn a_row_that_lost_a_cell_is_found(rows in 1_usize..20, lost in 0_usize..20) {
        let lost = lost % rows;
        let lines: Vec<&str> = (0..rows).map(|row| if row == lost { "1,2\n" } else { "1,2,3\n" }).collect();
        let report = csv("a.csv", format!("a,b,c\n{}", lines.concat()).as_bytes());
        let found: Vec<_> = report.findings.iter().map(|one| (one.code.as_str(), one.line)).collect();
        prop_assert_eq!(found, vec![("row-length", Some(lost as u64 + 2))]);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for read in [csv, json, xml] {
            for finding in read("a", &bytes).findings {
                prop_assert!(finding.offset.unwrap() <= bytes.len() as u64, "{finding:?}");
            }
        }
    }
}
