//! Finds phrases that prove less than they seem to: common on every call, satisfied by a question, or left to a judge.

use std::collections::HashSet;
use std::sync::LazyLock;

use candor_check::review::{Review, Weakness, WeaknessKind, matches_anything};

use crate::matching::{Phrase, Reach};
use crate::normalize::Normalized;
use crate::settings::{Asserted, Settings};
use crate::tables::{FILLERS, section};

/// Phrases that occur on nearly every call, in their normalized form.
static COMMON: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let file = include_str!("../data/common.txt");
    let said = |text: &str| Normalized::of(&[text]).render();
    ["answers", "courtesies", "words"].into_iter().flat_map(|name| section(file, name)).map(said).collect()
});

/// The verbs that begin an instruction, those that are nouns as well, and what follows one that is a verb.
static INSTRUCTIONS: LazyLock<[HashSet<&str>; 3]> = LazyLock::new(|| {
    let file = include_str!("../data/common.txt");
    ["instructions", "verbs or nouns", "objects"].map(|name| section(file, name).into_iter().collect())
});

/// Reviews the strength of the settings. The absence of a phrase is an assertion too: it needs a turn that was read.
pub(crate) fn review(settings: &Settings) -> Review {
    let required = settings.contains.iter().filter_map(|asserted| weakness(asserted, settings.ordered));
    let forbidden = settings.not_contains.iter().filter(|asserted| !asserted.statements.is_empty()).map(|asserted| {
        let message = format!(
            "whether {:?} was not said is for a judge to say, who can overlook it; write the words that must not be said, or `any_of` several",
            asserted.text
        );
        Weakness::new(WeaknessKind::ForbiddenByJudge, &asserted.place, message)
    });
    Review { weaknesses: required.chain(forbidden).collect(), ..Review::default() }
}

fn weakness(asserted: &Asserted, ordered: bool) -> Option<Weakness> {
    // Near another phrase, or in an order, even a yes proves something; and a judge weighs the meaning.
    let constraints = &asserted.constraints;
    let placed = constraints.near.is_some() || constraints.before.is_some() || constraints.after.is_some();
    if placed || ordered || asserted.negated || !asserted.statements.is_empty() {
        return None;
    }
    let every = |of: &dyn Fn(&Phrase, &str) -> Option<Weakness>| {
        asserted.any.iter().find_map(|phrase| of(phrase, &asserted.place))
    };
    let asked = || every(&of_question).filter(|_| !constraints.stated && constraints.exclusive.is_empty());
    every(&of_phrase).or_else(asked).or_else(|| every(&of_fuzzy))
}

fn of_question(phrase: &Phrase, place: &str) -> Option<Weakness> {
    let Reach::Words(text) = phrase.reach() else { return None };
    let said = Normalized::of(&[&text]);
    let words: Vec<&str> = said.words().map(|word| word.text).filter(|word| !FILLERS.contains(word)).collect();
    let [verbs, nouns, objects] = &*INSTRUCTIONS;
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let question = match words.as_slice() {
        // An identifier is asked for by other words than itself.
        [word] if word.chars().all(|c| c.is_alphabetic() || c == '\'') => format!("Is it {word}?"),
        [first, next, ..]
            if verbs.contains(first) || nouns.contains(first) && (objects.contains(next) || is_number(next)) =>
        {
            format!("Did you {}?", text.trim().trim_end_matches('.'))
        }
        _ => return None,
    };
    let message =
        format!("a question such as {question:?} satisfies it; write `stated: true`, or more of what must be said");
    Some(Weakness::new(WeaknessKind::QuestionSatisfies, place, message))
}

/// From so many words on, `fuzzy` finds a phrase of which a word is missing.
const LONG: usize = 8;

fn of_fuzzy(phrase: &Phrase, place: &str) -> Option<Weakness> {
    let Reach::Words(text) = phrase.reach() else { return None };
    let words = Normalized::of(&[&text]).words().count();
    let message = format!(
        "of {words} words `fuzzy` forgives some, so that another sentence may do; write the few words that matter, each as a phrase of its own"
    );
    (phrase.is_fuzzy() && words >= LONG).then(|| Weakness::new(WeaknessKind::LongFuzzy, place, message))
}

fn of_phrase(phrase: &Phrase, place: &str) -> Option<Weakness> {
    let text = match phrase.reach() {
        Reach::Words(text) => text,
        Reach::Expression(expression) => {
            let message = format!("`{expression}` is found in every turn; write what must be said");
            return matches_anything(expression).then(|| Weakness::new(WeaknessKind::AlwaysHolds, place, message));
        }
    };
    let message = format!(
        "{text:?} occurs on nearly every call; write words that only this one has, or say where with `near` or `after`"
    );
    is_common(&text).then(|| Weakness::new(WeaknessKind::CommonPhrase, place, message))
}

/// True if it is one of the table's phrases, with or without fillers around it.
fn is_common(text: &str) -> bool {
    let said = Normalized::of(&[text]);
    let words: Vec<&str> = said.words().map(|word| word.text).filter(|word| !FILLERS.contains(word)).collect();
    words.is_empty() || COMMON.contains(&said.render()) || COMMON.contains(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use candor_check::CheckType;
    use candor_check::review::WeaknessKind;
    use candor_json::{Value, json};

    fn found(phrase: Value) -> Vec<(WeaknessKind, String)> {
        let bound =
            CheckType::bind(&crate::CHECK, json!({"assert": "voice-transcript", "contains": ["member ID", phrase]}));
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
        let review = CheckType::bind(&crate::CHECK, assertion).unwrap().review();
        let kinds: Vec<_> = review.weaknesses.into_iter().map(|weakness| (weakness.kind, weakness.place)).collect();
        assert_eq!(kinds, [(WeaknessKind::ForbiddenByJudge, "not_contains[1]".to_owned())]);
    }

    #[test]
    fn in_an_order_common_phrases_say_something() {
        let assertion = json!({"assert": "voice-transcript", "contains": ["hello", "goodbye"], "ordered": true});
        assert!(crate::CHECK.bind(assertion).unwrap().review().weaknesses.is_empty());
    }

    #[test]
    fn what_must_not_be_said_may_be_common() {
        let assertion = json!({"assert": "voice-transcript", "not_contains": ["yes"]});
        assert!(crate::CHECK.bind(assertion).unwrap().review().weaknesses.is_empty());
    }
}
