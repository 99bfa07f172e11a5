//! What the speaker took back: "the fifteenth, sorry, the sixteenth". The last one stated wins.

use super::clauses::{Begins, Clauses};
use super::negation::{Reach, Said};
use crate::marks::Marks;
use crate::normalize::{Kind, Normalized, Pause};
use crate::tables::{ANSWERS, CLAUSES, CORRECTIONS, FILLERS, SMALL, STANCE, UNITS};

/// The most words between a value and what takes it back ("fifteen milligrams, sorry").
const FAR_BEFORE: usize = 3;
/// The most words between what takes it back and the new value ("sorry, it is the sixteenth").
const FAR_BEHIND: usize = 5;
/// The most words between a value and what takes it back where the new value has the same unit ("fifteen milligrams twice
/// a day with food, sorry, fifty milligrams").
const FAR_UNIT: usize = 12;

/// The most words that are looked at before a marker, and the most behind it.
const FAR_BACK: usize = 256;

/// Kinds of values that can replace one another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Run,
    Ordinal,
    Day,
    Month,
    /// An answer of a line of `data/answers.txt`.
    Answer(usize),
}

/// What a marker begins with.
const MARKER: Marks = Marks::CORRECTION.and(Marks::NO);

/// What was taken back in a stretch of turns, and what was taken back of the turns before it.
pub(super) struct Corrections {
    /// For each word whether it was taken back.
    pub(super) words: Vec<bool>,
    /// For each word whether the sentence it stands in was perhaps taken back as a whole.
    pub(super) perhaps: Vec<bool>,
    /// The state before a change, and the last word of the change: "moved from | A | to B".
    pub(super) former: Vec<Former>,
    pub(super) earlier: Vec<Earlier>,
}

pub(super) struct Former {
    first: usize,
    last: usize,
    until: usize,
}

impl Corrections {
    /// Checks if something of these words was taken back. What tells of the whole change is stated.
    pub(super) fn taken_back(&self, first: usize, last: usize) -> bool {
        let from = self.former.partition_point(|former| former.last < first);
        let former = |former: &Former| former.first <= last && last < former.until;
        self.words.get(first..=last).unwrap_or_default().contains(&true)
            || self.former.get(from..).unwrap_or_default().iter().take_while(|one| one.first <= last).any(former)
    }
}

pub(super) struct Earlier {
    pub(super) segment: usize,
    new: New,
}

enum New {
    Value {
        class: Class,
        text: String,
        unit: Option<String>,
    },
    /// A month, else the digits of a day; whether the date has both.
    Date {
        month: bool,
        whole: bool,
        text: String,
    },
    /// Words; whether each begins with a capital.
    Words {
        words: Vec<(String, bool)>,
        row: Row,
    },
    Denied(Vec<String>),
    /// Nothing.
    Nothing,
}

/// Markers that follow one another: "sorry, I meant".
#[derive(Clone, Copy)]
struct Row {
    start: usize,
    /// The first word behind them.
    new: usize,
    sure: bool,
    /// Takes something back for sure, however far away.
    far: bool,
}

impl Row {
    /// The most words before it, and behind it.
    fn reach(self) -> (usize, usize) {
        if self.far { (FAR_UNIT, FAR_UNIT) } else { (FAR_BEFORE, FAR_BEHIND) }
    }
}

pub(super) struct Heard<'a> {
    pub(super) text: &'a Normalized,
    pub(super) clauses: &'a Clauses,
    pub(super) reaches: &'a [Reach],
    pub(super) segments: &'a [&'a str],
}

