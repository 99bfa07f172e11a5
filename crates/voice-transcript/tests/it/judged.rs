//! Tests of the verdicts of the check on the turns of a call.

use candor_check::evidence::SourceRef;
use candor_check::{Check as _, Evidence, Status};
use candor_json::{Value, json};
use candor_voice_transcript::matching::{Heard, Mode, Occurrence, Phrase, Said, Speakers};
use candor_voice_transcript::transcript::Turn;
use candor_voice_transcript::{Answers, Call, Seen, VoiceTranscript};
use proptest::prelude::*;

#[expect(clippy::unwrap_used, reason = "a test may fail by panicking")]
fn judged(members: Value, turns: Vec<Turn>) -> Evidence {
    let check: VoiceTranscript = candor_json::from_value(members).unwrap();
    let source = SourceRef { locator: "voice/call.json".into(), sha256: None, span: None, record: None };
    check.judge(&Seen {
        place: "voice/".to_owned(),
        considered: turns.len() as u64,
        calls: vec![Call { id: "call".to_owned(), source, turns }],
        others: Vec::new(),
        unread: Vec::new(),
        notes: Vec::new(),
        answers: Answers::default(),
    })
}

fn turn(speaker: &str, text: &str) -> Turn {
    Turn { speaker: Some(speaker.to_owned()), text: text.to_owned(), spoken: true, ..Turn::default() }
}

#[test]
fn a_date_of_eight_digits_ends_with_its_sentence() {
    for (expected, status) in
        [("1955-04-07", Status::Passed), ("1955-04-08", Status::Failed), ("1919-04-07", Status::Failed)]
    {
        let turns = vec![
            turn("agent", "Tell me the date of birth."),
            turn("caller", "oh four oh seven nineteen fifty five. I live in Ohio."),
        ];
        let value = json!({"value": {"after": "date of birth", "as": "date"}, "expected": expected});
        let evidence = judged(json!({"contains": [value]}), turns);
        assert_eq!(evidence.status(), status, "{expected}: {}", evidence.details());
    }
}

/// The verdict of one place, next to the places of another phrase.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Counts {
    Yes,
    No,
    Open(&'static str),
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(400)))]

    /// Only places with a time are compared. The verdict is the same as that of comparing all.
    #[test]
    fn near_is_judged_as_by_every_place(
        said in prop::collection::vec((0..4_usize, prop::option::of(0..20_u64)), 1..12),
        turns in 0..4_usize,
        within in prop::option::of(1..8_000_u64),
    ) {
        let texts = ["The claim is approved.", "Approved, the claim.", "It is approved.", "The claim is here."];
        let phrase = |text: &str| Phrase::new(text, Mode::Normalized).expect("a phrase");
        let (claim, approved) = (phrase("claim"), phrase("approved"));
        // each place by itself, so that the verdict is about it
        for only in (0..said.len()).filter(|index| said[*index].0 < 3) {
            let spoken = |(index, (text, start)): (usize, &(usize, Option<u64>))| {
                let own = texts[*text].to_owned();
                let text = if index == only { own } else { own.replace("approved", "purple").replace("Approved", "Purple") };
                Turn { start: start.map(|start| start * 1_000), ..turn("agent", &text) }
            };
            let call: Vec<Turn> = said.iter().enumerate().map(spoken).collect();
            let (at, others) = {
                let heard = Heard::new(&call, &Speakers::default());
                let at: Vec<Occurrence> = heard.occurrences(&approved, None).collect();
                prop_assert_eq!(at.len(), 1);
                (at[0].clone(), heard.occurrences(&claim, None).collect::<Vec<Occurrence>>())
            };
            let in_time = |other: &Occurrence| -> Option<bool> {
                let Some(most) = within else { return Some(true) };
                let (one, two) = (at.time?, other.time?);
                let apart = if one.0 >= two.0 { one.0.saturating_sub(two.1) } else { two.0.saturating_sub(one.1) };
                Some(apart <= most)
            };
            let slow = |doubtful: bool| {
                let known = |other: &&Occurrence| other.said == Said::Plain || doubtful && other.said == Said::Doubtful;
                let mut found = Counts::No;
                for other in others.iter().filter(known).filter(|other| other.at.0.abs_diff(at.at.0) <= turns) {
                    match in_time(other) {
                        Some(true) => return Counts::Yes,
                        Some(false) => {}
                        None => found = Counts::Open("the recording has no times there"),
                    }
                }
                found
            };
            let (sure, all) = (slow(false), slow(true));
            let open = Counts::Open("it is not clear where the other phrase occurs");
            let counts = if sure == all { sure } else { open };
            // a phrase that must not be said counts even where it is one of several answers
            let near = json!({"phrase": "claim", "within_turns": turns});
            let forbidden = match within.map(|most| format!("{most}ms")) {
                Some(within) => json!({"phrase": "approved", "near": near, "within": within}),
                None => json!({"phrase": "approved", "near": near}),
            };
            let evidence = judged(json!({"not_contains": [forbidden]}), call);
            prop_assert_eq!(at.said, Said::Plain);
            let (status, why) = match counts {
                Counts::Yes => (Status::Failed, ""),
                Counts::No => (Status::Passed, ""),
                Counts::Open(why) => (Status::Unverifiable, why),
            };
            prop_assert_eq!(evidence.status(), status, "{}", evidence.details());
            prop_assert!(evidence.details().contains(why), "{}", evidence.details());
        }
    }
}
