//! Where phrases are found and where not.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::time::Instant;

use candor_voice_transcript::matching::{Heard, Mode, Phrase, PhraseError, Said, Speakers};
use candor_voice_transcript::transcript::Turn;
use proptest::prelude::*;

fn turn(speaker: &str, text: &str) -> Turn {
    Turn { speaker: Some(speaker.to_owned()), text: text.to_owned(), spoken: true, ..Turn::default() }
}

fn all(turns: &[Turn], phrase: &str, mode: Mode) -> Vec<(Said, usize, String)> {
    let heard = Heard::new(turns, &Speakers::default());
    let phrase = Phrase::new(phrase, mode).unwrap();
    heard.occurrences(&phrase, None).map(|found| (found.said, found.turn, heard.quote(&found))).collect()
}

fn first(text: &str, phrase: &str) -> Option<Said> {
    all(&[turn("agent", text)], phrase, Mode::Normalized).first().map(|(said, _, _)| *said)
}

#[test]
fn found() {
    for (text, phrase) in [
        ("Could I have your Member ID, please?", "member id"),
        ("your member I.D. number", "member ID"),
        ("member I D one two three", "member ID"),
        ("it's W one two three four five six seven eight nine", "W123456789"),
        ("it is W123456789.", "W one two three four five six seven eight nine"),
        ("W-123-456-789", "W123456789"),
        ("call 555-1212 now", "five five five one two one two"),
        ("March third, nineteen eighty-five", "March 3rd 1985"),
        ("in twenty twenty-six", "in 2026"),
        ("a 5 year old", "5 year old"),
        ("take 2 a day", "take 2"),
        ("take 5mg daily", "take five mg daily"),
        ("take 5 mg daily", "5mg"),
        ("at 10 a.m. sharp", "ten am"),
        ("i , i just feel", "I just feel"),
        ("it isn't covered", "is not covered"),
        ("vitamin D I take", "vitamin D"),
        ("I can’t do that", "I cannot do that"),
        ("Señor Muñoz, 您好", "mun\u{303}oz"),
        ("one hundred and five dollars", "105 dollars"),
        ("the colour of it", "color"),
    ] {
        assert_eq!(first(text, phrase), Some(Said::Plain), "{text} / {phrase}");
    }
}

#[test]
fn not_found() {
    for (text, phrase) in [
        ("start", "art"),
        ("15 people", "5 people"),
        ("fifteen", "fifty"),
        ("fifty", "fifteen"),
        ("W1234", "W123"),
        ("W one two three four", "W123"),
        ("W one two three four", "1234"),
        ("AB12345", "12345"),
        ("555-1212", "1212"),
        ("take 15 mg", "take 1"),
        ("3.5 mg", "5 mg"),
        ("35 mg", "3.5 mg"),
        ("half a mile", "am"),
        ("therapist", "the rapist"),
        ("the rapist", "therapist"),
        ("A P T S", "P T"),
        ("cafe", "café"),
        ("the third", "three"),
        ("I can't confirm", "I can confirm"),
    ] {
        assert_eq!(first(text, phrase), None, "{text} / {phrase}");
    }
}

#[test]
fn a_number_that_may_go_on_is_doubtful() {
    for (text, phrase) in [("W one two three. Four five.", "W123"), ("a 1 2 3 4", "1234"), ("1 2 3 4 I think", "1234")]
    {
        assert_eq!(first(text, phrase), Some(Said::Doubtful), "{text} / {phrase}");
    }
    let turns = [turn("caller", "it is W one two three"), turn("caller", "four five six")];
    assert_eq!(all(&turns, "W123", Mode::Normalized)[0].0, Said::Doubtful);
    assert_eq!(
        all(&turns, "W123456", Mode::Normalized)[0],
        (Said::Plain, 0, "W one two three four five six".to_owned())
    );
}