pub(super) fn corrections(heard: &Heard<'_>) -> Corrections {
    let text = heard.text;
    let none = vec![false; text.len()];
    let mut found = Corrections { words: none.clone(), perhaps: none, former: heard.former(), earlier: Vec::new() };
    if !text.may_have(MARKER) {
        return found;
    }
    let word = |at: usize| text.word(at).map(|word| word.text);
    let mut at = 0;
    let mut row = Row { start: 0, new: 0, sure: false, far: false };
    while at < text.len() {
        let marked = text.marks_at(at).any(MARKER);
        if let Some(length) = marked.then(|| heard.retracts(at)).flatten() {
            heard.retract(at, &mut found);
            at += length;
        } else if let Some(length) = marked.then(|| marker(text, at, word)).flatten() {
            if row.new != at {
                row = Row { start: at, new: at, sure: false, far: false };
            }
            row.sure |= CORRECTIONS.strong.at(at, word).is_some() || word(at) == Some("no");
            let parted = row.start == 0 || heard.clauses.pause(row.start) != Pause::None;
            row.far |= parted && CORRECTIONS.far.at(at, word).is_some();
            at += length;
            row.new = at;
            if marker(text, at, word).is_none() {
                let taken = take_value(text, row, &mut found.words);
                heard.replace(row, taken, &mut found);
            }
        } else {
            at += 1;
        }
    }
    found
}

