//! The lines of an evaluator's answer: `WORD CRITERION_ID PASS|FAIL|UNVERIFIABLE "quote"`.

use std::collections::BTreeMap;

/// The longest quote that is read, in bytes.
const LONGEST: usize = 16 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    Pass,
    Fail,
    Unverifiable,
}

/// A line of an answer that begins with the word of the run. Only who was asked knows the word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) says: Says,
    /// The possible readings of the quote: unescaped, and verbatim. Empty without a quote.
    pub(super) quotes: Vec<String>,
}

/// The marks of lists, tables, quotations, emphasis and code in which a word of a line may be dressed.
const DRESS: &str = "-*+•·–—>#|`_~:,;()[]<\"'“”„‘’«»";

/// The lines of an answer by the criterion that they name. Their words may have the marks of Markdown around them, and any
/// letter case. Every line of another form is ignored, also one with text before the word: it may deny what follows.
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
    let (_, rest) = after(numbered(text), word)?;
    // An id may begin with another one, and differ from another one in its letter case alone.
    let named = ids.iter().filter_map(|id| Some((*id, after(rest, id)?)));
    let (id, (_, rest)) = named.max_by_key(|(id, (is_exact, _))| (id.len(), *is_exact))?;
    let rest = undressed(rest);
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let (said, rest) = rest.split_at_checked(end)?;
    let says = match said.to_ascii_uppercase().as_str() {
        "PASS" | "PASSED" => Says::Pass,
        "FAIL" | "FAILED" => Says::Fail,
        "UNVERIFIABLE" => Says::Unverifiable,
        _ => return None,
    };
    // The form of the prompt, which has all three.
    let is_form = rest.trim_start_matches(['|', '/', ' ']).to_ascii_uppercase().starts_with("FAIL");
    (!is_form).then_some((id, Line { says, quotes: quotes(rest) }))
}

/// A line without the number of a list before it.
fn numbered(text: &str) -> &str {
    let text = undressed(text);
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        Some(after) if rest.len() < text.len() && after.starts_with(char::is_whitespace) => after,
        _ => text,
    }
}

fn undressed(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || DRESS.contains(c))
}

/// Reads a token; says if it is written letter by letter as given, and what follows.
fn after<'t>(text: &'t str, token: &str) -> Option<(bool, &'t str)> {
    // An id may begin with such a mark itself.
    let text = if text.starts_with(token) { text } else { undressed(text) };
    let (first, rest) = text.split_at_checked(token.len())?;
    let is_token = first.eq_ignore_ascii_case(token) && !rest.starts_with(char::is_alphanumeric);
    is_token.then_some((first == token, rest))
}

/// Quotation marks that open, and those that close.
const MARKS: [(&str, &str); 4] = [("\"", "\""), ("“„", "”“"), ("«‘", "»’"), ("`'", "`'")];

/// The text behind the first quotation mark, with the marks that end it. Before the mark is only dress: words there are a
/// remark, and no quote.
fn quoted(text: &str) -> Option<(&str, &'static str)> {
    MARKS.iter().find_map(|(open, close)| {
        let from = text.find(|c| open.contains(c))?;
        let (before, rest) = text.split_at_checked(from)?;
        let mut rest = rest.chars();
        rest.next();
        undressed(before).is_empty().then_some((rest.as_str(), *close))
    })
}

/// The readings of a quote in quotation marks: with `\"`, `\\`, `\n` and `\t` unescaped, to the first mark that is not
/// escaped; and verbatim, to the last mark of the line.
fn quotes(text: &str) -> Vec<String> {
    let Some((text, close)) = quoted(text) else { return Vec::new() };
    let mut readings = Vec::new();
    let mut unescaped = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' if close == "\"" => {
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
    if let Some((written, _)) = text.rsplit_once(|c| close.contains(c))
        && !readings.iter().any(|reading| reading == written)
    {
        readings.push(written.to_owned());
    }
    readings.retain(|reading| !reading.trim().is_empty() && reading.len() <= LONGEST);
    readings
}
