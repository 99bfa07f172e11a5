//! Answers to questions, and how they are read from the text that a model wrote.

use candor_check::{Obstacle, strict_json};
use candor_json::Value;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Said {
        quote: String,
        turn: Option<usize>,
    },
    NotSaid,
    /// The answer cannot be used; why, as the end of a sentence.
    Unusable(String),
    Missing {
        #[serde(with = "name")]
        obstacle: Obstacle,
        details: String,
    },
}

mod name {
    use candor_check::Obstacle;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    pub(super) fn serialize<S: Serializer>(obstacle: &Obstacle, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(obstacle.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Obstacle, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = Obstacle::ALL.iter().find(|obstacle| obstacle.name() == name);
        known.copied().ok_or_else(|| D::Error::custom("no reason of an unverifiable criterion"))
    }
}

/// Reads the body of a chat completion. An answer about a quote needs none.
pub(super) fn of_completion(body: &[u8], of_quote: bool) -> Answer {
    content(body).and_then(|content| of_content(&content, of_quote)).unwrap_or_else(Answer::Unusable)
}

fn content(body: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(body).map_err(|_| "is not UTF-8")?;
    strict_json::check(text).map_err(|_| "is not JSON")?;
    let document: Value = candor_json::from_str(text).map_err(|_| "is not JSON")?;
    let choice = document.get("choices").and_then(|choices| choices.get(0)).ok_or("holds no choice")?;
    if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|reason| *reason != "stop") {
        let reason: String = reason.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
        return Err(format!("broke off ({reason})"));
    }
    let content = choice.get("message").and_then(|message| message.get("content")).and_then(Value::as_str);
    Ok(content.ok_or("holds no text")?.to_owned())
}

fn of_content(content: &str, of_quote: bool) -> Result<Answer, String> {
    const OTHER: &str = "is not the JSON object asked for";
    let json = unfenced(content.trim());
    if !json.starts_with('{') || strict_json::check(json).is_err() {
        return Err(OTHER.to_owned());
    }
    let answer: Value = candor_json::from_str(json).map_err(|_| OTHER)?;
    match answer.get("said") {
        Some(Value::Bool(false)) => Ok(Answer::NotSaid),
        // a quote is not quoted again
        Some(Value::Bool(true)) if of_quote => Ok(Answer::Said { quote: String::new(), turn: None }),
        Some(Value::Bool(true)) => {
            let quote = answer.get("quote").and_then(Value::as_str).map(str::trim).filter(|quote| !quote.is_empty());
            let turn = answer.get("turn").and_then(Value::as_u64).and_then(|turn| usize::try_from(turn).ok());
            Ok(Answer::Said { quote: quote.ok_or("says yes without a quote")?.to_owned(), turn })
        }
        _ => Err("says neither yes nor no".to_owned()),
    }
}

/// Removes the block of code that models put around JSON, even against the prompt.
fn unfenced(text: &str) -> &str {
    let Some(inside) = text.strip_prefix("```").and_then(|text| text.strip_suffix("```")) else { return text };
    inside.strip_prefix("json").unwrap_or(inside).trim()
}
