//! Values that were said: ids, numbers, amounts, doses, dates and times, found behind a phrase and compared.

use candor_check::work::cancelled;

use crate::constraint::{Anchor, CONDITIONAL, Constraints, Counts, LISTED, NEGATED, Scope, counts, open};
use crate::matching::{Heard, Occurrence, Part, Said, doubt};
use crate::normalize::{As, Kind, Normalized, Pause, Read};
use crate::tables::{CLASSES, CLAUSES, CORRECTIONS, CURRENCIES, NEGATIONS, NUMBERED, SMALL};

#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) after: Anchor,
    /// Who says it; anybody where this is not given.
    pub(crate) role: Option<String>,
    pub(crate) within_turns: usize,
    pub(crate) constraints: Constraints,
    pub(crate) kind: As,
    pub(crate) expected: Read,
}

/// The effect of the answers to a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answered {
    Kept,
    /// The other party puts another value in its place.
    Denied,
    /// So it does, and who said the value reads the other one, or only asked.
    Replaced,
}

/// A value that the other party answers with.
struct Reply {
    reads: Vec<Read>,
    /// A denial opens it: "No, fifty."
    denies: bool,
    /// Nothing else is before the value.
    bare: bool,
}

/// The value of a kind that an expected text is.
pub(crate) fn expected(kind: As, text: &str) -> Option<Read> {
    let words = Normalized::canonical(&[text]);
    let mut expected = words.value(kind, 0)?.reads.pop()?;
    match &mut expected {
        // it is not clear where it ends: "two dollars fifty"
        Read::Text(text) | Read::Amount { number: text, .. } if text.is_empty() => return None,
        // "09:30" is of a clock of twenty-four hours
        Read::Time { sure, .. } => *sure |= text.trim().find(':') == Some(2),
        Read::Amount { currency: currency @ Some("$"), .. } => *currency = Some("dollars"),
        _ => {}
    }
    Some(expected)
}

impl Value {
    /// The last value given for it on a call: its place, and the verdict of the comparison with the expected value.
    pub(crate) fn said(&self, heard: &Heard<'_>) -> Option<(Occurrence, Counts)> {
        let role = self.after.role.as_deref();
        let places = heard.occurrences(&self.after.phrase, role);
        let plain = |place: &Occurrence| place.said == Said::Plain;
        let places: Vec<Occurrence> = places.filter(|place| plain(place) || place.doubt == doubt::TAKEN_BACK).collect();
        let scope = Scope::new(&self.constraints, heard, None);
        let mut conditional = None;
        for place in places.iter().rev().take_while(|_| !cancelled()) {
            match self.behind(heard, &scope, place) {
                None => {}
                // a condition takes nothing back
                Some(found @ (_, Counts::No(CONDITIONAL))) => {
                    conditional.get_or_insert(found);
                }
                found if plain(place) => return found,
                Some((at, _)) => return Some((at, Counts::Unsure(doubt::TAKEN_BACK))),
            }
        }
        conditional
    }

