//! `endpoint-responds`: the status of an answer.

use std::time::Duration;

use candor_check::evidence::{Candidates, SourceRef};
use candor_check::field::{FieldResult, Location};
use candor_check::review::Review;
use candor_check::sandbox::duration;
use candor_check::{Check, Evidence, Failure, Meta, Sandbox, Share, Unverifiable};
use candor_json::{Value, json};
use serde::{Deserialize, Deserializer, Serialize};

use super::answer::Answer;
use super::settings::{Headers, Method, Url};
use super::status::Statuses;
use super::{AGAIN, ask};
use crate::looked::Looked;
use crate::meta;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndpointResponds {
    url: Url,
    #[serde(default)]
    method: Method,
    #[serde(default)]
    status: Statuses,
    #[serde(default)]
    headers: Headers,
    #[serde(default = "ten_seconds", deserialize_with = "time")]
    timeout: Duration,
}

fn ten_seconds() -> Duration {
    Duration::from_secs(10)
}

pub(super) fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    let time = duration(&text).map_err(serde::de::Error::custom)?;
    // The longest time limit that is of use to an author.
    if time > Duration::from_secs(600) {
        return Err(serde::de::Error::custom(format!("`{text}` is more than 10m")));
    }
    Ok(time)
}

/// The two answers, in the order in which they were asked for, and who gave them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    url: String,
    first: Answer,
    again: Answer,
}

impl Check for EndpointResponds {
    const META: Meta = meta(
        "endpoint-responds",
        "Asserts with which status an endpoint answers",
        include_str!("../../schemas/endpoint-responds.json"),
    );

    type Seen = Looked<Asked>;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Self::Seen, Unverifiable> {
        let look = async {
            let url = self.url.on(sandbox)?;
            let once = || {
                let (asked, method, headers, time) = (url.clone(), self.method, self.headers.clone(), self.timeout);
                blocking(sandbox, &url, move || ask(&asked, method, &headers, time))
            };
            let first = once().await?;
            sandbox.work().sleep(AGAIN).await;
            let again = once().await?;
            Ok(Asked { url, first, again })
        };
        Ok(Looked::at(look.await, sandbox.work().now()))
    }

    fn review(&self) -> Review {
        Review { weaknesses: self.status.weakness().into_iter().collect(), ..Review::default() }
    }

    fn judge(&self, seen: &Self::Seen) -> Evidence {
        seen.judged("http_response", |asked| (self.evidence(asked), self.data(asked)))
    }
}

/// Asks on a thread of its own; every request has its own time.
pub(super) async fn blocking<T: Send + 'static>(
    sandbox: &Sandbox,
    url: &str,
    ask: impl FnOnce() -> Result<T, Unverifiable> + Send + 'static,
) -> Result<T, Unverifiable> {
    let named = |why: Unverifiable| Unverifiable { details: format!("{}: {}", place(url), why.details), ..why };
    match sandbox.work().wait(ask).await {
        Ok(asked) => asked.map_err(named),
        Err(broken) => Err(Unverifiable::new(
            candor_check::Obstacle::Undecidable,
            format!("asking broke, which is a defect of this program: {broken}"),
        )),
    }
}

/// A URL for a sentence and for a locator: without its query, which may hold a secret.
pub(super) fn place(url: &str) -> &str {
    url.split('?').next().unwrap_or(url)
}

fn data(answer: &Answer) -> Value {
    match answer {
        Answer::Status { code, took_us, bytes } => {
            json!({"status": code, "took_ms": took_us.div_ceil(1000), "bytes": bytes})
        }
        Answer::Broken(what) => json!({"status": null, "problem": what}),
        Answer::Silent(ms) => json!({"status": null, "problem": format!("no answer within {ms} ms")}),
    }
}

fn said(answer: &Answer) -> String {
    match answer {
        Answer::Status { code, .. } => format!("was answered with {code}"),
        Answer::Broken(problem) => format!("was not answered: {problem}"),
        Answer::Silent(ms) => format!("was not answered within {ms} ms"),
    }
}

impl EndpointResponds {
    fn holds(&self, answer: &Answer) -> bool {
        matches!(answer, Answer::Status { code, .. } if self.status.allow(*code))
    }

    /// The answer that decides: the first that does not hold.
    fn deciding<'a>(&self, asked: &'a Asked) -> &'a Answer {
        if self.holds(&asked.first) { &asked.again } else { &asked.first }
    }

    fn data(&self, asked: &Asked) -> Value {
        let mut all = json!({
            "url": place(&asked.url), "method": self.method.name(), "answers": [data(&asked.first), data(&asked.again)],
        });
        if let (Value::Object(all), Value::Object(deciding)) = (&mut all, data(self.deciding(asked))) {
            all.extend(deciding);
        }
        all
    }

    fn evidence(&self, asked: &Asked) -> Evidence {
        let at = place(&asked.url);
        let expected = self.status.to_value();
        let (first, again) = (said(&asked.first), said(&asked.again));
        let both =
            if first == again { first } else { format!("{first}; asked again after {} s it {again}", AGAIN.as_secs()) };
        let said = format!("{} {at} {both}", self.method.name());
        let passed = self.holds(&asked.first) && self.holds(&asked.again);
        let actual = match self.deciding(asked) {
            Answer::Status { code, .. } => json!(code),
            Answer::Broken(_) | Answer::Silent(_) => Value::Null,
        };
        let result = FieldResult::constraint("$status", expected.clone(), actual, passed).at(Location::whole(at));
        let evidence = match passed {
            true => Evidence::passed(vec![result.into()], format!("{said}.")),
            false => {
                let details = format!("{said}; expected {}.", expected.to_string().replace('"', ""));
                Evidence::failed(Failure::FieldMismatch, Share::default(), vec![result.into()], details)
            }
        };
        let source = SourceRef { locator: at.into(), sha256: None, span: None, record: None };
        evidence.over(Candidates { considered: 1, matched: 1, nearest: None }, vec![source])
    }
}
