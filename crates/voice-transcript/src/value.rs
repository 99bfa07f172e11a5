//! Values that were said: ids, numbers, amounts, doses, dates and times, found behind a phrase and compared.

use std::collections::HashMap;

use candor_check::work::cancelled;
use serde::Deserialize;

use crate::constraint::{Anchor, CONDITIONAL, Counts, NOT_STATED, open};
use crate::matching::{Heard, Listed, Occurrence, Part, Said, Stance, doubt};
use crate::normalize::{Cut, Kind, Normalized, Pause, Word};
use crate::tables::{CLASSES, NUMBERED, SMALL, STANCE, UNITS};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum As {
    Digits,
    Number,
    Amount,
    /// A number and a unit.
    Dose,
    Date,
    Time,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Read {
    Text(String),
    Date {
        year: Option<u32>,
        month: u32,
        day: u32,
    },
    /// Minutes since midnight; without `am` or `pm` below one o'clock in the afternoon it may be either.
    Time {
        minutes: u32,
        sure: bool,
    },
}

#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) after: Anchor,
    /// Who says it; anybody where this is not given.
    pub(crate) role: Option<String>,
    pub(crate) within_turns: usize,
    /// True if a value that is asked, supposed, hoped for or reported does not count.
    stated: bool,
    kind: As,
    expected: Read,
}

impl Value {
    /// `None` if the expected text is not a value of its kind.
    pub(crate) fn new(after: Anchor, role: Option<String>, within_turns: usize, kind: As, text: &str) -> Option<Self> {
        let words = Normalized::canonical(&[text]);
        let (reads, _) = read(&words, 0, words.len(), kind)?;
        let mut expected = reads.into_iter().last()?;
        // "09:30" is of a clock of twenty-four hours
        if let Read::Time { sure, .. } = &mut expected {
            *sure |= expected_on_24_hours(text);
        }
        Some(Self { after, role, within_turns, stated: false, kind, expected })
    }

    /// The same, where what is asked, supposed, hoped for or reported does not count.
    pub(crate) fn stated(self, stated: bool) -> Self {
        Self { stated, ..self }
    }

    /// The last value given for it on a call: its place, and the verdict of the comparison with the expected value.
    pub(crate) fn said(&self, heard: &Heard<'_>) -> Option<(Occurrence, Counts)> {
        let role = self.after.role.as_deref();
        let places = heard.occurrences(&self.after.phrase, role).filter(|place| place.said == Said::Plain);
        let places: Vec<Occurrence> = places.collect();
        let mut spans = Spans::default();
        places.iter().rev().take_while(|_| !cancelled()).find_map(|place| self.behind(heard, place, &mut spans))
    }

    fn behind(&self, heard: &Heard<'_>, place: &Occurrence, spans: &mut Spans) -> Option<(Occurrence, Counts)> {
        /// How many values that do not count are passed over.
        const MOST: usize = 64;
        let mut contrary = None;
        let mut passed_over = 0;
        // values that were taken back, with their stretches
        let mut taken_back: Vec<(usize, Vec<Read>)> = Vec::new();
        for part in heard.behind(place, self.role.as_deref(), self.within_turns) {
            let all = spans.of(&part, self.kind);
            let mut at = part.from;
            while let Some(start) = all.get(all.partition_point(|start| *start < at)).copied() {
                if start >= part.to || passed_over > MOST {
                    break;
                }
                at = start + 1;
                let Some((reads, end)) = read(part.words, start, part.to, self.kind) else { continue };
                if part.taken_back(start, end) {
                    if taken_back.len() < MOST {
                        taken_back.push((part.stretch, reads));
                    }
                    continue;
                }
                // the other party repeats it before it is taken back
                if taken_back.iter().any(|(stretch, old)| stretch + 1 == part.stretch && *old == reads) {
                    at = end + 1;
                    continue;
                }
                let no_amount = self.kind == As::Amount && is_no_amount(&part, start, end);
                if no_amount || self.is_count(&part, &reads, end) {
                    continue;
                }
                let occurrence = heard.at_words(part.stretch, start, end)?;
                let counts = self.counts(&occurrence, &reads, is_bound(part.words, start));
                // a value that is denied, supposed or asked is passed over if another one follows
                let open = match occurrence.said {
                    Said::Negated => true,
                    _ if occurrence.stance.any(Stance::CONDITIONAL) => true,
                    _ => self.stated && !occurrence.stance.may_be_stated(),
                };
                if !open {
                    return Some((occurrence, counts));
                }
                contrary.get_or_insert((occurrence, counts));
                passed_over += 1;
                at = end + 1;
            }
        }
        contrary
    }

