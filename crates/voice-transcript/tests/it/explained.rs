//! `explained::clauses`: clauses that a reader recognises, with every word in exactly one of them.

use candor_voice_transcript::explained::clauses;
use candor_voice_transcript::matching::{Heard, Speakers};
use candor_voice_transcript::normalize::Normalized;
use candor_voice_transcript::transcript::{Extension, Transcript};
use proptest::prelude::*;

#[expect(clippy::unwrap_used, reason = "a call that cannot be read is a failure of the test")]
fn read(text: &str) -> Vec<(String, String)> {
    let call = Transcript::read(text.as_bytes(), Extension::Other).unwrap();
    let heard = Heard::new(&call.turns, &Speakers::default());
    clauses(&heard, &call.turns).into_iter().map(|one| (one.labels.join(", "), one.text)).collect()
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
