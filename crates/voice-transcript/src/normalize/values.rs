//! Typed spans: the doses, dates, times, amounts, identifiers and numbers of a text, each read once.

use serde::Deserialize;

use super::canonical::times::month_or_mar;
use super::{Cut, Kind, Normalized, Pause, Word};
use crate::marks::Marks;
use crate::tables::{
    ABBREVIATIONS, CLASSES, CURRENCIES, FILLERS, INITIALISMS, LANGUAGES, NUMBERED, SMALL, UNITS, currency, is_measure,
};

/// The kinds of values, the widest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum As {
    /// A number and a unit.
    Dose,
    Date,
    Time,
    Amount,
    Digits,
    Number,
}

impl As {
    pub(crate) const ALL: [Self; 6] = [Self::Dose, Self::Date, Self::Time, Self::Amount, Self::Digits, Self::Number];
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    Text(String),
    /// A decimal, and the name of its currency: `cents` is any that has them, `pounds` may be a weight. `$` is
    /// dollars, perhaps of another country, or pesos.
    Amount {
        number: String,
        currency: Option<&'static str>,
    },
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

/// A value in a text: its first and its last word, and what it may be, the whole last.
#[derive(Debug)]
pub(crate) struct Typed {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) reads: Vec<Read>,
}

impl Normalized {
    /// The values of a kind that begin with a word or behind it. Only places are held: a value may have many readings.
    pub(crate) fn values(&self, kind: As, from: usize) -> impl Iterator<Item = Typed> {
        let places = self.values.get_or_init(|| {
            let of_kind = move |kind: As| {
                let begins = move |at: &usize| self.value(kind, *at).is_some();
                (0..self.len()).filter(begins).map(move |at| (kind, at))
            };
            As::ALL.into_iter().flat_map(of_kind).collect()
        });
        let behind = places.get(places.partition_point(|place| *place < (kind, from))..).unwrap_or_default();
        behind.iter().take_while(move |place| place.0 == kind).filter_map(move |place| self.value(kind, place.1))
    }

    /// Letters before the word at an index begin its number: it is a part.
    pub(crate) fn is_behind_prefix(&self, index: usize) -> bool {
        let run = self.words.get(index).is_some_and(|token| token.kind == Kind::Number);
        let before = index.checked_sub(1).filter(|_| run);
        before.is_some_and(|at| self.cut_at(index) == Cut::Free && Reader { words: self, at }.is_prefix(at))
    }

    /// The value of a kind that begins with a word.
    pub(crate) fn value(&self, kind: As, first: usize) -> Option<Typed> {
        let (reads, last) = Reader { words: self, at: first }.read(kind)?;
        Some(Typed { first, last, reads })
    }
}

/// Reads the values that begin with a word.
struct Reader<'a> {
    words: &'a Normalized,
    at: usize,
}

/// The most words of one value.
const LONGEST: usize = 64;

/// The least characters of the rest of an identifier that may be one itself.
const LEAST: usize = 3;

type Found = Option<(Vec<Read>, usize)>;

impl<'a> Reader<'a> {
    fn read(&self, kind: As) -> Found {
        let one = |(read, end): (Read, usize)| (vec![read], end);
        match kind {
            As::Digits => self.digits(),
            As::Number => self.number(self.at).map(|(text, end)| (vec![Read::Text(text)], end)),
            As::Amount => self.amount(),
            As::Dose => self.dose(),
            As::Date => self.eight_digits().or_else(|| self.date()).map(one),
            As::Time => self.time().map(one),
        }
    }

