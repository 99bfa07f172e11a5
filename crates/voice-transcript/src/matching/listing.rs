//! Lists of possible answers: "approved, denied or pended", "is it ten, fifteen or twenty". Who names them all gave none, so a
//! phrase that stands in such a list does not count as said.
//!
//! A list is told by what excludes each other: the answers of a line of `data/answers.txt`, days, months and numbers, with
//! nothing but "or", "and", pauses and the words of `[between]` from one to the next. Answers make a list with an "or", or when
//! there are three; days, months and numbers with an "or" only ("Monday, Tuesday and Friday" are all meant), and two numbers
//! perhaps ("one or two days", "five to ten"). A question that asks which of several things it is ("is it the right eye or the
//! left eye?", "Kaiser, Anthem or Cigna?") lists them. Three things of any kind behind commas and an "or" are perhaps a list,
//! unless the sentence asks for them ("your name, date of birth or member ID, please").

use std::collections::HashSet;

use super::negation::{Reach, Said};
use super::stance::Stance;
use crate::marks::Marks;
use crate::normalize::{Kind, Normalized, Pause};
use crate::tables::{ANSWERS, CLAUSES, SMALL, STANCE};

/// Whether a phrase stands in a list of answers with others that are not part of it.
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
    /// Whether it is "five to ten".
    range: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Answer(usize),
    Number,
    Ordinal,
    Day,
    Month,
}

/// What an answer may be.
const MEMBER: Marks = Marks::ANSWER.and(Marks::CALENDAR).and(Marks::DIGITS);

/// One answer: its class and its words.
#[derive(Clone, Copy)]
struct Member {
    class: Class,
    first: usize,
    last: usize,
}

/// The most words between two answers of a list.
const BETWEEN: usize = 4;
/// The most words of one of two things that a question is about.
const LONGEST_CHOICE: usize = 3;
/// The most words of one thing in a list of things.
const LONGEST_ITEM: usize = 5;

impl Lists {
    pub(super) fn of(text: &Normalized, reaches: &[Reach], stances: &[Stance], segments: &[&str]) -> Self {
        let mut lists = Self { lists: Vec::new(), at: vec![0; text.len()] };
        if text.may_have(MEMBER) {
            lists.answers(text, reaches);
        }
        if text.may_have(Marks::OR) {
            let sentences = Sentences { text, stances, segments };
            lists.things(&sentences);
        }
        if lists.lists.is_empty() {
            lists.at = Vec::new();
        }
        lists
    }

    /// Whether the words stand in a list that goes on before or behind them.
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

    fn answers(&mut self, text: &Normalized, reaches: &[Reach]) {
        let mut open: Vec<Member> = Vec::new();
        let (mut or, mut range) = (false, false);
        let mut at = 0;
        while at < text.len() {
            let Some(member) = text.marks_at(at).any(MEMBER).then(|| member(text, at)).flatten() else {
                at += 1;
                continue;
            };
            at = member.last + 1;
            if reaches.get(member.first).is_some_and(|reach| reach.said == Said::Negated) {
                continue;
            }
            let joined =
                open.last().filter(|last| last.class == member.class).and_then(|last| joins(text, last, &member));
            match joined {
                Some(join) => {
                    or |= join != Join::Other;
                    range |= join == Join::Range;
                }
                None => {
                    self.close(text, &open, or, range);
                    open.clear();
                    (or, range) = (false, false);
                }
            }
            open.push(member);
        }
        self.close(text, &open, or, range);
    }