#[test]
fn negation() {
    use Said::{Doubtful, Negated, Plain};
    for (text, phrase, said) in [
        ("I can not confirm your date of birth", "date of birth", Negated),
        ("I can't confirm your date of birth.", "date of birth", Negated),
        ("We never received the date of birth", "date of birth", Negated),
        ("I am unable to confirm your date of birth", "confirm your date of birth", Negated),
        ("I am unable to confirm your date of birth", "to confirm", Negated),
        ("You are not approved.", "approved", Negated),
        ("It isn't approved", "approved", Negated),
        ("it is not", "it is", Negated),
        ("I cannot say", "I can", Negated),
        ("Not today. Your date of birth?", "date of birth", Plain),
        ("I do not have it; what is your date of birth?", "date of birth", Plain),
        ("I can't hear you, could you say your date of birth", "date of birth", Plain),
        ("I can't hear you but your date of birth is fine", "date of birth", Plain),
        ("I do not have that can you tell me your date of birth", "date of birth", Plain),
        ("No, your date of birth please", "date of birth", Plain),
        ("no i need your date of birth", "date of birth", Plain),
        ("no prior authorization is needed", "prior authorization", Negated),
        ("not only your name but your date of birth", "your name", Plain),
        ("No problem your date of birth is fine", "date of birth", Plain),
        ("your date of birth, not your address", "date of birth", Plain),
        ("your date of birth, not your address", "address", Negated),
        ("We never ask for your name, PIN or date of birth", "date of birth", Negated),
        ("We do not have it, your date of birth", "date of birth", Doubtful),
        ("I do not have it, give me your name or date of birth", "date of birth", Doubtful),
        ("I can not discuss Dr. Rivera's notes", "notes", Negated),
        ("I can not, at this time, confirm your date of birth", "date of birth", Negated),
        ("We will never, ever ask for your date of birth", "date of birth", Negated),
        ("Of course not, your date of birth", "date of birth", Doubtful),
        ("it is not covered", "not covered", Plain),
        ("I do not think it is not covered", "not covered", Negated),
    ] {
        assert_eq!(first(text, phrase), Some(said), "{text} / {phrase}");
    }
    let turns = [turn("agent", "I can't confirm"), turn("agent", "your date of birth")];
    assert_eq!(all(&turns, "date of birth", Mode::Normalized)[0].0, Doubtful);
    let turns = [turn("agent", "Sorry, I can not confirm your date of birth.")];
    for mode in [Mode::Exact, Mode::Regex, Mode::Normalized] {
        assert_eq!(all(&turns, "date of birth", mode), [(Negated, 0, "not confirm your date of birth".to_owned())]);
    }
    let turns = [turn("agent", "I can't say.")];
    assert_eq!(all(&turns, "I can", Mode::Exact)[0].0, Negated);
}

#[test]
fn exact_and_regex_search_the_text_as_it_is() {
    let turns = [turn("agent", "My Member-ID is W123."), turn("agent", "Bye")];
    assert_eq!(all(&turns, "Member-ID", Mode::Exact).len(), 1);
    assert_eq!(all(&turns, "member-id", Mode::Exact).len(), 0);
    assert_eq!(all(&turns, "ember", Mode::Exact).len(), 1);
    assert_eq!(all(&turns, r"W\d+", Mode::Regex), [(Said::Plain, 0, "W123".to_owned())]);
    assert_eq!(all(&turns, r"W123\. Bye", Mode::Regex).len(), 0);
    assert_eq!(all(&turns, r"x*b|Bye", Mode::Regex).len(), 2);
}

#[test]
fn phrases_that_cannot_tell_anything() {
    for (text, mode, error) in [
        ("", Mode::Normalized, PhraseError::Empty),
        ("?!", Mode::Normalized, PhraseError::Empty),
        (" ", Mode::Exact, PhraseError::Empty),
        ("", Mode::Regex, PhraseError::Empty),
        ("a*", Mode::Regex, PhraseError::MatchesNothing),
    ] {
        assert_eq!(Phrase::new(text, mode).unwrap_err(), error);
    }
    let error = Phrase::new("(", Mode::Regex).unwrap_err().to_string();
    assert!(error.contains("not a regular expression: unclosed group"), "{error}");
    assert!(matches!(Phrase::new("(a{1000}){1000}", Mode::Regex), Err(PhraseError::Regex(_))));
}

