//! Answers other than success: the meaning of each status for the request, in a sentence.

use candor_check::{Obstacle, Unverifiable};

use crate::{Answer, Client};

/// Why an answer with such a status concludes nothing. `what` was asked for; `said` is what the answer says of it.
#[must_use]
pub fn refusal(client: &Client, what: &str, answer: &Answer, said: Option<&str>) -> Unverifiable {
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
        _ => said.map(|text| format!(": {}", client.secrets.quoted(text))).unwrap_or_default(),
    };
    let base = &client.server.url;
    Unverifiable::new(obstacle, format!("{what} was answered by {base} with status {status}{meaning}{said}"))
}