    /// True if a dose counts things whose strength is asked for, and the strength follows: "one tablet of 25 mg".
    fn is_count(&self, part: &Part<'_>, reads: &[Read], end: usize) -> bool {
        let things = |dose: &Read| {
            let unit = |text: &str| matches!(text.rsplit(' ').next(), Some("tablet" | "capsule" | "puff" | "drop"));
            matches!(dose, Read::Text(text) if unit(text))
        };
        let of = part.words.word(end + 1).is_some_and(|word| matches!(word.text, "of" | "each"));
        let from = end + 1 + usize::from(of);
        self.kind == As::Dose
            && !things(&self.expected)
            && reads.iter().any(things)
            && part.words.word(from).is_some_and(|word| word.pause < Pause::Turn)
            && read(part.words, from, part.to, As::Dose).is_some_and(|(reads, _)| !reads.iter().any(things))
    }

    fn counts(&self, occurrence: &Occurrence, reads: &[Read], bound: bool) -> Counts {
        let whole = reads.last().map(|whole| self.compare(whole));
        match (whole, occurrence.said) {
            (_, Said::Doubtful) => Counts::Unsure(occurrence.doubt),
            (_, Said::Negated) => Counts::No(MISMATCH),
            _ if occurrence.stance.any(Stance::CONDITIONAL) => Counts::No(CONDITIONAL),
            _ if self.stated && !occurrence.stance.may_be_stated() => Counts::No(NOT_STATED),
            _ if occurrence.stance.any(Stance::PERHAPS_CONDITIONAL) => Counts::Unsure(open::CONDITION),
            _ if self.stated && !occurrence.stance.is_stated() => Counts::Unsure(open::DEPENDS),
            _ if occurrence.listed() != Listed::No => Counts::Unsure(open::LISTED),
            _ if bound => Counts::Unsure("it is only a bound"),
            (Some(counts @ (Counts::Yes | Counts::Unsure(_))), _) => counts,
            _ if reads.iter().any(|part| self.compare(part) == Counts::Yes) => {
                Counts::Unsure("it is not clear where the value ends")
            }
            _ => Counts::No(MISMATCH),
        }
    }

    fn compare(&self, said: &Read) -> Counts {
        let equal = |same: bool| if same { Counts::Yes } else { Counts::No(MISMATCH) };
        match (said, &self.expected) {
            (Read::Date { year, month, day }, Read::Date { year: y, month: m, day: d }) => match (year, y) {
                _ if (month, day) != (m, d) => Counts::No(MISMATCH),
                // two digits of a year may be of any century
                (Some(year), Some(y)) if *year < 100 && *y >= 100 && year % 100 == y % 100 => {
                    Counts::Unsure("the century is not said")
                }
                (Some(year), Some(y)) if *year < 100 || *y < 100 => equal(year % 100 == y % 100),
                (Some(year), Some(y)) => equal(year == y),
                (None, None) => Counts::Yes,
                _ => Counts::Unsure("the year is not said"),
            },
            (Read::Time { minutes, sure }, Read::Time { minutes: m, sure: s }) => match minutes == m {
                true if sure == s || (*sure && *s) => Counts::Yes,
                _ if (!sure || !s) && minutes % 720 == m % 720 => Counts::Unsure(doubt::HALF),
                _ => Counts::No(MISMATCH),
            },
            (said, expected) => equal(said == expected),
        }
    }
}

pub(crate) const MISMATCH: &str = "value_mismatch";

/// Where values of a kind begin, a stretch of turns read once for any number of places.
#[derive(Default)]
struct Spans(HashMap<usize, Vec<usize>>);

impl Spans {
    fn of(&mut self, part: &Part<'_>, kind: As) -> &[usize] {
        self.0.entry(part.stretch).or_insert_with(|| {
            let to = part.words.len();
            (0..to).filter(|at| may_begin(part.words, *at) && read(part.words, *at, to, kind).is_some()).collect()
        })
    }
}

/// True if a value may begin with the word at an index: also with the letters of "ABC123".
fn may_begin(words: &Normalized, at: usize) -> bool {
    words.may_begin_value(at) || words.cut_at(at + 1) == Cut::Never
}

/// True if an hour is written with two digits, as on a clock of twenty-four hours.
fn expected_on_24_hours(text: &str) -> bool {
    text.trim().split_once(':').is_some_and(|(hour, _)| hour.len() == 2)
}

