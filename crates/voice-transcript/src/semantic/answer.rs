//! Reads the text that a model wrote as an answer.

use candor_check::strict_json;
use candor_json::Value;

use super::Answer;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str) -> Answer {
        let body = candor_json::json!({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]});
        of_completion(body.to_string().as_bytes(), false)
    }

    fn said(quote: &str, turn: Option<usize>) -> Answer {
        Answer::Said { quote: quote.to_owned(), turn }
    }

    #[test]
    fn answers() {
        assert_eq!(read(r#"{"said": false}"#), Answer::NotSaid);
        assert_eq!(read(r#"{"said": true, "turn": 3, "quote": "it is covered"}"#), said("it is covered", Some(3)));
        assert_eq!(read("```json\n{\"said\": true, \"quote\": \" a b \"}\n```"), said("a b", None));
    }

    #[test]
    fn what_is_no_answer() {
        for (content, why) in [
            ("yes", "not the JSON object"),
            ("", "not the JSON object"),
            ("[true]", "not the JSON object"),
            (r#"{"said": "true", "quote": "x"}"#, "neither yes nor no"),
            (r#"{"said": true}"#, "without a quote"),
            (r#"{"said": true, "quote": "  "}"#, "without a quote"),
            (r#"{"said": true, "quote": ["x"]}"#, "without a quote"),
            (r#"{"said": false, "said": true, "quote": "x"}"#, "not the JSON object"),
            (r#"{"said": true, "quote": "x"} and so on"#, "not the JSON object"),
        ] {
            assert!(matches!(read(content), Answer::Unusable(found) if found.contains(why)), "{content}");
        }
        for (body, why) in [
            ("{", "not JSON"),
            ("{}", "no choice"),
            (r#"{"choices": []}"#, "no choice"),
            (r#"{"choices": [{"message": {"content": null, "refusal": "no"}}]}"#, "no text"),
            (r#"{"choices": [{"finish_reason": "length", "message": {"content": "{\"said\": false}"}}]}"#, "broke off"),
        ] {
            assert!(
                matches!(of_completion(body.as_bytes(), false), Answer::Unusable(found) if found.contains(why)),
                "{body}"
            );
        }
        assert!(matches!(of_completion(b"\xff", false), Answer::Unusable(_)));
    }
}
