//! Codes in words: `details` says what AAA03 75 means.

use candor_check::Evidence;
use candor_check::evidence::{Entry, quoted};
use candor_check::field::FieldResult;
use candor_json::Value;
use candor_x12::Path;
use candor_x12_guides::meaning;

pub(crate) fn glossed(evidence: Evidence) -> Evidence {
    let details = evidence.details().to_owned();
    let open = evidence.results.iter().filter_map(|entry| match entry {
        Entry::Field(field) if !field.passed => Some(field),
        _ => None,
    });
    let details = open.fold(details, |details, field| of_field(&details, field));
    evidence.with_details(of_elements(&details))
}

/// The values of a field whose path ends on an element with codes: `EB.1 is "6" (inactive), expected "1" (active coverage)`.
fn of_field(details: &str, field: &FieldResult) -> String {
    let Some((segment, element)) = element(&field.path) else { return details.to_owned() };
    let said = |value: &Value| {
        let code = value.as_str()?.split(':').next()?;
        Some((quoted(value), meaning(&segment, element, code)?))
    };
    let (actual, expected) = (said(&field.actual), said(&field.expected));
    if actual.is_none() && expected.is_none() {
        return details.to_owned();
    }
    let among = field.among.as_ref().map(|among| format!(", {among}")).unwrap_or_default();
    let clause = |actual: String, expected: String| format!("{} is {actual}{among}, expected {expected}", field.path);
    let plain = clause(quoted(&field.actual), quoted(&field.expected));
    let with = |value: &Value, said: &Option<(String, &str)>| match said {
        Some((text, meaning)) => format!("{text} ({meaning})"),
        None => quoted(value),
    };
    let words = clause(with(&field.actual, &actual), with(&field.expected, &expected));
    details.replacen(&plain, &words, 1)
}

fn element(path: &str) -> Option<(String, usize)> {
    let path = Path::parse(path).ok()?;
    let named = path.element()?;
    Some((path.segment().as_str().to_owned(), named.element))
        .filter(|_| named.component.is_none_or(|component| component == 1))
}

/// Elements with their codes in a sentence: `AAA03 75` becomes `AAA03 75: subscriber not found`.
pub(crate) fn of_elements(details: &str) -> String {
    let mut words = String::with_capacity(details.len());
    let mut rest = details;
    while let Some((before, designator, code, after)) = next_code(rest) {
        words += before;
        words += &format!("{designator} {code}");
        let meaning = meaning_of(designator, code);
        // What the sentence says already is not said twice.
        if let Some(meaning) = meaning.filter(|meaning| {
            let said = before.trim_end().trim_end_matches('(').trim_end();
            !said.ends_with(meaning) && !after.starts_with(": ")
        }) {
            words += &format!(": {meaning}");
        }
        rest = after;
    }
    words + rest
}

/// The first element followed by its code: the text before, the element, the code, and the text after.
fn next_code(text: &str) -> Option<(&str, &str, &str, &str)> {
    let mut from = 0;
    loop {
        let space = from + text.get(from..)?.find(' ')?;
        from = space + 1;
        let before = text.get(..space)?;
        let begins = before.rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
        let designator = before.get(begins..)?;
        let behind = text.get(from..)?;
        let ends = behind.find(|c: char| !(c.is_ascii_alphanumeric() || c == ':')).unwrap_or(behind.len());
        let code = behind.get(..ends)?.trim_end_matches(':');
        if meaning_of(designator, code).is_some() {
            return Some((text.get(..begins)?, designator, code, behind.get(code.len()..)?));
        }
    }
}

/// The meaning of a code in an element that is written as `AAA03`.
fn meaning_of(designator: &str, code: &str) -> Option<&'static str> {
    let is_designator = (4..=5).contains(&designator.len()) && designator.is_ascii();
    let (segment, element) = designator.split_at_checked(designator.len().checked_sub(2).filter(|_| is_designator)?)?;
    meaning(segment, element.parse().ok()?, code.split(':').next()?)
}
