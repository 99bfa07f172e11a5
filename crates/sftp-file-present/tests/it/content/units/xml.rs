//! XML documents.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use proptest::prelude::*;

use crate::content::xml::{Xml, XmlPath};

fn values(text: &str, path: &str) -> Vec<String> {
    let xml = Xml::read(text).unwrap();
    let path = XmlPath::parse(path).unwrap_or_else(|problem| panic!("{path}: {problem:?}"));
    let selection = xml.select(&path);
    selection.values.iter().map(|found| found.datum.string().unwrap().to_owned()).collect()
}

const DOCUMENT: &str = r#"<?xml version="1.0"?>
<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:sdtc="urn:hl7-org:sdtc">
  <id root="2.16.840" extension="A1"/><id extension="B2"/>
  <recordTarget><patientRole classCode='PAT'>
    <id root="2.16.840" extension="MRN-1"/>
    <patient><name use="L"><given>Ada</given><given>M.</given><family>L&amp;w<!-- - --> &#x41;<![CDATA[<b>]]></family></name>
      <raceCode code="1"/><sdtc:raceCode code="2"/></patient>
  </patientRole></recordTarget>
  <text>a <b>b<i>c</i></b> d</text>
  <empty/><total> 120.50 </total>
</ClinicalDocument>"#;

#[test]
fn paths_select_by_local_names() {
    for (path, expected) in [
        ("ClinicalDocument.recordTarget.patientRole.id.@extension", vec!["MRN-1"]),
        ("/ClinicalDocument/recordTarget/patientRole/id/@extension", vec!["MRN-1"]),
        ("ClinicalDocument/id/@extension", vec!["A1", "B2"]),
        ("ClinicalDocument.id[2].@extension", vec!["B2"]),
        ("ClinicalDocument.id[last()].@extension", vec!["B2"]),
        ("ClinicalDocument.id[@root=\"2.16.840\"].@extension", vec!["A1"]),
        ("ClinicalDocument.id[@root='2.16.840'][1].@extension", vec!["A1"]),
        ("ClinicalDocument.id[@root=2.16.840].@extension", vec!["A1"]),
        ("ClinicalDocument.id[@root].@extension", vec!["A1"]),
        ("//id/@extension", vec!["A1", "B2", "MRN-1"]),
        ("//id[1]/@extension", vec!["A1", "MRN-1"]),
        ("//patient//given", vec!["Ada", "M."]),
        ("//patient/name/given[2]", vec!["M."]),
        ("//patientRole[patient/name/given='Ada']/id/@extension", vec!["MRN-1"]),
        ("//given[.='M.']", vec!["M."]),
        ("//family", vec!["L&w A<b>"]),
        ("//raceCode/@code", vec!["1", "2"]),
        ("//raceCode[namespace-uri()='urn:hl7-org:sdtc']/@code", vec!["2"]),
        ("ClinicalDocument.text", vec!["a bc d"]),
        ("ClinicalDocument/text/text()", vec!["a ", " d"]),
        ("ClinicalDocument/*/@extension", vec!["A1", "B2"]),
        ("ClinicalDocument/id[1]/@*", vec!["2.16.840", "A1"]),
        ("ClinicalDocument.empty", vec![""]),
        ("ClinicalDocument.total", vec![" 120.50 "]),
        ("ClinicalDocument.nothing", vec![]),
        ("id.@extension", vec![]),
        ("//@use", vec!["L"]),
    ] {
        assert_eq!(values(DOCUMENT, path), expected, "{path}");
    }
}

#[test]
fn spans_point_at_what_was_selected() {
    let xml = Xml::read(DOCUMENT).unwrap();
    for (path, there) in [("//given[1]", "<given>Ada</given>"), ("//patientRole/id/@extension", "MRN-1")] {
        let selection = xml.select(&XmlPath::parse(path).unwrap());
        let span = selection.values[0].span.clone().unwrap();
        assert_eq!(&DOCUMENT[span.start as usize..span.end as usize], there);
    }
}

#[test]
fn what_is_no_path_is_said_where() {
    for (path, offset, message) in [
        ("", 0, "empty"),
        ("a..b", 2, "empty"),
        ("a.0.b", 2, "`name[n]`"),
        ("a/", 1, "missing behind"),
        ("a///b", 3, "missing between"),
        ("a/../b", 2, "`..` is not read"),
        ("hl7:a/b", 0, "write `a`"),
        ("a/child::b", 2, "axes"),
        ("a[0]", 2, "from 1"),
        ("a[b", 1, "does not close"),
        ("a]", 1, "closes that none opened"),
        ("a[b[1]]", 3, "brackets in brackets"),
        ("a[@b='1' or @c='2']", 2, "`and` and `or`"),
        ("a[@b!='1']", 2, "`=` is read"),
        ("a[@b<='1']", 2, "`=` is read"),
        ("a[contains(@b,'1')]", 2, "`text()` and `last()`"),
        ("a[@b/c]", 2, "last step"),
        ("a.@b.c", 0, "last step"),
        ("a.@b[1]", 4, "go on elements"),
        ("@b", 0, "root element"),
        ("a[1]b", 4, "expected `.`"),
        ("count(a)", 0, "`text()` and `last()`"),
        ("a b", 1, "not part of a name"),
        ("$.a", 0, "not part of a name"),
    ] {
        let problem = XmlPath::parse(path).unwrap_err();
        assert!(problem.offset == offset && problem.message.contains(message), "{path}: {problem:?}");
    }
}