    fn close(&mut self, text: &Normalized, members: &[Member], or: bool, range: bool) {
        let Some(first) = members.first() else { return };
        let words = |member: &Member| {
            (member.first..=member.last).filter_map(|at| text.word(at)).map(|word| word.text).collect::<String>()
        };
        let different = members.iter().map(words).collect::<HashSet<_>>().len();
        let listed = match first.class {
            Class::Answer(_) if different >= 3 || (or && different == 2) => Listed::Yes,
            Class::Day | Class::Month if or && different >= 2 => Listed::Yes,
            Class::Number | Class::Ordinal if or && different >= 3 => Listed::Yes,
            Class::Number | Class::Ordinal if or && different == 2 => Listed::Perhaps,
            _ => return,
        };
        let places: Vec<(usize, usize)> = members.iter().map(|member| (member.first, member.last)).collect();
        self.put(&places, listed, range);
    }

    /// "knee surgery, hip surgery, or back surgery"; in a question "is it the right eye or the left eye?".
    fn things(&mut self, sentences: &Sentences<'_>) {
        let text = sentences.text;
        let mut start = 0;
        while start < text.len() {
            let end = (start + 1..text.len())
                .find(|at| text.word(*at).is_some_and(|word| word.pause >= Pause::Sentence))
                .unwrap_or(text.len());
            let word = |at: usize| text.word(at).map(|word| word.text).unwrap_or_default();
            let is_or = |at: &usize| text.marks_at(*at).any(Marks::OR) && word(*at) == "or";
            if let Some(or) = (start + 1..end).rev().find(is_or) {
                if sentences.is_asked(start, end) {
                    let items = sentences.alternatives(start, or, end);
                    if let Some(listed) = sentences.choice(start, end, &items) {
                        self.put(&items, listed, false);
                    }
                } else if !(start..end).any(|at| ANSWERS.requests.contains(word(at))) {
                    let items = || Some(sentences.items(start, or, end)).filter(|items| items.len() >= 3);
                    let one_of = sentences.one_of(start, or, end);
                    if let Some((items, listed)) = one_of.or_else(|| Some((items()?, Listed::Perhaps))) {
                        self.put(&items, listed, false);
                    }
                }
            }
            start = end;
        }
    }
}

struct Sentences<'a> {
    text: &'a Normalized,
    stances: &'a [Stance],
    segments: &'a [&'a str],
}