    fn behind(&self, heard: &Heard<'_>, scope: &Scope<'_>, place: &Occurrence) -> Option<(Occurrence, Counts)> {
        /// How many values that do not count are passed over.
        const MOST: usize = 64;
        let (mut contrary, mut unsure) = (None, None);
        // values of a list or a condition, "10" of "10 or 20 dollars" too
        let mut possible: Vec<Vec<Read>> = Vec::new();
        let mut passed_over = 0;
        // values that were taken back, with their stretches
        let mut taken_back: Vec<(usize, Vec<Read>)> = Vec::new();
        for part in heard.behind(place, self.role.as_deref(), self.within_turns) {
            let mut at = part.from;
            while let Some(typed) = part.words.values(self.kind, at).next() {
                let (reads, start, end) = (typed.reads, typed.first, typed.last);
                if start >= part.to || passed_over > MOST {
                    break;
                }
                let answered = self.answered(heard, &part, &reads, end);
                at = if answered == Answered::Replaced { end + 1 } else { start + 1 };
                if part.taken_back(start, end) || answered == Answered::Replaced {
                    if taken_back.len() < MOST {
                        taken_back.push((part.stretch, reads));
                    }
                    continue;
                }
                // the other party repeats it before it is taken back
                if taken_back.iter().any(|(stretch, old)| stretch + 1 == part.stretch && are_equal(old, &reads)) {
                    at = end + 1;
                    continue;
                }
                if self.is_weight(&reads) || self.is_count(&part, &reads, end) {
                    passed_over += 1;
                    continue;
                }
                if self.kind == As::Amount && is_no_amount(&part, &reads, start, end) {
                    if possible.len() < MOST {
                        possible.push(reads);
                    }
                    continue;
                }
                let occurrence = heard.at_words(part.stretch, start, end)?;
                let labelled = match counts(false, false, scope, &occurrence) {
                    Counts::No(LISTED) => Counts::Unsure(open::LISTED),
                    labelled => labelled,
                };
                let counts = match labelled {
                    Counts::Yes if answered == Answered::Denied => Counts::Unsure(doubt::TAKEN_BACK),
                    _ => self.counts(labelled, &reads, is_bound(part.words, start)),
                };
                let stated = occurrence.stance.is_stated();
                let found = (occurrence, counts);
                match labelled {
                    // a value that is denied, supposed or asked is passed over if another one follows
                    Counts::No(_) => {
                        contrary.get_or_insert(found);
                    }
                    Counts::Unsure(open::LISTED | open::CONDITION) => {
                        unsure.get_or_insert(found);
                        possible.push(reads);
                    }
                    _ if unsure.is_none() => return Some(found),
                    // one of several possible values is stated behind them
                    _ if stated
                        && is_alone(part.words, start, end)
                        && possible.iter().any(|one| are_equal(one, &reads)) =>
                    {
                        return Some(found);
                    }
                    // "four thirty" may be one of them; any other may be of something else
                    _ if stated && !possible.iter().any(|one| may_equal(one, &reads)) => return unsure,
                    _ => {}
                }
                passed_over += 1;
                at = end + 1;
            }
        }
        unsure.or(contrary)
    }

    /// Decides what becomes of a value that the other party denies ("No, fifty."): its speaker repeats it, or reads the
    /// other one.
    fn answered(&self, heard: &Heard<'_>, part: &Part<'_>, old: &[Read], end: usize) -> Answered {
        /// The most values to read of a turn.
        const MOST: usize = 64;
        let length = |reads: &[Read]| match reads.last() {
            Some(Read::Text(text)) => text.len(),
            _ => 0,
        };
        let mut behind = heard.replies(part.stretch);
        let reply = behind.next().filter(|(own, _)| !own).and_then(|(_, words)| self.reply(words));
        let Some(Reply { reads: new, denies, bare }) = reply.filter(|reply| !self.holds(old, &reply.reads)) else {
            return Answered::Kept;
        };
        // "The copay is forty dollars. Can you come at nine?" "No, ten."
        let word = |at: usize| part.words.word(at);
        let last = part.words.len().saturating_sub(1);
        let begins = |at: &usize| word(*at).is_some_and(|word| word.pause >= Pause::Sentence);
        let asked = (end + 1..=last).rev().take(16).find(begins).filter(|_| part.words.asked_behind(last));
        let of_it =
            |at: usize| word(at).is_some_and(|word| matches!(word.text, "it" | "that" | "this" | "right" | "correct"));
        if asked.is_some_and(|from| !(from..=last).any(of_it)) {
            return Answered::Kept;
        }
        let digits = self.kind == As::Digits;
        let alike = |reads: &[Read]| !digits || length(reads) == length(old);
        if !bare && !alike(&new) {
            return Answered::Kept;
        }
        // characters are read again with the rest: "B as in boy" of "P006"
        let is_new =
            |reads: &[Read]| (denies && may_be(reads, &new)) || (digits && alike(reads) && self.holds(reads, &new));
        let own = behind.filter(|(own, _)| *own).map(|(_, words)| words);
        let mut own = own.flat_map(|words| {
            let values = words.values(self.kind, 0).take(MOST);
            values.map(move |typed| (words.asked_behind(typed.last), typed.reads))
        });
        let sure = denies && bare && part.words.values(self.kind, end + 1).next().is_none();
        match own.find(|(_, reads)| may_be(reads, old) || is_new(reads)) {
            Some((_, reads)) if may_be(&reads, old) => Answered::Kept,
            Some((false, reads)) if sure && alike(&reads) => Answered::Replaced,
            None if sure && part.words.asked_behind(end) => Answered::Replaced,
            None if !denies => Answered::Kept,
            _ => Answered::Denied,
        }
    }