impl Heard<'_> {
    fn word(&self, at: usize) -> Option<&str> {
        self.text.word(at).map(|word| word.text)
    }

    /// "was moved from A to B", "used to be A".
    fn former(&self) -> Vec<Former> {
        /// The most words between a verb of change and "from", of A, and of B.
        const LONGEST: usize = 8;
        let mut found = Vec::new();
        if !self.text.may_have(Marks::FORMER) {
            return found;
        }
        let joined = |at: &usize| *at < self.text.len() && self.clauses.pause(*at) < Pause::Turn;
        let ends = |at: usize| at >= self.text.len() || self.clauses.begins(at) > Begins::Inside;
        for at in (0..self.text.len()).filter(|at| self.text.marks_at(*at).any(Marks::FORMER)) {
            let changed = |at: usize| self.word(at).is_some_and(|word| CORRECTIONS.changes.contains(word));
            if self.word(at) == Some("from") {
                let verb = (at.saturating_sub(LONGEST)..at).rev().take_while(|at| joined(&(at + 1))).any(changed);
                let to = (at + 2..=at + LONGEST).take_while(joined).find(|at| self.word(*at) == Some("to"));
                if let Some(to) = to.filter(|_| verb) {
                    found.push(Former { first: at + 1, last: to - 1, until: to + 1 });
                }
            } else if let Some(length) = CORRECTIONS.former.at(at, |at| self.word(at)) {
                let first = at + length;
                let paused = |at: &usize| ends(*at) || self.clauses.pause(*at) != Pause::None;
                let end = (first + 1..=first + LONGEST).find(paused).unwrap_or(first + LONGEST);
                found.push(Former { first, last: end - 1, until: usize::MAX });
            }
        }
        found
    }

    fn segment(&self, at: usize) -> usize {
        self.text.word(at).map_or(0, |word| word.segment)
    }

    /// The first word of the segment, or of the sentence.
    fn first_of(&self, at: usize, sentence: bool) -> usize {
        let segment = self.segment(at);
        let starts = |at: usize| {
            at == 0 || self.segment(at - 1) != segment || (sentence && self.clauses.begins(at) == Begins::Sentence)
        };
        let least = at.saturating_sub(FAR_BACK);
        (least..=at).rev().find(|at| starts(*at)).unwrap_or(least)
    }

    /// The number of words of what takes back the sentence before it, where it stands alone.
    fn retracts(&self, at: usize) -> Option<usize> {
        let word = |at: usize| self.word(at);
        let begins = at == 0 || self.clauses.begins(at) > Begins::Inside || self.clauses.pause(at) != Pause::None;
        if let Some(length) = CORRECTIONS.of_another.at(at, word).filter(|_| begins) {
            // "That was another member?" asks.
            return Some(length).filter(|length| !self.text.asked_behind(at + length - 1));
        }
        let at_end = CORRECTIONS.retracts_at_end.at(at, word);
        let length = at_end.or_else(|| CORRECTIONS.retracts.at(at, word))?;
        let end = at + length;
        let least = if at_end.is_some() { Begins::Sentence } else { Begins::Clause };
        let ends = end >= self.text.len()
            || self.clauses.begins(end) >= least
            || at_end.is_none() && self.clauses.pause(end) != Pause::None;
        // with a new value behind it, it is that value's
        let new = marker(self.text, at, |at| self.word(at)).is_some()
            && (end..=end + FAR_BEHIND).any(|at| class(self.text, at).is_some());
        (ends && begins && !new && !self.text.asked_behind(end - 1)).then_some(length)
    }

    fn retract(&self, at: usize, found: &mut Corrections) {
        let sentence = self.first_of(at, true);
        let segment = self.first_of(at, false);
        // "approved, no wait, that was another member": the words before it in its own sentence
        if !self.is_opening(sentence, at) {
            found.perhaps.iter_mut().take(at).skip(sentence).for_each(|perhaps| *perhaps = true);
        }
        // "Looking at this again, I misspoke.": the sentence before it in this turn, else the turn before it
        let before = sentence.checked_sub(1).filter(|before| *before >= segment);
        let (from, to) = match before {
            Some(before) if !self.is_opening(segment, sentence) => (self.first_of(before, true), sentence),
            _ if segment > 0 => (self.first_of(segment - 1, false), segment),
            _ => {
                found.earlier.push(Earlier { segment: self.segment(at), new: New::Nothing });
                return;
            }
        };
        found.perhaps.iter_mut().take(to).skip(from).for_each(|perhaps| *perhaps = true);
    }

    /// Whether nothing but openings and apologies stands between two words.
    fn is_opening(&self, from: usize, to: usize) -> bool {
        let word = |at: usize| self.word(at);
        let mut at = from;
        while at < to {
            let marker = marker(self.text, at, word);
            let opens = word(at).is_some_and(|word| CLAUSES.openers.contains(word) || FILLERS.contains(word));
            match marker.or(opens.then_some(1)) {
                Some(length) => at += length,
                None => return false,
            }
        }
        true
    }

    /// The words behind a marker up to where its clause ends.
    fn fragment(&self, from: usize) -> Vec<usize> {
        const LONGEST: usize = 6;
        let ends = |at: usize| {
            at > from
                && (self.clauses.pause(at) != Pause::None
                    || self.clauses.begins(at) > Begins::Inside
                    || matches!(self.word(at), Some("and" | "or" | "on" | "at" | "for" | "in")))
        };
        let end = (from..=from + LONGEST).find(|at| ends(*at)).unwrap_or(from + LONGEST + 1).min(self.text.len());
        if end - from > LONGEST { Vec::new() } else { (from..end).collect() }
    }

    fn is_capital(&self, at: usize) -> bool {
        self.text.is_capital(at, self.segments)
    }

    /// The words that a fragment puts in the place of others: without "it is the".
    fn core(&self, fragment: &[usize]) -> Vec<usize> {
        let small = |at: usize| {
            self.word(at).is_some_and(|word| SMALL.contains(word)) || self.text.marks_at(at).any(Marks::AUXILIARY)
        };
        fragment.iter().copied().skip_while(|at| small(*at)).collect()
    }

    fn replace(&self, row: Row, taken: bool, found: &mut Corrections) {
        const LONGEST: usize = 3;
        let Row { start, new, sure, far } = row;
        if !sure && self.word(new).is_some_and(|word| word != "i" && CORRECTIONS.else_about.contains(word)) {
            return;
        }
        let (segment, from) = (self.segment(start), self.first_of(start, false));
        let opening = self.is_opening(from, start);
        let denied = self.denied(new);
        if !denied.is_empty() {
            if opening {
                found.earlier.push(Earlier { segment, new: New::Denied(denied.clone()) });
            }
            for index in from..start {
                self.take_denied(index, &denied, &mut found.words);
            }
            return;
        }
        let typed = (new..=new + row.reach().1)
            .take_while(|at| *at == new || self.clauses.pause(*at) < Pause::Sentence)
            .find_map(|at| Some((class(self.text, at)?, at)));
        if opening {
            self.earlier_values(row, typed, segment, found);
        }
        if typed.is_some() && (taken || opening || !far) {
            return;
        }
        let core = self.core(&self.fragment(new));
        let stops =
            |at: &usize| self.word(*at).is_some_and(|word| CORRECTIONS.no_word.contains(word) || word.ends_with("ly"));
        if core.first().is_some_and(stops) {
            return;
        }
        if core.is_empty() || core.len() > LONGEST {
            if far {
                self.retract(start, found);
            }
            return;
        }
        let words: Vec<(String, bool)> =
            core.iter().filter_map(|at| Some((self.word(*at)?.to_owned(), self.is_capital(*at)))).collect();
        if opening {
            found.earlier.push(Earlier { segment, new: New::Words { words: words.clone(), row } });
            if from == 0 || !far {
                return;
            }
        }
        // an apology parts what it stands between
        let apart = self.clauses.pause(start) != Pause::None || self.clauses.is_open(start);
        if far && self.clauses.pause(start) >= Pause::Turn {
            let mut near = (start.saturating_sub(FAR_UNIT)..=start).rev();
            if !near.any(|end| self.take_words(end, &words, true, &mut found.words)) {
                self.take_words(start, &words, false, &mut found.words);
                self.retract(start, found);
            }
        } else if sure || apart {
            self.take_words(start, &words, false, &mut found.words);
        }
    }

    /// Values behind a marker that may replace those of an earlier turn.
    fn earlier_values(&self, row: Row, typed: Option<(Class, usize)>, segment: usize, found: &mut Corrections) {
        let text = self.text;
        let mut put = |new: New| found.earlier.push(Earlier { segment, new });
        let date = date_behind(text, row);
        for (at, month) in [(date.month, true), (date.day, false)] {
            let Some(at) = at else { continue };
            put(New::Date { month, whole: date.is_whole(), text: said(text, at, at) });
        }
        if date.month.is_some() || date.day.is_some() {
            return;
        }
        if let Some((class, start)) = typed {
            let end = run_end(text, start, class);
            let unit = self.word(end + 1).filter(|_| self.clauses.pause(end + 1) == Pause::None).map(str::to_owned);
            put(New::Value { class, text: said(text, start, end), unit });
        }
    }

    fn denied(&self, from: usize) -> Vec<String> {
        let ends = |at: usize| at > from && self.clauses.begins(at) == Begins::Sentence;
        let negated = |at: &usize| self.reaches.get(*at).is_some_and(|reach| reach.said == Said::Negated);
        (from..self.text.len())
            .take(FAR_BACK)
            .take_while(|at| !ends(*at))
            .filter(negated)
            .filter_map(|at| self.word(at))
            .filter(|word| !SMALL.contains(word) && word.len() > 2)
            .map(str::to_owned)
            .collect()
    }

    fn take_denied(&self, at: usize, denied: &[String], words: &mut [bool]) {
        let plain = self.reaches.get(at).is_some_and(|reach| reach.said == Said::Plain);
        if plain
            && self.word(at).is_some_and(|word| denied.iter().any(|denied| denied == word))
            && let Some(mark) = words.get_mut(at)
        {
            *mark = true;
        }
    }

    /// Marks the words right before `at` that others replace; with `like`, only those that are like them.
    fn take_words(&self, at: usize, new: &[(String, bool)], like: bool, words: &mut [bool]) -> bool {
        let Some(from) = at.checked_sub(new.len()) else { return false };
        if (from + 1..at).any(|at| self.clauses.pause(at) >= Pause::Turn) {
            return false;
        }
        let old: Vec<(usize, &str)> = (from..at).filter_map(|at| Some((at, self.word(at)?))).collect();
        let pairs = || old.iter().zip(new);
        let shared = pairs().any(|((_, old), (new, _))| old == new);
        let content = |word: &str| !SMALL.contains(word) && word.len() > 2;
        let single = new.len() == 1 && pairs().all(|((_, old), (new, _))| content(old) && content(new));
        let named = |at: usize| self.is_capital(at) && (!like || new.len() > 1 || single);
        let capital = pairs().all(|((at, _), (_, capital))| *capital && named(*at));
        if pairs().all(|((_, old), (new, _))| old == new) || !(shared || capital || single && !like) {
            return false;
        }
        for ((at, old), (new, _)) in pairs() {
            if old != new
                && let Some(mark) = words.get_mut(*at)
            {
                *mark = true;
            }
        }
        true
    }

    /// Takes back what something of a later turn replaces: in the turns from a segment on, the last that fits.
    pub(super) fn take_earlier(&self, later: &Earlier, from: usize, found: &mut Corrections) {
        let text = self.text;
        let start = text.words().position(|word| word.segment >= from).unwrap_or(text.len());
        let all = start..text.len();
        let mut mark = |first: usize, last: usize| {
            found.words.iter_mut().take(last + 1).skip(first).for_each(|mark| *mark = true);
        };
        match &later.new {
            New::Value { class: kind, text: new, unit } => {
                let fits = |at: &usize| {
                    class(text, *at) == Some(*kind)
                        && (*kind != Class::Run
                            || unit.as_deref().is_none_or(|unit| self.word(at + 1) == Some(unit))
                            || UNITS.get(unit.as_deref().unwrap_or_default()).is_none()
                                && !matches!(unit.as_deref(), Some("dollars" | "dollar" | "percent")))
                };
                let Some(to) = all.rev().find(fits) else { return };
                let (_, first, last) = run_to(text, to, *kind);
                if said(text, first, last) != *new {
                    mark(first, last);
                }
            }
            New::Date { month, whole, text: new } => {
                let part = |date: Date| if *month { date.month } else { date.day };
                let dates = || all.clone().rev().map(move |at| date_at(text, at));
                let found = dates().filter(|date| *whole && date.is_whole()).find_map(part);
                let found = found.or_else(|| dates().find_map(part));
                if let Some(at) = found.filter(|at| said(text, *at, *at) != *new) {
                    mark(at, at);
                }
            }
            New::Words { words, row } => {
                // the last word that a sentence says, else a word like it; first a word like it, where it is sure
                let likely = words.len() > 1 || words.iter().all(|(_, capital)| *capital) || row.sure;
                let least = if likely { text.len().saturating_sub(FAR_UNIT).max(start) } else { text.len() };
                let mut take =
                    |like| (least..=text.len()).rev().any(|end| self.take_words(end, words, like, &mut found.words));
                if row.far && !take(true) {
                    take(false);
                    self.doubt_last(found);
                } else if !row.far {
                    take(false);
                }
            }
            New::Denied(denied) => {
                for at in all {
                    self.take_denied(at, denied, &mut found.words);
                }
            }
            New::Nothing => self.doubt_last(found),
        }
    }

    /// The last turn was perhaps taken back.
    fn doubt_last(&self, found: &mut Corrections) {
        let from = self.first_of(self.text.len().saturating_sub(1), false);
        found.perhaps.iter_mut().skip(from).for_each(|perhaps| *perhaps = true);
    }
}

