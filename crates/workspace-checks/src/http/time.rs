//! `response-time`: how long an answer takes, to its last byte.

use std::time::Duration;

use candor_check::compare::Operator;
use candor_check::evidence::{Candidates, Entry, SourceRef, share};
use candor_check::field::{FieldResult, Location};
use candor_check::review::Review;
use candor_check::{Check, Evidence, Failure, Meta, Sandbox, Unverifiable};
use candor_json::{Value, json};
use serde::{Deserialize, Deserializer, Serialize};

use super::answer::Answer;
use super::endpoint::{blocking, place, time};
use super::rank::nearest_rank;
use super::settings::{Headers, Method, Url};
use super::status::Statuses;
use super::{AGAIN, ask};
use crate::looked::Looked;
use crate::meta;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResponseTime {
    url: Url,
    #[serde(default)]
    method: Method,
    #[serde(default)]
    status: Statuses,
    #[serde(default)]
    headers: Headers,
    #[serde(deserialize_with = "time")]
    limit: Duration,
    #[serde(default = "one", deserialize_with = "samples")]
    samples: usize,
    #[serde(default = "all", deserialize_with = "percentile")]
    percentile: f64,
}

fn one() -> usize {
    1
}

fn all() -> f64 {
    100.0
}

fn samples<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let wrong = || serde::de::Error::custom("`samples` is a whole number from 1 to 100");
    let number = Value::deserialize(deserializer)?.as_u64().and_then(|number| usize::try_from(number).ok());
    number.filter(|number| (1..=100).contains(number)).ok_or_else(wrong)
}

fn percentile<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let wrong = || serde::de::Error::custom("`percentile` is a number above 0, of 100 at the most");
    let number = Value::deserialize(deserializer)?.as_f64();
    number.filter(|number| *number > 0.0 && *number <= 100.0).ok_or_else(wrong)
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timed {
    url: String,
    answers: Vec<Answer>,
}

impl Check for ResponseTime {
    const META: Meta =
        meta("response-time", "Asserts how fast an endpoint answers", include_str!("../../schemas/response-time.json"));

    type Seen = Looked<Timed>;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Self::Seen, Unverifiable> {
        let look = async {
            let url = self.url.on(sandbox)?;
            let mut answers = Vec::new();
            // One sample is two answers, and the slower decides.
            for number in 0..self.samples.max(2) {
                if number == 1 {
                    sandbox.work().sleep(AGAIN).await;
                }
                let (asked, method, headers, time) = (url.clone(), self.method, self.headers.clone(), self.patience());
                answers.push(blocking(sandbox, &url, move || ask(&asked, method, &headers, time)).await?);
            }
            Ok(Timed { url, answers })
        };
        Ok(Looked::at(look.await, sandbox.work().now()))
    }

    fn review(&self) -> Review {
        Review { weaknesses: self.status.weakness().into_iter().collect(), ..Review::default() }
    }

    fn judge(&self, seen: &Self::Seen) -> Evidence {
        seen.judged("response_time", |timed| self.evidence(timed))
    }
}

impl ResponseTime {
    /// How long to wait for an answer: past the limit, so that evidence can say by how much it was late.
    fn patience(&self) -> Duration {
        self.limit.saturating_add(self.limit.saturating_mul(3).min(Duration::from_secs(10)))
    }

    fn evidence(&self, timed: &Timed) -> (Evidence, Value) {
        let at = place(&timed.url);
        let limit_us = u64::try_from(self.limit.as_micros()).unwrap_or(u64::MAX);
        let took = |answer: &Answer| match answer {
            Answer::Status { took_us, .. } => *took_us,
            Answer::Broken(_) | Answer::Silent(_) => u64::MAX,
        };
        let mut times: Vec<u64> = timed.answers.iter().map(took).collect();
        times.sort_unstable();
        let decides = nearest_rank(&times, if self.samples == 1 { 100.0 } else { self.percentile });
        let in_time = decides.is_some_and(|time| time <= limit_us);
        let ms = |time: u64| if time == u64::MAX { Value::Null } else { json!(time.div_ceil(1000)) };
        let actual = decides.map_or(Value::Null, ms);
        let limit_ms = limit_us.div_ceil(1000);
        let result = FieldResult::constraint("$time", json!({"max_ms": limit_ms}), actual.clone(), in_time)
            .at(Location::whole(at));
        let wrong = timed.answers.iter().find_map(|answer| match answer {
            Answer::Status { code, .. } => (!self.status.allow(*code)).then_some(*code),
            _ => None,
        });
        let answered = timed.answers.iter().find_map(|answer| match answer {
            Answer::Status { code, .. } => Some(*code),
            _ => None,
        });
        let status = FieldResult::constraint(
            "$status",
            self.status.to_value(),
            json!(wrong.or(answered)),
            wrong.is_none() && answered.is_some(),
        )
        .with_operator(Operator::Equals)
        .at(Location::whole(at));
        let problem = timed.answers.iter().find_map(|answer| match answer {
            Answer::Broken(what) => Some(what.clone()),
            Answer::Silent(ms) => Some(format!("no answer came within {ms} ms")),
            Answer::Status { .. } => None,
        });
        let what = format!("{} {at}", self.method.name());
        let many = if self.samples > 1 {
            format!(" ({} of 100 of {} answers)", self.percentile, timed.answers.len())
        } else {
            String::new()
        };
        let passed = result.passed && status.passed;
        let entries: Vec<Entry> = vec![result.into(), status.into()];
        let evidence = if passed {
            Evidence::passed(entries, format!("{what} took {actual} ms{many}, within {limit_ms} ms."))
        } else {
            let details = match (in_time, &problem, wrong) {
                (true, _, Some(code)) => format!(
                    "{what} was answered with {code}, so that its time says nothing; expected {}.",
                    self.status.to_value().to_string().replace('"', "")
                ),
                (_, Some(problem), _) if actual.is_null() => {
                    format!("{what} was not answered{many}: {problem}; expected an answer within {limit_ms} ms.")
                }
                _ => format!("{what} took {actual} ms{many}, expected {limit_ms} ms at the most."),
            };
            Evidence::failed(Failure::FieldMismatch, share(&entries), entries, details)
        };
        let shown: Vec<Value> = timed
            .answers
            .iter()
            .map(|answer| match answer {
                Answer::Status { code, took_us, .. } => json!({"status": code, "took_ms": took_us.div_ceil(1000)}),
                Answer::Broken(what) => json!({"problem": what}),
                Answer::Silent(ms) => json!({"problem": format!("no answer within {ms} ms")}),
            })
            .collect();
        let data = json!({
            "url": at, "method": self.method.name(), "limit_ms": limit_ms, "percentile": self.percentile, "took_ms": actual,
            "samples": shown,
        });
        let source = SourceRef { locator: at.into(), sha256: None, span: None, record: None };
        let number = timed.answers.len() as u64;
        (evidence.over(Candidates { considered: number, matched: number, nearest: None }, vec![source]), data)
    }
}