#[test]
fn speakers() {
    let speakers = Speakers::new([("SPEAKER_00", "Agent"), ("user", "agent")]).unwrap();
    assert!(Speakers::new([("A", "agent"), ("a", "caller")]).is_err());
    let turns = [
        turn("speaker_00", "alpha"),
        turn("User", "beta"),
        turn("Customer", "gamma"),
        turn("Dr.  Rivera", "delta"),
        turn("System", "epsilon"),
        Turn {
            speaker: Some("Dana".into()),
            role: Some("assistant".into()),
            text: "zeta".into(),
            spoken: true,
            ..Turn::default()
        },
        Turn { text: "eta".into(), spoken: true, ..Turn::default() },
    ];
    let heard = Heard::new(&turns, &speakers);
    let by = |phrase: &str, role: &str| {
        let phrase = Phrase::new(phrase, Mode::Normalized).unwrap();
        heard.occurrences(&phrase, Some(&speakers.role(role))).count() == 1
    };
    assert!(by("alpha beta", "Assistant"));
    assert!(by("gamma", "caller") && by("gamma", "PATIENT") && !by("gamma", "agent"));
    assert!(by("delta", "dr. rivera") && !by("delta", "agent"));
    assert!(by("zeta", "agent") && by("zeta", "dana"));
    assert!(!by("epsilon", "system"));
    assert!(!by("eta", "agent"));
    assert_eq!(heard.turns_unattributed(), 1);
    assert_eq!(heard.unattributed(&Phrase::new("eta", Mode::Exact).unwrap()).count(), 1);
    assert_eq!((heard.turns_read(None), heard.turns_read(Some("agent"))), (6, 3));
    assert!(Speakers::default().is_unread("Tool") && !Speakers::new([("tool", "agent")]).unwrap().is_unread("tool"));
}

#[test]
fn phrases_run_over_turns_of_one_speaker_only() {
    let mut unspoken = turn("agent", "");
    unspoken.spoken = false;
    let turns = [turn("agent", "your date"), turn("tool", "{}"), unspoken, turn("Assistant", "of birth")];
    assert_eq!(all(&turns, "date of birth", Mode::Normalized), [(Said::Plain, 0, "date of birth".to_owned())]);
    let turns = [turn("agent", "your date"), turn("caller", "of birth")];
    assert_eq!(all(&turns, "date of birth", Mode::Normalized), []);
    let turns = [turn("agent", "your date"), turn("caller", "mm"), turn("agent", "of birth")];
    assert_eq!(all(&turns, "date of birth", Mode::Normalized), []);
}

/// A hostile call takes time in proportion to its length, whatever it is made of. The machine is its own measure: a call of
/// sixteen times the length takes sixteen times as long, and 256 times where the time grows with its square.
#[test]
fn time_is_linear() {
    let phrases: Vec<Phrase> =
        ["a a a a a a a a b", "one one one two", "oh oh oh 1", "not not x", "1111111112", "aaaaaaaaab"]
            .iter()
            .map(|text| Phrase::new(text, Mode::Normalized).unwrap())
            .collect();
    for piece in [
        "a ",
        "one ",
        "oh ",
        "not ",
        "1",
        "a",
        "a.",
        "double ",
        "point one ",
        "i d ",
        "hundred and ",
        "n't ",
        "'re",
        "\u{301}",
        "no or ",
        ", ",
        "1,111",
        "approved or ",
        "not 1 ",
        "uh 1 ",
        "the ",
        "b as in boy ",
        "mike 1 ",
        "1 dash ",
        "$1.50 and ",
        "2.5 million ",
        "3/3/2020 ",
        "is [inaudible] ",
        ", you know, ",
        "x, or ",
        "i do- do",
    ] {
        let took = |bytes: usize| {
            let text = piece.repeat(bytes / piece.len());
            let began = Instant::now();
            let turns = [turn("agent", &text)];
            let heard = Heard::new(&turns, &Speakers::default());
            let fuzzy = Phrase::new("one not a xarelto i d double", Mode::Fuzzy).unwrap();
            let _ = heard.occurrences(&fuzzy, None).count();
            for phrase in &phrases {
                let _ = heard.occurrences(phrase, None).count();
            }
            began.elapsed()
        };
        let length = candor_test_size::pick(1 << 11, 1 << 12);
        let short = (0..5).map(|_| took(length)).min().unwrap();
        // What else the machine does makes one of them longer, and not all.
        assert!((0..10).any(|_| took(16 * length) < 128 * short), "{piece:?}");
    }
}

