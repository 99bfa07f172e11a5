//! Judges a command by how it ended and what it wrote. Pure.

use std::time::Duration;

use candor_check::compare::Operator;
use candor_check::evidence::{Candidates, Entry, SourceRef, share};
use candor_check::field::{FieldResult, Location};
use candor_check::sandbox::duration_text;
use candor_check::{Evidence, Failure, Obstacle};
use candor_json::{Value, json};
use candor_process::{XCPU, XFSZ, diagnostics, ended_from_outside, is_not_started, is_own_fault, signal_name};

use super::counts::Counts;
use super::report::Unread;
use super::seen::{End, Ran};
use super::settings::Settings;
use crate::looked::Looked;
use crate::source::PART;

/// The longest end of an output that evidence holds, in characters.
const LONGEST: usize = 4000;

pub(super) fn judge(settings: &Settings, seen: &Looked<Ran>) -> Evidence {
    seen.judged("command", |ran| (evidence(settings, ran), data(settings, ran)))
}

fn data(settings: &Settings, ran: &Ran) -> Value {
    let (exit, signal) = match ran.end {
        End::Code(code) => (Some(code), None),
        End::Signal(signal) => (None, Some(signal)),
        _ => (None, None),
    };
    let mut data = json!({
        "command": settings.command,
        "in": settings.folder.join("/"),
        "exit": exit,
        "signal": signal,
        "timed_out": matches!(ran.end, End::TimedOut(_)),
        "took_ms": ran.took_ms,
        "stdout": tail(&ran.stdout),
        "stderr": tail(&ran.stderr),
        "output_cut": ran.cut || ran.stdout.chars().count() > LONGEST || ran.stderr.chars().count() > LONGEST,
        "files": ran.files,
    });
    if let (Some(boundary), Some(members)) = (&ran.boundary, data.as_object_mut()) {
        members.insert("boundary".to_owned(), json!(boundary));
    }
    if let (Some(tests), Some(members)) = (&ran.tests, data.as_object_mut()) {
        members.insert("tests".to_owned(), json!(tests));
    }
    if let (true, Some(members)) = (ran.own_tests, data.as_object_mut()) {
        let note = "the tests are the delegate's own: nothing is protected (`protect`), and no `overlay` was given";
        members.insert("note".to_owned(), json!(note));
    }
    data
}

fn tail(text: &str) -> &str {
    let skip = text.chars().count().saturating_sub(LONGEST);
    text.char_indices().nth(skip).and_then(|(at, _)| text.get(at..)).unwrap_or_default()
}

/// The help for a repair: the first errors and the failed tests that the output or a report names, else the end of the
/// output.
fn told(ran: &Ran) -> String {
    named(ran).unwrap_or_else(|| last_lines(ran))
}

fn named(ran: &Ran) -> Option<String> {
    let mut found = diagnostics(&format!("{}\n{}", ran.stdout, ran.stderr));
    if let Some(tests) = ran.tests.as_ref().filter(|tests| !tests.names.is_empty()) {
        found.more_tests = usize::try_from(tests.failed).unwrap_or(usize::MAX).saturating_sub(tests.names.len());
        found.tests.clone_from(&tests.names);
    }
    found.sentence()
}

fn last_lines(ran: &Ran) -> String {
    const LINES: usize = 6;
    const CHARACTERS: usize = 600;
    let text = if ran.stderr.trim().is_empty() { &ran.stdout } else { &ran.stderr };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let kept = lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default().join(" | ");
    let skip = kept.chars().count().saturating_sub(CHARACTERS);
    let kept: String = kept.chars().skip(skip).collect();
    match kept.is_empty() {
        true => "It wrote nothing.".to_owned(),
        false => format!("The end of what it wrote: {kept}"),
    }
}

fn evidence(settings: &Settings, ran: &Ran) -> Evidence {
    let command = settings.command.join(" ");
    let place =
        if settings.folder.is_empty() { format!("{PART}/") } else { format!("{PART}/{}", settings.folder.join("/")) };
    let evidence = ended(settings, ran, &format!("`{command}` in {place}"), &place);
    let source = SourceRef { locator: place.into(), sha256: None, span: None, record: None };
    let evidence = evidence.over(Candidates { considered: 1, matched: 1, nearest: None }, vec![source]);
    let named = ran.left_out.iter().take(3).fold(evidence, |evidence, link| {
        evidence.adding(&format!("{link} is a link that leads out or nowhere, and was not in the copy."))
    });
    match ran.left_out.len().saturating_sub(3) {
        0 => named,
        more => named.adding(&format!("{more} more links were not.")),
    }
}

