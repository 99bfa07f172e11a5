//! Text to path.

use super::{Condition, FieldStep, Path, PathError, PathErrorKind, Repetition, Segments};
use crate::reader::is_segment_id;

type Fault = (usize, PathErrorKind);

impl Path {
    /// Reads a path.
    ///
    /// # Errors
    /// A path that can never select anything, with the place and, where one is near, what may have been meant.
    ///
    /// ```
    /// use candor_hl7v2::Path;
    ///
    /// assert!(Path::parse("OBX[3.1=2345-7].5").is_ok());
    /// let error = Path::parse("PID.0").unwrap_err();
    /// assert_eq!((error.offset, error.suggestion.as_deref()), (4, Some("PID.1")));
    /// ```
    pub fn parse(text: &str) -> Result<Self, PathError> {
        parse(text).map_err(|(offset, kind)| PathError {
            offset,
            kind,
            suggestion: suggest(text, offset, kind).filter(|candidate| parse(candidate).is_ok()),
        })
    }
}

struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().bytes().next()
    }

    /// A number from 1.
    fn number(&mut self) -> Result<u32, Fault> {
        let start = self.at;
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let digits = rest.get(..length).unwrap_or_default();
        if digits.is_empty() {
            return Err((start, PathErrorKind::Number));
        }
        self.at += length;
        match digits.parse() {
            Ok(0) => Err((start, PathErrorKind::Zero)),
            Ok(number) => Ok(number),
            Err(_) => Err((start, PathErrorKind::TooLarge)),
        }
    }

    /// A number after `.` or `-`, when one of these follows.
    fn step(&mut self) -> Result<Option<u32>, Fault> {
        if !matches!(self.peek(), Some(b'.' | b'-')) {
            return Ok(None);
        }
        self.at += 1;
        self.number().map(Some)
    }

    /// The content of `[…]`, when it follows, and where it begins.
    fn bracket(&mut self) -> Result<Option<(usize, &'t str)>, Fault> {
        let Some(rest) = self.rest().strip_prefix('[') else {
            return Ok(None);
        };
        let (content, _) = rest.split_once(']').ok_or((self.at, PathErrorKind::Bracket))?;
        let start = self.at + 1;
        self.at = start + content.len() + 1;
        Ok(Some((start, content)))
    }

    fn below_field(&mut self) -> Result<(Option<u32>, Option<u32>), Fault> {
        let component = self.step()?;
        self.no_bracket(component)?;
        let subcomponent = if component.is_some() { self.step()? } else { None };
        self.no_bracket(subcomponent)?;
        Ok((component, subcomponent))
    }

    fn no_bracket(&self, step: Option<u32>) -> Result<(), Fault> {
        match (step, self.peek()) {
            (Some(_), Some(b'[')) => Err((self.at, PathErrorKind::SelectorPlace)),
            _ => Ok(()),
        }
    }

    fn end(&self) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(b'.' | b'-') => Err((self.at, PathErrorKind::TooDeep)),
            Some(b']') => Err((self.at, PathErrorKind::Bracket)),
            Some(b'[') => Err((self.at, PathErrorKind::SecondSelector)),
            Some(_) => Err((self.at, PathErrorKind::Unexpected)),
        }
    }
}

fn parse(text: &str) -> Result<Path, Fault> {
    let segment = match text.as_bytes() {
        [a, b, c] | [a, b, c, b'.' | b'-' | b'[' | b']', ..] => [*a, *b, *c],
        [a, b, c, rest @ ..] if is_segment_id([*a, *b, *c]) && !rest.first().is_some_and(u8::is_ascii_alphanumeric) => {
            return Err((3, PathErrorKind::Unexpected));
        }
        _ => return Err((0, PathErrorKind::SegmentId)),
    };
    if !is_segment_id(segment) {
        return Err((0, PathErrorKind::SegmentId));
    }
    if matches!(&segment, b"FHS" | b"BHS" | b"BTS" | b"FTS") {
        return Err((0, PathErrorKind::BatchSegment));
    }
    let header = segment == *b"MSH";
    let mut cursor = Cursor { text, at: 3 };
    let segments = segments(&mut cursor, header)?;
    let (mut field, mut conditions) = (None, Vec::new());
    let field_at = cursor.at + 1;
    if let Some(number) = cursor.step()? {
        let repetition = repetition(&mut cursor, number, header, &mut conditions)?;
        let (component, subcomponent) = cursor.below_field()?;
        let step = FieldStep { number, repetition, component, subcomponent };
        opaque(header, &step, field_at)?;
        field = Some(step);
    }
    cursor.end()?;
    Ok(Path { text: text.into(), segment, segments, field, repetitions: conditions.into() })
}

fn segments(cursor: &mut Cursor<'_>, header: bool) -> Result<Segments, Fault> {
    let mut single = None;
    let mut conditions = Vec::new();
    while let Some((at, content)) = cursor.bracket()? {
        if single.is_some() {
            return Err((at - 1, PathErrorKind::SecondSelector));
        }
        if let Some((path, value)) = content.split_once('=') {
            conditions.push(condition(path, value, at, header)?);
            continue;
        }
        if !conditions.is_empty() {
            return Err((at - 1, PathErrorKind::SecondSelector));
        }
        single = Some(match index(content, at)? {
            Repetition::All | Repetition::First => Segments::All,
            Repetition::Nth(number) if header && number > 1 => {
                return Err((at, PathErrorKind::SecondMsh));
            }
            Repetition::Nth(number) => Segments::Nth(number),
        });
    }
    Ok(match single {
        Some(single) => single,
        None if conditions.is_empty() => Segments::First,
        None => Segments::Where(conditions.into()),
    })
}

