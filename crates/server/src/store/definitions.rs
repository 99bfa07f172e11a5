//! Tasks and benchmarks as they were handed in, and worlds by their content.

use super::{Result, Store, Writing, blob, text};
use sqlx::Row as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefinitionKind {
    Task,
    Benchmark,
}

impl DefinitionKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Benchmark => "benchmark",
        }
    }
}

impl Store {
    /// Stores a definition, in place of the one with the same id; whether it is new.
    pub(crate) async fn define(&self, kind: DefinitionKind, id: &str, document: &str, now: &str) -> Result<bool> {
        let mut writing = self.write().await?;
        let inserted = sqlx::query(
            "INSERT INTO candor_definitions (kind, id, document, created_at, updated_at) VALUES ($1, $2, $3, $4, $4) ON CONFLICT (kind, id) DO NOTHING",
        )
        .bind(kind.name())
        .bind(id)
        .bind(document)
        .bind(now);
        let is_new = writing.execute(inserted).await?;
        if !is_new {
            let updated =
                sqlx::query("UPDATE candor_definitions SET document = $3, updated_at = $4 WHERE kind = $1 AND id = $2");
            writing.execute(updated.bind(kind.name()).bind(id).bind(document).bind(now)).await?;
        }
        writing.commit().await?;
        Ok(is_new)
    }

    pub(crate) async fn definition(&self, kind: DefinitionKind, id: &str) -> Result<Option<String>> {
        let row = sqlx::query("SELECT document FROM candor_definitions WHERE kind = $1 AND id = $2")
            .bind(kind.name())
            .bind(id)
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(|row| text(row, "document")).transpose()
    }

    pub(crate) async fn world(&self, digest: &str) -> Result<Option<Vec<u8>>> {
        let row = sqlx::query("SELECT content FROM candor_worlds WHERE digest = $1").bind(digest);
        row.fetch_optional(&self.pool).await?.as_ref().map(|row| blob(row, "content")).transpose()
    }
}

impl Writing {
    /// Stores a world, if it is not there.
    pub(crate) async fn add_world(&mut self, digest: &str, content: &[u8]) -> Result<()> {
        let known = sqlx::query("SELECT COUNT(*) AS number FROM candor_worlds WHERE digest = $1")
            .bind(digest)
            .fetch_one(&mut *self.tx)
            .await?;
        if known.try_get::<i64, _>("number")? == 0 {
            let world = sqlx::query(
                "INSERT INTO candor_worlds (digest, content) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
            );
            self.execute(world.bind(digest).bind(content)).await?;
        }
        Ok(())
    }
}