    /// The word at `at`, the first or one that goes on in the sentence before it.
    fn word(&self, at: usize) -> Option<Word<'a>> {
        self.words.word(at).filter(|word| at == self.at || word.pause < Pause::Turn)
    }

    fn text(&self, at: usize) -> &'a str {
        self.word(at).map(|word| word.text).unwrap_or_default()
    }

    /// The text of a whole number.
    fn whole(&self, at: usize) -> Option<&'a str> {
        self.word(at).filter(|word| word.kind == Kind::Number).map(|word| word.text)
    }

    fn small(&self, at: usize, of: std::ops::RangeInclusive<u32>) -> Option<u32> {
        self.whole(at)?.parse().ok().filter(|number| of.contains(number))
    }

    fn digits(&self) -> Found {
        let word = |at: usize| self.words.word(at);
        let run = |at: usize| {
            word(at).is_some_and(|word| matches!(word.kind, Kind::Letter | Kind::Number)) && !self.words.is_pronoun(at)
        };
        let glued = |at: usize| self.words.cut_at(at) == Cut::Never;
        let letters = |at: usize| word(at).is_some_and(|word| word.kind == Kind::Word);
        // "ABC|123"
        let before = |at: usize| letters(at) && (glued(at + 1) || self.is_prefix(at)) && run(at + 1);
        // "12|AB", not "12|mg"
        let behind = |at: usize| {
            let text = word(at).map(|word| word.text).unwrap_or_default();
            let other = is_measure(text) || SMALL.contains(text) || matches!(text, "am" | "pm");
            letters(at) && glued(at) && !other && at.checked_sub(1).is_some_and(run)
        };
        let runs = |at: usize| word(at).filter(|_| run(at) || before(at) || behind(at));
        let first = runs(self.at)?;
        // not "A as in apple"
        let alone = matches!(first.text, "a" | "i")
            && first.span.len() == 1
            && runs(self.at + 1).is_none_or(|next| next.span.start > first.span.end + 1);
        let (mut reads, mut text, mut end) = (Vec::new(), String::new(), self.at);
        // where it may begin again, in bytes
        let mut parts = Vec::new();
        if letters(self.at) && !glued(self.at + 1) {
            parts.push(first.text.len());
        }
        while let Some(word) = runs(end).filter(|_| !alone && end < self.at + LONGEST) {
            // "4 4 7 2 a copy was sent", "5 5 1 2 I flipped the last two"
            let article = matches!(word.text, "a" | "i") && letters(end + 1) && !glued(end) && !glued(end + 1);
            if end > self.at && (word.pause >= Pause::Turn || article || !(run(end) || before(end))) {
                reads.push(Read::Text(text.clone()));
                parts.push(text.len());
            }
            text.push_str(word.text);
            end += 1;
        }
        let rests = parts.into_iter().filter_map(|from| text.get(from..)).filter(|rest| rest.len() >= LEAST);
        reads.extend(rests.map(|rest| Read::Text(rest.to_owned())));
        let numbers = text.contains(|c: char| c.is_ascii_digit());
        reads.push(Read::Text(text));
        numbers.then(|| (reads, end - 1))
    }

    /// The letters begin an identifier: "ZGP 300 411 882", "IP 3 3 0 7".
    fn is_prefix(&self, at: usize) -> bool {
        let Some(word) = self.words.word(at) else { return false };
        let text = word.text;
        let known = is_measure(text) || SMALL.contains(text) || INITIALISMS.contains(text) || NUMBERED.contains(text);
        if !(2..=4).contains(&text.len())
            || known
            || ABBREVIATIONS.contains(text)
            || !text.bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            return false;
        }
        let vowel = text.contains(['a', 'e', 'i', 'o', 'u', 'y']);
        let next = self.word(at + 1).filter(|next| next.pause <= Pause::Short);
        let language = |word: &str| LANGUAGES.words.contains(word) || LANGUAGES.parts.contains(word);
        let is_word = CLASSES.contains_key(text) || FILLERS.contains(text) || code(text).is_some() || language(text);
        let capitals = word.marks.any(Marks::CAPITALS) && !is_word;
        // "YTR 660 118 295", not the state of "IL 60614"
        let long = |next: &Word<'_>| next.text.len() > 1 && (!vowel || (capitals && next.text.len() != 5));
        if next.is_some_and(|next| next.pause == Pause::None && long(&next)) {
            return true;
        }
        let digits =
            (at + 1..at + LONGEST).take_while(|at| self.whole(*at).is_some_and(|text| text.len() == 1)).count();
        // "IL 6 0 6 1 4" is a state and its code
        let code = text.len() == 2 && digits == 5;
        digits > LEAST && !code && !is_word && (!vowel || text.len() == 2 || word.marks.any(Marks::CAPITALS))
    }

    /// A decimal without needless zeros, and its last word.
    fn number(&self, at: usize) -> Option<(String, usize)> {
        let first = self.word(at)?;
        if first.kind == Kind::Decimal && !first.text.contains('/') {
            return Some((plain(first.text), at));
        }
        let (mut text, mut end) = (String::new(), at);
        while let Some(word) = self.whole(end).filter(|_| end < at + LONGEST) {
            if end > at && self.words.cut_at(end) == Cut::Free {
                break;
            }
            text.push_str(word);
            end += 1;
        }
        (end > at).then(|| (plain(&text), end - 1))
    }

    fn amount(&self) -> Found {
        let before = self.code_before();
        let first = self.at + usize::from(before.is_some());
        let (mut whole, end) = self.number(first)?;
        let mut named = self.currency(end + 1);
        let next = self.word(end + 1).filter(|next| named.is_none() && next.pause == Pause::None);
        if let Some(next) = next {
            // "150 cents"
            if matches!(next.text, "cents" | "pence") {
                let count: u64 = whole.parse().ok()?;
                whole = plain(&format!("{}.{:02}", count / 100, count % 100));
                named = Some((if next.text == "cents" { "cents" } else { "sterling" }, end + 1));
            } else if is_measure(next.text) {
                return None;
            }
        }
        let (mut currency, mut last) = named.map_or((None, end), |(name, last)| (Some(name), last));
        let signed = self.words.words.get(first).is_some_and(|token| token.apart);
        if signed && currency == Some("dollars") {
            currency = Some("$");
        }
        let behind = self.code_behind(last + 1, currency);
        last += usize::from(behind.is_some());
        let code = behind.or(before.filter(|code| code.1 || named.is_none()));
        if let Some((name, true)) = code {
            currency = Some(name);
        }
        let read = |number: String| Read::Amount { number, currency };
        let groups: Vec<&str> = (first..=end).map(|at| self.text(at)).collect();
        // "two dollars fifty"
        let part = self.word(last + 1).filter(|part| currency.is_some() && !signed && part.pause == Pause::None);
        let part = part.filter(|part| part.kind == Kind::Number && part.text.len() == 2 && !whole.contains('.'));
        let ends = self.word(last + 2);
        let ends = ends.is_none_or(|next| next.pause > Pause::None || matches!(next.text, "and" | "or" | "but"));
        let both = part.filter(|_| ends).map(|part| read(plain(&format!("{whole}.{}", part.text))));
        let mut reads = vec![read(whole.clone())];
        if let Some(both) = both {
            reads.extend([both, read(String::new())]);
        }
        if groups.len() > 1 && groups.iter().any(|group| group.len() > 1) {
            // "three hundred twelve forty" may be dollars and cents
            if let [dollars, part] = groups.as_slice()
                && part.len() == 2
            {
                reads.push(read(plain(&format!("{dollars}.{part}"))));
            }
            reads.push(read(String::new()));
        }
        // the code may be of something else
        if let Some((name, false)) = code.filter(|_| reads.len() == 1) {
            reads.push(Read::Amount { number: whole, currency: Some(name) });
        }
        Some((reads, last))
    }

    /// The currency of a code, or of letters with a sign, before a number: "USD 20", "C$20".
    fn code_before(&self) -> Option<(&'static str, bool)> {
        let (letters, number) = (self.words.words.get(self.at)?, self.words.words.get(self.at + 1)?);
        let text = self.words.text(letters);
        let signed = number.apart && letters.segment == number.segment && letters.span.1 + 1 == number.span.0;
        let name = if signed { CURRENCIES.get(&*format!("{text}$")) } else { None };
        name.map(|name| (*name, true)).or_else(|| code(text)).filter(|_| number.pause == Pause::None)
    }

    /// The currency of a code, or of a country at the end of a clause, behind an amount: "20 USD", "20 dollars Canadian".
    fn code_behind(&self, at: usize, currency: Option<&str>) -> Option<(&'static str, bool)> {
        let word = self.word(at).filter(|word| word.pause == Pause::None)?;
        let next = self.word(at + 1).filter(|next| next.pause == Pause::None);
        // "4455 USD 20"
        if next.as_ref().is_some_and(|next| matches!(next.kind, Kind::Number | Kind::Decimal)) {
            return None;
        }
        let unit = currency.map(|name| if name == "$" { "dollars" } else { name });
        let fits =
            |name: &str| unit.is_none_or(|unit| name.ends_with(unit)) || (currency, name) == (Some("$"), "pesos");
        let country = || CURRENCIES.get(&*format!("{} {}", word.text, unit.filter(|_| next.is_none())?));
        code(word.text).filter(|one| fits(one.0)).or_else(|| Some((*country()?, true)))
    }

    /// The currency that is named at a word, and the last word of its name.
    fn currency(&self, at: usize) -> Option<(&'static str, usize)> {
        let loose = self.words.words.get(at).is_some_and(|token| token.loose);
        // "20, peso 70 kilos"
        self.word(at).filter(|word| word.pause == Pause::None)?;
        match self.text(at) {
            "dollars" if loose => Some(("cents", at)),
            "lb" if loose => Some(("pounds", at)),
            "cents" | "pence" | "pounds" => None,
            word => currency(word, self.text(at + 1)).map(|(name, length)| (name, at + length - 1)),
        }
    }

    fn dose(&self) -> Found {
        let (number, end) = self.number(self.at)?;
        let unit = UNITS.get(self.text(end + 1))?;
        let mut reads = vec![Read::Text(format!("{number} {unit}"))];
        if end > self.at && self.words.cut_at(end) == Cut::Doubtful {
            // "two ten milligram tablets"
            let (strength, _) = self.number(end)?;
            reads.extend([Read::Text(format!("{strength} {unit}")), Read::Text(String::new())]);
        }
        Some((reads, end + 1))
    }

    /// A date of eight digits that are read out: "oh four oh seven nineteen fifty five".
    fn eight_digits(&self) -> Option<(Read, usize)> {
        let before = self.at.checked_sub(1).and_then(|before| self.words.word(before));
        let goes_on = before.is_some_and(|before| before.kind == Kind::Number)
            && self.words.word(self.at).is_some_and(|word| word.pause < Pause::Turn);
        if goes_on || !matches!(self.whole(self.at), Some("0" | "1")) {
            return None;
        }
        // a ninth number makes it too long
        let words: Vec<&str> = (self.at..self.at + 9).map_while(|at| self.whole(at)).collect();
        let (digits, end) = (words.concat(), self.at + words.len() - 1);
        let part = |from: usize, to: usize| digits.get(from..to)?.parse::<u32>().ok();
        let (month, day, year) = (part(0, 2)?, part(2, 4)?, part(4, 8)?);
        let fits =
            digits.len() == 8 && (1..=12).contains(&month) && (1..=31).contains(&day) && (1880..2100).contains(&year);
        fits.then_some((Read::Date { year: Some(year), month, day }, end))
    }

    fn date(&self) -> Option<(Read, usize)> {
        let at = self.at;
        let day = |at: usize| {
            let word = self.word(at).filter(|word| matches!(word.kind, Kind::Number | Kind::Ordinal))?;
            let day: u32 = word.text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?;
            (1..=31).contains(&day).then_some(day)
        };
        let behind = |small: &str| at + 1 + usize::from(self.text(at + 1) == small);
        let (month, day, end) = if let Some(month) = self.month(at) {
            (month, day(behind("the"))?, behind("the"))
        } else if let Some(day) = day(at) {
            match self.month(behind("of")) {
                Some(month) => (month, day, behind("of")),
                None => self.year(at + 2).and(Some((self.small(at, 1..=12)?, self.small(at + 1, 1..=31)?, at + 1)))?,
            }
        } else {
            // 1985-03-14
            let year = self.whole(at).filter(|year| year.len() == 4)?.parse().ok();
            let (month, day) = (self.small(at + 1, 1..=12)?, self.small(at + 2, 1..=31)?);
            return Some((Read::Date { year, month, day }, at + 2));
        };
        let year = self.year(end + 1);
        Some((Read::Date { year: year.map(|(year, _)| year), month, day }, year.map_or(end, |(_, end)| end)))
    }

    fn month(&self, at: usize) -> Option<u32> {
        u32::try_from(month_or_mar(self.text(at))? + 1).ok()
    }

    /// A year as one number, in pairs or as "twenty oh seven", and its last word.
    fn year(&self, at: usize) -> Option<(u32, usize)> {
        let digits = |at: usize, length: usize| self.whole(at).filter(|digits| digits.len() == length);
        let (year, end) = match (digits(at, 2), digits(at + 1, 2), digits(at + 1, 1), digits(at + 2, 1)) {
            (Some(century @ ("19" | "20")), Some(pair), ..) => (format!("{century}{pair}"), at + 1),
            (Some(century @ ("19" | "20")), _, Some("0"), Some(last)) => (format!("{century}0{last}"), at + 2),
            (short, ..) => (digits(at, 4).or(short)?.to_owned(), at),
        };
        Some((year.parse().ok()?, end))
    }

    /// The word is of a year in pairs behind a day: "december 11th | 20 26".
    fn is_of_year(&self) -> bool {
        /// The most words of a date before the end of its year.
        const LONGEST: usize = 6;
        (self.at.saturating_sub(LONGEST)..self.at).any(|at| match (Reader { at, ..*self }).date() {
            Some((Read::Date { year: Some(1000..), .. }, end)) => end >= self.at,
            _ => false,
        })
    }

    fn time(&self) -> Option<(Read, usize)> {
        let at = self.at;
        match self.text(at) {
            "noon" => return Some((Read::Time { minutes: 720, sure: true }, at)),
            "midnight" => return Some((Read::Time { minutes: 0, sure: true }, at)),
            _ => {}
        }
        // "ten past four", "twenty to nine in the morning"
        let back = match self.text(at + 1) {
            "past" | "after" => Some(false),
            "to" | "till" | "before" => Some(true),
            _ => None,
        };
        // "nine o'clock", "nine o clock"
        let clock = |at: usize| match (self.text(at), self.text(at + 1)) {
            ("oclock", _) => 1,
            ("o", "clock") => 2,
            _ => 0,
        };
        let (hour_at, minute, behind) = match back {
            Some(_) => (at + 2, Some(self.small(at, 1..=59)?), at + 3),
            None => {
                let minute = self.small(at + 1, 0..=59).filter(|_| self.text(at + 1).len() == 2);
                // "twelve oh one a m"
                let one =
                    self.small(at + 2, 1..=9).filter(|_| self.text(at + 1) == "0" && self.text(at + 2).len() == 1);
                let one = one.filter(|_| matches!(self.text(at + 3), "am" | "pm"));
                let behind = at + 1 + usize::from(minute.is_some()) + 2 * usize::from(one.is_some());
                let minute = minute.or(one);
                (at, minute.or((clock(behind) > 0).then_some(0)), behind + clock(behind))
            }
        };
        let hour = self.small(hour_at, 0..=23).filter(|_| !self.is_of_year())?;
        let half = self.half(behind, hour);
        // "20 after 14 business days"
        let thing = behind + usize::from(matches!(self.text(behind), "business" | "calendar" | "working" | "more"));
        let thing = self.word(thing).filter(|thing| thing.pause == Pause::None);
        let counted = thing.is_some_and(|thing| is_measure(thing.text) || CURRENCIES.contains_key(thing.text));
        // "five to ten" may be a range
        let fits = match half {
            Some(_) => (1..=12).contains(&hour),
            None if back == Some(false) => !counted,
            None => minute.is_some() && back.is_none(),
        };
        let hours = half.map_or(hour, |(half, _)| hour % 12 + half);
        let minutes = match back {
            Some(true) => (hours * 60 + 1440 - minute.unwrap_or_default()) % 1440,
            _ => hours * 60 + minute.unwrap_or_default(),
        };
        let written = self.text(hour_at);
        let sure = half.is_some() || hour > 12 || hour == 0 || (written.len() == 2 && written.starts_with('0'));
        fits.then_some((Read::Time { minutes, sure }, half.map_or(behind - 1, |(_, end)| end)))
    }

    /// The half of the day that is named at `at` for an hour, and its last word: "p m", "in the evening", "noon".
    fn half(&self, at: usize, hour: u32) -> Option<(u32, usize)> {
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

/// The currency of a code, and false if the code is a diagnosis or a test as well.
fn code(word: &str) -> Option<(&'static str, bool)> {
    let name = CURRENCIES.get(&*(word.len() == 3).then(|| word.to_ascii_uppercase())?)?;
    Some((*name, !matches!(word, "cad" | "aud" | "chf" | "inr")))
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
