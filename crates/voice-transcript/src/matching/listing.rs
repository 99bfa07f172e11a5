//! Lists of possible answers: "approved, denied or pended", "is it ten, fifteen or twenty". A speaker who names them all
//! gives none, so a phrase in such a list does not count as said.
//!
//! Its members exclude each other: the answers of a line of `data/answers.txt`, days, months and numbers, with
//! nothing but "or", "and", pauses and the words of `[between]` from one to the next. Answers make a list with an "or", or when
//! there are three; days, months and numbers with an "or" only ("Monday, Tuesday and Friday" are all meant), and two numbers
//! perhaps ("one or two days", "five to ten"). A question that asks which of several things it is ("is it the right eye or the
//! left eye?", "Kaiser, Anthem or Cigna?") lists them. Three things of any kind behind commas and an "or" are perhaps a list,
//! unless the sentence asks for them ("your name, date of birth or member ID, please").

use std::collections::HashSet;
use std::ops::Range;

use super::clauses::{Begins, Spoken};
use super::negation::{Reach, Said};
use super::stance::Stance;
use super::two::runs;
use crate::marks::Marks;
use crate::normalize::{Kind, Pause};
use crate::tables::{ANSWERS, CLASSES, CLAUSES, SMALL, STANCE};

/// A phrase is a member of a list of answers whose other members are not part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Listed {
    #[default]
    No,
    Perhaps,
    Yes,
}

#[derive(Default)]
pub(super) struct Lists {
    lists: Vec<List>,
    /// For each word the list it is an answer of, from 1.
    at: Vec<u32>,
}

struct List {
    first: usize,
    last: usize,
    listed: Listed,
    /// "five to ten".
    range: bool,
}

/// Kinds of values that exclude or replace one another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Numbers and letters.
    Run,
    Ordinal,
    Day,
    Month,
    /// An answer of a line of `data/answers.txt`.
    Answer(usize),
}

/// Tables that hold the first word of an answer.
const MEMBER: Marks = Marks::ANSWER.and(Marks::CALENDAR).and(Marks::DIGITS);

#[derive(Clone, Copy)]
struct Member {
    class: Class,
    first: usize,
    last: usize,
}

/// The most words between two answers of a list.
const BETWEEN: usize = 4;
/// The most words between two days that are offered.
const OFFERED: usize = 10;
/// The most words of one of two things that a question is about.
const LONGEST_CHOICE: usize = 3;
/// The most words of one thing in a list of things.
const LONGEST_ITEM: usize = 5;

impl Lists {
    pub(super) fn of(spoken: Spoken<'_>, reaches: &[Reach], stances: &[Stance]) -> Self {
        let mut lists = Self { lists: Vec::new(), at: vec![0; spoken.len()] };
        lists.answers(spoken, reaches);
        lists.things(spoken, stances);
        lists
    }

    /// A list that contains the words goes on before or behind them.
    pub(super) fn listed(&self, first: usize, last: usize) -> Listed {
        let words = self.at.get(first..=last).unwrap_or_default();
        let lists = words.iter().filter_map(|list| self.lists.get((*list as usize).checked_sub(1)?));
        // who asks for "three to" knows of the range
        let joint = |list: &List| {
            let mut inside = first.max(list.first)..=last.min(list.last);
            list.range && inside.any(|at| self.at.get(at) == Some(&0))
        };
        let open = lists.filter(|list| (list.first < first || list.last > last) && !joint(list));
        open.map(|list| list.listed).max().unwrap_or_default()
    }

    fn put(&mut self, members: &[(usize, usize)], listed: Listed, range: bool) {
        let (Some((first, _)), Some((_, last))) = (members.first(), members.last()) else { return };
        self.lists.push(List { first: *first, last: *last, listed, range });
        let id = u32::try_from(self.lists.len()).unwrap_or_default();
        for (from, to) in members {
            for place in self.at.iter_mut().take(*to + 1).skip(*from) {
                // a list of answers says more than one of things
                if *place == 0 {
                    *place = id;
                }
            }
        }
    }

