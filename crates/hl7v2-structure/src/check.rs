//! Checks a message against the structure it should have.

use std::collections::{HashMap, HashSet};

use candor_hl7v2::{Message, Path, Piece};

use crate::fields;
use crate::grammar::{Grammar, each};
use crate::order::{Fault, Misfit, fits, misfits};
use crate::table::{Segment, Version};
use crate::violation::{Rule, Violation};

/// The most violations that are listed of one message; the others are counted.
pub const MOST_VIOLATIONS: usize = 200;

/// Which structure a message should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// The one that MSH-9 says: MSH-9.3, or by table 0354 the one that MSH-9.1 and MSH-9.2 use.
    ByMessage,
    /// This one.
    Named(&'a str),
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// There are no tables for the version in MSH-12.1, which is given as written.
    UnknownVersion(String),
    /// The version has no such structure.
    UnknownStructure {
        /// The version.
        version: &'static str,
        /// The structure that was asked for, or the message type without a structure: `ADT^Z01`.
        name: String,
    },
    /// The message was checked.
    Checked(Checked),
}

/// A message that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The version.
    pub version: &'static str,
    /// The structure.
    pub structure: &'static str,
    /// The violations, in the order of the message; empty when it fits.
    pub violations: Vec<Violation>,
    /// Violations beyond [`MOST_VIOLATIONS`].
    pub more: usize,
}

/// Checks a message against the abstract message structure of its version.
///
/// Time grows with the length of the message alone, whatever it holds.
#[must_use]
pub fn check(message: &Message<'_>, wanted: Wanted<'_>) -> Fit {
    let stated = text(message, "MSH.12.1");
    let Some(version) = Version::named(&stated) else { return Fit::UnknownVersion(stated) };
    let mut report = Report { message, violations: Vec::new(), more: 0 };
    let named = match wanted {
        Wanted::Named(name) => version.grammar(name).ok_or_else(|| name.to_owned()),
        Wanted::ByMessage => by_message(version, message, &mut report),
    };
    let (structure, grammar) = match named {
        Ok(named) => named,
        Err(name) => return Fit::UnknownStructure { version: version.id(), name },
    };
    report.order(version, grammar, structure);
    report.fields(version);
    let Report { mut violations, more, .. } = report;
    violations.sort_by_key(|violation| violation.line);
    Fit::Checked(Checked { version: version.id(), structure, violations, more })
}

/// The structure that a message has by MSH-9, for one whose form is not asserted.
///
/// # Errors
/// As [`Fit`] has it: the version or the structure that is not known.
pub(crate) fn structure_of(message: &Message<'_>) -> Result<(&'static Version, Structure), Fit> {
    let stated = text(message, "MSH.12.1");
    let version = Version::named(&stated).ok_or(Fit::UnknownVersion(stated))?;
    let mut report = Report { message, violations: Vec::new(), more: 0 };
    match by_message(version, message, &mut report) {
        Ok(structure) => Ok((version, structure)),
        Err(name) => Err(Fit::UnknownStructure { version: version.id(), name }),
    }
}

pub(crate) type Structure = (&'static str, &'static Grammar);
type Named = Result<Structure, String>;

fn by_message(version: &'static Version, message: &Message<'_>, report: &mut Report<'_>) -> Named {
    let (code, trigger, named) = (text(message, "MSH.9.1"), text(message, "MSH.9.2"), text(message, "MSH.9.3"));
    let event = match trigger.clone() {
        // Until 2.1 only EVN-1 has the event.
        event if event.is_empty() => text(message, "EVN.1"),
        event => event,
    };
    let by_event = version.structures_of(&code, &event);
    let legal = version.legal_structures(&code, &event, &by_event);
    let contradicts = !named.is_empty() && !legal.is_empty() && !legal.contains(&named.as_str());
    // A receiver routes by both. A general acknowledgment has no trigger, and early versions had it in EVN-1 alone.
    let has_no_trigger = !version.structures_of(&code, "").is_empty() || ["2.1", "2.2"].contains(&version.id());
    if code.is_empty() && !(trigger.is_empty() && named.is_empty()) {
        report.missing_in_message_type(1, "Message Code (required)");
    } else if !code.is_empty() && trigger.is_empty() && !has_no_trigger {
        report.missing_in_message_type(2, "Trigger Event (required)");
    }
    if contradicts || (!named.is_empty() && !version.has_structure(&named) && !by_event.is_empty()) {
        report.structure(&code, &event, &legal, &named);
    }
    let name = if version.has_structure(&named) { Some(named.as_str()) } else { by_event.first().copied() };
    let unknown = || match (named.is_empty(), event.is_empty()) {
        (false, _) => named.clone(),
        (true, false) => format!("{code}^{event}"),
        (true, true) => code.clone(),
    };
    name.and_then(|name| version.grammar(name)).ok_or_else(unknown)
}

