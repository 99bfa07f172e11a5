//! Who asks: what a token opens.

use axum::http::{HeaderMap, header};

use crate::error::ApiError;
use crate::ids::now;
use crate::store::Store;
use crate::token::{Kind, Presented};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Viewer {
    Operator(String),
    Run(String),
    Agent(String),
    Share(String),
    /// A caller without a token, on a route that needs none.
    Anyone,
}

impl Viewer {
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Operator(id) => format!("operator:{id}"),
            Self::Run(id) => format!("run:{id}"),
            Self::Agent(id) => format!("agent:{id}"),
            Self::Share(id) => format!("share:{id}"),
            Self::Anyone => "anyone".to_owned(),
        }
    }

    pub(crate) fn is_operator(&self) -> bool {
        matches!(self, Self::Operator(_))
    }
}

pub(crate) fn bearer(headers: &HeaderMap) -> Option<String> {
    let authorization = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if let Some(text) = authorization {
        let (scheme, token) = text.split_once(' ')?;
        return scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned());
    }
    cookie(headers, SESSION_COOKIE)
}

pub(crate) fn cookie(headers: &HeaderMap, wanted: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned())
}

pub(crate) const SESSION_COOKIE: &str = "candor_session";

/// Whom a token belongs to.
///
/// # Errors
/// 401 without telling why: a token that is unknown, revoked, expired or ended.
pub(crate) async fn identify(store: &Store, token: Option<&str>) -> Result<Viewer, ApiError> {
    let Some(token) = token else {
        return Err(ApiError::unauthorized("This route needs a token; send `Authorization: Bearer TOKEN`."));
    };
    let unknown = || ApiError::unauthorized("The token is not valid: it is unknown, revoked, or its time is over.");
    let presented = Presented::read(token).ok_or_else(unknown)?;
    let viewer = match presented.kind {
        Kind::Operator => {
            let key = store.key(&presented.id).await?.filter(|key| key.revoked_at.is_none());
            key.filter(|key| presented.is(&key.digest)).map(|key| Viewer::Operator(key.id))
        }
        Kind::Session => {
            let session = store.session(&presented.id).await?;
            let session = session.filter(|session| presented.is(&session.digest) && session.expires_at > now());
            match session {
                Some(session) => {
                    let key = store.key(&session.key_id).await?.filter(|key| key.revoked_at.is_none());
                    key.map(|key| Viewer::Operator(key.id))
                }
                None => None,
            }
        }
        Kind::Run => {
            let run = store.run(&format!("br_{}", presented.id)).await?;
            let run = run.filter(|run| presented.is(&run.token_digest) && run.token_expires_at > now());
            run.map(|run| Viewer::Run(run.id))
        }
        Kind::Agent => {
            let task_run = store.task_run(&format!("tr_{}", presented.id)).await?;
            let task_run = task_run.filter(|task_run| {
                let is_running = task_run.deadline.as_ref().is_none_or(|deadline| *deadline > now());
                let digest = task_run.agent_digest.as_ref();
                task_run.phase == "started" && is_running && digest.is_some_and(|digest| presented.is(digest))
            });
            task_run.map(|task_run| Viewer::Agent(task_run.id))
        }
        Kind::Share => {
            let share = store.share(&presented.id).await?;
            let share = share.filter(|share| presented.is(&share.digest) && share.expires_at > now());
            share.map(|share| Viewer::Share(share.run_id))
        }
    };
    viewer.ok_or_else(unknown)
}
