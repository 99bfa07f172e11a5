//! Test reports in JUnit's XML, as most runners write them.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::counts::Counts;

/// The deepest element that is read.
const DEEPEST: usize = 100;

/// Counts the test cases of a report.
///
/// # Errors
/// A sentence that says why it is none.
pub(super) fn read(bytes: &[u8]) -> Result<Counts, String> {
    let mut reader = Reader::from_reader(bytes);
    let mut buffer = Vec::new();
    let mut counts = Counts { by: vec!["junit".to_owned()], ..Counts::default() };
    // What is known of the test case that is open.
    let mut case: Option<Case> = None;
    let (mut depth, mut rooted) = (0usize, false);
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(|error| format!("it is no XML: {error}"))?;
        match event {
            Event::Start(element) => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(format!("its elements are more than {DEEPEST} deep"));
                }
                begin(element.local_name().as_ref(), depth, &mut rooted, &mut case)?;
            }
            Event::Empty(element) => {
                let name = element.local_name();
                begin(name.as_ref(), depth + 1, &mut rooted, &mut case)?;
                if name.as_ref() == b"testcase" {
                    end(&mut case, &mut counts);
                }
            }
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                if element.local_name().as_ref() == b"testcase" {
                    end(&mut case, &mut counts);
                }
            }
            Event::Eof if depth > 0 => return Err("it breaks off".to_owned()),
            Event::Eof if !rooted => return Err("it holds no element".to_owned()),
            Event::Eof => return Ok(counts),
            _ => {}
        }
    }
}

#[derive(Default)]
struct Case {
    failed: bool,
    skipped: bool,
}

fn begin(name: &[u8], depth: usize, rooted: &mut bool, case: &mut Option<Case>) -> Result<(), String> {
    if depth == 1 {
        if name != b"testsuites" && name != b"testsuite" {
            return Err("its first element is neither testsuites nor testsuite".to_owned());
        }
        *rooted = true;
    }
    match (name, case.as_mut()) {
        (b"testcase", _) => *case = Some(Case::default()),
        (b"failure" | b"error", Some(case)) => case.failed = true,
        (b"skipped", Some(case)) => case.skipped = true,
        _ => {}
    }
    Ok(())
}

fn end(case: &mut Option<Case>, counts: &mut Counts) {
    if let Some(case) = case.take() {
        if case.skipped && !case.failed {
            counts.skipped += 1;
        } else {
            counts.ran += 1;
            counts.failed += u64::from(case.failed);
        }
    }
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
    fn what_is_none_is_refused() {
        for (bytes, expected) in [
            (&b""[..], "holds no element"),
            (b"<html></html>", "neither testsuites nor testsuite"),
            (b"<testsuite><testcase>", "breaks off"),
            (b"<testsuite></a>", "no XML"),
        ] {
            let error = read(bytes).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        assert!(read("<testsuite>".repeat(200).as_bytes()).unwrap_err().contains("deep"));
    }

    proptest! {
        #[test]
        fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..100), text in "(<(/?testsuite|testcase|skipped)/?>){0,20}") {
            let _ = (read(&bytes), read(text.as_bytes()));
        }
    }
}