/// Marks the value that the one behind a marker replaces, if there is one.
fn take_value(text: &Normalized, row: Row, words: &mut [bool]) -> bool {
    let goes_on =
        |index: &usize| *index == row.new || text.word(*index).is_some_and(|word| word.pause < Pause::Sentence);
    let mut behind = (row.new..=row.new + row.reach().1).take_while(goes_on);
    let new = behind.find_map(|index| Some((class(text, index)?, index)));
    let mut taken = false;
    let old = new
        .and_then(|new| of_the_unit(text, row.start, new))
        .or_else(|| value_before(text, row, new.filter(|_| row.far).map(|(kind, _)| kind)));
    if let (Some((kind, from, to)), Some((new_kind, start))) = (old, new)
        && kind == new_kind
        && said(text, from, to) != said(text, start, run_end(text, start, kind))
    {
        words.iter_mut().take(to + 1).skip(from).for_each(|mark| *mark = true);
        taken = true;
    }
    let new = date_behind(text, row);
    let old = date_before(text, row, row.far && new.is_whole());
    for (old, new) in [(old.month, new.month), (old.day, new.day)] {
        let changed = old.zip(new).filter(|(old, new)| said(text, *old, *old) != said(text, *new, *new));
        if let Some(mark) = changed.and_then(|(old, _)| words.get_mut(old)) {
            *mark = true;
            taken = true;
        }
    }
    taken
}