impl Sentences<'_> {
    fn word(&self, at: usize) -> &str {
        self.text.word(at).map(|word| word.text).unwrap_or_default()
    }

    fn is_asked(&self, start: usize, end: usize) -> bool {
        let asked = |stance: &Stance| stance.any(Stance::ASKED);
        self.stances.get(start..end).unwrap_or_default().iter().any(asked)
    }

    /// The things of "either A or B", and of "A or B" in a sentence that decides for neither. Who may have either is offered
    /// both.
    fn one_of(&self, start: usize, or: usize, end: usize) -> Option<(Vec<(usize, usize)>, Listed)> {
        let word = |at: usize| (at < end).then(|| self.word(at));
        let goes_on = |at: usize| self.text.word(at).is_some_and(|word| word.pause == Pause::None);
        let either = (start..or).rev().find(|at| self.word(*at) == "either" && goes_on(at + 1));
        if either.is_none() && !(start..end).any(|at| ANSWERS.undecided.at(at, word).is_some()) {
            return None;
        }
        let ends =
            |at: &usize| self.text.word(*at).is_some_and(|word| word.pause != Pause::None || SMALL.contains(word.text));
        let stop = (or + 2..end).find(ends).unwrap_or(end);
        let from = either.map_or(start, |at| at + 1);
        let mut items = self.alternatives(from, or, stop);
        if items.len() < 3 && either.is_some() && from < or {
            items = vec![(from, or - 1), (or + 1, stop - 1)];
        }
        let offered = (start..end).any(|at| matches!(self.word(at), "can" | "could" | "may" | "you"));
        let listed = if offered { Listed::Perhaps } else { Listed::Yes };
        (!items.is_empty()).then_some((items, listed))
    }

    /// The things of a list that an "or" closes, each behind a comma.
    fn items(&self, start: usize, or: usize, end: usize) -> Vec<(usize, usize)> {
        let mut items = vec![(or + 1, (or + LONGEST_ITEM).min(end.saturating_sub(1)))];
        let mut last = or - 1;
        while let Some(comma) = (start.max(last.saturating_sub(LONGEST_ITEM))..=last)
            .rev()
            .find(|at| self.text.word(*at).is_some_and(|word| word.pause == Pause::Short) && *at > start)
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

    /// The alternatives of a question: the things of a list, or two things of one length.
    fn alternatives(&self, start: usize, or: usize, end: usize) -> Vec<(usize, usize)> {
        let items = self.items(start, or, end);
        let small = |at: usize| SMALL.contains(self.word(at)) || CLAUSES.determiners.contains(self.word(at));
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

    /// Whether a question asks which of the items it is: surely, perhaps, or not.
    fn choice(&self, start: usize, end: usize, items: &[(usize, usize)]) -> Option<Listed> {
        let word = |at: usize| Some(self.word(at)).filter(|word| !word.is_empty());
        if items.len() < 2 || (start..end).any(|at| ANSWERS.asked_for.contains(self.word(at))) {
            return None;
        }
        let opens = (start..=start + 2).any(|at| ANSWERS.chooses.at(at, word).is_some());
        let names = items.iter().all(|(from, _)| self.text.is_capital(*from, self.segments));
        // nothing but the things
        let auxiliary = (start..end).any(|at| self.text.marks_at(at).any(Marks::AUXILIARY));
        match (opens || names || !auxiliary, items.len()) {
            (true, _) => Some(Listed::Yes),
            (false, 2) => None,
            _ => Some(Listed::Perhaps),
        }
    }
}

fn member(text: &Normalized, at: usize) -> Option<Member> {
    let word = text.word(at)?;
    let one = |class| Some(Member { class, first: at, last: at });
    match word.kind {
        Kind::Number | Kind::Decimal => {
            let runs =
                |at: usize| text.word(at).is_some_and(|word| word.kind == Kind::Number && word.pause < Pause::Sentence);
            let last = (at + 1..text.len()).take_while(|at| runs(*at)).last().unwrap_or(at);
            Some(Member { class: Class::Number, first: at, last })
        }
        Kind::Ordinal => one(Class::Ordinal),
        _ if STANCE.days.contains(word.text) => one(Class::Day),
        _ if STANCE.months.contains(word.text) => one(Class::Month),
        _ => one(Class::Answer(*ANSWERS.classes.get(word.text)?)),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    Or,
    Range,
    Other,
}

/// How the second goes on with the list of the first, if it does.
fn joins(text: &Normalized, one: &Member, other: &Member) -> Option<Join> {
    let between = one.last + 1..other.first;
    if between.len() > BETWEEN {
        return None;
    }
    let words: Vec<&str> = between.clone().filter_map(|at| text.word(at)).map(|word| word.text).collect();
    // "five to ten", "between five and ten": any of them; "from five to ten" goes from one to the other
    let before = one.first.checked_sub(1).and_then(|at| text.word(at)).map(|word| word.text);
    let range = one.class == Class::Number
        && match words.as_slice() {
            ["to" | "through"] => before != Some("from"),
            ["and"] => before == Some("between"),
            _ => false,
        };
    if range {
        return Some(Join::Range);
    }
    let or = words.contains(&"or");
    let known = words.iter().all(|word| matches!(*word, "or" | "and") || ANSWERS.between.contains(word));
    let paused = (between.start..=other.first).any(|at| text.word(at).is_some_and(|word| word.pause >= Pause::Short));
    let sentences =
        (between.start..=other.first).any(|at| text.word(at).is_some_and(|word| word.pause == Pause::Sentence));
    // sentences of one word after another are a list of answers; numbers and days in two sentences are none
    let one_list = !sentences || matches!(one.class, Class::Answer(_));
    (known && one_list && (or || paused || words.contains(&"and") || words.is_empty())).then_some(if or {
        Join::Or
    } else {
        Join::Other
    })
}
