//! Results: what came of a task run, whole or not there.

use futures_util::TryStreamExt as _;

use super::{Result, Store, Writing, number, text};

#[derive(Clone, Debug)]
pub(crate) struct Graded {
    /// `completed` or `expired`.
    pub phase: &'static str,
    /// The task run's record, as JSON, its criterion runs left out.
    pub record: String,
    /// The criterion runs: id and record, in the order of the task.
    pub criterion_runs: Vec<(String, String)>,
}

impl Store {
    pub(crate) async fn criterion_runs(&self, task_run_id: &str) -> Result<Vec<String>> {
        let rows = sqlx::query("SELECT record FROM candor_criterion_runs WHERE task_run_id = $1 ORDER BY position");
        rows.bind(task_run_id).fetch_all(&self.pool).await?.iter().map(|row| text(row, "record")).collect()
    }

    /// Some of the criterion runs of a task run: those at these positions, each with its position.
    pub(crate) async fn criterion_runs_from(
        &self,
        task_run_id: &str,
        from: i64,
        limit: i64,
    ) -> Result<Vec<(i64, String)>> {
        let rows = sqlx::query(
            "SELECT position, record FROM candor_criterion_runs WHERE task_run_id = $1 AND position >= $2 ORDER BY position LIMIT $3",
        );
        let rows = rows.bind(task_run_id).bind(from).bind(limit).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((number(row, "position")?, text(row, "record")?))).collect()
    }

    /// Hands over each criterion run of a benchmark run with its task run's id, those of a task run in its order.
    pub(crate) async fn each_criterion_run(&self, run_id: &str, mut of: impl FnMut(String, &str) + Send) -> Result<()> {
        let rows = sqlx::query(
            "SELECT c.task_run_id, c.record FROM candor_criterion_runs c JOIN candor_task_runs t ON t.id = c.task_run_id WHERE t.run_id = $1 ORDER BY t.position, c.position",
        );
        let mut rows = rows.bind(run_id).fetch(&self.pool);
        while let Some(row) = rows.try_next().await? {
            of(text(&row, "task_run_id")?, &text(&row, "record")?);
        }
        Ok(())
    }

    pub(crate) async fn criterion_run(&self, id: &str) -> Result<Option<String>> {
        let row = sqlx::query("SELECT record FROM candor_criterion_runs WHERE id = $1").bind(id);
        row.fetch_optional(&self.pool).await?.as_ref().map(|row| text(row, "record")).transpose()
    }

    /// Stores what came of a grading, if `owner` still is its grader; whether it is. With the last task run the benchmark run
    /// is complete: `sum_up` makes its result of the records of all task runs, each with its criterion runs.
    pub(crate) async fn complete(
        &self,
        task_run_id: &str,
        run_id: &str,
        owner: &str,
        graded: &Graded,
        now: &str,
        sum_up: impl FnOnce(Vec<(String, String, Vec<String>)>) -> String + Send,
    ) -> Result<bool> {
        let mut writing = self.write().await?;
        // The run's row is locked first, so that of two last task runs one comes after the other.
        let touched = sqlx::query("UPDATE candor_benchmark_runs SET touched = touched + 1 WHERE id = $1");
        writing.execute(touched.bind(run_id)).await?;
        let done = sqlx::query("UPDATE candor_task_runs SET phase = $3, completed_at = $4, result = $5, owner = NULL, lease_until = NULL WHERE id = $1 AND phase = 'grading' AND owner = $2")
            .bind(task_run_id)
            .bind(owner)
            .bind(graded.phase)
            .bind(now)
            .bind(graded.record.as_str());
        if !writing.execute(done).await? {
            return Ok(false);
        }
        for (position, (id, record)) in (0i64..).zip(&graded.criterion_runs) {
            let run = sqlx::query(
                "INSERT INTO candor_criterion_runs (id, task_run_id, position, record) VALUES ($1, $2, $3, $4)",
            );
            let run = run.bind(id.as_str()).bind(task_run_id).bind(position).bind(record.as_str());
            writing.execute(run).await?;
        }
        writing.complete_run(run_id, now, sum_up).await?;
        writing.commit().await?;
        Ok(true)
    }

    /// Deletes the events of a benchmark run, the answers that repeat its evidence, and what `without_evidence` leaves out of
    /// its criterion runs.
    pub(crate) async fn prune(&self, run_id: &str, without_evidence: impl Fn(&str) -> String + Send) -> Result<()> {
        let mut writing = self.write().await?;
        for statement in [
            "DELETE FROM candor_writes WHERE task_run_id IN (SELECT id FROM candor_task_runs WHERE run_id = $1)",
            "DELETE FROM candor_answers WHERE scope LIKE '%@' || $1",
            "UPDATE candor_task_runs SET world = NULL WHERE run_id = $1",
            "UPDATE candor_benchmark_runs SET pruned = 1 WHERE id = $1",
        ] {
            writing.execute(sqlx::query(statement).bind(run_id)).await?;
        }
        let rows = sqlx::query(
            "SELECT id, record FROM candor_criterion_runs WHERE task_run_id IN (SELECT id FROM candor_task_runs WHERE run_id = $1)",
        );
        for row in rows.bind(run_id).fetch_all(&mut *writing.tx).await? {
            let run = sqlx::query("UPDATE candor_criterion_runs SET record = $2 WHERE id = $1");
            let run = run.bind(text(&row, "id")?).bind(without_evidence(&text(&row, "record")?));
            writing.execute(run).await?;
        }
        writing.forget_worlds().await?;
        writing.commit().await
    }
}

impl Writing {
    async fn complete_run(
        &mut self,
        run_id: &str,
        now: &str,
        sum_up: impl FnOnce(Vec<(String, String, Vec<String>)>) -> String + Send,
    ) -> Result<()> {
        let open = sqlx::query("SELECT COUNT(*) AS number FROM candor_task_runs WHERE run_id = $1 AND phase NOT IN ('completed', 'expired')")
            .bind(run_id)
            .fetch_one(&mut *self.tx)
            .await?;
        if number(&open, "number")? > 0 {
            return Ok(());
        }
        let rows = sqlx::query("SELECT id, task_id, result FROM candor_task_runs WHERE run_id = $1 ORDER BY position");
        let mut all = Vec::new();
        for row in rows.bind(run_id).fetch_all(&mut *self.tx).await? {
            let records =
                sqlx::query("SELECT record FROM candor_criterion_runs WHERE task_run_id = $1 ORDER BY position");
            let records = records.bind(text(&row, "id")?).fetch_all(&mut *self.tx).await?;
            let records = records.iter().map(|row| text(row, "record")).collect::<Result<_>>()?;
            all.push((text(&row, "task_id")?, text(&row, "result")?, records));
        }
        let run = sqlx::query(
            "UPDATE candor_benchmark_runs SET phase = 'completed', completed_at = $2, result = $3 WHERE id = $1",
        );
        self.execute(run.bind(run_id).bind(now).bind(sum_up(all))).await?;
        Ok(())
    }
}
