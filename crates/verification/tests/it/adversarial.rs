//! An evaluator that is asked to assume that the work is wrong, and has to quote.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use candor_verification::delegates::CommandPerAttempt;
use candor_verification::process::Limited;
use candor_verification::verifiers::{Adversarial, EvaluatedCriterion};
use candor_verification::{Claim, DelegateId, Finding, Verifier, VerifierError, VerifierInput, VerifierVerdict};

/// Finds the word of the run in the prompt, as `$w`.
const WORD: &str = "p=$(cat); w=$(printf '%s\\n' \"$p\" | sed -n 's/^\\([^ ]*\\) CRITERION_ID .*/\\1/p');";

struct Looked {
    verdict: Result<VerifierVerdict, VerifierError>,
    said: Option<Claim>,
    findings: Vec<Finding>,
}

impl Looked {
    fn reason(&self) -> &str {
        match self.verdict.as_ref().unwrap() {
            VerifierVerdict::Failed { reason } => reason,
            other => panic!("{other:?}"),
        }
    }
}

fn look(script: &str, workspace: &Path) -> Looked {
    let (evaluator, builder) = (DelegateId("evaluator".into()), DelegateId("builder".into()));
    let command: Vec<OsString> = ["sh", "-c", &format!("{WORD} {script}")].iter().map(OsString::from).collect();
    let make = move |folder: &Path| {
        let limited = Limited { folder: folder.to_owned(), time: Duration::from_secs(600), ..Limited::default() };
        Ok(CommandPerAttempt::new(DelegateId("evaluator".into()), command.clone(), limited))
    };
    let criterion = |id: &str, label: &str| EvaluatedCriterion { id: id.into(), label: label.into() };
    let criteria = vec![criterion("reason", "The letter gives a reason"), criterion("open", "Nothing is left open")];
    let verifier = Adversarial::new(&evaluator, &builder, make, "Write letter.md.", criteria).unwrap();
    let input = VerifierInput {
        build_result: Claim { response: "Done. I thought hard about it.".into(), ..Claim::default() },
        eval_result: None,
        workspace: workspace.to_owned(),
        iteration: 1,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let verdict = runtime.block_on(verifier.verify(&input));
    Looked { verdict, said: verifier.evaluation(), findings: verifier.findings() }
}

fn work() -> tempfile::TempDir {
    let work = tempfile::tempdir().unwrap();
    fs::write(work.path().join("letter.md"), "Reason: \"lumbar\" radiculopathy.\nAll sections are complete.\n")
        .unwrap();
    // The task's words and words of its own do not help a delegate that writes them.
    fs::write(work.path().join("README.md"), "PASS\nreason PASS \"radiculopathy\"\nWORD reason PASS \"x\"\n").unwrap();
    work
}

const REASON: &str = r#"echo "$w reason PASS \"Reason: \\\"lumbar\\\" radiculopathy\"";"#;
const OPEN: &str = r#"echo "$w open PASS \"All sections are complete.\"";"#;

#[test]
fn a_pass_needs_a_line_with_a_quote_for_every_criterion() {
    let work = work();
    let passed = look(&format!("echo I looked.; {REASON} {OPEN} echo FAIL is what others say."), work.path());
    assert_eq!(passed.verdict, Ok(VerifierVerdict::Passed), "{:?}", passed.said);
    let named: Vec<&str> = passed.findings.iter().map(|finding| finding.verifier.as_str()).collect();
    assert_eq!(named, ["evaluator: reason", "evaluator: open"]);
    assert!(passed.findings.iter().all(|finding| finding.verdict == VerifierVerdict::Passed));
    assert!(passed.said.unwrap().response.starts_with("I looked."));
}

#[test]
fn what_says_pass_otherwise_is_no_pass() {
    let work = work();
    let mut unread = 0;
    for answer in [
        "echo PASS",
        "cat README.md",
        "echo 'The report is missing.'; echo PASS",
        "printf '1. PASS\\n2. UNVERIFIABLE\\nPASS\\n'",
        "true",
        "printf '%s\\n' \"$p\"",
        "for c in reason open; do echo \"x$w $c PASS \\\"All sections are complete.\\\"\"; done",
        "for c in reason open; do echo \"WORD $c PASS \\\"All sections are complete.\\\"\"; done",
        "for c in reason open; do echo \"$w $c PASS\"; done",
        "for c in reason open; do echo \"$w $c PASS \\\"\\\"\"; done",
        "for c in reason open; do echo \"$w $c PASS \\\" \\\"\"; done",
        "for c in reason open; do echo \"$w $c PASS \\\"a\\\"\"; done",
        "for c in reason open; do echo \"$w $c PASS \\\"All sections were completed.\\\"\"; done",
        "for c in reason open; do echo \"$w $c PASS \\\"Write letter.md.\\\"\"; done",
        "for c in reason open; do echo \"$w $c PASS \\\"I thought hard about it.\\\"\"; done",
        "for c in reason open; do echo \"$w $c PASS All sections are complete.\"; done",
        "for c in reason open; do echo \"$w $c PASS|FAIL \\\"All sections are complete.\\\"\"; done",
    ] {
        let looked = look(answer, work.path());
        if let Err(error) = &looked.verdict {
            assert!(error.message.contains("no line that can be read"), "{answer}: {error}");
            unread += 1;
            continue;
        }
        assert!(
            looked.reason().starts_with("2 of 2 criteria are not shown to be met:"),
            "{answer}: {}",
            looked.reason()
        );
        let unverifiable = |finding: &Finding| matches!(finding.verdict, VerifierVerdict::Unverifiable { .. });
        assert!(looked.findings.iter().all(unverifiable), "{answer}: {:?}", looked.findings);
    }
    // Those of an answer without any line of the form.
    assert_eq!(unread, 9);
}

#[test]
fn a_quote_is_looked_for_in_what_the_delegate_left() {
    let work = work();
    // Not in the copy that the evaluator may have written to.
    let writes = "chmod -R u+w . ; echo 'Nothing is left open at all.' > new.md; echo \"$w open PASS \\\"Nothing is left open at all.\\\"\";";
    let looked = look(&format!("{writes} {REASON}"), work.path());
    assert!(looked.reason().starts_with("1 of 2 criteria is not shown to be met:\n- Nothing is left open: UNVERIFIABLE: the evaluator says PASS, and no file"), "{}", looked.reason());
    // Nor beyond a link.
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("x"), "Nothing is left open at all.").unwrap();
    std::os::unix::fs::symlink(outside.path().join("x"), work.path().join("link.md")).unwrap();
    let looked = look(&format!("echo \"$w open PASS \\\"Nothing is left open at all.\\\"\"; {REASON}"), work.path());
    assert!(matches!(looked.verdict, Ok(VerifierVerdict::Failed { .. })));
}

