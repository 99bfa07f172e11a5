//! Operators' keys, browsers' sessions, share links.

use super::{Result, Store, maybe, text};

/// An operator's key, without its secret.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub id: String,
    pub name: String,
    pub digest: String,
    pub created_at: String,
    pub revoked_at: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub key_id: String,
    pub digest: String,
    pub expires_at: String,
}

/// A link that shows one benchmark run until it expires.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    pub run_id: String,
    pub digest: String,
    pub expires_at: String,
}

impl Store {
    pub(crate) async fn add_key(&self, id: &str, name: &str, digest: &str, now: &str) -> Result<()> {
        let statement = sqlx::query("INSERT INTO candor_keys (id, name, digest, created_at) VALUES ($1, $2, $3, $4)")
            .bind(id)
            .bind(name)
            .bind(digest)
            .bind(now);
        self.execute(statement).await?;
        Ok(())
    }

    pub(crate) async fn keys(&self) -> Result<Vec<Key>> {
        let rows =
            sqlx::query("SELECT id, name, digest, created_at, revoked_at FROM candor_keys ORDER BY created_at, id");
        rows.fetch_all(&self.pool).await?.iter().map(key).collect()
    }

    pub(crate) async fn key(&self, id: &str) -> Result<Option<Key>> {
        let row = sqlx::query("SELECT id, name, digest, created_at, revoked_at FROM candor_keys WHERE id = $1");
        row.bind(id).fetch_optional(&self.pool).await?.as_ref().map(key).transpose()
    }

    pub(crate) async fn revoke_key(&self, id: &str, now: &str) -> Result<bool> {
        let mut writing = self.write().await?;
        let key = sqlx::query("UPDATE candor_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL");
        let is_revoked = writing.execute(key.bind(id).bind(now)).await?;
        writing.execute(sqlx::query("DELETE FROM candor_sessions WHERE key_id = $1").bind(id)).await?;
        writing.commit().await?;
        Ok(is_revoked)
    }

    pub(crate) async fn add_session(&self, id: &str, session: &Session) -> Result<()> {
        let statement =
            sqlx::query("INSERT INTO candor_sessions (id, key_id, digest, expires_at) VALUES ($1, $2, $3, $4)")
                .bind(id)
                .bind(session.key_id.as_str())
                .bind(session.digest.as_str())
                .bind(session.expires_at.as_str());
        self.execute(statement).await?;
        Ok(())
    }

    pub(crate) async fn session(&self, id: &str) -> Result<Option<Session>> {
        let row = sqlx::query_as("SELECT key_id, digest, expires_at FROM candor_sessions WHERE id = $1");
        let row = row.bind(id).fetch_optional(&self.pool).await?;
        Ok(row.map(|(key_id, digest, expires_at)| Session { key_id, digest, expires_at }))
    }

    pub(crate) async fn end_session(&self, id: &str) -> Result<()> {
        let statement = sqlx::query("DELETE FROM candor_sessions WHERE id = $1").bind(id);
        self.execute(statement).await?;
        Ok(())
    }

    pub(crate) async fn add_share(&self, id: &str, share: &Share) -> Result<()> {
        let statement =
            sqlx::query("INSERT INTO candor_shares (id, run_id, digest, expires_at) VALUES ($1, $2, $3, $4)")
                .bind(id)
                .bind(share.run_id.as_str())
                .bind(share.digest.as_str())
                .bind(share.expires_at.as_str());
        self.execute(statement).await?;
        Ok(())
    }

    pub(crate) async fn share(&self, id: &str) -> Result<Option<Share>> {
        let row = sqlx::query_as("SELECT run_id, digest, expires_at FROM candor_shares WHERE id = $1");
        let row = row.bind(id).fetch_optional(&self.pool).await?;
        Ok(row.map(|(run_id, digest, expires_at)| Share { run_id, digest, expires_at }))
    }

    pub(crate) async fn sweep(&self, now: &str, answers_before: &str) -> Result<()> {
        let mut writing = self.write().await?;
        writing.execute(sqlx::query("DELETE FROM candor_sessions WHERE expires_at <= $1").bind(now)).await?;
        writing.execute(sqlx::query("DELETE FROM candor_shares WHERE expires_at <= $1").bind(now)).await?;
        writing.execute(sqlx::query("DELETE FROM candor_answers WHERE created_at <= $1").bind(answers_before)).await?;
        writing.commit().await
    }
}

fn key(row: &sqlx::any::AnyRow) -> Result<Key> {
    Ok(Key {
        id: text(row, "id")?,
        name: text(row, "name")?,
        digest: text(row, "digest")?,
        created_at: text(row, "created_at")?,
        revoked_at: maybe(row, "revoked_at")?,
    })
}
