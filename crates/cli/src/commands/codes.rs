//! Reasons of results, codes of `lint` and changes of `audit` in words: what `candor explain CODE` prints.

use candor::check::compare::{OPERATORS, Operator};
use candor::check::operators::Kind;
use candor::inner::engine::CODES;
use candor_json::json;

/// The code in words, as text or JSON; nothing where no code has that name.
pub(super) fn explained(name: &str, is_text: bool) -> Option<String> {
    let found = of_reason(name)
        .into_iter()
        .chain(of_lint(name))
        .chain(of_audit(name))
        .chain(of_leaf(name))
        .chain(of_finding(name))
        .chain(of_element(name))
        .chain(of_operator(name))
        .collect::<Vec<_>>();
    let text = |code: &Explained| {
        let mend = code.mend.as_ref().map(|mend| format!("\n{mend}\n")).unwrap_or_default();
        format!("{name}: {}\n\n{}\n{mend}", code.kind, code.means)
    };
    let value = |code: &Explained| json!({"code": name, "kind": code.kind, "means": code.means, "mend": code.mend});
    match (found.as_slice(), is_text) {
        ([], _) => None,
        (codes, true) => Some(codes.iter().map(text).collect::<Vec<_>>().join("\n")),
        (codes, false) => Some(format!("{:#}\n", json!(codes.iter().map(value).collect::<Vec<_>>()))),
    }
}

struct Explained {
    kind: String,
    means: String,
    mend: Option<String>,
}

fn of_reason(name: &str) -> Option<Explained> {
    let words = candor::check::reasons().find(|words| words.name == name)?;
    let kind = format!("a reason why a criterion is {}", words.status);
    Some(Explained { kind, means: words.means.to_owned(), mend: Some(words.mend.to_owned()) })
}

fn of_lint(name: &str) -> Option<Explained> {
    let code = CODES.iter().find(|code| code.name == name)?;
    let kind = format!("{} {} of `candor lint`", article(code.severity.name()), code.severity.name());
    let means = code.about();
    let means = if means.ends_with('.') { means.to_owned() } else { format!("{means}.") };
    let shown = match code.shown_by().split_once(": ")? {
        ("none", why) => format!("`candor audit` does not show it: {why}."),
        (probe, how) => format!("`candor audit` shows it by the probe `{probe}`: {how}."),
    };
    Some(Explained { kind, means, mend: Some(shown) })
}

fn of_operator(name: &str) -> Option<Explained> {
    let means = match Operator::named(name)? {
        Operator::Equals => "The value is the expected one: numbers by value, arrays and objects by their contents.",
        Operator::NotEquals => "The value is not the expected one. Nothing does not pass, unless `absent` is `pass`.",
        Operator::In => "The value is one of the expected ones.",
        Operator::NotIn => {
            "The value is not one of the expected ones. Nothing does not pass, unless `absent` is `pass`."
        }
        Operator::GreaterThan => "The value is greater than the expected one.",
        Operator::GreaterOrEqual => "The value is the expected one or greater.",
        Operator::LessThan => "The value is less than the expected one.",
        Operator::LessOrEqual => "The value is the expected one or less.",
        Operator::Between => {
            "The value is between the two expected ones, or one of them. Two days mean both whole days."
        }
        Operator::Contains => "The text contains the expected text.",
        Operator::NotContains => {
            "The text does not contain the expected text. Nothing does not pass, unless `absent` is `pass`."
        }
        Operator::Matches => "The whole text matches the regular expression. Add `.*` at either end for a part of it.",
        Operator::Empty => "Nothing, null, \"\", [] or {}.",
        Operator::NotEmpty => "There is a value, and it is not empty.",
        Operator::Count => "The number of values that the path selects: `expected` is a number, or {min, max}.",
    };
    Some(Explained { kind: "an operator of field assertions".to_owned(), means: means.to_owned(), mend: None })
}