/// Where the month and the day of a date stand.
#[derive(Clone, Copy, Default)]
struct Date {
    month: Option<usize>,
    day: Option<usize>,
}

impl Date {
    fn is_whole(self) -> bool {
        self.month.is_some() && self.day.is_some()
    }
}

fn is_month(text: &Normalized, at: usize) -> bool {
    text.word(at).is_some_and(|word| word.text == "may" || STANCE.months.contains(word.text))
}

fn is_day(text: &Normalized, at: usize) -> bool {
    text.word(at).is_some_and(|word| word.kind == Kind::Ordinal || (word.kind == Kind::Number && word.text.len() <= 2))
}

/// The date that begins with a word: "march 3rd", "march the 3rd", "the 3rd of march"; a month or an ordinal alone.
fn date_at(text: &Normalized, at: usize) -> Date {
    let word = |at: usize| text.word(at).map(|word| word.text);
    let some = |at: usize, is: fn(&Normalized, usize) -> bool| Some(at).filter(|at| is(text, *at));
    if is_month(text, at) {
        let day = if word(at + 1) == Some("the") { at + 2 } else { at + 1 };
        return Date { month: Some(at), day: some(day, is_day) };
    }
    if is_day(text, at) {
        let month = if word(at + 1) == Some("of") { at + 2 } else { at + 1 };
        let ordinal = text.word(at).is_some_and(|word| word.kind == Kind::Ordinal);
        let month = some(month, is_month);
        return Date { month, day: Some(at).filter(|_| ordinal || month.is_some()) };
    }
    Date::default()
}