/// The first of several texts, and how many more there are.
fn listed(texts: &[String], between: &str) -> String {
    const MOST: usize = 10;
    let shown = texts.iter().take(MOST).cloned().collect::<Vec<_>>().join(between);
    match texts.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown}{between}and {more} more"),
    }
}

fn ended(settings: &Settings, ran: &Ran, what: &str, place: &str) -> Evidence {
    let unverifiable = |obstacle, why: String| Evidence::unverifiable(obstacle, Vec::new(), why);
    let exit = |actual: Value, passed| {
        let expected = match settings.exit.as_slice() {
            [one] => json!(one),
            several => json!(several),
        };
        FieldResult::constraint("$exit", expected, actual, passed).at(Location::whole(place))
    };
    let failed = |results: Vec<FieldResult>, failure, details: String| {
        let entries: Vec<Entry> = results.into_iter().map(Entry::from).collect();
        Evidence::failed(failure, share(&entries), entries, details)
    };
    let code = match &ran.end {
        End::Protected(changes) => {
            let unchanged = FieldResult::constraint("$protected", json!("unchanged"), json!(changes), false);
            let details =
                format!("{what} was not run, because protected files are not as they were: {}.", listed(changes, ", "));
            return failed(vec![unchanged.at(Location::whole(place))], Failure::FieldMismatch, details);
        }
        End::NoProgram(name) => {
            let details = format!("{what} cannot be run: the workspace has no program {name}.");
            return failed(vec![exit(Value::Null, false)], Failure::NoCandidate, details);
        }
        End::NoFolder(name) => {
            let details = format!("{what} cannot be run: the workspace has no folder {name}.");
            return failed(vec![exit(Value::Null, false)], Failure::NoCandidate, details);
        }
        End::TimedOut(ms) => {
            let time = duration_text(Duration::from_millis(*ms));
            let details = format!("{what} did not end within {time}, and was ended. {}", told(ran));
            return unverifiable(Obstacle::Timeout, details).by_the_work();
        }
        End::Signal(signal) if is_own_fault(*signal) => {
            let details = format!("{what} was ended by {}, a fault of its own. {}", signal_name(*signal), told(ran));
            return failed(vec![exit(json!({"signal": signal}), false)], Failure::FieldMismatch, details);
        }
        End::Signal(signal) => return killed(*signal, what, "was"),
        End::Code(code) => *code,
    };
    let passed = u8::try_from(code).is_ok_and(|code| settings.exit.contains(&code));
    if !passed {
        if is_not_started(code) {
            let details = format!(
                "{what} ended with {code}, by which a shell says that a command could not be started. {}",
                last_lines(ran)
            );
            let evidence = unverifiable(Obstacle::SourceUnavailable, details);
            return if ran.runs_file { evidence.by_the_work() } else { evidence };
        }
        if let Some(signal) = ended_from_outside(code) {
            return killed(signal, what, &format!("ended with {code}: what it ran was"));
        }
        let wanted: Vec<String> = settings.exit.iter().map(u8::to_string).collect();
        let details = format!("{what} ended with {code}, expected {}. {}", wanted.join(" or "), told(ran));
        return failed(vec![exit(json!(code), false)], Failure::FieldMismatch, details);
    }
    tested(settings, ran, what, place, exit(json!(code), true), code)
}

/// A signal ended it that is not sent for a fault of its own. It runs what the work is, so the work is the cause.
fn killed(signal: i32, what: &str, how: &str) -> Evidence {
    let (obstacle, by) = match signal {
        XFSZ => (Obstacle::LimitExceeded, "which ends whoever writes a file beyond the limit max_total_bytes"),
        XCPU => (Obstacle::Timeout, "which ends whoever takes more of the processor than it may"),
        9 => (Obstacle::SourceUnavailable, "as the system does where memory is short"),
        _ => (Obstacle::SourceUnavailable, "which did not come from here"),
    };
    Evidence::unverifiable(obstacle, Vec::new(), format!("{what} {how} ended by {}, {by}.", signal_name(signal)))
        .by_the_work()
}

