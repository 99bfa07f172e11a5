//! The log of what was written to the sandboxes. It is only ever added to.

use sqlx::any::AnyRow;

use super::{Result, Store, Writing, blob, number, text};

#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub seq: i64,
    /// `fhir`, `hl7`, `x12`, `files`, `portal`, `events`.
    pub part: String,
    /// The record within its part: `Patient/1`, a path, a table.
    pub name: String,
    /// `create`, `update`, `delete`, `append`; of FHIR the interaction: `update` may create.
    pub action: String,
    pub body: Vec<u8>,
    /// Which token wrote it.
    pub written_by: String,
    pub written_at: String,
}

#[derive(Clone, Debug)]
pub(crate) struct NewWrite {
    pub part: &'static str,
    pub name: String,
    pub action: &'static str,
    pub body: Vec<u8>,
}

fn write(row: &AnyRow) -> Result<Write> {
    Ok(Write {
        seq: number(row, "seq")?,
        part: text(row, "part")?,
        name: text(row, "name")?,
        action: text(row, "action")?,
        body: blob(row, "body")?,
        written_by: text(row, "written_by")?,
        written_at: text(row, "written_at")?,
    })
}

impl Store {
    pub(crate) async fn writes(&self, task_run_id: &str, from: i64) -> Result<Vec<Write>> {
        let rows = sqlx::query(
            "SELECT seq, part, name, action, body, written_by, written_at FROM candor_writes WHERE task_run_id = $1 AND seq >= $2 ORDER BY seq",
        );
        rows.bind(task_run_id).bind(from).fetch_all(&self.pool).await?.iter().map(write).collect()
    }

    /// The writes of one record, the oldest first.
    pub(crate) async fn history(&self, task_run_id: &str, part: &str, name: &str) -> Result<Vec<Write>> {
        let rows = sqlx::query(
            "SELECT seq, part, name, action, body, written_by, written_at FROM candor_writes WHERE task_run_id = $1 AND part = $2 AND name = $3 ORDER BY seq",
        );
        rows.bind(task_run_id).bind(part).bind(name).fetch_all(&self.pool).await?.iter().map(write).collect()
    }
}

impl Writing {
    /// Locks a task run that may be written to: the number of its next write. `None` if it is not started, or its time is over.
    pub(crate) async fn open_sandbox(&mut self, task_run_id: &str, now: &str) -> Result<Option<i64>> {
        let row = sqlx::query("UPDATE candor_task_runs SET next_seq = next_seq WHERE id = $1 AND phase = 'started' AND (deadline IS NULL OR deadline > $2) RETURNING next_seq")
            .bind(task_run_id)
            .bind(now)
            .fetch_optional(&mut *self.tx)
            .await?;
        row.as_ref().map(|row| number(row, "next_seq")).transpose()
    }

    pub(crate) async fn writes(&mut self, task_run_id: &str, from: i64) -> Result<Vec<Write>> {
        let rows = sqlx::query(
            "SELECT seq, part, name, action, body, written_by, written_at FROM candor_writes WHERE task_run_id = $1 AND seq >= $2 ORDER BY seq",
        );
        rows.bind(task_run_id).bind(from).fetch_all(&mut *self.tx).await?.iter().map(write).collect()
    }

    pub(crate) async fn append(
        &mut self,
        task_run_id: &str,
        from: i64,
        writes: &[NewWrite],
        by: &str,
        now: &str,
    ) -> Result<()> {
        let mut seq = from;
        for write in writes {
            sqlx::query("INSERT INTO candor_writes (task_run_id, seq, part, name, action, body, written_by, written_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")
                .bind(task_run_id)
                .bind(seq)
                .bind(write.part)
                .bind(write.name.as_str())
                .bind(write.action)
                .bind(write.body.as_slice())
                .bind(by)
                .bind(now)
                .execute(&mut *self.tx)
                .await?;
            seq += 1;
        }
        sqlx::query("UPDATE candor_task_runs SET next_seq = $2 WHERE id = $1")
            .bind(task_run_id)
            .bind(seq)
            .execute(&mut *self.tx)
            .await?;
        Ok(())
    }
}