fn date_behind(text: &Normalized, row: Row) -> Date {
    let from = row.new;
    let goes_on = |at: &usize| *at == from || text.word(*at).is_some_and(|word| word.pause < Pause::Sentence);
    let found = (from..=from + row.reach().1).take_while(goes_on).map(|at| date_at(text, at));
    found.into_iter().find(|date| date.month.is_some() || date.day.is_some()).unwrap_or_default()
}

/// The date shortly before a row, with both parts where it must be whole.
fn date_before(text: &Normalized, row: Row, whole: bool) -> Date {
    /// "the 3rd of march".
    const LONGEST: usize = 4;
    let (at, most) = (row.start, row.reach().0);
    let dates = (at.saturating_sub(most + LONGEST)..at).map(|at| date_at(text, at));
    let near = |date: &Date| date.month.max(date.day).is_some_and(|last| last < at && at - last <= most + 1);
    // of two that end at one place, the first is the whole
    dates.filter(|date| near(date) && (!whole || date.is_whole())).fold(Date::default(), |best, date| {
        if date.month.max(date.day) > best.month.max(best.day) { date } else { best }
    })
}

/// The number of words of the marker at `at`.
fn marker<'a>(text: &'a Normalized, at: usize, word: impl Fn(usize) -> Option<&'a str>) -> Option<usize> {
    if let Some(length) = CORRECTIONS.all.at(at, &word) {
        // "I'm sorry about the music" is no correction
        let about = matches!(word(at + length), Some("about" | "for" | "to" | "if"));
        // "we filed a correction"
        let noun = || at.checked_sub(1).and_then(&word).is_some_and(|before| CLAUSES.determiners.contains(before));
        let filed =
            word(at) == Some("correction") && text.word(at).is_some_and(|word| word.pause == Pause::None) && noun();
        return Some(length).filter(|_| !about && !filed);
    }
    // "the fifteenth, no, the sixteenth"
    let paused = |at: usize| text.word(at).is_some_and(|word| word.pause != Pause::None);
    let no = text.word(at).is_some_and(|word| word.text == "no");
    (no && paused(at) && paused(at + 1)).then_some(1)
}