fn of_finding(name: &str) -> Option<Explained> {
    let mut words = candor::validate::code_in_words(name)?.chars();
    let means = format!("{}{}.", words.next()?.to_uppercase(), words.as_str());
    let kind = if name.contains(':') { "a code of X12" } else { "a code of `candor validate`" };
    Some(Explained { kind: kind.to_owned(), means, mend: None })
}

/// All codes of an element of an acknowledgment: those of findings are the element and a code of it.
fn of_element(name: &str) -> Option<Explained> {
    if !["AK", "IK", "TA"].iter().any(|segment| name.starts_with(segment)) {
        return None;
    }
    let numbers = (0..100_u8).flat_map(|number| [number.to_string(), format!("{number:03}")]);
    let of_guides = (1..100_u8).map(|number| format!("I{number}"));
    let all = numbers.chain(of_guides).chain(('A'..='Z').map(String::from));
    let line = |code: String| Some(format!("{code}: {}.", candor::validate::code_in_words(&format!("{name}:{code}"))?));
    let lines: Vec<String> = all.filter_map(line).collect();
    let kind = "an element of X12, with the codes that it may have".to_owned();
    (!lines.is_empty()).then(|| Explained { kind, means: lines.join("\n"), mend: None })
}

pub(super) fn nearest(name: &str) -> Option<String> {
    let reasons = candor::check::reasons().map(|words| words.name);
    let changes = candor::inner::checks::OPERATORS.iter().copied().flatten().map(|operator| operator.id);
    let named = CODES.iter().map(|code| code.name).chain(OPERATORS.iter().map(|(name, _)| *name));
    let leaves = LEAVES.iter().map(|(name, _)| *name);
    let all: Vec<&str> = reasons.chain(named).chain(changes).chain(leaves).chain(candor::validate::codes()).collect();
    candor::check::settings::nearest(name, &all).map(str::to_owned)
}

/// The changes that the probe `leaf` makes itself.
const LEAVES: [(&str, &str); 3] = [
    ("leaf/deleted", "A value that the criterion asserts is gone from the record."),
    ("leaf/replaced", "A value that the criterion asserts is another one."),
    ("leaf/another-record", "A value that the criterion asserts is another one, and another record has the right one."),
];

fn of_leaf(name: &str) -> Option<Explained> {
    let (name, means) = LEAVES.iter().find(|(leaf, _)| *leaf == name)?;
    let mend = match name.ends_with("record") {
        true => "If each record must have it, write `match: all`, `exactly_one` or `count`.",
        false => "A criterion that still passes does not look at the value. Assert the value itself.",
    };
    let kind = "a change of `candor audit` to a value that a criterion asserts".to_owned();
    Some(Explained { kind, means: (*means).to_owned(), mend: Some(mend.to_owned()) })
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

fn of_audit(name: &str) -> Option<Explained> {
    let mut all = candor::inner::checks::OPERATORS.iter().copied().flatten().chain(candor::inner::audit::OPERATORS);
    let operator = all.find(|operator| operator.id == name)?;
    let (kind, mend) = match operator.kind {
        Kind::Harm => (
            "a change of `candor audit` that makes the work wrong",
            "A criterion that still passes does not notice it. Assert what was changed, or let `candor harden` propose how.",
        ),
        Kind::Equivalence => (
            "a change of `candor audit` that leaves the meaning unchanged",
            "A criterion that turns red rejects right work. Compare the meaning, not the notation.",
        ),
        Kind::Order => (
            "a change of `candor audit` that puts what has no order in another one",
            "A criterion that turns red rejects right work. Select by a key, not by a place.",
        ),
        Kind::Breach => (
            "a change of `candor audit` that adds what a criterion forbids",
            "A criterion that still passes forbids nothing. Look at its selection.",
        ),
        Kind::Remark => (
            "a change of `candor audit` that a person has to judge",
            "If it makes the work wrong, assert what was changed. The grade does not depend on it.",
        ),
    };
    Some(Explained { kind: kind.to_owned(), means: operator.why.to_owned(), mend: Some(mend.to_owned()) })
}