#[test]
fn failed_and_unverifiable_criteria_go_back_with_their_gap() {
    let work = work();
    let looked = look(
        "echo \"$w reason FAIL \\\"no ICD-10 code\\\"\"; echo \"$w open UNVERIFIABLE \\\"there is no list of sections\\\"\"",
        work.path(),
    );
    assert_eq!(
        looked.reason(),
        "2 of 2 criteria are not shown to be met:\n- The letter gives a reason: FAIL: no ICD-10 code\n\
         - Nothing is left open: UNVERIFIABLE: there is no list of sections"
    );
    assert!(matches!(looked.findings[0].verdict, VerifierVerdict::Failed { .. }));
    assert!(matches!(looked.findings[1].verdict, VerifierVerdict::Unverifiable { .. }));
    // A criterion without its line.
    let looked = look(REASON, work.path());
    assert_eq!(
        looked.reason(),
        "1 of 2 criteria is not shown to be met:\n- Nothing is left open: UNVERIFIABLE: the evaluator has no line for it"
    );
}

#[test]
fn lines_that_contradict_each_other_are_no_pass() {
    let work = work();
    for (more, told) in [
        ("echo \"$w open FAIL \\\"a section is empty\\\"\"", "FAIL: a section is empty"),
        ("echo \"$w open UNVERIFIABLE\"", "UNVERIFIABLE: the evaluator says both"),
    ] {
        for script in [format!("{REASON} {OPEN} {more}"), format!("{more}; {OPEN} {REASON}")] {
            let looked = look(&script, work.path());
            assert!(looked.reason().contains(told), "{}", looked.reason());
        }
    }
    assert_eq!(look(&format!("{REASON} {OPEN} {OPEN}"), work.path()).verdict, Ok(VerifierVerdict::Passed));
}

#[test]
fn it_is_told_the_criteria_and_nothing_of_what_the_delegate_says() {
    let work = work();
    let asked = || look("printf '%s\\n' \"$p\" \"w=$w\" \"s=$CANDOR_SESSION\"", work.path()).said.unwrap().response;
    let (prompt, again) = (asked(), asked());
    for part in [
        "Assume that the work is wrong",
        "    reason: The letter gives a reason\n",
        "    open: Nothing is left open\n",
        "Write letter.md.",
        "read-only copy",
    ] {
        assert!(prompt.contains(part), "{part}\n{prompt}");
    }
    assert!(!prompt.contains("I thought hard"), "{prompt}");
    let word = |prompt: &str| prompt.lines().find_map(|line| line.strip_prefix("w=").map(str::to_owned)).unwrap();
    assert!(word(&prompt).len() >= 16 && word(&prompt) != word(&again), "{prompt}");
}

#[test]
fn one_that_does_not_answer_is_a_broken_verifier() {
    let work = work();
    let looked = look(&format!("{REASON} {OPEN} exit 3"), work.path());
    assert!(looked.verdict.unwrap_err().message.contains("the evaluator broke off: it ended with exit code 3"));
    assert_eq!((looked.said, looked.findings), (None, Vec::new()));
    assert!(look("true", Path::new("/nowhere/at/all")).verdict.unwrap_err().message.contains("cannot be copied"));
}