    fn answers(&mut self, spoken: Spoken<'_>, reaches: &[Reach]) {
        let mut open: Vec<Member> = Vec::new();
        let (mut or, mut range) = (false, false);
        let mut at = 0;
        while at < spoken.len() {
            let Some(member) = spoken.is(at, MEMBER).then(|| spoken.member(at)).flatten() else {
                at += 1;
                continue;
            };
            at = member.last + 1;
            if reaches.get(member.first).is_some_and(|reach| reach.said == Said::Negated) {
                continue;
            }
            let dated = |class: Class| matches!(class, Class::Day | Class::Month);
            // Spanish: "el dos o el tres de diciembre"
            let before = member.first - usize::from(spoken.word_before(member.first) == "the");
            let day = |last: Class| matches!(last, Class::Run | Class::Ordinal) && spoken.word_before(before) == "or";
            let one_kind = |last: Class| {
                last == member.class
                    || (dated(member.class) && (dated(last) || (member.class == Class::Month && day(last))))
            };
            let last = open.last().filter(|last| one_kind(last.class));
            match last.and_then(|last| spoken.joins(last, &member)) {
                Some(join) => (or, range) = (or || join.or, range || join.range),
                None => {
                    self.close(spoken, &open, or, range);
                    open.clear();
                    (or, range) = (false, false);
                }
            }
            open.push(member);
        }
        self.close(spoken, &open, or, range);
    }

    fn close(&mut self, spoken: Spoken<'_>, members: &[Member], or: bool, range: bool) {
        let Some(first) = members.first() else { return };
        let closes = |last: &Member| matches!(last.class, Class::Answer(_)) && spoken.word(last.last + 1) == "or";
        // "male female or other"
        let or = or || members.last().is_some_and(closes);
        let words = members.iter().map(|member| spoken.said(member.first, member.last));
        let different = words.collect::<HashSet<_>>().len();
        let listed = match first.class {
            Class::Answer(_) if different >= 3 || (or && different == 2) => Listed::Yes,
            Class::Day | Class::Month if or && different >= 2 => Listed::Yes,
            Class::Run | Class::Ordinal if or && different >= 3 => Listed::Yes,
            Class::Run | Class::Ordinal if or && different == 2 => Listed::Perhaps,
            _ => return,
        };
        let places: Vec<(usize, usize)> = members.iter().map(|member| (member.first, member.last)).collect();
        self.put(&places, listed, range);
    }

    /// "knee surgery, hip surgery, or back surgery"; in a question "is it the right eye or the left eye?".
    fn things(&mut self, spoken: Spoken<'_>, stances: &[Stance]) {
        for Range { start, end } in spoken.sentences() {
            let Some(or) = (start + 1..end).rev().find(|at| spoken.word(*at) == "or") else { continue };
            let asked = |stance: &Stance| stance.any(Stance::ASKED);
            let found = if stances.get(start..end).unwrap_or_default().iter().any(asked) {
                let items = spoken.alternatives(start, or, end);
                let listed = spoken.choice(start, end, &items).map(|listed| (items, listed));
                listed.or_else(|| spoken.qualities(start, or, end))
            } else if (start..end).any(|at| spoken.is_in(at, &ANSWERS.requests)) {
                // "you can use either Quest or LabCorp", not "give either your name or your number"
                let asks = |at: usize| spoken.is_in(at, &ANSWERS.asked_for) && spoken.word(at) != "please";
                let told = (start..or).any(|at| spoken.word(at) == "either") && !(start..end).any(asks);
                let items = if told { spoken.one_of(start, or, end) } else { None };
                items.map(|(items, _)| (items, Listed::Perhaps))
            } else {
                let items = || Some(spoken.items(start, or, end)).filter(|items| items.len() >= 3);
                spoken.one_of(start, or, end).or_else(|| Some((items()?, Listed::Perhaps)))
            };
            if let Some((items, listed)) = found {
                self.put(&items, listed, false);
            }
        }
    }
}

