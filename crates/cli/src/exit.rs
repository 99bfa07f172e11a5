//! Exit codes, the same for every command.

use std::process::ExitCode;

use candor::inner::scoring::Verdict;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// 0: the verdict is `pass`, or there is nothing to complain about.
    Pass,
    /// 1: the verdict is `partial` or `fail`, or there are findings.
    Findings,
    /// 2: the command line, a task file or a sandbox description is wrong.
    WrongInput,
    /// 3: the verdict is not conclusive, or a check broke.
    Inconclusive,
    /// 130: a signal came first.
    Interrupted,
}

impl Outcome {
    pub(crate) fn of(verdict: Verdict, conclusive: bool) -> Self {
        match verdict {
            _ if !conclusive => Self::Inconclusive,
            Verdict::Pass => Self::Pass,
            _ => Self::Findings,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Pass => 0,
            Outcome::Findings => 1,
            Outcome::WrongInput => 2,
            Outcome::Inconclusive => 3,
            Outcome::Interrupted => 130,
        })
    }
}
