//! Answers that are kept for requests with an `Idempotency-Key`.

use sqlx::Row as _;

use super::{Result, Store, maybe, text};

#[derive(Clone, Debug)]
pub(crate) struct StoredAnswer {
    pub status: u16,
    /// Header fields, as a JSON object.
    pub headers: String,
    pub body: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(crate) enum Claimed {
    /// It is new: the request is to be answered now.
    New,
    Answered(StoredAnswer),
    Pending,
    Other,
}

impl Store {
    /// Claims a key for a request. A claim that was left without an answer before `stale` is claimed again.
    pub(crate) async fn claim(&self, scope: &str, key: &str, request: &str, now: &str, stale: &str) -> Result<Claimed> {
        let mut writing = self.write().await?;
        let inserted = sqlx::query("INSERT INTO candor_answers (scope, idempotency_key, request, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (scope, idempotency_key) DO NOTHING")
            .bind(scope)
            .bind(key)
            .bind(request)
            .bind(now);
        if writing.execute(inserted).await? {
            writing.commit().await?;
            return Ok(Claimed::New);
        }
        let row = sqlx::query("SELECT request, status, headers, body, created_at FROM candor_answers WHERE scope = $1 AND idempotency_key = $2")
            .bind(scope)
            .bind(key)
            .fetch_one(&mut *writing.tx)
            .await?;
        if text(&row, "request")? != request {
            return Ok(Claimed::Other);
        }
        if let Some(status) = row.try_get::<Option<i64>, _>("status")? {
            let body: Option<Vec<u8>> = row.try_get("body")?;
            let headers = maybe(&row, "headers")?.unwrap_or_default();
            let status = u16::try_from(status).unwrap_or(500);
            return Ok(Claimed::Answered(StoredAnswer { status, headers, body: body.unwrap_or_default() }));
        }
        if text(&row, "created_at")?.as_str() > stale {
            return Ok(Claimed::Pending);
        }
        let again = sqlx::query("UPDATE candor_answers SET created_at = $3 WHERE scope = $1 AND idempotency_key = $2");
        writing.execute(again.bind(scope).bind(key).bind(now)).await?;
        writing.commit().await?;
        Ok(Claimed::New)
    }

    /// Keeps the answer to a claimed request; without one the key is free again.
    pub(crate) async fn answer(&self, scope: &str, key: &str, answer: Option<&StoredAnswer>) -> Result<()> {
        let statement = match answer {
            Some(answer) => sqlx::query("UPDATE candor_answers SET status = $3, headers = $4, body = $5 WHERE scope = $1 AND idempotency_key = $2")
                .bind(scope)
                .bind(key)
                .bind(i64::from(answer.status))
                .bind(answer.headers.as_str())
                .bind(answer.body.as_slice()),
            None => sqlx::query("DELETE FROM candor_answers WHERE scope = $1 AND idempotency_key = $2")
                .bind(scope)
                .bind(key),
        };
        self.execute(statement).await?;
        Ok(())
    }
}
