//! Hooks in files, through the loop.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use crate::common;

use std::path::PathBuf;

use candor_verification::script::{Grants, HookFile};
use candor_verification::{
    Claim, Delegate, DelegateError, DelegateId, Disclose, LoopOutcome, LoopRecord, LoopSettings, PostVerifyHook,
    Request, Verifier, VerifierError, VerifierId, VerifierInput, VerifierVerdict, VerifyLoop,
};

use common::{Workspace, runner, runtime};

struct Done(DelegateId);

impl Delegate for Done {
    fn id(&self) -> &DelegateId {
        &self.0
    }

    async fn attempt(&mut self, _: &Request) -> Result<Claim, DelegateError> {
        let tool_calls = candor_json::from_str("[{\"amount\": 1.10}]").unwrap();
        Ok(Claim { response: "Done.".to_owned(), tool_calls, ..Claim::default() })
    }
}

struct Says(VerifierVerdict);

impl Verifier for Says {
    async fn verify(&self, _: &VerifierInput) -> Result<VerifierVerdict, VerifierError> {
        Ok(self.0.clone())
    }
}

fn hook(workspace: &Workspace, name: &str, priority: &str, lines: &str) -> PathBuf {
    let folder = workspace.outside("hooks");
    std::fs::create_dir_all(&folder).unwrap();
    let body: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    let front = format!("---\nevent: delegation.post_verify\n{priority}---\n");
    std::fs::write(folder.join(name), format!("{front}def handle(event, payload):\n{body}")).unwrap();
    folder.join(name)
}

fn run_with(workspace: &Workspace, verdict: VerifierVerdict, disclose: Disclose) -> LoopRecord {
    let runner = runner(Grants::default());
    let mut hooks = HookFile::read_all(&workspace.outside("hooks"), &runner).unwrap();
    HookFile::ordered(&mut hooks);
    let hooks: Vec<Box<dyn PostVerifyHook>> = hooks.into_iter().map(|hook| Box::new(hook) as _).collect();
    let verifier = Says(verdict);
    let mut delegate = Done(DelegateId("agent".to_owned()));
    let workspace = workspace.path("");
    let settings = LoopSettings { max_verify_retries: 0, disclose, workspace, ..LoopSettings::new("t", "Book it.") };
    let verify_loop =
        VerifyLoop::new(settings, VerifierId("candor".to_owned()), delegate.0.clone(), &verifier).unwrap();
    runtime().block_on(verify_loop.with_hooks(&hooks).run(&mut delegate, "s", Vec::new(), |_| {}))
}

fn run(workspace: &Workspace, verdict: VerifierVerdict) -> LoopRecord {
    run_with(workspace, verdict, Disclose::Gap)
}

fn broken(workspace: &Workspace, lines: &str) -> String {
    hook(workspace, "only.star", "", lines);
    let record = run(workspace, VerifierVerdict::Passed);
    assert_eq!((record.outcome, record.result), (LoopOutcome::Broken, None), "{lines}");
    record.reason.unwrap()
}

#[test]
fn hooks_come_by_priority_and_name_and_see_what_those_before_left() {
    let workspace = Workspace::new();
    let append = |text: &str| {
        format!(
            "result = payload[\"result\"]\nresult[\"response\"] = result[\"response\"] + \"{text}\"\n\
             return modify(result)"
        )
    };
    hook(&workspace, "z.star", "priority: -1\n", &append("1"));
    hook(&workspace, "b.star", "priority: 10\n", &append("4"));
    hook(&workspace, "a.star", "priority: 10\n", &append("3"));
    hook(&workspace, "y.star", "", &append("2"));
    hook(&workspace, "last.star", "priority: 11\n", "return allow() if event == \"delegation.post_verify\" else None");
    let record = run(&workspace, VerifierVerdict::Passed);
    let result = record.result.unwrap();
    assert_eq!((record.outcome, result.response.as_str()), (LoopOutcome::Passed, "Done.1234"));
    assert_eq!(candor_json::to_string(&result.tool_calls).unwrap(), "[{\"amount\":1.10}]");
    assert_eq!(record.attempts[0].claim.response, "Done.");
    assert_eq!(record.attempts[0].modified.as_ref(), Some(&result));
    let ran: Vec<(&str, &str)> =
        record.attempts[0].hooks.iter().map(|run| (run.name.as_str(), run.action.as_str())).collect();
    let expected = ["z.star", "y.star", "a.star", "b.star"].map(|name| (name, "modify"));
    assert_eq!(ran, [&expected[..], &[("last.star", "allow")]].concat());
}

