//! The rules of `data/situations.txt`.

use std::sync::LazyLock;

use candor_x12::Segment;

use crate::guide::Guide;

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) guides: Vec<&'static str>,
    pub(crate) looped: &'static str,
    pub(crate) when: Vec<Condition>,
    pub(crate) needs: Vec<Condition>,
    pub(crate) words: &'static str,
}

#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) whence: Whence,
    pub(crate) id: &'static str,
    pub(crate) element: usize,
    component: usize,
    pub(crate) codes: Vec<&'static str>,
    negated: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Whence {
    Here,
    Around(&'static str),
    Below,
}

pub(crate) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let lines = include_str!("../../data/situations.txt").lines();
    lines.filter(|line| !line.starts_with(';')).filter_map(Rule::read).collect()
});

impl Rule {
    fn read(line: &'static str) -> Option<Self> {
        let mut parts = line.splitn(5, " | ");
        let guides = parts.next()?.split(',').collect();
        let looped = parts.next().map(|id| if id == "-" { "" } else { id })?;
        let when = parts.next()?.split(" & ").map(Condition::read).collect::<Option<_>>()?;
        let needs = parts.next()?.split(" / ").map(Condition::read).collect::<Option<_>>()?;
        Some(Self { guides, looped, when, needs, words: parts.next()? })
    }

    pub(crate) fn is_of(&self, guide: &Guide) -> bool {
        self.guides.iter().any(|id| guide.id().get(6..).is_some_and(|rest| rest.starts_with(id)))
    }

    /// The segment that the rule is about: its first condition's, where that is of the loop itself.
    pub(crate) fn subject(&self) -> Option<&'static str> {
        self.when.first().filter(|first| first.whence == Whence::Here).map(|first| first.id)
    }
}

impl Condition {
    /// Reads `CLM.5.3=7|8`, `SBR.1!=P`, `PWK.6`, `N3`, `2000B>SBR.2=18`, `+2110C`.
    fn read(text: &'static str) -> Option<Self> {
        let (whence, text) = match text.split_once('>') {
            Some((around, rest)) => (Whence::Around(around), rest),
            None => match text.strip_prefix('+') {
                Some(rest) => (Whence::Below, rest),
                None => (Whence::Here, text),
            },
        };
        let (path, codes) = text.split_once('=').map_or((text, None), |(path, codes)| (path, Some(codes)));
        let negated = path.ends_with('!');
        let mut steps = path.trim_end_matches('!').split('.');
        let id = steps.next()?;
        let mut number = || steps.next().map_or(Some(0), |step| step.parse().ok());
        let (element, component) = (number()?, number()?);
        let codes = codes.map(|codes| codes.split('|').collect()).unwrap_or_default();
        Some(Self { whence, id, element, component, codes, negated })
    }

    pub(crate) fn holds(&self, segment: &Segment<'_>) -> bool {
        if self.element == 0 {
            return true;
        }
        let delimiters = segment.delimiters();
        let found = segment.element(self.element).and_then(|element| match self.component {
            0 => Some(element),
            component => element.repetitions(delimiters).next()?.components(delimiters).nth(component - 1),
        });
        let found = found.filter(|piece| !piece.is_empty(delimiters));
        match found {
            None => self.negated,
            Some(_) if self.codes.is_empty() => true,
            Some(piece) => self.codes.iter().any(|code| piece.reads(code)) != self.negated,
        }
    }
}
