//! Results as rewards for training and ranking.

use candor_check::Failure;
use candor_json::Value;

use super::read::task_run;
use super::{StoredReadError, TaskRun};

/// Why a task run has no reward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoReward {
    /// A criterion is wrong in itself, whatever the work.
    WrongTask,
    /// The verdict or the score depends on what could not be verified.
    Inconclusive,
}

impl TaskRun {
    /// Reads the task run of a JSON document.
    ///
    /// # Errors
    /// When it lacks a member that decides.
    pub fn of(value: &Value) -> Result<Self, StoredReadError> {
        task_run(value, "").map_err(StoredReadError::Member)
    }

    /// The reason to give no reward, if there is one. A verdict can be certain where the score is not: one criterion failed,
    /// and the source of another was down.
    ///
    /// ```
    /// use candor_report::model::{NoReward, TaskRun};
    /// let run = candor_json::json!({"verdict": "partial", "score": 0.5, "interval": [0.5, 0.75], "conclusive": true});
    /// assert_eq!(TaskRun::of(&run)?.no_reward(), Some(NoReward::Inconclusive));
    /// # Ok::<(), candor_report::model::StoredReadError>(())
    /// ```
    #[must_use]
    pub fn no_reward(&self) -> Option<NoReward> {
        let wrong = [Failure::InvalidAssertion, Failure::UnsupportedAssertion].map(Failure::name);
        let mut reasons = self.criterion_runs.iter().flatten().filter_map(|run| run.reason.as_deref());
        let (low, high) = self.outcome.interval;
        match () {
            () if self.outcome.invalid.is_some() || reasons.any(|reason| wrong.contains(&reason)) => {
                Some(NoReward::WrongTask)
            }
            () if self.outcome.conclusive && low.total_cmp(&high).is_eq() => None,
            () => Some(NoReward::Inconclusive),
        }
    }
}
