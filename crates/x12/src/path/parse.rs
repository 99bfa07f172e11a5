//! Text to path. Recursion is as deep as conditions lie within each other, which is bounded.

use super::{ElementStep, ItemPath, LoopStep, Path, PathError, PathErrorKind, Repetition, Selector};
use crate::SegmentId;

type Fault = (usize, PathErrorKind);

/// No segment of X12 has more elements: a designator has two digits for them.
const MOST_ELEMENTS: usize = 99;

/// The most conditions that lie within each other.
const MOST_LEVELS: usize = 4;

pub(super) fn path(text: &str) -> Result<Path, Fault> {
    match parsed(text, 0)? {
        Parsed::Path(path) => Ok(path),
        Parsed::Loops(_) => Err((text.len(), PathErrorKind::LoopAlone)),
    }
}

impl ItemPath {
    /// Reads a selector.
    ///
    /// ```
    /// use candor_x12::path::{ItemPath, PathErrorKind};
    /// assert!(matches!(ItemPath::parse("2000B.2300"), Ok(ItemPath::Loops(loops)) if loops.len() == 2));
    /// assert!(matches!(ItemPath::parse("2110C.EB[3=30]"), Ok(ItemPath::Segments(_))));
    /// assert_eq!(ItemPath::parse("EB.3").unwrap_err().kind, PathErrorKind::ElementAsItem);
    /// ```
    ///
    /// # Errors
    /// The first error in it, and its place. Nothing is suggested: a similar selector would select other items.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        item(text).map_err(|(at, kind)| PathError { path: text.to_owned(), at, suggestion: None, kind })
    }
}

fn item(text: &str) -> Result<ItemPath, Fault> {
    match parsed(text, 0)? {
        Parsed::Loops(loops) => Ok(ItemPath::Loops(loops)),
        Parsed::Path(path) => match &path.element {
            None => Ok(ItemPath::Segments(path)),
            Some(step) => Err((step.at, PathErrorKind::ElementAsItem)),
        },
    }
}

enum Parsed {
    Path(Path),
    /// Loops without a segment behind them.
    Loops(Vec<LoopStep>),
}

fn parsed(text: &str, level: usize) -> Result<Parsed, Fault> {
    let mut cursor = Cursor { text, at: 0 };
    let mut loops = Vec::new();
    loop {
        let start = cursor.at;
        let word = cursor.word();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            if !is_loop_id(word) {
                return Err((start, PathErrorKind::LoopId));
            }
            let selectors = cursor.selectors(Some(level))?;
            loops.push(LoopStep { id: word.to_owned(), selectors });
            if cursor.rest().is_empty() {
                return Ok(Parsed::Loops(loops));
            }
            if !cursor.eat('.') {
                return Err((cursor.at, PathErrorKind::Trailing));
            }
            continue;
        }
        // `EB03` is segment and element at once: what is left of two digits has to be an id.
        let (id, designated) = match word.len() {
            4 | 5 => word.split_at_checked(word.len() - 2).ok_or((start, PathErrorKind::SegmentId))?,
            _ => (word, ""),
        };
        let segment = SegmentId::new(id).ok_or((start, PathErrorKind::SegmentId))?;
        if matches!(segment.as_str(), "GE" | "IEA") {
            return Err((start, PathErrorKind::Trailer));
        }
        let selectors = if designated.is_empty() { cursor.selectors(None)? } else { Vec::new() };
        let element = if designated.is_empty() {
            cursor.element()?
        } else {
            Some((designator(designated, start + id.len())?, start + id.len()))
        };
        let element = match element {
            None => None,
            Some((position, at)) => Some(cursor.element_step(position, at)?),
        };
        if !cursor.rest().is_empty() {
            return Err((cursor.at, PathErrorKind::Trailing));
        }
        let text = text.to_owned();
        return Ok(Parsed::Path(Path { text, loops, segment, segment_at: start, selectors, element }));
    }
}

fn is_loop_id(word: &str) -> bool {
    let letters = word.get(4..).unwrap_or_default();
    word.bytes().take(4).filter(u8::is_ascii_digit).count() == 4
        && letters.len() <= 2
        && letters.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn designator(digits: &str, at: usize) -> Result<usize, Fault> {
    if digits.len() != 2 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err((at, PathErrorKind::SegmentId));
    }
    position(digits, at, MOST_ELEMENTS)
}

