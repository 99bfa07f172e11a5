//! Deletes old events and evidence, never verdicts.

use std::time::Duration;

use candor_json::{Value, json};

use crate::app::App;
use crate::error::ApiError;
use crate::ids::{before, now};

/// For how long answers to requests with an `Idempotency-Key` are kept.
const ANSWERS: Duration = Duration::from_secs(24 * 3600);

pub(crate) async fn sweep(app: &App) -> Result<(), ApiError> {
    app.store.sweep(&now(), &before(ANSWERS)).await?;
    let old = match app.options.keep {
        Some(keep) => app.store.old_runs(&before(keep)).await?,
        None => Vec::new(),
    };
    for run in old {
        app.store.prune(&run, without_evidence).await?;
        tracing::info!(run = %run, "deleted the events and evidence of an old run");
    }
    app.store.empty_log().await;
    Ok(())
}

fn without_evidence(record: &str) -> String {
    let mut record: Value = candor_json::from_str(record).unwrap_or_default();
    if let Some(members) = record.as_object_mut() {
        members.insert("evidence".to_owned(), json!({}));
        members.insert("details".to_owned(), json!("The evidence was deleted (--keep)."));
    }
    record.to_string()
}
