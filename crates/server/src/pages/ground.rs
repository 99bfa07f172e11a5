//! The ground of a result: the files of the sandbox that the service keeps, the task, how to make the result again.

use std::collections::BTreeMap;

use candor_json::Value;
use candor_report::page::Ground;

use crate::app::{App, agent_tables};
use crate::error::ApiError;
use crate::store::TaskRun;
use crate::token::digest;
use crate::world::laid_out;

#[derive(Default)]
pub(super) struct Kept {
    files: BTreeMap<String, Vec<u8>>,
    task: Value,
    command: Option<String>,
}

impl Kept {
    /// Collects what the service keeps of a task run; it keeps no files of a sandbox that somebody else keeps.
    pub(super) async fn of(app: &App, task_run: &TaskRun) -> Result<Self, ApiError> {
        let task: Value = candor_json::from_str(&task_run.task).unwrap_or_default();
        if task_run.outside.is_some() || task_run.world.is_none() {
            return Ok(Self { task, ..Self::default() });
        }
        let parts = app.world(task_run).await?;
        let writes = app.store.writes(&task_run.id, 1).await?;
        let tables = agent_tables(&task_run.task);
        let found_at = task_run.started_at.clone().unwrap_or_default();
        let laid = tokio::task::spawn_blocking(move || laid_out(&parts, &tables, &writes, &found_at));
        let files = laid.await.map_err(|_| ApiError::internal())?.files();
        let address = format!("{}/task-runs/{}/sandbox.tar", app.url, task_run.id);
        let command = format!(
            "curl -H \"Authorization: Bearer $CANDOR_KEY\" {address} | tar x\ncandor check task.json --sandbox sandbox --baseline baseline"
        );
        Ok(Self { files, task, command: Some(command) })
    }
}

impl Ground for Kept {
    fn source(&self, locator: &str, sha256: Option<&str>) -> Option<Vec<u8>> {
        let bytes = self.files.get(locator)?;
        (digest(bytes) == sha256?).then(|| bytes.clone())
    }

    fn assertion(&self, criterion_id: &str) -> Option<Value> {
        let criteria = self.task.get("criteria")?.as_array()?;
        let criterion = criteria.iter().find(|one| one.get("id").and_then(Value::as_str) == Some(criterion_id))?;
        criterion.get("assertion").cloned()
    }

    fn command(&self) -> Option<String> {
        self.command.clone()
    }
}
