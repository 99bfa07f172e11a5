//! Answers that a model gives.

use crate::answer::{Answer, of_completion};

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
