//! Changes that do not change the meaning of a call.

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{self, Edit, get, put};

use super::{retold, said, turn, turns};

pub(super) const WORDS: [&str; 10] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

fn pieces(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '\'';
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let pieces = chars.chunk_by(|(_, one), (_, other)| is_word(*one) == is_word(*other));
    pieces.filter_map(|piece| text.get(piece.first()?.0..piece.last()?.0 + piece.last()?.1.len_utf8())).collect()
}

/// Digits become words: a single digit, and a number of four or more digits, which is read digit by digit. A number
/// next to a point, a colon, a slash or a hyphen is a date, a time or an amount, and is read in another way.
pub(super) fn number_words(target: &Target<'_>) -> Option<Change> {
    let worded = |text: &str| {
        let all = pieces(text);
        let joins = |piece: Option<&&str>| {
            piece.is_some_and(|piece| piece.contains(['.', ':', '/', '-', '$']) && piece.trim() == *piece)
        };
        let mut out = String::new();
        for (at, piece) in all.iter().enumerate() {
            let is_number = piece.bytes().all(|byte| byte.is_ascii_digit()) && matches!(piece.len(), 1 | 4..);
            let beside = joins(at.checked_sub(1).and_then(|at| all.get(at)))
                || joins(all.get(at + 1).filter(|_| at + 2 < all.len()));
            if !is_number || beside {
                out += piece;
                continue;
            }
            let words: Vec<&str> =
                piece.bytes().filter_map(|byte| WORDS.get(usize::from(byte - b'0')).copied()).collect();
            out += &words.join(" ");
        }
        Some(out)
    };
    retold(target, worded, "has its digits in words")
}

/// Runs of two and more of the words zero to nine become digits.
pub(super) fn digits(target: &Target<'_>) -> Option<Change> {
    let digit = |piece: &str| WORDS.iter().position(|word| piece.eq_ignore_ascii_case(word));
    let in_digits = |text: &str| {
        let all = pieces(text);
        // Between the digits of one number, and at the edge of a run, there is a space or a comma.
        let near = |at: Option<usize>| at.and_then(|at| all.get(at)).is_some_and(|piece| digit(piece).is_some());
        let mut out = String::new();
        for (at, piece) in all.iter().enumerate() {
            let found = digit(piece).filter(|_| near(at.checked_sub(2)) || near(Some(at + 2)));
            match found {
                Some(found) => out += &found.to_string(),
                None => out += piece,
            }
        }
        Some(out)
    };
    retold(target, in_digits, "has its numbers in digits")
}

/// Small letters; and no full stop at the end of a turn that another speaker's follows: between two turns of one speaker it
/// says that a sentence ended.
pub(super) fn case_and_punctuation(target: &Target<'_>) -> Option<Change> {
    let goes_on = || {
        let turn = turn(target)?;
        let all = turns(target);
        let at = all.iter().position(|one| std::ptr::eq(one.as_ptr(), turn.as_ptr()))?;
        Some(get(all.get(at + 1)?, &["speaker"])? == get(turn, &["speaker"])?)
    };
    let goes_on = goes_on().unwrap_or_default();
    let plain = |text: &str| Some(if goes_on { text } else { text.trim_end_matches('.') }.to_lowercase());
    retold(target, plain, "is in small letters")
}

fn halves(text: &str) -> Option<(&str, &str)> {
    let spaces: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).collect();
    let at = *spaces.get(spaces.len() / 2)?;
    let (first, second) = (text.get(..at)?, text.get(at + 1..)?);
    (!first.is_empty() && !second.is_empty()).then_some((first, second))
}

/// The members of a turn that a transcript of its own form has, and no others.
fn is_plain(turn: &str) -> bool {
    strict_json::members(turn).all(|(name, _)| matches!(name.as_ref(), "speaker" | "text" | "start" | "end"))
}

pub(super) fn split_in_turns(target: &Target<'_>) -> Option<Change> {
    let turn = turn(target).filter(|turn| is_plain(turn))?;
    let (_, text) = said(turn)?;
    let (first, second) = halves(text)?;
    let speaker = get(turn, &["speaker"])?;
    let times = match (seconds(turn, "start"), seconds(turn, "end")) {
        (Some(start), Some(end)) => {
            let middle = f64::midpoint(start, end);
            [format!(", \"start\": {start}, \"end\": {middle}"), format!(", \"start\": {middle}, \"end\": {end}")]
        }
        _ => [String::new(), String::new()],
    };
    let [of_first, of_second] = times;
    let with = format!(
        "{{\"speaker\": {speaker}, \"text\": \"{first}\"{of_first}}}, {{\"speaker\": {speaker}, \"text\": \"{second}\"{of_second}}}"
    );
    let sentence = format!("The turn at byte {} of {} is two turns.", target.start(), target.place.locator);
    Some(target.change([Edit { span: 0..turn.len(), with }], sentence))
}

