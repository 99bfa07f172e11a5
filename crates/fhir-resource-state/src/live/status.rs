//! Answers that are no success: what each status says of the search, in a sentence.

use candor_check::{Obstacle, Unverifiable};
use serde_json::Value;

use super::client::{Answer, Client};
use super::outcome;

/// Why an answer with such a status concludes nothing. `what` was asked for.
pub(super) fn refusal(client: &Client, what: &str, answer: &Answer) -> Unverifiable {
    let status = answer.status;
    let obstacle = match status {
        401 | 403 => Obstacle::SourceDenied,
        _ => Obstacle::SourceUnavailable,
    };
    let meaning = match status {
        300..=399 => " (a redirect, which is not followed; give the URL that it leads to)",
        400 => " Bad Request",
        401 => " Unauthorized",
        403 => " Forbidden",
        404 => " Not Found",
        405 => " Method Not Allowed",
        406 => " Not Acceptable",
        410 => " Gone",
        412 => " Precondition Failed",
        422 => " Unprocessable Entity",
        429 => " Too Many Requests, each time it was asked",
        500 => " Internal Server Error",
        502 => " Bad Gateway",
        503 => " Service Unavailable",
        504 => " Gateway Timeout",
        _ => "",
    };
    let said = match &answer.location {
        Some(location) if (300..400).contains(&status) => format!(": {}", client.secrets.quoted(location)),
        _ => said(client, answer).map(|text| format!(": {text}")).unwrap_or_default(),
    };
    let base = &client.server.url;
    Unverifiable::new(obstacle, format!("{what} was answered by {base} with status {status}{meaning}{said}"))
}

/// What an OperationOutcome in the answer says.
fn said(client: &Client, answer: &Answer) -> Option<String> {
    let value: Value = serde_json::from_slice(&answer.body).ok()?;
    let issue = outcome::issues(&value, &[]).into_iter().find(|issue| !issue.text.is_empty())?;
    Some(client.secrets.quoted(&issue.text))
}

/// Why an OperationOutcome in a success concludes nothing; `None` where all it says changes nothing.
pub(super) fn stopped(client: &Client, what: &str, outcome: &Value, parameters: &[&str]) -> Option<Unverifiable> {
    let issue = outcome::issues(outcome, parameters).into_iter().next()?;
    let obstacle = issue.obstacle?;
    let text = client.secrets.quoted(&issue.text);
    let base = &client.server.url;
    let details = match (&issue.parameter, obstacle) {
        (Some(parameter), Obstacle::Undecidable) => format!(
            "{base} did not apply the search parameter `{parameter}`, or not as it was meant, in {what}: {text}"
        ),
        _ => format!("{base} reports of {what}: {text} ({})", client.secrets.quoted(&issue.code)),
    };
    Some(Unverifiable::new(obstacle, details))
}
