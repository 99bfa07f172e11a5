//! Times and confidences of recognized words, and the place of each word in its turn's text.

use std::ops::Range;

use candor_json::Value;

use super::TimedWord;

/// Seconds as a number (`1.25`) or as text (`"1.25"`, `"1.250s"`), in milliseconds.
pub(super) fn millis(value: &Value) -> Option<u64> {
    whole(number(value)? * 1000.0)
}

/// A confidence from 0 to 1 in millionths.
pub(super) fn millionths(value: &Value) -> Option<u32> {
    let share = number(value).filter(|share| (0.0..=1.0).contains(share))?;
    u32::try_from(whole(share * 1_000_000.0)?).ok()
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().trim_end_matches('s').parse().ok(),
        _ => None,
    }
}

/// A number that is not negative, rounded.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded right before")]
fn whole(number: f64) -> Option<u64> {
    const MOST: f64 = 1e15;
    (0.0..MOST).contains(&number).then(|| number.round() as u64)
}

/// A time in milliseconds, where `unit` is the length of its unit; `None` for seconds.
pub(super) fn time(value: &Value, unit: Option<f64>) -> Option<u64> {
    match unit {
        None => millis(value),
        Some(unit) => millis(&Value::from(value.as_f64()? * unit / 1000.0)),
    }
}

/// Words as recognizers list them, with the place of each in the text. A word that the rest of the text does not contain is
/// left out. A word without a confidence takes that of its turn, `of_turn`.
pub(super) fn words(list: &[Value], text: &str, of_turn: Option<u32>, unit: Option<f64>) -> Vec<TimedWord> {
    let mut words: Vec<TimedWord> = Vec::new();
    for word in list {
        let told = ["punctuated_word", "word", "text", "content"].iter().find_map(|key| word.get(key)?.as_str());
        let from = words.last().map_or(0, |last| last.span.end);
        let Some(span) = place(text, from, told.unwrap_or_default().trim()) else { continue };
        let sure = ["confidence", "probability", "score"].iter().find_map(|key| millionths(word.get(key)?));
        let of = |keys: [&str; 4]| keys.iter().find_map(|key| time(word.get(key)?, unit));
        let start = of(["start", "start_time", "startTime", "startOffset"]);
        let end = of(["end", "end_time", "endTime", "endOffset"]);
        words.push(TimedWord { span, start, end, confidence: sure.or(of_turn), speaker: speaker(word) });
    }
    words
}

fn place(text: &str, from: usize, word: &str) -> Option<Range<usize>> {
    /// How far ahead a word is looked for: a recognizer's list may leave some out.
    const FAR: usize = 400;
    let rest = text.get(from..).filter(|_| !word.is_empty())?;
    let near = rest.char_indices().map(|(at, _)| at).find(|at| *at >= FAR + word.len()).unwrap_or(rest.len());
    let rest = rest.get(..near)?;
    let at = from + rest.find(word).or_else(|| find_without_case(rest, word))?;
    Some(at..at + word.len())
}

pub(super) fn speaker(word: &Value) -> Option<String> {
    ["speaker", "speaker_label", "speakerTag", "speakerLabel"].iter().find_map(|key| label(word, key))
}

pub(super) fn label(value: &Value, key: &str) -> Option<String> {
    match value.get(key)? {
        Value::String(label) if !label.trim().is_empty() => Some(label.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn find_without_case(text: &str, word: &str) -> Option<usize> {
    let same =
        |(at, _): &(usize, char)| text.get(*at..*at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word));
    text.char_indices().find(same).map(|(at, _)| at)
}

/// `1:02`, `00:01:02.500`.
pub(super) fn is_time(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let Some((seconds, rest)) = parts.split_last() else { return false };
    let (whole, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, "0"));
    matches!(parts.len(), 2 | 3)
        && whole.len() <= 2
        && digits(whole)
        && digits(fraction)
        && rest.iter().all(|part| digits(part))
}

/// A clock time in milliseconds: `1:02`, `00:01:02.500`, `00:01:02,500`. `None` if the text is not a time.
pub(super) fn clock(text: &str) -> Option<u64> {
    if !is_time(text) {
        return None;
    }
    let (whole, fraction) = text.rsplit_once(['.', ',']).unwrap_or((text, ""));
    let mut millis = 0_u64;
    for part in whole.split(':') {
        millis = millis.checked_mul(60)?.checked_add(part.parse::<u64>().ok()?)?;
    }
    let fraction: String = fraction.chars().chain("000".chars()).take(3).collect();
    millis.checked_mul(1000)?.checked_add(fraction.parse().ok()?)
}