#[test]
fn the_words_of_a_phrase_are_prepared_once_for_all_turns() {
    let speaker = |at: usize| if at.is_multiple_of(2) { "agent" } else { "payer" };
    let turns: Vec<Turn> = (0..1_000).map(|at| turn(speaker(at), "The line is busy.")).collect();
    let heard = Heard::new(&turns, &Speakers::default());
    // the words that are kept with what fuzzy phrases need of them
    let prepared = |of: &dyn std::fmt::Debug| format!("{of:?}").matches("Item {").count();
    assert_eq!(prepared(&heard), 0);
    let mut kept = None;
    for (text, words) in [("the claim was received", 4), ("authorization is pending", 3)] {
        let phrase = Phrase::new(text, Mode::Fuzzy).unwrap();
        for _ in 0..3 {
            assert_eq!(heard.occurrences(&phrase, None).count(), 0);
            // four words a turn, and those of the phrase, in two readings at most
            let (own, all) = (prepared(&phrase), prepared(&heard));
            assert!((words..=2 * words).contains(&own), "{own}");
            assert!((4_000..=8_000).contains(&all), "{all}");
            assert_eq!(*kept.get_or_insert(all), all);
        }
    }
}

#[test]
fn two_words_are_heard_as_one_either_way() {
    let found = |text: &str, phrase: &str| {
        let turns = [turn("agent", text)];
        let heard = Heard::new(&turns, &Speakers::default());
        let phrase = Phrase::new(phrase, Mode::Fuzzy).unwrap().with_threshold(85);
        heard.occurrences(&phrase, None).map(|found| heard.quote(&found)).collect::<Vec<_>>()
    };
    assert_eq!(found("please take the met formin daily", "take the metformin"), ["take the met formin"]);
    assert_eq!(found("please take the metformin daily", "take the met formin"), ["take the metformin"]);
    assert_eq!(found("please take the metphor men daily", "take the metformen"), ["take the metphor men"]);
    assert!(found("please take the met forlin daily", "take the metformin").is_empty());
}

/// A word that is not a number, a letter or a negation.
fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["member", "date", "birth", "claim", "status", "thanks", "colour", "Café", "follow"])
        .prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(400)))]

    #[test]
    fn what_is_said_is_found(before in prop::collection::vec(word(), 0..4), phrase in prop::collection::vec(word(), 1..4), after in prop::collection::vec(word(), 0..4)) {
        let phrase = phrase.join(" ");
        // a turn without any word of a table may be in another language
        let text = [format!("the {}", before.join(" ")), phrase.to_uppercase(), after.join(", ")].join("? ");
        prop_assert_eq!(first(&text, &phrase), Some(Said::Plain));
        let split = [turn("bot", &before.join(" ")), turn("AI", &phrase), turn("agent", &after.join(" "))];
        prop_assert!(!all(&split, &phrase, Mode::Normalized).is_empty());
    }

    #[test]
    fn fuzzy_never_exchanges_a_number(n in 1usize..200, m in 1usize..200, words in prop::collection::vec(word(), 3..6)) {
        let say = |n: usize| format!("{} {n} {}", words.join(" "), words.join(" "));
        let turns = [turn("agent", &say(n))];
        let heard = Heard::new(&turns, &Speakers::default());
        let phrase = Phrase::new(&say(m), Mode::Fuzzy).unwrap().with_threshold(50);
        prop_assert_eq!(heard.occurrences(&phrase, None).next().is_some(), n == m);
    }

    #[test]
    fn an_id_is_found_only_whole(id in "[A-Z][0-9]{3,9}", other in "[A-Z]?[0-9]{2,9}") {
        let spoken: String = id.chars().flat_map(|c| [c, ' ']).collect();
        let text = format!("my number is {spoken}.");
        prop_assert_eq!(first(&text, &id), Some(Said::Plain));
        let same = other == id;
        prop_assert_eq!(first(&text, &other) == Some(Said::Plain), same, "{} in {}", other, text);
    }

    #[test]
    fn no_text_panics(texts in prop::collection::vec(any::<String>(), 0..4), phrase in any::<String>(), mode in 0..4) {
        let mode = [Mode::Normalized, Mode::Exact, Mode::Regex, Mode::Fuzzy][mode as usize];
        let Ok(phrase) = Phrase::new(&phrase, mode) else { return Ok(()) };
        let turns: Vec<Turn> = texts.iter().map(|text| turn("agent", text)).collect();
        let heard = Heard::new(&turns, &Speakers::default());
        for found in heard.occurrences(&phrase, None) {
            prop_assert!(!heard.quote(&found).is_empty());
        }
    }

    #[test]
    fn a_phrase_is_found_in_itself(text in "[a-zA-Z0-9 .,'-]{1,30}") {
        if let Ok(phrase) = Phrase::new(&text, Mode::Normalized) {
            let turns = [turn("agent", &text)];
            let heard = Heard::new(&turns, &Speakers::default());
            prop_assert!(heard.occurrences(&phrase, None).next().is_some());
        }
    }
}