fn position(digits: &str, at: usize, most: usize) -> Result<usize, Fault> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err((at, PathErrorKind::Number));
    }
    match digits.parse::<usize>() {
        Ok(0) => Err((at, PathErrorKind::Zero)),
        Ok(value) if value <= most => Ok(value),
        _ => Err((at, PathErrorKind::TooLarge)),
    }
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let there = self.rest().starts_with(wanted);
        if there {
            self.at += wanted.len_utf8();
        }
        there
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.bytes().take_while(|byte| keep(*byte)).count();
        self.at += len;
        rest.get(..len).unwrap_or_default()
    }

    fn word(&mut self) -> &'a str {
        self.take_while(|byte| byte.is_ascii_alphanumeric())
    }

    fn number(&mut self, most: usize) -> Result<usize, Fault> {
        let at = self.at;
        position(self.take_while(|byte| byte.is_ascii_digit()), at, most)
    }

    fn bracket(&mut self) -> Result<Option<(usize, &'a str)>, Fault> {
        let open = self.at;
        if !self.eat('[') {
            return Ok(None);
        }
        let start = self.at;
        let len = closing(self.rest()).ok_or((open, PathErrorKind::UnclosedBracket))?;
        let inside = self.rest().get(..len).unwrap_or_default();
        self.at += len + 1;
        Ok(Some((start, inside)))
    }

    /// `level`: of a loop, in how many conditions it lies.
    fn selectors(&mut self, level: Option<usize>) -> Result<Vec<Selector>, Fault> {
        let mut selectors = Vec::new();
        while let Some((at, inside)) = self.bracket()? {
            selectors.push(match (level, condition_inside(inside)) {
                (Some(level), Some((left, value))) => holds(at, left, value, level)?,
                _ => selector(at, inside)?,
            });
        }
        Ok(selectors)
    }

    /// `.3`, or the `03` of `EB[2]03`; nothing for a segment alone.
    /// With the byte where it is written.
    fn element(&mut self) -> Result<Option<(usize, usize)>, Fault> {
        if self.eat('.') {
            let at = self.at;
            return self.number(MOST_ELEMENTS).map(|position| Some((position, at)));
        }
        let at = self.at;
        let digits = self.take_while(|byte| byte.is_ascii_digit());
        if digits.is_empty() {
            return Ok(None);
        }
        designator(digits, at).map(|position| Some((position, at))).map_err(|(at, kind)| match kind {
            PathErrorKind::SegmentId => (at, PathErrorKind::Trailing),
            kind => (at, kind),
        })
    }

    fn element_step(&mut self, position: usize, at: usize) -> Result<ElementStep, Fault> {
        let repetition = match self.bracket()? {
            None => Repetition::First,
            Some((place, inside)) => match selector(place, inside)? {
                Selector::Nth(n) => Repetition::Nth(n),
                Selector::All => Repetition::All,
                Selector::Where { .. } | Selector::Holds { .. } => {
                    return Err((place, PathErrorKind::ConditionOnElement));
                }
            },
        };
        let component = if self.eat('-') || self.eat('.') { Some(self.number(MOST_ELEMENTS)?) } else { None };
        Ok(ElementStep { position, at, repetition, component })
    }
}

/// How far it is to the bracket that closes the one before. Brackets of a path before `=` belong together; the value ends
/// with the first bracket.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_value = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b']' if depth == 0 => return Some(at),
            b']' => depth -= 1,
            b'[' if !in_value => depth += 1,
            b'=' if depth == 0 => in_value = true,
            _ => {}
        }
    }
    None
}

/// The path and the value of `2010BA.NM1.9=M100` and `REF[1=0F].2=M100`: what begins with a segment or a loop, and not with
/// an element.
fn condition_inside(inside: &str) -> Option<(&str, &str)> {
    let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
    if digits < 4 && !inside.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let mut depth = 0_usize;
    let equals = inside.bytes().position(|byte| {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b'=' && depth == 0
    })?;
    let (left, value) = inside.split_at_checked(equals)?;
    Some((left, value.get(1..)?))
}

fn holds(at: usize, left: &str, value: &str, level: usize) -> Result<Selector, Fault> {
    if level >= MOST_LEVELS {
        return Err((at, PathErrorKind::TooDeep));
    }
    let path = match parsed(left, level + 1).map_err(|(inner, kind)| (at + inner, kind))? {
        Parsed::Path(path) => Box::new(path),
        Parsed::Loops(_) => return Err((at + left.len(), PathErrorKind::LoopAlone)),
    };
    if matches!(path.segment.as_str(), "ISA" | "GS") {
        return Err((at + path.segment_at, PathErrorKind::OutsideLoops));
    }
    if value.is_empty() {
        return Err((at + left.len() + 1, PathErrorKind::EmptyValue));
    }
    Ok(Selector::Holds { path, value: value.to_owned() })
}

/// `2`, `*`, `3=30`, `03=30`, `1.2=99213` or `01-2=99213`.
fn selector(at: usize, inside: &str) -> Result<Selector, Fault> {
    if inside == "*" {
        return Ok(Selector::All);
    }
    let Some((left, value)) = inside.split_once('=') else {
        return match position(inside, at, usize::MAX) {
            Err((at, PathErrorKind::Number)) => Err((at, PathErrorKind::Selector)),
            other => other.map(Selector::Nth),
        };
    };
    let (element, component) = match left.split_once(['.', '-']) {
        None => (left, None),
        Some((element, component)) => {
            let place = at + element.len() + 1;
            (element, Some(position(component, place, MOST_ELEMENTS)?))
        }
    };
    let element = position(element, at, MOST_ELEMENTS)?;
    if value.is_empty() {
        return Err((at + inside.len(), PathErrorKind::EmptyValue));
    }
    Ok(Selector::Where { element, component, value: value.to_owned(), at })
}

/// A path near `text` that can be read.
pub(super) fn suggestion(text: &str) -> Option<String> {
    let outside = |change: &dyn Fn(char) -> Option<char>| {
        let mut depth = 0_usize;
        text.chars()
            .filter_map(|c| {
                match c {
                    '[' => depth += 1,
                    ']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth == 0 || c == '[' { change(c) } else { Some(c) }
            })
            .collect::<String>()
    };
    let upper = outside(&|c| Some(c.to_ascii_uppercase()));
    let dotted = outside(&|c| {
        Some(match c {
            '/' | '-' | '_' | '^' | ':' => '.',
            c => c.to_ascii_uppercase(),
        })
    });
    let tight = outside(&|c| (!c.is_whitespace()).then(|| c.to_ascii_uppercase()));
    let closed = format!("{upper}]");
    let counted = upper.replace("[0]", "[1]");
    let one = counted
        .strip_suffix(".0")
        .map(|head| format!("{head}.1"))
        .or_else(|| counted.strip_suffix("00").map(|head| format!("{head}01")));
    [Some(upper.clone()), Some(dotted), Some(tight), Some(closed), Some(counted), one]
        .into_iter()
        .flatten()
        .find(|candidate| candidate != text && path(candidate).is_ok())
}
