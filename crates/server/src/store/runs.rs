//! Benchmark runs and task runs, and how a task run goes from one phase to the next.
//!
//! `created → started → grading → completed`, or `expired` in its place. Whoever moves a task run on does so by an `UPDATE` that
//! names the phase it must have, so that of any number of servers one succeeds.

use std::time::Duration;

use sqlx::any::AnyRow;

use super::{Result, Store, Writing, flag, maybe, number, text};
use crate::ids::after;

#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub id: String,
    pub benchmark_id: String,
    pub benchmark_name: Option<String>,
    pub scored: bool,
    pub agent_id: Option<String>,
    pub phase: String,
    pub token_digest: String,
    pub token_expires_at: String,
    pub created_at: String,
    pub completed_at: Option<String>,
    /// Verdict, score, axes, statistics, as JSON.
    pub result: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct TaskRun {
    pub id: String,
    pub run_id: String,
    /// The entry's id.
    pub task_id: String,
    /// The task, unchanged since the run was made.
    pub task: String,
    /// The digest of the world that the agent finds.
    pub world: Option<String>,
    /// The description of a sandbox that somebody else keeps.
    pub outside: Option<String>,
    pub phase: String,
    pub expired: bool,
    pub started_at: Option<String>,
    pub deadline: Option<String>,
    pub completed_at: Option<String>,
    pub agent_digest: Option<String>,
    /// The task run's record, as JSON.
    pub result: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct NewTaskRun {
    pub id: String,
    pub task_id: String,
    pub task: String,
    pub world: Option<String>,
    pub outside: Option<String>,
}

macro_rules! run_columns {
    () => {
        "id, benchmark_id, benchmark_name, scored, agent_id, phase, token_digest, token_expires_at, created_at, completed_at, result"
    };
}

macro_rules! task_run_columns {
    () => {
        "id, run_id, task_id, task, world, outside, phase, expired, started_at, deadline, completed_at, agent_digest, result"
    };
}

fn run(row: &AnyRow) -> Result<Run> {
    Ok(Run {
        id: text(row, "id")?,
        benchmark_id: text(row, "benchmark_id")?,
        benchmark_name: maybe(row, "benchmark_name")?,
        scored: flag(row, "scored")?,
        agent_id: maybe(row, "agent_id")?,
        phase: text(row, "phase")?,
        token_digest: text(row, "token_digest")?,
        token_expires_at: text(row, "token_expires_at")?,
        created_at: text(row, "created_at")?,
        completed_at: maybe(row, "completed_at")?,
        result: maybe(row, "result")?,
    })
}

fn task_run(row: &AnyRow) -> Result<TaskRun> {
    Ok(TaskRun {
        id: text(row, "id")?,
        run_id: text(row, "run_id")?,
        task_id: text(row, "task_id")?,
        task: text(row, "task")?,
        world: maybe(row, "world")?,
        outside: maybe(row, "outside")?,
        phase: text(row, "phase")?,
        expired: flag(row, "expired")?,
        started_at: maybe(row, "started_at")?,
        deadline: maybe(row, "deadline")?,
        completed_at: maybe(row, "completed_at")?,
        agent_digest: maybe(row, "agent_digest")?,
        result: maybe(row, "result")?,
    })
}

impl Store {
    /// Makes a benchmark run with its task runs, and stores the worlds that they begin with.
    pub(crate) async fn add_run(
        &self,
        run: &Run,
        task_runs: &[NewTaskRun],
        worlds: &[(String, Vec<u8>)],
    ) -> Result<()> {
        let mut writing = self.write().await?;
        for (digest, content) in worlds {
            writing.add_world(digest, content).await?;
        }
        sqlx::query(concat!(
            "INSERT INTO candor_benchmark_runs (",
            run_columns!(),
            ", touched, pruned) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0)"
        ))
        .bind(run.id.as_str())
        .bind(run.benchmark_id.as_str())
        .bind(run.benchmark_name.clone())
        .bind(i64::from(run.scored))
        .bind(run.agent_id.clone())
        .bind(run.phase.as_str())
        .bind(run.token_digest.as_str())
        .bind(run.token_expires_at.as_str())
        .bind(run.created_at.as_str())
        .bind(run.completed_at.clone())
        .bind(run.result.clone())
        .execute(&mut *writing.tx)
        .await?;
        for (position, task_run) in (0i64..).zip(task_runs) {
            sqlx::query("INSERT INTO candor_task_runs (id, run_id, position, task_id, task, world, outside, phase, expired, created_at, next_seq) VALUES ($1, $2, $3, $4, $5, $6, $7, 'created', 0, $8, 1)")
                .bind(task_run.id.as_str())
                .bind(run.id.as_str())
                .bind(position)
                .bind(task_run.task_id.as_str())
                .bind(task_run.task.as_str())
                .bind(task_run.world.clone())
                .bind(task_run.outside.clone())
                .bind(run.created_at.as_str())
                .execute(&mut *writing.tx)
                .await?;
        }
        writing.commit().await
    }

    pub(crate) async fn run(&self, id: &str) -> Result<Option<Run>> {
        let row = sqlx::query(concat!("SELECT ", run_columns!(), " FROM candor_benchmark_runs WHERE id = $1")).bind(id);
        row.fetch_optional(&self.pool).await?.as_ref().map(run).transpose()
    }

    /// Benchmark runs from the newest on, behind the one with this id if there is one.
    pub(crate) async fn runs(&self, behind: &str, forward: bool, limit: i64) -> Result<Vec<Run>> {
        let rows = match (behind, forward) {
            ("", _) => {
                sqlx::query(concat!("SELECT ", run_columns!(), " FROM candor_benchmark_runs ORDER BY id DESC LIMIT $1"))
                    .bind(limit)
            }
            (behind, true) => sqlx::query(concat!(
                "SELECT ",
                run_columns!(),
                " FROM candor_benchmark_runs WHERE id < $2 ORDER BY id DESC LIMIT $1"
            ))
            .bind(limit)
            .bind(behind),
            (behind, false) => sqlx::query(concat!(
                "SELECT ",
                run_columns!(),
                " FROM candor_benchmark_runs WHERE id > $2 ORDER BY id LIMIT $1"
            ))
            .bind(limit)
            .bind(behind),
        };
        rows.fetch_all(&self.pool).await?.iter().map(run).collect()
    }

    /// The runs of a benchmark that were made before this one, the newest first.
    pub(crate) async fn earlier_runs(&self, run: &Run, limit: i64) -> Result<Vec<Run>> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            run_columns!(),
            " FROM candor_benchmark_runs WHERE benchmark_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
        ));
        let rows = rows.bind(run.benchmark_id.as_str()).bind(run.id.as_str()).bind(limit);
        rows.fetch_all(&self.pool).await?.iter().map(self::run).collect()
    }

    pub(crate) async fn task_run(&self, id: &str) -> Result<Option<TaskRun>> {
        let row = sqlx::query(concat!("SELECT ", task_run_columns!(), " FROM candor_task_runs WHERE id = $1")).bind(id);
        row.fetch_optional(&self.pool).await?.as_ref().map(task_run).transpose()
    }

    pub(crate) async fn task_runs(&self, run_id: &str) -> Result<Vec<TaskRun>> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            task_run_columns!(),
            " FROM candor_task_runs WHERE run_id = $1 ORDER BY position"
        ));
        rows.bind(run_id).fetch_all(&self.pool).await?.iter().map(task_run).collect()
    }

    /// Starts a task run that was created; whether it is this call that did.
    pub(crate) async fn start(
        &self,
        id: &str,
        agent_digest: &str,
        now: &str,
        deadline: Option<String>,
    ) -> Result<bool> {
        let mut writing = self.write().await?;
        let done = sqlx::query("UPDATE candor_task_runs SET phase = 'started', started_at = $2, deadline = $3, agent_digest = $4 WHERE id = $1 AND phase = 'created'")
            .bind(id)
            .bind(now)
            .bind(deadline)
            .bind(agent_digest);
        let started = writing.execute(done).await?;
        if started {
            let run = sqlx::query(
                "UPDATE candor_benchmark_runs SET phase = 'running' WHERE phase = 'created' AND id = (SELECT run_id FROM candor_task_runs WHERE id = $1)",
            );
            writing.execute(run.bind(id)).await?;
        }
        writing.commit().await?;
        Ok(started)
    }

    /// Freezes a task run that was started and makes `owner` its grader; whether it is this call that did. Nothing is written
    /// to its sandbox from then on. Past its deadline it is frozen as expired.
    pub(crate) async fn freeze(&self, id: &str, owner: &str, now: &str, lease: Duration) -> Result<bool> {
        let statement = sqlx::query("UPDATE candor_task_runs SET phase = 'grading', frozen_at = $3, owner = $2, lease_until = $4, expired = CASE WHEN deadline IS NOT NULL AND deadline <= $3 THEN 1 ELSE 0 END WHERE id = $1 AND phase = 'started'")
            .bind(id)
            .bind(owner)
            .bind(now)
            .bind(after(lease));
        self.execute(statement).await
    }

    pub(crate) async fn note_mllp_port(&self, id: &str, port: u16) -> Result<()> {
        let statement =
            sqlx::query("UPDATE candor_task_runs SET mllp_port = $2 WHERE id = $1").bind(id).bind(i64::from(port));
        self.execute(statement).await?;
        Ok(())
    }

    pub(crate) async fn mllp_ports(&self) -> Result<Vec<(String, u16)>> {
        let rows =
            sqlx::query("SELECT id, mllp_port FROM candor_task_runs WHERE phase = 'started' AND mllp_port IS NOT NULL");
        let port = |row: &AnyRow| Ok((text(row, "id")?, u16::try_from(number(row, "mllp_port")?).unwrap_or(0)));
        rows.fetch_all(&self.pool).await?.iter().map(port).collect()
    }

    pub(crate) async fn overdue(&self, now: &str) -> Result<Vec<String>> {
        let rows = sqlx::query(
            "SELECT id FROM candor_task_runs WHERE phase = 'started' AND deadline IS NOT NULL AND deadline <= $1 ORDER BY deadline LIMIT 100",
        );
        rows.bind(now).fetch_all(&self.pool).await?.iter().map(|row| text(row, "id")).collect()
    }

    pub(crate) async fn abandoned(&self, now: &str) -> Result<Vec<String>> {
        let rows = sqlx::query(
            "SELECT id FROM candor_task_runs WHERE phase = 'grading' AND lease_until <= $1 ORDER BY lease_until LIMIT 100",
        );
        rows.bind(now).fetch_all(&self.pool).await?.iter().map(|row| text(row, "id")).collect()
    }

    /// Ends the leases of all gradings: of a database that only this server uses, when it starts.
    pub(crate) async fn abandon_all(&self) -> Result<()> {
        let statement = sqlx::query("UPDATE candor_task_runs SET lease_until = '' WHERE phase = 'grading'");
        self.execute(statement).await?;
        Ok(())
    }

    /// Takes over an abandoned grading; whether it is this call that did.
    pub(crate) async fn take_over(&self, id: &str, owner: &str, now: &str, lease: Duration) -> Result<bool> {
        let statement = sqlx::query("UPDATE candor_task_runs SET owner = $2, lease_until = $4 WHERE id = $1 AND phase = 'grading' AND lease_until <= $3")
            .bind(id)
            .bind(owner)
            .bind(now)
            .bind(after(lease));
        self.execute(statement).await
    }

    pub(crate) async fn count_grading(&self, owner: &str) -> Result<i64> {
        let row = sqlx::query("SELECT COUNT(*) AS number FROM candor_task_runs WHERE phase = 'grading' AND owner = $1");
        number(&row.bind(owner).fetch_one(&self.pool).await?, "number")
    }

    pub(crate) async fn renew(&self, owner: &str, lease: Duration) -> Result<()> {
        let statement =
            sqlx::query("UPDATE candor_task_runs SET lease_until = $2 WHERE phase = 'grading' AND owner = $1")
                .bind(owner)
                .bind(after(lease));
        self.execute(statement).await?;
        Ok(())
    }

    /// Deletes a benchmark run and all that belongs to it; whether there was one.
    pub(crate) async fn delete_run(&self, id: &str) -> Result<bool> {
        let mut writing = self.write().await?;
        for statement in [
            "DELETE FROM candor_criterion_runs WHERE task_run_id IN (SELECT id FROM candor_task_runs WHERE run_id = $1)",
            "DELETE FROM candor_writes WHERE task_run_id IN (SELECT id FROM candor_task_runs WHERE run_id = $1)",
            "DELETE FROM candor_answers WHERE scope LIKE '%@' || $1",
            "DELETE FROM candor_shares WHERE run_id = $1",
            "DELETE FROM candor_task_runs WHERE run_id = $1",
        ] {
            writing.execute(sqlx::query(statement).bind(id)).await?;
        }
        let run = sqlx::query("DELETE FROM candor_benchmark_runs WHERE id = $1");
        let is_deleted = writing.execute(run.bind(id)).await?;
        writing.forget_worlds().await?;
        writing.commit().await?;
        self.empty_log().await;
        Ok(is_deleted)
    }

    /// Completed benchmark runs, older than this, that still have their events and evidence.
    pub(crate) async fn old_runs(&self, before: &str) -> Result<Vec<String>> {
        let rows = sqlx::query(
            "SELECT id FROM candor_benchmark_runs WHERE phase = 'completed' AND pruned = 0 AND completed_at <= $1 LIMIT 100",
        );
        rows.bind(before).fetch_all(&self.pool).await?.iter().map(|row| text(row, "id")).collect()
    }
}

impl Writing {
    /// Deletes the worlds that no task run begins with any more.
    pub(crate) async fn forget_worlds(&mut self) -> Result<()> {
        let unused = "DELETE FROM candor_worlds WHERE digest NOT IN (SELECT world FROM candor_task_runs WHERE world IS NOT NULL)";
        self.execute(sqlx::query(unused)).await?;
        Ok(())
    }
}
