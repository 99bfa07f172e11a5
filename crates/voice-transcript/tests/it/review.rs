//! Phrases that prove less than they seem to.

use candor_check::CheckType;
use candor_check::review::WeaknessKind;
use candor_json::{Value, json};
use candor_voice_transcript::CHECK;

#[expect(clippy::unwrap_used, reason = "a test may fail by panicking")]
fn found(phrase: Value) -> Vec<(WeaknessKind, String)> {
    let bound = CheckType::bind(&CHECK, json!({"assert": "voice-transcript", "contains": ["member ID", phrase]}));
    bound.unwrap().review().weaknesses.into_iter().map(|weakness| (weakness.kind, weakness.place)).collect()
}

#[test]
fn a_word_of_every_call_is_told_from_a_phrase_of_this_one() {
    for (common, telling) in [
        (json!("yes"), json!("yes to the surgery")),
        (json!("OK"), json!("OK to proceed")),
        (json!("The"), json!("the formulary tier")),
        (json!("uh, okay"), json!("uh, metformin daily")),
        (json!("well, thank you"), json!("thank you, Doctor Rivera")),
        (json!({"phrase": "yes", "mode": "fuzzy"}), json!({"phrase": "metformin daily", "mode": "fuzzy"})),
        (json!({"phrase": "yes", "mode": "exact"}), json!({"phrase": "PA-1001", "mode": "exact"})),
        (json!({"any_of": ["I consent", "yes"]}), json!({"any_of": ["I consent", "yes I do consent"]})),
        (json!({"phrase": "yes", "speaker": "caller"}), json!({"phrase": "yes", "after": "do you consent"})),
        (json!({"all_of": ["I consent", "no"]}), json!({"phrase": "yes", "near": {"phrase": "do you consent"}})),
    ] {
        let expected = [(WeaknessKind::CommonPhrase, "contains[1]".to_owned())];
        assert_eq!(found(common.clone()), expected, "{common}");
        assert_eq!(found(telling.clone()), [], "{telling}");
    }
}

#[test]
fn an_expression_that_is_found_in_every_turn() {
    let regex = |text: &str| json!({"phrase": text, "mode": "regex"});
    assert_eq!(found(regex(".+")), [(WeaknessKind::AlwaysHolds, "contains[1]".to_owned())]);
    assert_eq!(found(regex("[a-z]+")), []);
    assert_eq!(found(regex("(?i)member.*id")), []);
}

#[test]
fn one_word_and_an_instruction_are_satisfied_by_a_question() {
    let asked = [(WeaknessKind::QuestionSatisfies, "contains[1]".to_owned())];
    for word in [
        json!("approved"),
        json!("uh, metformin"),
        json!({"any_of": ["it is covered", "covered"]}),
        json!("call 911"),
        json!("Take two tablets daily."),
        json!("start clopidogrel"),
        json!("call your doctor"),
        json!({"phrase": "stop taking aspirin", "mode": "exact"}),
    ] {
        assert_eq!(found(word.clone()), asked, "{word}");
    }
    for telling in [
        json!({"phrase": "approved", "stated": true}),
        json!({"phrase": "approved", "after": "your request"}),
        json!({"phrase": "approved", "negated": true}),
        json!("is approved"),
        json!({"phrase": "call 911", "stated": true}),
        json!("call center"),
        json!("you should call 911"),
        json!("order number"),
        json!("PA-1001"),
        json!("W123"),
        json!({"phrase": "(?i)approved", "mode": "regex"}),
    ] {
        assert_eq!(found(telling.clone()), [], "{telling}");
    }
}

#[test]
fn long_phrases_and_judges_forgive_too_much() {
    let long = json!({"phrase": "the prior authorization was approved by the payer today", "mode": "fuzzy"});
    assert_eq!(found(long), [(WeaknessKind::LongFuzzy, "contains[1]".to_owned())]);
    assert_eq!(found(json!({"phrase": "prior authorization approved", "mode": "fuzzy"})), []);
    let assertion = json!({"assert": "voice-transcript", "not_contains": [
        "social security number", {"phrase": "the agent gave advice", "mode": "semantic"}]});
    let review = CheckType::bind(&CHECK, assertion).unwrap().review();
    let kinds: Vec<_> = review.weaknesses.into_iter().map(|weakness| (weakness.kind, weakness.place)).collect();
    assert_eq!(kinds, [(WeaknessKind::ForbiddenByJudge, "not_contains[1]".to_owned())]);
}

#[test]
fn in_an_order_common_phrases_say_something() {
    let assertion = json!({"assert": "voice-transcript", "contains": ["hello", "goodbye"], "ordered": true});
    assert!(CHECK.bind(assertion).unwrap().review().weaknesses.is_empty());
}

#[test]
fn what_must_not_be_said_may_be_common() {
    let assertion = json!({"assert": "voice-transcript", "not_contains": ["yes"]});
    assert!(CHECK.bind(assertion).unwrap().review().weaknesses.is_empty());
}
