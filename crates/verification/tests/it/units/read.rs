//! The answers of delegates, as they are read.

use candor_verification::Claim;

use crate::read::{claim, text_claim};

#[test]
fn answers_are_read_and_nothing_is_guessed() {
    let read = claim(br#"{"response": "Done.", "tool_calls": [{"name": "book"}], "usage": 3}"#).unwrap();
    assert_eq!((read.response.as_str(), read.tool_calls.len()), ("Done.", 1));
    for broken in ["", "Done.", "{}", r#"{"response": 1}"#, r#"{"response": "x", "tool_calls": 1}"#, "[]"] {
        assert!(claim(broken.as_bytes()).is_err(), "{broken}");
    }
}

#[test]
fn outputs_are_kept_as_they_were_written() {
    let outputs = |json: &str| claim(json.as_bytes()).unwrap().outputs;
    let one = candor_json::json!({"path": "report.md", "what": "the letter"});
    assert_eq!(
        outputs(r#"{"response": "x", "outputs": [{"path": "report.md", "what": "the letter"}]}"#),
        std::slice::from_ref(&one)
    );
    assert_eq!(outputs(r#"{"response": "x", "outputs": "report.md"}"#), [candor_json::json!("report.md")]);
    assert!(outputs(r#"{"response": "x", "outputs": null}"#).is_empty());
    let whole = text_claim(r#"{"response": "Done.", "outputs": [{"path": "report.md", "what": "the letter"}]}"#);
    assert_eq!((whole.response.as_str(), &whole.outputs[..]), ("Done.", std::slice::from_ref(&one)));
    let last = text_claim("Done.\n\n{\"outputs\": [{\"path\": \"report.md\", \"what\": \"the letter\"}]}");
    assert_eq!((last.response.as_str(), &last.outputs[..]), ("Done.", std::slice::from_ref(&one)));
    for text in [
        "",
        "Done.",
        "{\"outputs\": [1]}\nDone.",
        "Done.\n{\"outputs\": [1], \"more\": 2}",
        "Done. {\"outputs\": [1]}",
        "{}",
        "{\"status\": \"x\"}",
        "{\"response\": \"x\", \"status\": 1}",
        "{\"response\": 1, \"outputs\": []}",
    ] {
        assert_eq!(text_claim(text), Claim { response: text.to_owned(), ..Claim::default() });
    }
}

#[test]
fn one_answer_is_the_same_over_every_road() {
    let members = [
        r#""tool_calls": [{"name": "book"}]"#,
        r#""tool_results": ["booked"]"#,
        r#""outputs": [{"path": "a.md"}]"#,
        r#""attempt": 0"#,
        r#""session": "s""#,
    ];
    for chosen in 0..1 << members.len() {
        let named = members.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, member)| *member);
        let text =
            format!("{{{}}}", [r#""response": "Done.""#].into_iter().chain(named).collect::<Vec<_>>().join(", "));
        let read = claim(text.as_bytes()).unwrap();
        assert_eq!(read.response, "Done.", "{text}");
        assert_eq!(text_claim(&text), read, "{text}");
    }
}

#[test]
fn an_answer_can_be_read_back_from_the_record() {
    let nested = |deep: usize| {
        format!(r#"{{"response": "x", "tool_calls": [{}{}]}}"#, "[".repeat(deep), "]".repeat(deep)).into_bytes()
    };
    // The answer and its `tool_calls` are two of them.
    assert!(claim(&nested(62)).is_ok());
    for deep in [63, 100, 120] {
        let error = claim(&nested(deep)).unwrap_err();
        assert!(error.contains("nested deeper than 64"), "{error}");
    }
}