/// The exit is as asserted; what is known of the tests, where they are counted.
fn tested(settings: &Settings, ran: &Ran, what: &str, place: &str, exit: FieldResult, code: i32) -> Evidence {
    let least = settings.min_tests.unwrap_or(1);
    if let Some(Unread::Limit(problem)) = &ran.report {
        let details = format!("{what} ended with {code}, but {problem}.");
        return Evidence::unverifiable(Obstacle::LimitExceeded, vec![exit.into()], details).by_the_work();
    }
    if let Some(Unread::None(problem)) = &ran.report {
        let readable =
            FieldResult::constraint("$report", json!("readable"), json!(problem), false).at(Location::whole(place));
        let entries = vec![exit.into(), readable.into()];
        return Evidence::failed(
            Failure::Malformed,
            share(&entries),
            entries,
            format!("{what} ended with {code}, but {problem}."),
        );
    }
    let is_exact = |tests: &&Counts| settings.min_tests.is_none() || !tests.is_rough();
    let Some(tests) = ran.tests.as_ref().filter(is_exact) else {
        if settings.report.is_some() {
            let count =
                FieldResult::constraint("$tests", json!({"min": least}), json!(0), false).at(Location::whole(place));
            let entries = vec![exit.into(), count.into()];
            let details = format!("{what} ended with {code}, but wrote no report.");
            return Evidence::failed(Failure::NoCandidate, share(&entries), entries, details);
        }
        if settings.min_tests.is_some() {
            let details = format!(
                "{what} ended with {code}, but its output does not say how many tests ran; {least} are asserted. Give a \
                 `report` in JUnit's XML."
            );
            return Evidence::unverifiable(Obstacle::Undecidable, vec![exit.into()], details);
        }
        return Evidence::passed(vec![exit.into()], format!("{what} ended with {code}."));
    };
    let count = FieldResult::constraint("$tests", json!({"min": least}), json!(tests.ran), tests.ran >= least)
        .with_operator(Operator::Count)
        .at(Location::whole(place));
    let failures =
        FieldResult::constraint("$failed", json!(0), json!(tests.failed), tests.failed == 0).at(Location::whole(place));
    let skipped = if tests.skipped > 0 { format!(", {} skipped", tests.skipped) } else { String::new() };
    let by = tests.by.join(", ");
    let entries = || vec![exit.clone().into(), count.clone().into(), failures.clone().into()];
    if tests.failed > 0 {
        let named = named(ran).map(|named| format!(" {named}")).unwrap_or_default();
        let (failed, all) = (tests.failed, tests.ran);
        let details = format!("{what} ended with {code}, but {failed} of {all} tests failed ({by}).{named}");
        return Evidence::failed(Failure::FieldMismatch, share(&entries()), entries(), details);
    }
    if tests.broken > 0 {
        let broken =
            FieldResult::constraint("$broken", json!(0), json!(tests.broken), false).at(Location::whole(place));
        let entries = [entries(), vec![broken.into()]].concat();
        let details = format!(
            "{what} ended with {code}, but something other than the tests failed, or not all of them were run ({by}); {} tests ran.{}",
            tests.ran,
            named(ran).map(|named| format!(" {named}")).unwrap_or_default()
        );
        return Evidence::failed(Failure::FieldMismatch, share(&entries), entries, details);
    }
    if tests.ran < least {
        // The output before its end is unknown, and may have counted more tests.
        if ran.cut && settings.report.is_none() {
            let details = format!(
                "{what} ended with {code}, but it wrote more than is read (`max_output`), so that not all of its tests are counted."
            );
            return Evidence::unverifiable(Obstacle::LimitExceeded, vec![exit.into()], details).by_the_work();
        }
        let details = format!(
            "{what} ended with {code}, but {} tests ran{skipped} ({by}), expected {least} at least.",
            tests.ran
        );
        return Evidence::failed(Failure::CountMismatch, share(&entries()), entries(), details);
    }
    Evidence::passed(entries(), format!("{what} ended with {code}: {} tests ran{skipped} ({by}).", tests.ran))
}