/// `n` or `*`.
fn index(content: &str, at: usize) -> Result<Repetition, Fault> {
    if content == "*" {
        return Ok(Repetition::All);
    }
    let mut cursor = Cursor { text: content, at: 0 };
    match cursor.number() {
        Ok(number) if cursor.peek().is_none() => Ok(Repetition::Nth(number)),
        Err((_, kind @ (PathErrorKind::Zero | PathErrorKind::TooLarge))) if cursor.peek().is_none() => Err((at, kind)),
        _ => Err((at, PathErrorKind::Selector)),
    }
}

fn condition(path: &str, value: &str, at: usize, header: bool) -> Result<Condition, Fault> {
    let shift = |(offset, kind): Fault| (at + offset, kind);
    let mut cursor = Cursor { text: path, at: 0 };
    let number = cursor.number().map_err(shift)?;
    let (component, subcomponent) = cursor.below_field().map_err(shift)?;
    if cursor.peek().is_some() {
        return Err((at + cursor.at, PathErrorKind::Selector));
    }
    if value.is_empty() {
        return Err((at + path.len() + 1, PathErrorKind::ConditionValue));
    }
    let field = FieldStep { number, repetition: Repetition::All, component, subcomponent };
    opaque(header, &field, at)?;
    Ok(Condition { field, value: value.into() })
}

/// `[n]`, `[*]`, or conditions on components of the field with this number.
fn repetition(
    cursor: &mut Cursor<'_>,
    number: u32,
    header: bool,
    conditions: &mut Vec<Condition>,
) -> Result<Repetition, Fault> {
    let mut single = None;
    while let Some((at, content)) = cursor.bracket()? {
        if single.is_some() {
            return Err((at - 1, PathErrorKind::SecondSelector));
        }
        let Some((components, value)) = content.split_once('=') else {
            if !conditions.is_empty() {
                return Err((at - 1, PathErrorKind::SecondSelector));
            }
            single = Some(index(content, at)?);
            continue;
        };
        let condition = condition(components, value, at, false)?;
        let FieldStep { number: component, component: subcomponent, subcomponent: beyond, .. } = condition.field;
        if beyond.is_some() {
            return Err((at, PathErrorKind::TooDeep));
        }
        if header && number <= 2 {
            return Err((at, PathErrorKind::Opaque));
        }
        let repetition = Repetition::All;
        let field = FieldStep { number, repetition, component: Some(component), subcomponent };
        conditions.push(Condition { field, ..condition });
    }
    Ok(match single {
        Some(single) => single,
        None if conditions.is_empty() => Repetition::First,
        None => Repetition::All,
    })
}

/// MSH-1 and MSH-2 have one repetition, one component and one subcomponent.
fn opaque(header: bool, step: &FieldStep, at: usize) -> Result<(), Fault> {
    let beyond = |number: Option<u32>| number.is_some_and(|number| number > 1);
    let repeats = matches!(step.repetition, Repetition::Nth(number) if number > 1);
    if header && step.number <= 2 && (repeats || beyond(step.component) || beyond(step.subcomponent)) {
        return Err((at, PathErrorKind::Opaque));
    }
    Ok(())
}

/// A path that may have been meant; the caller keeps it when it is one.
fn suggest(text: &str, offset: usize, kind: PathErrorKind) -> Option<String> {
    let (before, after) = text.split_at_checked(offset)?;
    let tail = after.get(1..).unwrap_or_default();
    match kind {
        PathErrorKind::SegmentId => {
            let text = text.trim();
            let (id, rest) = text.split_at_checked(3)?;
            let dot = if rest.starts_with(|c: char| c.is_ascii_digit()) { "." } else { "" };
            Some(format!("{}{dot}{rest}", id.to_ascii_uppercase()))
        }
        PathErrorKind::Zero => Some(format!("{before}1{}", after.trim_start_matches('0'))),
        PathErrorKind::Bracket if after.starts_with('[') => Some(format!("{text}]")),
        PathErrorKind::Bracket if tail.is_empty() => Some(before.to_owned()),
        PathErrorKind::Number if after.is_empty() => Some(before.get(..offset.checked_sub(1)?)?.to_owned()),
        PathErrorKind::Unexpected if after.trim().is_empty() => Some(before.to_owned()),
        PathErrorKind::Unexpected => Some(format!("{before}.{tail}")),
        PathErrorKind::TooDeep => Some(before.to_owned()),
        PathErrorKind::Opaque if !before.contains('[') => Some(format!("MSH.{}", after.get(..1)?)),
        PathErrorKind::SecondMsh => Some(format!("MSH{}", after.split_once(']')?.1)),
        PathErrorKind::SelectorPlace => {
            let (selector, rest) = after.split_once(']')?;
            let mut steps = before.splitn(3, ['.', '-']);
            let (segment, field, below) = (steps.next()?, steps.next()?, steps.next()?);
            Some(format!("{segment}.{field}{selector}].{below}{rest}"))
        }
        _ => None,
    }
}