    /// The value that a turn opens with.
    fn reply(&self, words: &Normalized) -> Option<Reply> {
        /// The most words before the value.
        const FAR: usize = 8;
        let text = |at: usize| words.word(at).map(|word| word.text);
        // "B as in boy"
        let letter = |at: &usize| words.word(*at).is_some_and(|word| word.kind == Kind::Letter && word.text != "i");
        let typed = words.values(self.kind, 0).next().map(|typed| (typed.first, typed.reads));
        let spelled = || {
            let at = (0..FAR).find(letter).filter(|_| self.kind == As::Digits)?;
            Some((at, vec![Read::Text(text(at)?.to_owned())]))
        };
        let (first, reads) = typed.or_else(spelled).filter(|(first, _)| *first <= FAR)?;
        let opens = |at: &usize| {
            text(*at).is_some_and(|word| CLAUSES.openers.contains(word) || matches!(word, "actually" | "nope" | "nah"))
        };
        let small = |at: usize| text(at).is_some_and(|word| SMALL.contains(word) && word != "not");
        let paused = |at: usize| words.word(at).is_some_and(|word| word.pause > Pause::None);
        // not "no visits until June 4th"
        let answers = |at: usize| at == first || small(at) || paused(at);
        let no = |at: usize| matches!(text(at), Some("no" | "nope" | "nah" | "actually")) && answers(at + 1);
        let no = (0..first).take_while(opens).any(no);
        // "no problem"
        let denies = (no && NEGATIONS.harmless.at(0, text).is_none()) || CORRECTIONS.retracts.at(0, text).is_some();
        let bare = (0..first).all(|at| opens(&at) || small(at));
        // "No, the copay is fifty dollars."
        let one_sentence = || (2..=first).all(|at| words.word(at).is_some_and(|word| word.pause < Pause::Sentence));
        (bare || (denies && one_sentence())).then_some(Reply { reads, denies, bare })
    }

    /// True if a value may be another one, or an identifier has its characters.
    fn holds(&self, one: &[Read], part: &[Read]) -> bool {
        match (one.last(), part.last()) {
            (Some(Read::Text(one)), Some(Read::Text(part))) if self.kind == As::Digits => one.contains(part.as_str()),
            _ => may_be(one, part),
        }
    }

    /// True if pounds are a weight, as they are unless the expected amount is in pounds.
    fn is_weight(&self, reads: &[Read]) -> bool {
        let pounds = |read: &Read| matches!(read, Read::Amount { currency: Some("pounds"), .. });
        let money = matches!(self.expected, Read::Amount { currency: Some("pounds" | "sterling"), .. });
        !money && reads.iter().any(pounds)
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
            && part.words.value(As::Dose, from).is_some_and(|typed| !typed.reads.iter().any(things))
    }

    fn counts(&self, labelled: Counts, reads: &[Read], bound: bool) -> Counts {
        let whole = reads.last().map(|whole| compare(whole, &self.expected));
        match (labelled, whole) {
            (Counts::No(NEGATED), _) => Counts::No(MISMATCH),
            (Counts::No(_) | Counts::Unsure(_), _) => labelled,
            _ if bound => Counts::Unsure("it is only a bound"),
            (_, Some(counts @ (Counts::Yes | Counts::Unsure(_)))) => counts,
            _ if reads.iter().any(|part| compare(part, &self.expected) == Counts::Yes) => {
                Counts::Unsure("it is not clear where the value ends")
            }
            _ => Counts::No(MISMATCH),
        }
    }
}

fn compare(said: &Read, expected: &Read) -> Counts {
    let equal = |same: bool| if same { Counts::Yes } else { Counts::No(MISMATCH) };
    match (said, expected) {
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
        (Read::Amount { number, currency }, Read::Amount { number: n, currency: c }) => match currency.zip(*c) {
            _ if number != n => Counts::No(MISMATCH),
            Some(("$", other)) if other == "pesos" || other.ends_with(" dollars") => {
                Counts::Unsure("the sign is of other currencies, too")
            }
            both => equal(both.is_none_or(|(one, other)| is_one_currency(one, other))),
        },
        (said, expected) => equal(said == expected),
    }
}

fn are_equal(some: &[Read], other: &[Read]) -> bool {
    some.len() == other.len() && some.iter().zip(other).all(|(one, other)| compare(one, other) == Counts::Yes)
}

fn may_be(some: &[Read], other: &[Read]) -> bool {
    let both = some.last().zip(other.last());
    both.is_some_and(|(one, other)| !matches!(compare(one, other), Counts::No(_)))
}

