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