#[test]
fn what_is_not_read_is_said_where() {
    let deep = |levels: usize| format!("{}{}", "<a>".repeat(levels), "</a>".repeat(levels));
    let closed = "<a><!--></a>-->".repeat(100_000);
    let wide: String = (0..300).map(|n| format!(" a{n}='1'")).collect();
    let named: String = (0..65).map(|n| format!("<a xmlns:n{n}='u{n}'>")).collect();
    for (text, offset, what, limit) in [
        ("<a><b></a>", 6, "not XML", false),
        ("<a>\n<é x='1' x='2'/></a>", 14, "not XML", false),
        ("<a/><b/>", 4, "not XML", false),
        ("", 0, "not XML", false),
        ("<p:a/>", 1, "not XML", false),
        ("<a>&nbsp;</a>", 3, "not XML", false),
        ("<a>\0</a>", 3, "not XML", false),
        ("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", 0, "document type", false),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", 0, "document type", false),
        (deep(300).as_str(), 768, "256 levels", true),
        (deep(100_000).as_str(), 768, "256 levels", true),
        (closed.as_str(), 3840, "256 levels", true),
        (format!("<a{wide}/>").as_str(), 0, "256 attributes", true),
        (named.as_str(), 1196, "64 namespaces", true),
    ] {
        let error = Xml::read(text).unwrap_err();
        assert!(error.what.contains(what), "{text}: {error:?}");
        assert_eq!((error.obstacle.is_some(), error.offset), (limit, offset), "{text}: {error:?}");
    }
    assert!(Xml::read(&deep(256)).is_ok());
    assert!(Xml::read(&format!("<a>{}</a>", "<b xmlns:c='d'/>".repeat(100))).is_ok());
}

#[test]
fn elements_within_elements_are_not_read_over_and_over() {
    let text = format!("{}{}{}", "<a>".repeat(200), "x".repeat(1000), "</a>".repeat(200));
    let xml = Xml::read(&text).unwrap();
    assert!(xml.is_too_much(&XmlPath::parse("//a").unwrap()));
    assert!(!xml.is_too_much(&XmlPath::parse("//a[a]/@b").unwrap()));
    assert!(!xml.is_too_much(&XmlPath::parse("a").unwrap()));
    assert_eq!(xml.hint(&XmlPath::parse("b.a").unwrap()).unwrap(), "has the root element `a`, not `b`");
}

proptest! {
    #[test]
    fn text_that_is_written_is_read(text in "[a-z <&>\"'é\n]{0,12}") {
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
        prop_assert_eq!(values(&format!("<a><b>{escaped}</b></a>"), "a.b"), vec![text.clone()]);
        let flat = text.replace('\n', " ");
        prop_assert_eq!(values(&format!("<a b=\"{escaped}\"/>"), "a.@b"), vec![flat]);
    }

    #[test]
    fn never_panics(text in "[<>/a-c='\"!\\[\\]&; ?\n-]{0,48}", path in "[a-c@/.*\\[\\]0-9='\"()!:]{0,16}") {
        let path = XmlPath::parse(&path);
        if let (Ok(xml), Ok(path)) = (Xml::read(&text), path) {
            let _ = (xml.select(&path).values.len(), xml.is_too_much(&path), xml.hint(&path));
        }
    }

    #[test]
    fn descendants_are_those_of_the_document(depth in 1usize..6, width in 1usize..4) {
        fn tree(depth: usize, width: usize, next: &mut usize) -> String {
            *next += 1;
            let inner: String = (0..if depth > 1 { width } else { 0 }).map(|_| tree(depth - 1, width, next)).collect();
            format!("<a n='{}'>{inner}</a>", { *next })
        }
        let text = tree(depth, width, &mut 0);
        let all = values(&text, "//a/@n");
        prop_assert_eq!(all.len(), text.matches("<a ").count());
        let twice = values(&text, "//a//a/@n");
        prop_assert_eq!(twice.len(), all.len() - 1, "the root is in no other, and each other is there once");
    }
}