/// True if a number without a currency is the number of something ("form 12"), or the amount follows in its sentence.
fn is_no_amount(part: &Part<'_>, at: usize, end: usize) -> bool {
    /// The most words of one sentence that are searched.
    const FAR: usize = 24;
    let text = |at: usize| part.words.word(at).map(|word| word.text).unwrap_or_default();
    let currency = |word: &str| matches!(word, "dollar" | "dollars" | "cent" | "cents");
    if (at..=end + 1).any(|at| currency(text(at))) {
        return false;
    }
    let named = at.checked_sub(1).is_some_and(|before| NUMBERED.contains(text(before)));
    let behind = (end + 1..part.to.min(end + FAR))
        .take_while(|at| part.words.word(*at).is_some_and(|word| word.pause < Pause::Turn))
        .any(|at| currency(text(at)));
    named || behind
}

/// The value that begins at a word: what it may be, the whole last, and its last word.
fn read(words: &Normalized, at: usize, to: usize, kind: As) -> Option<(Vec<Read>, usize)> {
    let reader = Reader { words, to };
    match kind {
        As::Digits => reader.digits(at),
        As::Number => reader.number(at).map(|(text, end)| (vec![Read::Text(text)], end)),
        As::Amount => reader.amount(at),
        As::Dose => reader.dose(at),
        As::Date => reader.date(at),
        As::Time => reader.time(at),
    }
}

/// The values, answers and names of a text, each as the widest thing that it is: kind, value, first and last word.
pub(crate) fn spans(words: &Normalized, capital: impl Fn(usize) -> bool) -> Vec<(&'static str, String, usize, usize)> {
    const KINDS: [(As, &str); 6] = [
        (As::Dose, "dose"),
        (As::Date, "date"),
        (As::Time, "time"),
        (As::Amount, "amount"),
        (As::Digits, "identifier"),
        (As::Number, "number"),
    ];
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let text = |at: usize| words.word(at).map(|word| word.text).unwrap_or_default();
        let fits = |kind: As, end: usize, value: &str| match kind {
            As::Amount => (at..=end).any(|at| matches!(text(at), "dollar" | "dollars" | "cent" | "cents")),
            As::Digits => value.len() > 3 && value.bytes().filter(u8::is_ascii_digit).count() > 1,
            _ => true,
        };
        let one = KINDS.into_iter().filter(|_| may_begin(words, at)).find_map(|(kind, name)| {
            let (reads, end) = read(words, at, words.len(), kind)?;
            let value = reads.iter().rev().map(Read::shown).find(|value| !value.is_empty())?;
            fits(kind, end, &value).then_some((name, value, at, end))
        });
        let answer = || CLASSES.get(text(at)).map(|_| ("answer", text(at).to_owned(), at, at));
        let named = |at: &usize| {
            let inside = words.word(*at).filter(|word| word.kind == Kind::Word && *at > 0 && word.pause < Pause::Turn);
            inside.is_some_and(|word| !SMALL.contains(word.text)) && capital(*at)
        };
        let name = || {
            let end = (at..words.len()).take_while(named).last()?;
            Some(("name", (at..=end).map(text).collect::<Vec<_>>().join(" "), at, end))
        };
        let one = one.or_else(answer).or_else(name);
        at = one.as_ref().map_or(at, |(_, _, _, end)| *end) + 1;
        found.extend(one);
    }
    found
}

impl Read {
    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Date { year: Some(year), month, day } => format!("{year:04}-{month:02}-{day:02}"),
            Self::Date { year: None, month, day } => format!("--{month:02}-{day:02}"),
            Self::Time { minutes, sure } => {
                let either = if *sure { "" } else { " of either half of the day" };
                format!("{:02}:{:02}{either}", minutes / 60, minutes % 60)
            }
        }
    }
}

struct Reader<'a> {
    words: &'a Normalized,
    to: usize,
}

/// The most words of one value.
const LONGEST: usize = 64;

