//! Reviews a command by its words and its exit codes: finds one that asserts less than it seems to.

use candor_check::review::{Review, Weakness, WeaknessKind};
use candor_process::{ended_from_outside, is_not_started};

use super::settings::Settings;
use super::shell::ends_with;

pub(super) fn review(settings: &Settings, counts: bool) -> Review {
    Review { weaknesses: weaknesses(settings, counts), ..Review::default() }
}

/// `counts` where tests are counted in what the command prints.
fn weaknesses(settings: &Settings, counts: bool) -> Vec<Weakness> {
    let decides = |code: i32| !is_not_started(code) && ended_from_outside(code).is_none();
    let accepted = |code: u8| settings.exit.contains(&code);
    if (0..=u8::MAX).all(|code| accepted(code) || !decides(i32::from(code))) {
        let message = "every exit code is accepted; write the one that says that it succeeded";
        return vec![Weakness::new(WeaknessKind::AlwaysHolds, "exit", message)];
    }
    // Of tests that must be counted, missing counts fail the assertion.
    let counted = settings.min_tests.is_some() || settings.report.is_some();
    match ends_with(&settings.command).filter(|_| !counted) {
        Some(code) if accepted(code) => {
            let message = match counts {
                true => format!(
                    "it ends with {code} whatever the tests come to, and passes where none are counted; write the command of the runner, as in [\"cargo\", \"test\"], or `min_tests`"
                ),
                false => format!(
                    "it ends with {code} whatever the workspace holds; write the command that looks at the work, as in [\"cargo\", \"test\"]"
                ),
            };
            vec![Weakness::new(WeaknessKind::AssertsNothing, "command", message)]
        }
        Some(code) => {
            let message = format!("it ends with {code} whatever the workspace holds, and `exit` does not accept that");
            vec![Weakness::new(WeaknessKind::NeverHolds, "command", message)]
        }
        None => [unprotected(settings, counts), own(settings)].into_iter().flatten().collect(),
    }
}

/// Tests that pass where they were deleted.
fn unprotected(settings: &Settings, counts: bool) -> Option<Weakness> {
    let message = "tests that were deleted or rewritten pass as well; write `min_tests`, and name the tests in the task's `loop.protect` or `loop.overlay`";
    (counts && settings.min_tests.is_none()).then(|| Weakness::new(WeaknessKind::TestsUnprotected, "", message))
}

fn own(settings: &Settings) -> Option<Weakness> {
    let program = settings.command.first()?;
    let message = format!(
        "`{program}` is a file of the workspace, which whoever did the work may have written; name it in the task's `loop.protect`"
    );
    (program.contains('/') && !program.starts_with('/'))
        .then(|| Weakness::new(WeaknessKind::OwnCommand, "command", message))
}