#[test]
fn a_hook_that_blocks_fails_a_pass_and_one_that_modifies_passes_no_failure() {
    let workspace = Workspace::new();
    let lines = "if \"Done\" in payload[\"result\"][\"response\"] and payload[\"verdict\"][\"outcome\"] == \"passed\":\n    \
                 return block(\"it names a patient\")\nreturn modify(payload[\"result\"])";
    hook(&workspace, "privacy.star", "", lines);
    let record = run(&workspace, VerifierVerdict::Passed);
    assert_eq!((record.outcome, record.result), (LoopOutcome::VerificationFailed, None));
    assert_eq!(record.attempts[0].reason.as_deref(), Some("privacy.star: it names a patient"));
    assert_eq!(record.escalation.unwrap().blocked[0].reason.as_deref(), Some("it names a patient"));
    let record = run(&workspace, VerifierVerdict::Failed { reason: "no row".to_owned() });
    assert_eq!((record.outcome, record.result), (LoopOutcome::VerificationFailed, None));
    assert_eq!(record.attempts[0].reason.as_deref(), Some("no row"));
    let record = run(&workspace, VerifierVerdict::Unverifiable { reason: "down".to_owned() });
    assert_eq!(record.outcome, LoopOutcome::Unverifiable);
}

#[test]
fn a_hook_tells_the_delegate_no_more_than_the_level_allows() {
    let workspace = Workspace::new();
    hook(&workspace, "privacy.star", "", "return block(\"it names a patient\")");
    for (level, told) in [
        (Disclose::None, "the work could not be verified"),
        (Disclose::Count, "A check other than the criteria is not met."),
        (Disclose::Criterion, "privacy.star"),
        (Disclose::Gap, "privacy.star: it names a patient"),
    ] {
        let record = run_with(&workspace, VerifierVerdict::Passed, level);
        assert_eq!(record.attempts[0].reason.as_deref(), Some(told));
        assert_eq!(record.attempts[0].hooks[0].reason.as_deref(), Some("it names a patient"));
    }
}

#[test]
fn a_hook_that_is_broken_breaks_the_loop_and_says_where() {
    let workspace = Workspace::new();
    // tests/cli/loop-hooks.trycmd holds the reasons of others. This one takes too much memory, or too long.
    let reason = broken(&workspace, "x = sorted(range(100000000))");
    assert!(reason.contains("only.star"), "{reason}");
    std::fs::write(workspace.outside("hooks/only.star"), "---\nevent: delegation.post_verify\n---\nx = 1\n").unwrap();
    let record = run(&workspace, VerifierVerdict::Passed);
    assert!(record.reason.unwrap().contains("it defines no `handle(event, payload)`"));
}

#[test]
fn a_folder_of_hooks_holds_hooks_and_nothing_else() {
    let workspace = Workspace::new();
    let folder = workspace.outside("hooks");
    let read = || HookFile::read_all(&folder, &runner(Grants::default()));
    assert!(read().err().unwrap().message.contains("cannot be read"));
    std::fs::create_dir(&folder).unwrap();
    assert!(read().err().unwrap().message.contains("it holds no hook"));
    hook(&workspace, "a.star", "", "return allow()");
    std::fs::write(folder.join(".a.star.swp"), "x").unwrap();
    assert_eq!(read().unwrap().len(), 1);
    std::fs::write(folder.join("b.star.txt"), "x").unwrap();
    assert!(read().err().unwrap().message.contains("`b.star.txt` is not a hook"));
    std::fs::remove_file(folder.join("b.star.txt")).unwrap();
    std::fs::write(folder.join("b.star"), "---\nevent: delegation.pre\n---\n").unwrap();
    let message = read().err().unwrap().message;
    assert!(message.contains("b.star:2: there is no event `delegation.pre`"), "{message}");
}
