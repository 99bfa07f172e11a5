//! `candor check --reward-dir`: the files in which Harbor, NeMo Gym and their like look for a reward.

use std::path::{Path, PathBuf};

use candor::inner::engine::TaskRun;
use candor::inner::report::{Format, Style, model, task_run};
use candor_json::{Map, Value, json};
use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct RewardArgs {
    /// Write verdict.json there, and reward.json if nothing open can change it: the score and those of the axes
    #[arg(long, value_name = "DIR")]
    pub reward_dir: Option<PathBuf>,
    /// Write a reward of 0 if there is no reward to write
    #[arg(long, requires = "reward_dir")]
    pub fail_closed: bool,
}

/// The files that are written.
const FILES: [&str; 2] = ["reward.json", "verdict.json"];

impl RewardArgs {
    /// The files that are written, if any are.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.reward_dir.iter().flat_map(|folder| FILES.map(|name| folder.join(name))).collect()
    }

    /// Removes the files of an earlier run, so that no reward is taken for this one's.
    ///
    /// # Errors
    /// When the folder cannot be made, or a file in it cannot be removed.
    pub(crate) fn clear(&self) -> Result<(), String> {
        let Some(folder) = &self.reward_dir else { return Ok(()) };
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: it cannot be made: {error}", folder.display()))?;
        for file in self.files() {
            match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(format!("{}: it cannot be removed: {error}", file.display()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes what came of a task.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn write(&self, run: &TaskRun) -> Result<(), String> {
        let Some(folder) = &self.reward_dir else { return Ok(()) };
        let verdict = task_run(run, Format::Json, Style { color: false, width: 100 });
        write(&folder.join("verdict.json"), &verdict)?;
        let broke = run.criterion_runs.iter().any(|criterion| criterion.broke);
        let is_earned = !broke && model::TaskRun::from(run).no_reward().is_none();
        match (is_earned, self.fail_closed) {
            (true, _) => write(&folder.join("reward.json"), &line(&Value::Object(rewards(run)))),
            (false, true) => write(&folder.join("reward.json"), &line(&json!({"reward": 0.0}))),
            (false, false) => Ok(()),
        }
    }

    /// Writes that there is no result, and why. The reason itself is what the command ends with.
    pub(crate) fn refuse(&self, why: &str) {
        let Some(folder) = &self.reward_dir else { return };
        // Where the folder cannot be written either, the message and the exit code are all that is left.
        let _ = write(&folder.join("verdict.json"), &line(&json!({"phase": "refused", "error": why})));
        if self.fail_closed {
            let _ = write(&folder.join("reward.json"), &line(&json!({"reward": 0.0})));
        }
    }
}

/// The score under `reward`, and the score of every axis under its name. An axis of the name `reward` is left out.
fn rewards(run: &TaskRun) -> Map<String, Value> {
    let mut rewards: Map<String, Value> =
        run.result.axes.iter().map(|(name, axis)| (name.to_owned(), json!(axis.score.to_f64()))).collect();
    rewards.insert("reward".to_owned(), json!(run.result.score.to_f64()));
    rewards
}

fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

fn write(file: &Path, contents: &[u8]) -> Result<(), String> {
    std::fs::write(file, contents).map_err(|error| format!("{}: it cannot be written: {error}", file.display()))
}