/// True if it is not clear whether two values are one: "four thirty" and "4:30 p.m.".
fn may_equal(some: &[Read], other: &[Read]) -> bool {
    some.iter().zip(other).any(|(one, other)| matches!(compare(one, other), Counts::Unsure(_)))
}

fn is_one_currency(one: &str, other: &str) -> bool {
    let may_be = |one: &str, other: &str| match one {
        "cents" => !matches!(other, "sterling" | "pounds" | "yen" | "rupees"),
        "pounds" => other == "sterling",
        "$" => other == "dollars",
        _ => false,
    };
    one == other || may_be(one, other) || may_be(other, one)
}

pub(crate) const MISMATCH: &str = "value_mismatch";

/// True if a number without a currency is the number of something ("form 12"), or the amount follows in its sentence.
fn is_no_amount(part: &Part<'_>, reads: &[Read], at: usize, end: usize) -> bool {
    /// The most words of one sentence that are searched.
    const FAR: usize = 24;
    let text = |at: usize| part.words.word(at).map(|word| word.text).unwrap_or_default();
    if matches!(reads.first(), Some(Read::Amount { currency: Some(_), .. })) {
        return false;
    }
    let number = |at: usize| part.words.word(at).is_some_and(|word| matches!(word.kind, Kind::Number | Kind::Decimal));
    let money = |at: usize| match CURRENCIES.get(text(at)) {
        Some(&("dollars" | "euros" | "cents" | "pounds")) => true,
        // not "Mr. Peso"
        Some(_) => at > end + 1 && number(at - 1),
        None => false,
    };
    let named = at.checked_sub(1).is_some_and(|before| NUMBERED.contains(text(before)));
    let behind = (end + 1..part.to.min(end + FAR))
        .take_while(|at| part.words.word(*at).is_some_and(|word| word.pause < Pause::Turn))
        .any(money);
    named || behind
}

/// True if the sentence of a value names nothing else: "It is 20 dollars", "one moment, it is 20 percent".
fn is_alone(words: &Normalized, first: usize, last: usize) -> bool {
    let joined = |at: usize| words.word(at).is_some_and(|word| word.pause < Pause::Turn);
    let it = |at: usize| words.word(at).is_some_and(|word| word.text == "it");
    let before = (0..first).rev().take_while(|at| joined(at + 1) && !it(at + 1));
    let behind = (last + 1..words.len()).take_while(|at| joined(*at));
    let is_small = |at: usize| {
        let small = |word: &str| SMALL.contains(word) || CLASSES.contains_key(word) || word == "percent";
        words.word(at).is_some_and(|word| small(word.text))
    };
    before.chain(behind).all(is_small)
}

/// The values, answers and names of a text, each as the widest thing that it is: kind, value, first and last word.
pub(crate) fn spans(words: &Normalized, capital: impl Fn(usize) -> bool) -> Vec<(&'static str, String, usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let text = |at: usize| words.word(at).map(|word| word.text).unwrap_or_default();
        let one = As::ALL.into_iter().find_map(|kind| {
            let typed = words.value(kind, at)?;
            let value = typed.reads.iter().rev().map(Read::shown).find(|value| !value.is_empty())?;
            let (name, fits) = match kind {
                As::Dose => ("dose", true),
                As::Date => ("date", true),
                As::Time => ("time", true),
                As::Amount => ("amount", matches!(typed.reads.first(), Some(Read::Amount { currency: Some(_), .. }))),
                As::Digits => ("identifier", value.len() > 3 && value.bytes().filter(u8::is_ascii_digit).count() > 1),
                As::Number => ("number", true),
            };
            fits.then_some((name, value, at, typed.last))
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
            Self::Amount { number, currency: Some("$") } => format!("{number} dollars"),
            Self::Amount { number, currency: Some(name) } if *name != "cents" && !number.is_empty() => {
                format!("{number} {name}")
            }
            Self::Text(text) | Self::Amount { number: text, .. } => text.clone(),
            Self::Date { year: Some(year), month, day } => format!("{year:04}-{month:02}-{day:02}"),
            Self::Date { year: None, month, day } => format!("--{month:02}-{day:02}"),
            Self::Time { minutes, sure } => {
                let either = if *sure { "" } else { " of either half of the day" };
                format!("{:02}:{:02}{either}", minutes / 60, minutes % 60)
            }
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
