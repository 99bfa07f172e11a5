//! Phrases that are said on every call, and so tell nothing of this one.

use std::collections::HashSet;
use std::sync::LazyLock;

use candor_check::review::{Review, Weakness, WeaknessKind, text_without_match};

use crate::matching::{Phrase, Reach};
use crate::normalize::Normalized;
use crate::settings::{Asserted, Settings};
use crate::tables::{FILLERS, section};

/// What is said on nearly every call, in its normalized form.
static COMMON: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let file = include_str!("../data/common.txt");
    let said = |text: &str| Normalized::of(&[text]).render();
    ["answers", "courtesies", "words"].into_iter().flat_map(|name| section(file, name)).map(said).collect()
});

/// What the settings are worth. That something was not said is an assertion: it needs a turn that was read.
pub(crate) fn review(settings: &Settings) -> Review {
    Review {
        weaknesses: settings.contains.iter().filter_map(|asserted| weakness(asserted, settings.ordered)).collect(),
        passes_on_nothing: false,
    }
}

fn weakness(asserted: &Asserted, ordered: bool) -> Option<Weakness> {
    // Beside another phrase, or in an order, even a yes says something; and a judge looks at what is meant.
    let constraints = &asserted.constraints;
    let placed = constraints.near.is_some() || constraints.before.is_some() || constraints.after.is_some();
    if placed || ordered || asserted.negated || !asserted.statements.is_empty() {
        return None;
    }
    asserted.any.iter().find_map(|phrase| of_phrase(phrase, &asserted.place))
}

fn of_phrase(phrase: &Phrase, place: &str) -> Option<Weakness> {
    let text = match phrase.reach() {
        Reach::Words(text) => text,
        Reach::Expression(expression) => {
            let everywhere = text_without_match(expression) == Ok(None);
            let message = format!("`{expression}` is found in every turn; write what must be said");
            return everywhere.then(|| Weakness::new(WeaknessKind::AlwaysHolds, place, message));
        }
    };
    let message = format!(
        "{text:?} is said on nearly every call; write the words that tell this one, or say where with `near` or `after`"
    );
    is_common(&text).then(|| Weakness::new(WeaknessKind::CommonPhrase, place, message))
}

/// Whether it is one of the table's, fillers around it or not.
fn is_common(text: &str) -> bool {
    let said = Normalized::of(&[text]);
    let words: Vec<&str> = said.words().map(|word| word.text).filter(|word| !FILLERS.contains(word)).collect();
    words.is_empty() || COMMON.contains(&said.render()) || COMMON.contains(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use candor_check::CheckType;
    use candor_check::review::WeaknessKind;
    use serde_json::{Value, json};

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
            (json!("The"), json!("the formulary")),
            (json!("uh, okay"), json!("uh, metformin")),
            (json!("well, thank you"), json!("thank you, Doctor Rivera")),
            (json!({"phrase": "yes", "mode": "fuzzy"}), json!({"phrase": "metformin", "mode": "fuzzy"})),
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
        assert_eq!(found(regex(".")), [(WeaknessKind::AlwaysHolds, "contains[1]".to_owned())]);
        assert_eq!(found(regex("[a-z]+|[^a-z]")), [(WeaknessKind::AlwaysHolds, "contains[1]".to_owned())]);
        assert_eq!(found(regex("[a-z]+")), []);
        assert_eq!(found(regex("(?i)member.*id")), []);
    }

    #[test]
    fn in_an_order_common_phrases_say_something() {
        let assertion = json!({"assert": "voice-transcript", "contains": ["hello", "goodbye"], "ordered": true});
        assert_eq!(crate::CHECK.bind(assertion).unwrap().review(), candor_check::review::Review::default());
    }

    #[test]
    fn what_must_not_be_said_may_be_common() {
        let assertion = json!({"assert": "voice-transcript", "not_contains": ["yes"]});
        assert_eq!(crate::CHECK.bind(assertion).unwrap().review(), candor_check::review::Review::default());
    }
}
