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
