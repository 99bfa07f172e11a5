//! The lines of an evaluator's answer: `WORD CRITERION_ID PASS|FAIL|UNVERIFIABLE "quote"`.

use std::collections::BTreeMap;

/// The longest quote that is read, in bytes.
const LONGEST: usize = 16 << 10;

/// What a line says of its criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    Pass,
    Fail,
    Unverifiable,
}

/// A line of an answer that begins with the word of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) says: Says,
    /// The quote as it may be meant: unescaped, and as it was written. Empty without one.
    pub(super) quotes: Vec<String>,
}

/// The lines of an answer by the criterion that they name. Every line of another form is ignored.
pub(super) fn read(answer: &str, word: &str, ids: &[&str]) -> BTreeMap<String, Vec<Line>> {
    let mut lines: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for text in answer.lines() {
        if let Some((id, line)) = line(text.trim(), word, ids) {
            lines.entry(id.to_owned()).or_default().push(line);
        }
    }
    lines
}

fn line<'a>(text: &str, word: &str, ids: &[&'a str]) -> Option<(&'a str, Line)> {
    let rest = after(text, word)?;
    // An id may begin with another one.
    let named = ids.iter().filter_map(|id| Some((*id, after(rest, id)?)));
    let (id, rest) = named.max_by_key(|(id, _)| id.len())?;
    let (says, rest) = match rest.split_once(char::is_whitespace).unwrap_or((rest, "")) {
        ("PASS", rest) => (Says::Pass, rest),
        ("FAIL", rest) => (Says::Fail, rest),
        ("UNVERIFIABLE", rest) => (Says::Unverifiable, rest),
        _ => return None,
    };
    Some((id, Line { says, quotes: quotes(rest.trim()) }))
}

/// What follows a token and white space.
fn after<'t>(text: &'t str, token: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(token)?;
    let trimmed = rest.trim_start();
    (trimmed.len() < rest.len()).then_some(trimmed)
}

/// The readings of a quote in quotation marks: with `\"`, `\\`, `\n` and `\t` unescaped, to the first mark that is not
/// escaped; and as it was written, to the last mark of the line.
fn quotes(text: &str) -> Vec<String> {
    let Some(text) = text.strip_prefix('"') else { return Vec::new() };
    let mut readings = Vec::new();
    let mut unescaped = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                readings.push(unescaped);
                break;
            }
            '\\' => match characters.next() {
                Some('n') => unescaped.push('\n'),
                Some('t') => unescaped.push('\t'),
                Some(escaped @ ('"' | '\\')) => unescaped.push(escaped),
                other => {
                    unescaped.push('\\');
                    unescaped.extend(other);
                }
            },
            other => unescaped.push(other),
        }
    }
    if let Some((written, _)) = text.rsplit_once('"')
        && !readings.iter().any(|reading| reading == written)
    {
        readings.push(written.to_owned());
    }
    readings.retain(|reading| !reading.trim().is_empty() && reading.len() <= LONGEST);
    readings
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const IDS: &[&str] = &["a", "a b", "a-b"];

    fn one(text: &str) -> Option<(String, Line)> {
        let (id, mut lines) = read(text, "w0rd", IDS).pop_first()?;
        Some((id, lines.remove(0)))
    }

    fn quotes_of(text: &str) -> Vec<String> {
        one(text).unwrap().1.quotes
    }

    #[test]
    fn a_line_names_a_criterion_and_says_one_of_three() {
        for (text, id, says, quote) in [
            ("w0rd a PASS \"the letter\"", "a", Says::Pass, Some("the letter")),
            ("  w0rd\ta-b  FAIL   \"no reason\"  ", "a-b", Says::Fail, Some("no reason")),
            ("w0rd a b UNVERIFIABLE \"x\" since it is empty", "a b", Says::Unverifiable, Some("x")),
            ("w0rd a PASS", "a", Says::Pass, None),
            ("w0rd a PASS \"\"", "a", Says::Pass, None),
            ("w0rd a PASS \" \"", "a", Says::Pass, None),
            ("w0rd a PASS the letter", "a", Says::Pass, None),
            ("w0rd a PASS \"open", "a", Says::Pass, None),
        ] {
            let (named, line) = one(text).unwrap();
            assert_eq!((named.as_str(), line.says), (id, says), "{text}");
            assert_eq!(line.quotes.first().map(String::as_str), quote, "{text}");
        }
    }

    #[test]
    fn every_other_line_is_ignored() {
        for text in [
            "PASS",
            "a PASS \"x\"",
            "word a PASS \"x\"",
            "w0rdy a PASS \"x\"",
            "w0rd PASS \"x\"",
            "w0rd c PASS \"x\"",
            "w0rd a",
            "w0rd a pass \"x\"",
            "w0rd a PASSED \"x\"",
            "w0rd a PASS|FAIL|UNVERIFIABLE \"x\"",
            "w0rd a: PASS \"x\"",
            "1. w0rd a PASS \"x\"",
            "> w0rd a PASS \"x\"",
            "W0RD a PASS \"x\"",
        ] {
            assert_eq!(one(text), None, "{text}");
        }
    }

    #[test]
    fn quotes_may_hold_quotation_marks() {
        assert_eq!(quotes_of(r#"w0rd a PASS "say \"yes\" now""#), [r#"say "yes" now"#, r#"say \"yes\" now"#]);
        assert_eq!(quotes_of(r#"w0rd a PASS "say "yes" now""#), ["say ", r#"say "yes" now"#]);
        assert_eq!(quotes_of(r#"w0rd a PASS "C:\dir\new""#), ["C:\\dir\new", r"C:\dir\new"]);
        assert_eq!(quotes_of("w0rd a PASS \"one\\n\\ttwo\"")[0], "one\n\ttwo");
        assert!(quotes_of(&format!("w0rd a PASS \"{}\"", "x".repeat(LONGEST + 1))).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(candor_test_size::cases(300)) })]

        #[test]
        fn no_text_without_the_word_says_anything(text in "(\\PC|\n){0,80}") {
            prop_assert!(read(&text.replace("w0rd", ""), "w0rd", IDS).is_empty());
        }

        #[test]
        fn what_is_quoted_is_read_again(quote in "[ -~]{0,20}[a-z]") {
            let escaped = quote.replace('\\', "\\\\").replace('"', "\\\"");
            let line = format!("w0rd a PASS \"{escaped}\"");
            prop_assert_eq!(&quotes_of(&line)[0], &quote);
        }

        #[test]
        fn lines_of_other_criteria_change_nothing(says in "PASS|FAIL|UNVERIFIABLE", noise in "[ -~]{0,20}") {
            let text = format!("{noise}\nw0rd a {says} \"q q\"\nw0rd c FAIL \"x\"\n{noise}");
            prop_assert_eq!(read(&text, "w0rd", IDS).len(), 1);
        }
    }
}