fn class(text: &Normalized, at: usize) -> Option<Class> {
    let word = text.word(at)?;
    match word.kind {
        Kind::Number | Kind::Decimal => Some(Class::Run),
        Kind::Ordinal => Some(Class::Ordinal),
        Kind::Letter if !matches!(word.text, "a" | "i") => Some(Class::Run),
        _ if STANCE.days.contains(word.text) => Some(Class::Day),
        _ if STANCE.months.contains(word.text) => Some(Class::Month),
        // "right" and "yes" say something else as often
        _ if matches!(word.text, "yes" | "no") => None,
        _ => ANSWERS.classes.get(word.text).copied().map(Class::Answer),
    }
}

fn same_run(text: &Normalized, start: usize, at: usize, kind: Class) -> bool {
    at == start
        || (kind == Class::Run
            && class(text, at) == Some(kind)
            && text.word(at).is_some_and(|word| word.pause < Pause::Sentence))
}

fn run_end(text: &Normalized, start: usize, kind: Class) -> usize {
    (start..text.len()).take_while(|index| same_run(text, start, *index, kind)).last().unwrap_or(start)
}

/// The value before `at`, in the same sentence, that has the same word behind it as the new one.
fn of_the_unit(text: &Normalized, at: usize, (kind, start): (Class, usize)) -> Option<(Class, usize, usize)> {
    let goes_on = |index: usize| text.word(index).filter(|word| word.pause < Pause::Sentence).map(|word| word.text);
    let unit = goes_on(run_end(text, start, kind) + 1)?;
    let back =
        (at.saturating_sub(FAR_UNIT + 1)..at.saturating_sub(1)).rev().take_while(|end| goes_on(end + 1).is_some());
    let mut values = back.filter(|end| class(text, *end) == Some(Class::Run) && goes_on(end + 1) == Some(unit));
    values.next().filter(|_| kind == Class::Run).map(|to| run_to(text, to, kind))
}

/// The value, of a kind where one is given, that ends shortly before a row: its class and its words.
fn value_before(text: &Normalized, row: Row, kind: Option<Class>) -> Option<(Class, usize, usize)> {
    let measured = |at: usize| text.word(at).is_some_and(|word| UNITS.get(word.text).is_some());
    let fits = |own: Class, at: usize| kind.is_none_or(|kind| own == kind && !measured(at + 1));
    let mut before = (row.start.saturating_sub(row.reach().0 + 1)..row.start).rev();
    before.find_map(|to| class(text, to).filter(|own| fits(*own, to)).map(|own| run_to(text, to, own)))
}

/// The value that ends at `to`.
fn run_to(text: &Normalized, to: usize, kind: Class) -> (Class, usize, usize) {
    /// Longer than any value that is read out.
    const LONGEST: usize = 40;
    let mut from = to;
    while kind == Class::Run
        && to - from < LONGEST
        && from > 0
        && class(text, from - 1) == Some(kind)
        && text.word(from).is_some_and(|word| word.pause < Pause::Sentence)
    {
        from -= 1;
    }
    (kind, from, to)
}

/// The words of a value, a day by its digits.
fn said(text: &Normalized, from: usize, to: usize) -> String {
    let digits = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let words = (from..=to).filter_map(|at| text.word(at));
    words
        .map(|word| if digits(word.text) { word.text.trim_end_matches(char::is_alphabetic) } else { word.text })
        .collect()
}