impl Spoken<'_> {
    /// The members of "either A or B", and of "A or B" in a sentence that decides for neither. A sentence that lets somebody
    /// have either offers both.
    fn one_of(self, start: usize, or: usize, end: usize) -> Option<(Vec<(usize, usize)>, Listed)> {
        let word = |at: usize| (at < end).then(|| self.word(at));
        let goes_on = |at: usize| self.written_pause(at) == Pause::None;
        let either = (start..or).rev().find(|at| self.word(*at) == "either" && goes_on(at + 1));
        if either.is_none() && !(start..end).any(|at| ANSWERS.undecided.at(at, word).is_some()) {
            return None;
        }
        let stop = (or + 2..end).find(|at| !goes_on(*at) || self.is_in(*at, &SMALL)).unwrap_or(end);
        let from = either.map_or(start, |at| at + 1);
        let mut items = self.alternatives(from, or, stop);
        if items.len() < 3 && either.is_some() && from < or {
            items = vec![(from, or - 1), (or + 1, stop - 1)];
        }
        let open = |at| matches!(self.word(at), "can" | "could" | "may" | "you" | "maybe" | "perhaps" | "possibly");
        let offered = (start..end).any(open);
        let listed = if offered { Listed::Perhaps } else { Listed::Yes };
        (!items.is_empty()).then_some((items, listed))
    }

    /// The members of a list that an "or" closes, each behind a comma.
    fn items(self, start: usize, or: usize, end: usize) -> Vec<(usize, usize)> {
        let stop = (or + 2..end).take(LONGEST_ITEM).find(|at| self.word(*at) == "but").unwrap_or(end);
        let mut items = vec![(or + 1, (or + LONGEST_ITEM).min(stop.saturating_sub(1)))];
        let mut last = or - 1;
        while let Some(comma) = (start.max(last.saturating_sub(LONGEST_ITEM))..=last)
            .rev()
            .find(|at| self.written_pause(*at) == Pause::Short && *at > start)
        {
            let from = if self.word(comma) == "or" { comma + 1 } else { comma };
            items.push((from, last));
            last = comma.saturating_sub(1);
        }
        items.push((start.max((last + 1).saturating_sub(LONGEST_ITEM)), last));
        items.retain(|(from, to)| from <= to && *to < end);
        items.reverse();
        items
    }

    /// The alternatives of a question: the members of a list, or two things of one length.
    fn alternatives(self, start: usize, or: usize, end: usize) -> Vec<(usize, usize)> {
        let items = self.items(start, or, end);
        let small = |at: usize| self.is_in(at, &SMALL) || self.is_in(at, &CLAUSES.determiners);
        let trimmed = |(from, to): (usize, usize)| ((from..=to).find(|at| !small(*at)).unwrap_or(to), to);
        if items.len() >= 3 {
            // the first thing is as long as the others: "do you want | the morning, the afternoon or the evening"
            let longest = items.iter().skip(1).map(|(from, to)| to + 1 - from).max().unwrap_or(1);
            let first = items.first().map(|(from, to)| ((to + 1).saturating_sub(longest).max(*from), *to));
            return first.into_iter().chain(items.iter().copied().skip(1)).map(trimmed).collect();
        }
        let right = trimmed((or + 1, end - 1));
        let length = right.1 + 1 - right.0;
        if length > LONGEST_CHOICE || or < start + length {
            return Vec::new();
        }
        vec![(or - length, or - 1), right]
    }

    /// How surely a question asks for one of the items; `None` if it does not.
    fn choice(self, start: usize, end: usize, items: &[(usize, usize)]) -> Option<Listed> {
        if items.len() < 2 || (start..end).any(|at| self.is_in(at, &ANSWERS.asked_for)) {
            return None;
        }
        let opens = (start..=start + 2).any(|at| self.begins_with(at, &ANSWERS.chooses));
        let names = items.iter().all(|(from, _)| self.is_capital(*from));
        // nothing but the things
        let auxiliary = (start..end).any(|at| self.is(at, Marks::AUXILIARY));
        match (opens || names || !auxiliary, items.len()) {
            (true, _) => Some(Listed::Yes),
            (false, 2) => None,
            _ => Some(Listed::Perhaps),
        }
    }

    /// The words around an "or" at the end of "is your pain sharp dull or throbbing".
    fn qualities(self, start: usize, or: usize, end: usize) -> Option<(Vec<(usize, usize)>, Listed)> {
        let verb = (start..=start + 1).find(|at| matches!(self.word(*at), "is" | "was" | "are" | "were"))?;
        let any = (start..end).any(|at| matches!(self.word(at), "any" | "anything" | "there"));
        let two = or > verb + 4 && !self.is_in(or - 2, &SMALL);
        let words = (or - 1 - usize::from(two)..or).chain([or + 1]).map(|at| (at, at));
        (or > verb + 3 && or + 2 == end && !any).then(|| (words.collect(), Listed::Perhaps))
    }

    pub(super) fn class(self, at: usize) -> Option<Class> {
        let word = self.text.word(at)?;
        match word.kind {
            _ if word.kind == Kind::Decimal || runs(&word) => Some(Class::Run),
            Kind::Ordinal => Some(Class::Ordinal),
            _ if STANCE.days.contains(word.text) => Some(Class::Day),
            _ if STANCE.months.contains(word.text) => Some(Class::Month),
            _ => CLASSES.get(word.text).copied().map(Class::Answer),
        }
    }

    fn member(self, at: usize) -> Option<Member> {
        let class = self.class(at).filter(|_| self.kind(at) != Some(Kind::Letter))?;
        let last = match class {
            Class::Day | Class::Month => {
                let end = self.date_end(at);
                let next = end + 1 + usize::from(matches!(self.word(end + 1), "or" | "to" | "and" | "through"));
                // "june 3rd or 4th": the days are the list
                let goes_on = matches!(self.class(next), Some(Class::Ordinal | Class::Run));
                if goes_on { self.run_end(at, class) } else { end }
            }
            _ => self.run_end(at, class),
        };
        Some(Member { class, first: at, last })
    }

    /// The last word of a date with its time: "december 8th at 9:30 am", "tuesday the 8th".
    fn date_end(self, day: usize) -> usize {
        let follows = |at: &usize| self.joined(*at) && self.kind(*at) != Some(Kind::Letter);
        let class = |at: usize| Some(at).filter(follows).and_then(|at| self.class(at));
        let dated = |at: usize| matches!(class(at), Some(Class::Month | Class::Ordinal | Class::Run));
        let mut last = day;
        loop {
            let the = last + 1 + usize::from(self.word(last + 1) == "the" && self.joined(last + 1));
            match dated(the) {
                true => last = the,
                false => break,
            }
        }
        // Spanish: "a las nueve"
        let at = last + 2 + usize::from(self.word(last + 2) == "the");
        if matches!(self.word(last + 1), "at" | "a") && class(at) == Some(Class::Run) {
            let time = (at + 1..self.len()).take_while(|at| class(*at) == Some(Class::Run)).last().unwrap_or(at);
            last = time + usize::from(matches!(self.word(time + 1), "am" | "pm"));
        }
        last
    }

    fn joins(self, one: &Member, other: &Member) -> Option<Join> {
        let between = one.last + 1..other.first;
        // "Monday with Dr. Lee or Wednesday"
        let offers = matches!(one.class, Class::Day | Class::Month)
            && between.len() <= OFFERED
            && between.clone().last().is_some_and(|at| self.word(at) == "or")
            && between.clone().all(|at| self.begins(at) == Begins::Inside && !self.is_verb(at));
        if offers {
            return Some(Join { or: true, range: false });
        }
        if between.len() > BETWEEN {
            return None;
        }
        let words: Vec<&str> = between.map(|at| self.word(at)).collect();
        // "five to ten", "between five and ten": any of them; "from five to ten" goes from one to the other
        let range = match words.as_slice() {
            ["to" | "through"] => self.word_before(one.first) != "from",
            ["and"] => self.word_before(one.first) == "between",
            _ => false,
        };
        if range && one.class == Class::Run {
            return Some(Join { or: true, range });
        }
        let or = words.contains(&"or");
        let known = words.iter().all(|word| matches!(*word, "or" | "and") || ANSWERS.between.contains(word));
        let pause = (one.last + 1..=other.first).map(|at| self.written_pause(at)).max();
        // words in sentences of one word each are a list of answers; numbers and days in two sentences are not
        let one_list = pause != Some(Pause::Sentence) || matches!(one.class, Class::Answer(_));
        let listed = or || pause >= Some(Pause::Short) || words.contains(&"and") || words.is_empty();
        (known && one_list && listed).then_some(Join { or, range: false })
    }
}

/// How a member of a list follows another.
struct Join {
    or: bool,
    range: bool,
}