impl<'a> Reader<'a> {
    fn word(&self, at: usize) -> Option<Word<'a>> {
        self.words.word(at).filter(|_| at < self.to)
    }

    fn text(&self, at: usize) -> &'a str {
        self.word(at).map(|word| word.text).unwrap_or_default()
    }

    /// The word at `at`, when it goes on in the sentence before it.
    fn next(&self, at: usize) -> Option<Word<'a>> {
        self.word(at).filter(|word| word.pause < Pause::Turn)
    }

    fn digits(&self, at: usize) -> Option<(Vec<Read>, usize)> {
        let run = |at: usize| self.word(at).is_some_and(|word| matches!(word.kind, Kind::Letter | Kind::Number));
        let glued = |at: usize| self.words.cut_at(at) == Cut::Never;
        let letters = |at: usize| self.word(at).is_some_and(|word| word.kind == Kind::Word);
        // "ABC|123"
        let before = |at: usize| letters(at) && glued(at + 1) && run(at + 1);
        // "12|AB", not "12|mg"
        let behind = |at: usize| {
            let text = self.text(at);
            let other = is_measure(text) || SMALL.contains(text) || matches!(text, "am" | "pm");
            letters(at) && glued(at) && !other && at.checked_sub(1).is_some_and(run)
        };
        let runs = |at: usize| self.word(at).filter(|_| run(at) || before(at) || behind(at));
        let first = runs(at)?;
        let alone =
            matches!(first.text, "a" | "i") && runs(at + 1).is_none_or(|next| next.span.start > first.span.end + 1);
        if alone {
            return None;
        }
        let (mut reads, mut text, mut end) = (Vec::new(), String::new(), at);
        while let Some(word) = runs(end).filter(|_| end < at + LONGEST) {
            if end > at && (word.pause >= Pause::Turn || !(run(end) || before(end))) {
                reads.push(Read::Text(text.clone()));
            }
            text.push_str(word.text);
            end += 1;
        }
        if !text.contains(|c: char| c.is_ascii_digit()) {
            return None;
        }
        reads.push(Read::Text(text));
        Some((reads, end - 1))
    }

    /// A decimal without needless zeros, and its last word.
    fn number(&self, at: usize) -> Option<(String, usize)> {
        let first = self.word(at)?;
        if first.kind == Kind::Decimal && !first.text.contains('/') {
            return Some((plain(first.text), at));
        }
        let mut text = String::new();
        let mut end = at;
        while let Some(word) = self.word(end).filter(|word| word.kind == Kind::Number && end < at + LONGEST) {
            if end > at && (word.pause >= Pause::Turn || self.words.cut_at(end) == Cut::Free) {
                break;
            }
            text.push_str(word.text);
            end += 1;
        }
        (end > at).then(|| (plain(&text), end - 1))
    }

    fn amount(&self, at: usize) -> Option<(Vec<Read>, usize)> {
        let (whole, mut end) = self.number(at)?;
        let groups: Vec<&str> = (at..=end).map(|at| self.text(at)).collect();
        let grouped = groups.len() > 1 && groups.iter().any(|group| group.len() > 1);
        let dollars = matches!(self.text(end + 1), "dollar" | "dollars");
        if self.next(end + 1).is_some_and(|next| next.pause == Pause::None && is_measure(next.text)) {
            return None;
        }
        if grouped && !matches!(self.text(end + 1), "cent" | "cents") {
            // "three hundred twelve forty" may be dollars and cents
            let parts = match groups.as_slice() {
                [dollars, part] if part.len() == 2 => vec![Read::Text(cents(dollars, part))],
                _ => Vec::new(),
            };
            let reads = [Read::Text(whole)].into_iter().chain(parts).chain([Read::Text(String::new())]);
            return Some((reads.collect(), end + usize::from(dollars)));
        }
        if matches!(self.text(end + 1), "cent" | "cents") {
            return Some((vec![Read::Text(cents("0", &whole))], end + 1));
        }
        end += usize::from(dollars);
        let from = if self.text(end + 1) == "and" { end + 2 } else { end + 1 };
        if dollars
            && self.next(from).is_some()
            && let Some((part, last)) = self.number(from)
            && (matches!(self.text(last + 1), "cent" | "cents"))
        {
            return Some((vec![Read::Text(cents(&whole, &part))], last + 1));
        }
        Some((vec![Read::Text(whole)], end))
    }

    fn dose(&self, at: usize) -> Option<(Vec<Read>, usize)> {
        let (number, end) = self.number(at)?;
        let unit = UNITS.get(self.next(end + 1)?.text)?;
        let mut reads = vec![Read::Text(format!("{number} {unit}"))];
        if end > at && self.words.cut_at(end) == Cut::Doubtful {
            // "two ten milligram tablets"
            let (strength, _) = self.number(end)?;
            reads.extend([Read::Text(format!("{strength} {unit}")), Read::Text(String::new())]);
        }
        Some((reads, end + 1))
    }

    /// A date of eight digits that are read out: "oh four oh seven nineteen fifty five".
    fn eight_digits(&self, at: usize) -> Option<(Vec<Read>, usize)> {
        let number = |at: usize| self.word(at).filter(|word| word.kind == Kind::Number);
        let begins = number(at).is_some_and(|word| matches!(word.text, "0" | "1"))
            && !at.checked_sub(1).is_some_and(|before| number(before).is_some() && self.next(at).is_some());
        if !begins {
            return None;
        }
        let (mut digits, mut end) = (String::new(), at);
        while let Some(word) = number(end).filter(|word| end == at || word.pause < Pause::Turn) {
            digits.push_str(word.text);
            end += 1;
            if digits.len() > 8 {
                return None;
            }
        }
        let part = |from: usize, to: usize| digits.get(from..to)?.parse::<u32>().ok();
        let (month, day, year) = (part(0, 2)?, part(2, 4)?, part(4, 8)?);
        let fits =
            digits.len() == 8 && (1..=12).contains(&month) && (1..=31).contains(&day) && (1880..2100).contains(&year);
        fits.then(|| (vec![Read::Date { year: Some(year), month, day }], end - 1))
    }

    fn date(&self, at: usize) -> Option<(Vec<Read>, usize)> {
        if let Some(found) = self.eight_digits(at) {
            return Some(found);
        }
        let day_at = |at: usize| {
            let word = self.word(at).filter(|word| matches!(word.kind, Kind::Number | Kind::Ordinal))?;
            let day: u32 = word.text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?;
            (1..=31).contains(&day).then_some(day)
        };
        let (month, day, end) = if let Some(month) = self.month(at) {
            let day = if self.text(at + 1) == "the" { at + 2 } else { at + 1 };
            (month, day_at(day)?, day)
        } else if let Some(day) = day_at(at) {
            let of = if self.text(at + 1) == "of" { at + 2 } else { at + 1 };
            match (self.month(of), self.number_of(at + 1, 31)) {
                (Some(month), _) => (month, day, of),
                (None, Some(second)) if (1..=12).contains(&day) && self.year(at + 2).is_some() => (day, second, at + 1),
                _ => return None,
            }
        } else {
            // 1985-03-14
            let year =
                self.word(at).filter(|word| word.kind == Kind::Number && word.text.len() == 4)?.text.parse().ok()?;
            let (month, day) = (self.number_of(at + 1, 12)?, self.number_of(at + 2, 31)?);
            return Some((vec![Read::Date { year: Some(year), month, day }], at + 2));
        };
        let (year, end) = match self.year(end + 1) {
            Some((year, last)) => (Some(year), last),
            None => (None, end),
        };
        Some((vec![Read::Date { year, month, day }], end))
    }

    fn month(&self, at: usize) -> Option<u32> {
        const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
        let text = self.text(at);
        let named = STANCE.months.contains(text) || MONTHS.contains(&text);
        let number = MONTHS.iter().position(|month| text.starts_with(month)).filter(|_| named)?;
        u32::try_from(number + 1).ok()
    }

    fn number_of(&self, at: usize, most: u32) -> Option<u32> {
        let number: u32 = self.next(at).filter(|word| word.kind == Kind::Number)?.text.parse().ok()?;
        (1..=most).contains(&number).then_some(number)
    }

    /// A year as one number or in pairs, and its last word.
    fn year(&self, at: usize) -> Option<(u32, usize)> {
        let word = self.next(at).filter(|word| word.kind == Kind::Number)?;
        let pair = self.next(at + 1).filter(|next| next.kind == Kind::Number && next.text.len() == 2);
        // "twenty oh seven"
        let one = |at: usize| self.next(at).filter(|next| next.kind == Kind::Number && next.text.len() == 1);
        if matches!(word.text, "19" | "20")
            && let (Some(zero), Some(digit)) = (one(at + 1), one(at + 2))
            && zero.text == "0"
        {
            return Some((format!("{}0{}", word.text, digit.text).parse().ok()?, at + 2));
        }
        match (word.text.len(), pair) {
            (2, Some(pair)) if matches!(word.text, "19" | "20") => {
                Some((format!("{}{}", word.text, pair.text).parse().ok()?, at + 1))
            }
            (2 | 4, _) => Some((word.text.parse().ok()?, at)),
            _ => None,
        }
    }

    fn time(&self, at: usize) -> Option<(Vec<Read>, usize)> {
        match self.text(at) {
            "noon" => return Some((vec![Read::Time { minutes: 720, sure: true }], at)),
            "midnight" => return Some((vec![Read::Time { minutes: 0, sure: true }], at)),
            _ => {}
        }
        let first: u32 = self.word(at).filter(|word| word.kind == Kind::Number)?.text.parse().ok()?;
        if let Some(found) = self.past(at, first) {
            return Some(found);
        }
        let hour = first;
        let minute = self.next(at + 1).filter(|word| word.kind == Kind::Number && word.text.len() == 2);
        let minute: Option<u32> = minute.and_then(|word| word.text.parse().ok()).filter(|minute| *minute < 60);
        let mut behind = at + 1 + usize::from(minute.is_some());
        // "nine o'clock", "nine o clock"
        let clock = |at: usize| match (self.text(at), self.text(at + 1)) {
            ("oclock", _) => 1,
            ("o", "clock") => 2,
            _ => 0,
        };
        let minute = minute.or_else(|| (clock(at + 1) > 0).then_some(0));
        behind += clock(behind);
        let half = self.half(behind, hour);
        if hour > 23 || (minute.is_none() && half.is_none()) || (half.is_some() && !(1..=12).contains(&hour)) {
            return None;
        }
        let hours = half.map_or(hour, |(half, _)| hour % 12 + half);
        let sure =
            half.is_some() || hour > 12 || hour == 0 || self.text(at).len() == 2 && self.text(at).starts_with('0');
        let end = half.map_or(behind - 1, |(_, end)| end);
        Some((vec![Read::Time { minutes: hours * 60 + minute.unwrap_or_default(), sure }], end))
    }

    /// "ten past four", "twenty to nine in the morning".
    fn past(&self, at: usize, minutes: u32) -> Option<(Vec<Read>, usize)> {
        let back = match self.next(at + 1)?.text {
            "past" | "after" => false,
            "to" | "till" | "before" => true,
            _ => return None,
        };
        let hour: u32 = self.next(at + 2).filter(|word| word.kind == Kind::Number)?.text.parse().ok()?;
        let half = self.half(at + 3, hour);
        // "five to ten" may be a range
        let fits = (1..=12).contains(&hour) && (1..60).contains(&minutes) && (!back || half.is_some());
        if !fits {
            return None;
        }
        let hours = half.map_or(hour, |(half, _)| hour % 12 + half);
        let day = hours * 60;
        let minutes = if back { (day + 1440 - minutes) % 1440 } else { day + minutes };
        let end = half.map_or(at + 2, |(_, end)| end);
        Some((vec![Read::Time { minutes, sure: half.is_some() || hours > 12 }], end))
    }

    /// The half of the day that is named at `at` for an hour, and its last word: "p m", "in the evening", "noon".
    fn half(&self, at: usize, hour: u32) -> Option<(u32, usize)> {
        self.next(at)?;
        match (self.text(at), self.text(at + 1), self.text(at + 2)) {
            ("am", ..) => Some((0, at)),
            ("pm", ..) => Some((12, at)),
            ("noon", ..) if hour == 12 => Some((12, at)),
            ("midnight", ..) if hour == 12 => Some((0, at)),
            ("in", "the", "morning") => Some((0, at + 2)),
            ("in", "the", "afternoon" | "evening") => Some((12, at + 2)),
            ("at", "night", _) if (6..12).contains(&hour) => Some((12, at + 1)),
            ("at", "night", _) if hour == 12 => Some((0, at + 1)),
            _ => None,
        }
    }
}

/// True if the value at a word is only a bound: "less than", "at least", "up to".
fn is_bound(words: &Normalized, at: usize) -> bool {
    let word =
        |back: usize| at.checked_sub(back).and_then(|at| words.word(at)).map(|word| word.text).unwrap_or_default();
    match (word(2), word(1)) {
        ("less" | "more" | "fewer" | "greater" | "higher" | "lower" | "over" | "under", "than") => true,
        ("at", "least" | "most") => true,
        ("up", "to") => !matches!(word(3), "went" | "gone"),
        (_, before) => matches!(before, "under" | "over" | "below" | "above" | "exceed" | "exceeding"),
    }
}

/// True for a word that is counted or measured, so that the number before it is not an amount of money.
fn is_measure(word: &str) -> bool {
    let time = word.strip_suffix('s').unwrap_or(word);
    UNITS.get(word).is_some()
        || matches!(time, "second" | "minute" | "hour" | "day" | "week" | "month" | "year" | "time")
}

/// A decimal without leading zeros before and trailing zeros behind its point.
fn plain(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

fn cents(whole: &str, part: &str) -> String {
    plain(&format!("{whole}.{part:0>2}"))
}
