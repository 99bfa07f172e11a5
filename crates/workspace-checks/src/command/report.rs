//! Test reports in JUnit's XML, as most runners write them.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::attributes::{AttrError, Attribute};
use quick_xml::events::{BytesStart, Event};
use serde::{Deserialize, Serialize};

use super::counts::{Counts, NAMES};

/// The deepest element that is read.
const DEEPEST: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unread {
    /// It is not a report.
    None(String),
    Limit(String),
}

impl Unread {
    pub(super) fn of(self, before: &str) -> Self {
        match self {
            Self::None(what) => Self::None(format!("{before}{what}")),
            Self::Limit(what) => Self::Limit(format!("{before}{what}")),
        }
    }
}

/// Counts the test cases of a report. Failures that are not of a test case, or only in a suite's sums, are `broken`.
///
/// # Errors
/// A sentence that says why it is not a report.
pub(super) fn read(bytes: &[u8]) -> Result<Counts, Unread> {
    let mut reader = Reader::from_reader(bytes);
    let mut buffer = Vec::new();
    let mut report = Report::default();
    loop {
        buffer.clear();
        let event =
            reader.read_event_into(&mut buffer).map_err(|error| Unread::None(format!("it is not XML: {error}")))?;
        match event {
            Event::Start(element) => report.begin(&element)?,
            Event::Empty(element) => {
                report.begin(&element)?;
                report.end();
            }
            Event::End(_) => report.end(),
            Event::Eof if !report.open.is_empty() => return Err(Unread::None("it breaks off".to_owned())),
            Event::Eof if !report.rooted => return Err(Unread::None("it holds no element".to_owned())),
            Event::Eof => return Ok(report.counted()),
            _ => {}
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Suite,
    Case,
    Other,
}

#[derive(Default)]
struct Report {
    open: Vec<Kind>,
    rooted: bool,
    case: Case,
    counts: Counts,
    /// The most failures that a suite's own sum counts.
    claimed: u64,
}

#[derive(Default)]
struct Case {
    failed: bool,
    skipped: bool,
    /// Its `classname` and `name`.
    name: [Option<String>; 2],
}

impl Case {
    /// `calc.AddTest.adds`, without what could steer a terminal, cut where it is long.
    fn full_name(&self) -> Option<String> {
        const LONGEST: usize = 300;
        let parts = Vec::from_iter(self.name.iter().flatten().filter(|part| !part.is_empty()).map(String::as_str));
        let name: String = candor_process::plain(&parts.join(".")).chars().take(LONGEST).collect();
        (!name.is_empty()).then(|| name.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

impl Report {
    fn begin(&mut self, element: &BytesStart<'_>) -> Result<(), Unread> {
        let name = element.local_name();
        let name = name.as_ref();
        let kind = match name {
            b"testsuites" | b"testsuite" => Kind::Suite,
            b"testcase" => Kind::Case,
            _ => Kind::Other,
        };
        let parent = self.open.last().copied();
        match (parent, kind) {
            (None, _) if self.rooted => return Err(Unread::None("it holds more than one element".to_owned())),
            (None, Kind::Suite) => self.rooted = true,
            (None, _) => return Err(Unread::None("its first element is neither testsuites nor testsuite".to_owned())),
            (Some(Kind::Case | Kind::Other), Kind::Suite | Kind::Case) => {
                return Err(Unread::None("a testsuite or testcase lies in an element other than testsuite".to_owned()));
            }
            _ => {}
        }
        if self.open.len() >= DEEPEST {
            return Err(Unread::Limit(format!("its elements are more than {DEEPEST} deep")));
        }
        match kind {
            Kind::Suite => self.claimed = self.claimed.max(claimed(element).map_err(Unread::None)?),
            Kind::Case => self.case = case(element).map_err(Unread::None)?,
            Kind::Other => {
                let within = self.open.contains(&Kind::Case);
                match name {
                    b"failure" | b"error" if within => self.case.failed = true,
                    b"failure" | b"error" => self.counts.broken += 1,
                    b"skipped" if within => self.case.skipped = true,
                    _ => {}
                }
            }
        }
        self.open.push(kind);
        Ok(())
    }

    fn end(&mut self) {
        if self.open.pop() == Some(Kind::Case) {
            let case = std::mem::take(&mut self.case);
            if case.skipped && !case.failed {
                self.counts.skipped += 1;
            } else {
                self.counts.ran += 1;
                self.counts.failed += u64::from(case.failed);
                if case.failed && self.counts.names.len() < NAMES {
                    self.counts.names.extend(case.full_name());
                }
            }
        }
    }

    fn counted(self) -> Counts {
        let mut counts = Counts { by: vec!["junit".to_owned()], ..self.counts };
        if counts.failed == 0 && counts.broken == 0 {
            counts.broken = self.claimed;
        }
        counts
    }
}

/// The attributes of an element, names without their prefix.
fn attributes(element: &BytesStart<'_>) -> Result<Vec<(String, String)>, String> {
    let read = |attribute: Result<Attribute<'_>, _>| {
        let attribute = attribute.map_err(|error: AttrError| format!("it is not XML: {error}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        Ok((text(attribute.key.local_name().as_ref()).to_ascii_lowercase(), text(&attribute.value)))
    };
    element.attributes().map(read).collect()
}

fn claimed(element: &BytesStart<'_>) -> Result<u64, String> {
    let mut sum = 0u64;
    for (name, value) in attributes(element)? {
        if matches!(name.as_str(), "failures" | "errors") && !value.is_empty() {
            let number = value.parse::<u64>().map_err(|_| format!("its {name} is not a number"))?;
            sum = sum.saturating_add(number);
        }
    }
    Ok(sum)
}

/// Reads the attributes of a test case: GoogleTest and CTest write `status` and `result`.
fn case(element: &BytesStart<'_>) -> Result<Case, String> {
    let mut case = Case::default();
    for (name, value) in attributes(element)? {
        // Entities that XML does not know are left as they are written.
        let shown = || quick_xml::escape::unescape(&value).map_or_else(|_| value.clone(), Cow::into_owned);
        if name == "classname" {
            case.name[0] = Some(shown());
        }
        if name == "name" {
            case.name[1] = Some(shown());
        }
        if matches!(name.as_str(), "status" | "result") {
            match value.to_ascii_lowercase().as_str() {
                "notrun" | "skipped" | "suppressed" | "disabled" | "ignored" | "pending" => case.skipped = true,
                "fail" | "failed" | "failure" | "error" => case.failed = true,
                _ => {}
            }
        }
    }
    Ok(case)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cases_are_counted() {
        let report = br#"<?xml version="1.0"?><testsuites><testsuite name="a" tests="99">
            <testcase name="1"/><testcase name="2"><failure message="x">no</failure></testcase>
            <testcase name="3"><skipped/></testcase><testcase name="4"><system-out>ok</system-out></testcase>
        </testsuite></testsuites>"#;
        let counts = read(report).unwrap();
        assert_eq!((counts.ran, counts.failed, counts.skipped), (3, 1, 1));
        assert_eq!(read(b"<testsuite/>").unwrap().ran, 0);
    }

    #[test]
    fn what_did_not_run_and_what_failed_is_told_in_many_ways() {
        for (report, ran, failed, skipped, broken) in [
            (
                "<testsuite><testcase status='notrun'/><testcase status='run' result='suppressed'/></testsuite>",
                0,
                0,
                2,
                0,
            ),
            ("<testsuite><testcase status='run' result='completed'/></testsuite>", 1, 0, 0, 0),
            ("<testsuite><testcase status='fail'/></testsuite>", 1, 1, 0, 0),
            ("<testsuite><error message='x'/><testcase/></testsuite>", 1, 0, 0, 1),
            ("<testsuites><testsuite><testcase/></testsuite><failure/></testsuites>", 1, 0, 0, 1),
            ("<testsuite failures='2'><testcase/></testsuite>", 1, 0, 0, 2),
            ("<testsuites errors='1'><testsuite errors='1'><testcase/></testsuite></testsuites>", 1, 0, 0, 1),
            ("<testsuite failures='1' errors=''><testcase><failure/></testcase></testsuite>", 1, 1, 0, 0),
        ] {
            let counts = read(report.as_bytes()).unwrap();
            let told = (counts.ran, counts.failed, counts.skipped, counts.broken);
            assert_eq!(told, (ran, failed, skipped, broken), "{report}");
        }
    }

    #[test]
    fn failed_cases_are_named() {
        let report = "<testsuite><testcase classname='calc.Add' name='adds &lt;1&gt;'><failure/></testcase><testcase name='b'/>\
                      <testcase name=' &none; \u{202e}'><error/></testcase><testcase><failure/></testcase></testsuite>";
        assert_eq!(read(report.as_bytes()).unwrap().names, ["calc.Add.adds <1>", "&none;"]);
        let many = format!("<testsuite>{}</testsuite>", "<testcase name='x'><failure/></testcase>".repeat(99));
        let counts = read(many.as_bytes()).unwrap();
        assert_eq!((counts.failed, counts.names.len()), (99, NAMES));
    }

    #[test]
    fn what_is_none_is_refused() {
        for (bytes, expected) in [
            (&b""[..], "holds no element"),
            (b"<html></html>", "neither testsuites nor testsuite"),
            (b"<testsuite><testcase>", "breaks off"),
            (b"<testsuite></a>", "not XML"),
            (b"<testsuite><testcase><failure/><testcase/></testcase></testsuite>", "other than testsuite"),
            (b"<testsuite/><testsuite/>", "more than one"),
            (b"<testsuite failures='some'/>", "not a number"),
            (b"<testsuite failures='1' failures='0'/>", "not XML"),
        ] {
            let Unread::None(error) = read(bytes).unwrap_err() else { panic!("{expected}") };
            assert!(error.contains(expected), "{error}");
        }
        let deep = read("<testsuite>".repeat(200).as_bytes()).unwrap_err();
        assert!(matches!(deep, Unread::Limit(why) if why.contains("deep")));
    }

    proptest! {
        #[test]
        fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..100), text in "(<(/?testsuite|testcase|skipped)/?>){0,20}") {
            let _ = (read(&bytes), read(text.as_bytes()));
        }
    }
}
