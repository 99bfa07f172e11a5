//! `explain`: clauses that a reader recognises, with every word in exactly one of them, and what keeps a phrase from counting.

use candor_voice_transcript::explain::{near, turns};
use candor_voice_transcript::matching::Mode;
use candor_voice_transcript::normalize::Normalized;
use candor_voice_transcript::transcript::{Extension, Transcript};
use proptest::prelude::*;

#[expect(clippy::unwrap_used, reason = "a call that cannot be read is a failure of the test")]
fn read(text: &str) -> Vec<(String, String)> {
    let call = Transcript::read(text.as_bytes(), Extension::Other).unwrap();
    let clauses = turns(&call).into_iter().flat_map(|turn| turn.clauses);
    clauses.map(|one| (one.labels.join(", "), one.text)).collect()
}

#[test]
fn a_negated_clause_has_its_subject_and_its_negation() {
    let shown = |text: &str| {
        let one = |(labels, text)| format!("{labels}: {text}");
        read(text).into_iter().map(one).collect::<Vec<_>>().join(" | ")
    };
    assert_eq!(
        shown("Rep: It isn't 80 dollars, it's 95 dollars."),
        "negated: It isn't 80 dollars | stated: it's 95 dollars"
    );
    assert_eq!(shown("Rep: The claim was not paid."), "negated: The claim was not paid");
    assert_eq!(
        shown("Rep: It can't be refilled but we'll call."),
        "negated: It can't be refilled | future or needed: but we'll call"
    );
    assert_eq!(
        shown("Rep: The fee is 80 dollars, sorry, 95 dollars."),
        "stated: The fee is | taken back: 80 dollars | stated: sorry, 95 dollars"
    );
}

#[test]
fn each_place_says_what_keeps_a_phrase_from_counting() {
    let told = |text: &str, phrase: &str| {
        let call = Transcript::read(text.as_bytes(), Extension::Other).unwrap();
        let places = near(&call, phrase, Mode::Normalized).unwrap().into_iter();
        places.map(|near| [near.contains, near.stated, near.not_contains].join(" | ")).collect::<Vec<_>>()
    };
    let not = |why: &str| format!("does not count: {why}");
    assert_eq!(
        told("Rep: If the fee was waived, your balance is zero.", "fee was waived"),
        [format!("{} | {} | counts", not("conditional"), not("not_stated"))]
    );
    assert_eq!(
        told("Rep: The fee will be waived.\nRep: It was not waived.", "waived"),
        [
            format!("counts | {} | counts", not("not_stated")),
            [not("negated"), not("negated"), not("negated")].join(" | ")
        ]
    );
    assert_eq!(
        told("Rep: It is ticket 8113.", "ticket 8112")[0].split(" | ").next(),
        Some("does not count: not said there: 8112")
    );
    assert!(told("Rep: Hello.", "fee was waived").is_empty());
}

proptest! {
    #[test]
    fn every_word_is_in_one_clause(words in proptest::collection::vec(
        prop_oneof![
            Just("isn't"), Just("not"), Just("it's"), Just("no"), Just("if"), Just("approved"), Just("the"), Just("we"),
            Just("can't"), Just("80"), Just("twenty"), Just("sorry,"), Just("fee,"), Just("paid."), Just("but"), Just("or"),
            Just("B"), Just("o'clock"), Just("was?"), Just("do n't"), Just("uh,"), Just("[inaudible]"),
        ],
        1..24,
    )) {
        let text = words.join(" ");
        let call = format!("Agent: {text}\nRep: Okay.\nAgent: {text}\n");
        let all: Vec<String> = read(&call).into_iter().map(|(_, text)| text).collect();
        let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        prop_assume!(!Normalized::of(&[&text]).is_empty());
        prop_assert_eq!(plain(&all.join(" ")), plain(&format!("{text} Okay {text}")));
    }
}