/// The first value of a path that is known to be right.
fn text(message: &Message<'_>, path: &str) -> String {
    let Ok(path) = Path::parse(path) else { return String::new() };
    let value = path.select(message).next().map(|value| value.text().text.trim().to_owned());
    value.filter(|value| value != "\"\"").unwrap_or_default()
}

struct Report<'m> {
    message: &'m Message<'m>,
    violations: Vec<Violation>,
    more: usize,
}

impl Report<'_> {
    fn is_full(&self) -> bool {
        self.violations.len() >= MOST_VIOLATIONS
    }

    fn push(&mut self, violation: Violation) {
        if self.is_full() {
            self.more += 1;
        } else {
            self.violations.push(violation);
        }
    }

    fn missing_in_message_type(&mut self, component: u32, expected: &str) {
        let field = self.message.segments().next().and_then(|header| header.field(9));
        let span = field.map(|field| field.piece().span()).unwrap_or_default();
        let (rule, path) = (Rule::MissingField, format!("MSH.9.{component}"));
        let (group, expected, span) = (String::new(), expected.to_owned(), span.start..span.start);
        self.push(Violation { rule, code: rule.code(), path, group, expected, actual: None, span, line: 1 });
    }

    /// MSH-9.3 is not what table 0354 says of the event.
    fn structure(&mut self, code: &str, event: &str, by_event: &[&str], named: &str) {
        let header = self.message.segments().next();
        let field = header.and_then(|header| header.field(9));
        let piece = field.and_then(|field| field.piece().components(self.message.delimiters()).nth(2));
        let expected = format!("{} for {code}^{event} (table 0354)", by_event.join(" or "));
        let span = piece.map(|piece| piece.span()).unwrap_or_default();
        let actual = Some(named.to_owned());
        let (rule, path) = (Rule::WrongCode, "MSH.9.3".to_owned());
        self.push(Violation { rule, code: rule.code(), path, group: String::new(), expected, actual, span, line: 1 });
    }

    fn order(&mut self, version: &Version, grammar: &Grammar, structure: &str) {
        let message = self.message;
        let known = |id: [u8; 3]| !id.starts_with(b"Z") && (version.segment(id).is_some() || grammar.has(id));
        if fits(grammar, message.segments().map(|segment| segment.id()).filter(|&id| known(id))) {
            return;
        }
        let segments: Vec<(usize, [u8; 3])> =
            message.segments().map(|segment| segment.id()).enumerate().filter(|&(_, id)| known(id)).collect();
        let ids: Vec<[u8; 3]> = segments.iter().map(|&(_, id)| id).collect();
        let occurrences = occurrences(&ids);
        for misfit in misfits(grammar, &ids) {
            if self.is_full() {
                self.more += 1;
                continue;
            }
            let at = segments.get(misfit.at).map(|&(line, _)| line);
            let occurrence = occurrences.get(misfit.at).copied();
            let next = misfit.next.and_then(|next| ids.get(next)).copied();
            self.misfit(grammar, structure, &misfit, at, occurrence, next);
        }
    }

    fn misfit(
        &mut self,
        grammar: &Grammar,
        structure: &str,
        misfit: &Misfit,
        at: Option<usize>,
        occurrence: Option<([u8; 3], usize)>,
        next: Option<[u8; 3]>,
    ) {
        let message = self.message;
        let here = at.and_then(|line| message.segments().nth(line)).map(|segment| segment.piece());
        let span = here.as_ref().map_or(message.span().end..message.span().end, Piece::span);
        let found = occurrence.map(|(id, number)| segment_path(id, number)).unwrap_or_default();
        let name = |place: usize| grammar.places.get(place).map_or("", |place| place.id);
        let instead = || {
            // It could come here if another segment followed.
            if let Some(((id, _), next)) = occurrence.zip(next)
                && grammar.places_of(id) & misfit.instead != 0
            {
                return format!("after {}, which follows it here", String::from_utf8_lossy(&next));
            }
            if let Some(place) = misfit.belongs_before {
                return format!("before {}, which it follows here", name(place));
            }
            let mut named = HashSet::new();
            let names: Vec<&str> = each(misfit.instead).map(name).filter(|name| named.insert(*name)).collect();
            match names.split_first() {
                None => "the end of the message".to_owned(),
                Some((only, [])) => (*only).to_owned(),
                Some(_) => format!("one of {}", names.join(", ")),
            }
        };
        let (rule, path, expected) = match misfit.fault {
            Fault::MissingSegment(place) => {
                (Rule::MissingSegment, name(place).to_owned(), format!("{} (required)", name(place)))
            }
            Fault::MissingGroup(group) => {
                let (title, first) =
                    grammar.groups.get(group).map_or(("", ""), |group| (group.name, name(group.first)));
                let expected = format!("the group {title}, beginning with {first} (required)");
                (Rule::MissingGroup, first.to_owned(), expected)
            }
            Fault::NotInStructure => (Rule::UnexpectedSegment, found, format!("no such segment in {structure}")),
            Fault::TooMany => (Rule::TooManySegments, found, "no more than one here".to_owned()),
            Fault::OutOfOrder => (Rule::SegmentOutOfOrder, found, instead()),
        };
        let missing = matches!(misfit.fault, Fault::MissingSegment(_) | Fault::MissingGroup(_));
        let group: Vec<String> = misfit
            .groups
            .iter()
            .filter_map(|&(group, repetition)| {
                grammar.groups.get(group).map(|group| format!("{}[{repetition}]", group.name))
            })
            .collect();
        self.push(Violation {
            rule,
            code: rule.code(),
            path,
            group: group.join("."),
            expected,
            actual: here.filter(|_| !missing).map(|piece| cut(piece.raw())),
            span: if missing { span.start..span.start } else { span },
            line: at.map_or(message.segments().len(), |line| line) + 1,
        });
    }

    fn fields(&mut self, version: &Version) {
        let message = self.message;
        let delimiters = message.delimiters();
        for (index, segment) in message.segments().enumerate() {
            let id = segment.id();
            let Some(definition): Option<&Segment> = version.segment(id) else { continue };
            let end = segment.piece().span().end;
            fields::check(segment, definition, (delimiters, version.id()), &mut |wrong: fields::Wrong<'_>| {
                if self.is_full() {
                    self.more += 1;
                    return;
                }
                let number = message.segments().take(index + 1).filter(|segment| segment.id() == id).count();
                let repetition = match wrong.repetition {
                    1 => String::new(),
                    repetition => format!("[{repetition}]"),
                };
                self.push(Violation {
                    rule: wrong.rule,
                    code: wrong.rule.code(),
                    path: format!("{}.{}{repetition}", segment_path(id, number), wrong.number),
                    group: String::new(),
                    expected: wrong.expected,
                    actual: wrong.piece.map(|piece| cut(piece.raw())),
                    span: wrong.piece.map_or(end..end, |piece| piece.span()),
                    line: index + 1,
                });
            });
        }
    }
}

/// Of every segment, its id and which one of them it is, from 1.
fn occurrences(ids: &[[u8; 3]]) -> Vec<([u8; 3], usize)> {
    let mut counted: HashMap<[u8; 3], usize> = HashMap::new();
    ids.iter().map(|&id| (id, *counted.entry(id).and_modify(|number| *number += 1).or_insert(1))).collect()
}

fn segment_path(id: [u8; 3], number: usize) -> String {
    let id = String::from_utf8_lossy(&id);
    if number == 1 { id.into_owned() } else { format!("{id}[{number}]") }
}

fn cut(raw: &[u8]) -> String {
    const MOST: usize = 80;
    let text = String::from_utf8_lossy(raw.get(..MOST * 4).unwrap_or(raw));
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(MOST).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}