/// An interim result before the turn: its first half.
pub(super) fn interim_results(target: &Target<'_>) -> Option<Change> {
    let turn = turn(target).filter(|turn| is_plain(turn))?;
    let (_, text) = said(turn)?;
    let (first, _) = halves(text)?;
    let (speaker, final_one) = (get(turn, &["speaker"])?, put(turn, &[], "is_final", "true")?);
    let with = format!("{{\"speaker\": {speaker}, \"text\": \"{first}\", \"is_final\": false}}, ");
    let sentence =
        format!("An interim result comes before the turn at byte {} of {}.", target.start(), target.place.locator);
    Some(target.change([Edit { span: 0..0, with }, final_one], sentence))
}

fn seconds(turn: &str, name: &str) -> Option<f64> {
    get(turn, &[name])?.parse().ok().filter(|seconds: &f64| seconds.is_finite() && (0.0..1e6).contains(seconds))
}

struct Cue {
    start: f64,
    end: f64,
    speaker: String,
    text: String,
}

/// The whole call, where each of its turns has a speaker and a text of one line.
fn cues(target: &Target<'_>) -> Option<Vec<Cue>> {
    target.place.locator.strip_suffix(".json")?;
    let all = turns(target);
    let cue = |(at, turn): (usize, &&str)| {
        let own = |name: &str| candor_json::from_str::<String>(get(turn, &[name])?).ok();
        let (speaker, text) = (own("speaker")?, own("text")?);
        let is_line = |text: &str| {
            !text.trim().is_empty() && !text.contains(['\n', '\r', '<', '>', '&']) && !text.contains("-->")
        };
        let is_label = is_line(&speaker) && speaker.chars().all(|c| c.is_alphanumeric() || c == ' ');
        let from = u32::try_from(at).ok().map(|at| f64::from(at) * 10.0)?;
        let (start, end) = (seconds(turn, "start").unwrap_or(from), seconds(turn, "end").unwrap_or(from + 8.0));
        (is_plain(turn) && is_label && is_line(&text) && start < end).then_some(Cue { start, end, speaker, text })
    };
    let cues: Vec<Cue> = all.iter().enumerate().map(cue).collect::<Option<_>>()?;
    // A label twice in a line would be two turns.
    let is_plain = !cues.is_empty() && !cues.iter().any(|cue| cue.text.contains(':'));
    is_plain.then_some(cues)
}

fn clock(seconds: f64, point: char) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "below a million seconds, and none below 0"
    )]
    let milliseconds = (seconds * 1000.0).round() as u64;
    let (whole, rest) = (milliseconds / 1000, milliseconds % 1000);
    format!("{:02}:{:02}:{:02}{point}{rest:03}", whole / 3600, whole / 60 % 60, whole % 60)
}

fn as_captions(target: &Target<'_>, ending: &str, written: impl Fn(&[Cue]) -> String) -> Vec<Change> {
    let (Some(cues), Some(stem)) = (cues(target), target.place.locator.strip_suffix(".json")) else {
        return Vec::new();
    };
    let to = format!("{stem}.{ending}");
    target.renamed(&to, written(&cues).into_bytes(), format!("{} is {to}.", target.place.locator))
}

pub(super) fn as_vtt(target: &Target<'_>) -> Vec<Change> {
    as_captions(target, "vtt", |cues| {
        let cue = |cue: &Cue| {
            let (from, to) = (clock(cue.start, '.'), clock(cue.end, '.'));
            format!("\n{from} --> {to}\n<v {}>{}\n", cue.speaker, cue.text)
        };
        format!("WEBVTT\n{}", cues.iter().map(cue).collect::<String>())
    })
}

pub(super) fn as_srt(target: &Target<'_>) -> Vec<Change> {
    as_captions(target, "srt", |cues| {
        let cue = |(at, cue): (usize, &Cue)| {
            let (from, to) = (clock(cue.start, ','), clock(cue.end, ','));
            format!("{}\n{from} --> {to}\n{}: {}\n\n", at + 1, cue.speaker, cue.text)
        };
        cues.iter().enumerate().map(cue).collect()
    })
}
