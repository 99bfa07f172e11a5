//! Values that were said: ids, numbers, amounts, doses, dates and times, found behind a phrase and compared.

use candor_check::work::cancelled;

use crate::compare::{Counts, MISMATCH, are_equal, compare, may_equal};
use crate::constraint::{Anchor, CONDITIONAL, Constraints, LISTED, NEGATED, Scope, counts, open};
use crate::marks::Marks;
use crate::matching::{Heard, Occurrence, Part, Said, doubt};
use crate::normalize::{As, Kind, Normalized, Pause, Read};
use crate::tables::{CLASSES, CURRENCIES, NUMBERED, SMALL};

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

/// An identifier that was taken back: its characters, and the stretch and the place of its last word.
struct Whole {
    text: String,
    end: (usize, usize),
}

impl Whole {
    /// The value that begins at a word may replace its end: it follows at once, or it opens a later stretch.
    fn is_near(&self, stretch: usize, start: usize) -> bool {
        /// The most words between: "no sorry it is".
        const FAR: usize = 5;
        let from = if stretch == self.end.0 { self.end.1 + 1 } else { 0 };
        start <= from + FAR
    }
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
        let known = |place: &Occurrence| {
            plain(place)
                || (place.said == Said::Doubtful && [doubt::TAKEN_BACK, doubt::NEGATION].contains(&place.doubt))
        };
        let places: Vec<Occurrence> = places.filter(known).collect();
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
                Some((at, _)) if place.doubt == doubt::NEGATION => {
                    conditional.get_or_insert((at, Counts::Unsure(doubt::NEGATION)));
                }
                Some((at, _)) => return Some((at, Counts::Unsure(doubt::TAKEN_BACK))),
            }
        }
        conditional
    }

    fn behind(&self, heard: &Heard<'_>, scope: &Scope<'_>, place: &Occurrence) -> Option<(Occurrence, Counts)> {
        /// How many values that do not count are passed over.
        const MOST: usize = 64;
        let (mut contrary, mut unsure, mut rest) = (None, None, None);
        // values of a list or a condition, "10" of "10 or 20 dollars" too
        let mut possible: Vec<Vec<Read>> = Vec::new();
        let mut passed_over = 0;
        // values that were taken back, with their stretches
        let mut taken_back: Vec<(usize, Vec<Read>)> = Vec::new();
        let mut whole: Option<Whole> = None;
        for part in heard.behind(place, self.role.as_deref(), self.within_turns) {
            let mut at = part.from;
            while let Some(typed) = part.words.values(self.kind, at).next() {
                let (reads, start, end) = (typed.reads, typed.first, typed.last);
                if start >= part.to || passed_over > MOST {
                    break;
                }
                at = start + 1;
                if part.taken_back(start, end, true) {
                    let inside = whole.as_ref().is_some_and(|whole| whole.end >= (part.stretch, end));
                    if let (As::Digits, Some(Read::Text(text)), false) = (self.kind, reads.last(), inside) {
                        whole = Some(Whole { text: text.clone(), end: (part.stretch, end) });
                    }
                    // "July 14th 92, I mean 1992": the rest of the date is kept
                    let stands = (start..=end).any(|at| !part.taken_back(at, at, true))
                        && !reads.iter().any(|read| compare(read, &self.expected) == Counts::Yes);
                    let at = heard.at_words(part.stretch, start, end).filter(|_| self.kind == As::Date && stands);
                    rest = rest.or(at.map(|at| (at, Counts::Unsure(doubt::TAKEN_BACK))));
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
                if self.kind == As::Digits && start == end && is_pronoun(&part, start, &heard.text(&occurrence)) {
                    continue;
                }
                let labelled = match counts(false, false, scope, &occurrence) {
                    Counts::No(LISTED) => Counts::Unsure(open::LISTED),
                    labelled => labelled,
                };
                let counts = match self.counts(labelled, &reads, is_bound(part.words, start)) {
                    Counts::Yes if self.is_read_on(heard, part.stretch, &reads) => Counts::Unsure(PART),
                    Counts::Yes if part.taken_back(start, end, false) => Counts::Unsure(doubt::TAKEN_BACK),
                    counts => counts,
                };
                let counts = match whole.as_ref().filter(|whole| whole.is_near(part.stretch, start)) {
                    Some(whole) => self.counts_in(&whole.text, &reads, counts),
                    None => counts,
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
        unsure.or(rest).or(contrary)
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

    /// True if its speaker reads an identifier again, and on: "8812", "8812, 4409".
    fn is_read_on(&self, heard: &Heard<'_>, stretch: usize, reads: &[Read]) -> bool {
        /// The most values to read behind it, and the least characters of a part.
        const MOST: usize = 8;
        const LEAST: usize = 3;
        let Some(Read::Text(part)) = reads.last().filter(|_| self.kind == As::Digits) else { return false };
        let longer =
            |read: &Read| matches!(read, Read::Text(text) if text.len() > part.len() && text.starts_with(part));
        let mut later = heard.said_next(stretch).flat_map(|words| words.values(As::Digits, 0).take(MOST));
        // "4471. I do show it" may end where the first does
        let ends = |read: &Read| matches!(read, Read::Text(text) if text == part);
        part.len() >= LEAST
            && later.any(|typed| typed.reads.last().is_some_and(longer) && !typed.reads.iter().any(ends))
    }

    /// The verdict of characters that replace the end of an identifier: "XKT4409, sorry, 4419".
    fn counts_in(&self, old: &str, reads: &[Read], counts: Counts) -> Counts {
        let Some(Read::Text(new)) = reads.last() else { return counts };
        let joined = |kept: usize| {
            let kept = old.get(..kept).filter(|kept| !kept.is_empty() && *kept != old)?;
            Some(compare(&Read::Text(format!("{kept}{new}")), &self.expected) == Counts::Yes)
        };
        let same = old.len().checked_sub(new.len()).and_then(|kept| Some((joined(kept)?, old.get(kept..)?)));
        // one or two of several characters differ
        let alike = |end: &str| {
            let differ = end.bytes().zip(new.bytes()).filter(|(one, other)| one != other).count();
            differ <= 2 && differ * 2 <= new.len()
        };
        match counts {
            Counts::Yes | Counts::No(MISMATCH) if same.is_some_and(|(whole, end)| whole && alike(end)) => Counts::Yes,
            Counts::Yes if same.is_some() => Counts::Unsure(PART),
            Counts::No(MISMATCH) if (1..old.len()).any(|kept| joined(kept) == Some(true)) => Counts::Unsure(PART),
            counts => counts,
        }
    }

    fn counts(&self, labelled: Counts, reads: &[Read], bound: bool) -> Counts {
        let whole = reads.last().map(|whole| compare(whole, &self.expected));
        match (labelled, whole) {
            (Counts::No(NEGATED), _) => Counts::No(MISMATCH),
            (Counts::No(_) | Counts::Unsure(_), _) => labelled,
            _ if bound => Counts::Unsure("it is only a bound"),
            (_, Some(counts @ (Counts::Yes | Counts::Unsure(_)))) => counts,
            _ if reads.iter().any(|part| compare(part, &self.expected) == Counts::Yes) => Counts::Unsure(PART),
            _ => Counts::No(MISMATCH),
        }
    }
}

const PART: &str = "it is not clear where the value ends";

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

/// True if a "one" means a thing: "the number for the approved one".
fn is_pronoun(part: &Part<'_>, at: usize, text: &str) -> bool {
    let joined = |at: usize| part.words.word(at).is_some_and(|word| word.pause < Pause::Turn);
    let before = at.checked_sub(1).and_then(|before| part.words.word(before)).filter(|_| joined(at));
    let numbered =
        |word: &str| NUMBERED.contains(word) || matches!(word, "dial" | "enter" | "choose" | "select" | "digit");
    let thing = before.as_ref().is_some_and(|before| {
        before.kind == Kind::Word && !before.marks.any(Marks::AUXILIARY) && !numbered(before.text)
    });
    let chosen = before.is_some_and(|before| {
        matches!(before.text, "old" | "new" | "other" | "same" | "right" | "wrong" | "this" | "that" | "which" | "only")
    });
    text.eq_ignore_ascii_case("one") && thing && (chosen || !joined(at + 1))
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
    let moved = |word: &str| {
        matches!(word, "went" | "gone" | "came" | "come" | "moved" | "bumped" | "brought" | "stepped" | "titrated")
    };
    // "let me start over. 7 0 2"
    if words.word(at).is_some_and(|word| word.pause == Pause::Sentence) {
        return false;
    }
    match (word(2), word(1)) {
        ("less" | "more" | "fewer" | "greater" | "higher" | "lower" | "over" | "under", "than") => true,
        ("at", "least" | "most") => true,
        // "moved me up to 20 mg" reached it
        ("up", "to") => word(4) == "be" || (!moved(word(3)) && !moved(word(4))),
        (_, before) => matches!(before, "under" | "over" | "below" | "above" | "exceed" | "exceeding"),
    }
}
