//! Answers that are not a success: what each status says of the search, in a sentence.

use candor_check::{Obstacle, Unverifiable};
use candor_http_source::{Answer, Client};
use candor_json::Value;

use super::outcome;

/// Why an answer with such a status concludes nothing. `what` was asked for.
pub(super) fn refusal(client: &Client, what: &str, answer: &Answer) -> Unverifiable {
    candor_http_source::refusal(client, what, answer, said(answer).as_deref())
}

fn said(answer: &Answer) -> Option<String> {
    let value: Value = candor_json::from_slice(&answer.body).ok()?;
    let issue = outcome::issues(&value, &[]).into_iter().find(|issue| !issue.text.is_empty())?;
    Some(issue.text)
}

/// Why an OperationOutcome in a success concludes nothing; `None` where all it says changes nothing.
pub(super) fn stopped(client: &Client, what: &str, outcome: &Value, parameters: &[&str]) -> Option<Unverifiable> {
    let issue = outcome::issues(outcome, parameters).into_iter().next()?;
    let obstacle = issue.obstacle?;
    let text = client.secrets.quoted(&issue.text);
    let base = &client.server.url;
    let details = match (&issue.parameter, obstacle) {
        (Some(parameter), Obstacle::Undecidable) => {
            format!("{base} did not apply the search parameter `{parameter}`, or not as intended, in {what}: {text}")
        }
        _ => format!("{base} reports of {what}: {text} ({})", client.secrets.quoted(&issue.code)),
    };
    Some(Unverifiable::new(obstacle, details))
}
