//! HL7 v2 paths as field assertions use them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use candor_check::compare::{DateForm, Datum};
use candor_check::field::{Among, Field, FieldPath, Found, PathProblem, Selection};
use candor_check::meaning::{Coded, Concept, Meaning, Understood};
use candor_check::settings::nearest;
use candor_hl7v2::{KeptEscape, Message, Path, Value};
use candor_hl7v2_structure::{GroupPath, GroupPathError, GroupStep, Unknown, is_date, segments, unknown};
use candor_json::json;

#[derive(Clone, Debug)]
pub(crate) struct MessagePath {
    written: GroupPath,
    conditions: Vec<GroupCondition>,
    counted: Option<Box<Field<MessagePath>>>,
}

/// A condition by which a path selects groups: `RXA.5.1=08` in `ORDER[RXA.5.1=08].RXR.1`.
#[derive(Clone, Debug)]
pub(crate) struct GroupCondition {
    /// The name of the groups.
    pub(crate) group: String,
    pub(crate) field: Field<MessagePath>,
}

impl FieldPath for MessagePath {
    const DATES: &'static [DateForm] = &[DateForm::Hl7];
    const MEANINGS: &'static [&'static str] = &["concept"];

    fn meaning(_: &str, value: &candor_json::Value) -> Result<Arc<dyn Meaning>, String> {
        Ok(Arc::new(CodedField(Concept::read(value)?)))
    }

    fn parse(text: &str) -> Result<Self, PathProblem> {
        checked(text, GroupPath::parse(text), &[])
    }

    fn parse_item(text: &str, within: &[Self]) -> Result<Self, PathProblem> {
        checked(text, GroupPath::parse_item_in(text, within.last().and_then(Self::path)), within)
    }

    fn parse_inside(text: &str, within: &[Self]) -> Result<Self, PathProblem> {
        checked(text, GroupPath::parse_inside(text, within.last().and_then(Self::path)), within)
    }
}

/// A concept over coded fields: CE, CWE, CNE.
#[derive(Debug)]
struct CodedField(Concept);

impl Meaning for CodedField {
    fn member(&self) -> &'static str {
        self.0.member()
    }

    fn understood(&self, values: &[candor_json::Value]) -> Understood {
        let coded = values.iter().filter_map(|value| value.as_str()).map(Coded::of_components);
        self.0.understood_in(&coded.collect::<Vec<_>>())
    }
}

fn checked(
    text: &str,
    path: Result<GroupPath, GroupPathError>,
    within: &[MessagePath],
) -> Result<MessagePath, PathProblem> {
    let written = path.map_err(|error| {
        let meant = error.suggestion.map(|path| format!("; did you mean `{path}`?")).unwrap_or_default();
        PathProblem { offset: error.offset, message: format!("{}{meant}", error.message) }
    })?;
    written.paths().into_iter().try_for_each(exists)?;
    let mut conditions = within.last().map(|outer| outer.conditions.clone()).unwrap_or_default();
    if !written.groups().is_empty() {
        conditions.extend(group_conditions(text));
    }
    Ok(MessagePath { written, conditions, counted: None })
}

fn group_conditions(text: &str) -> Vec<GroupCondition> {
    let (mut found, mut before) = (Vec::new(), 0);
    for (end, _) in text.match_indices(']') {
        // A bracket of a group is closed where the text up to it leads to groups.
        let group = text.get(..=end).and_then(|text| GroupPath::parse_item(text).ok()).filter(|to| to.path().is_none());
        let Some(group) = group.as_ref().and_then(|to| to.groups().last()) else { continue };
        let (_, inside) = text.get(before..end).and_then(|text| text.split_once('[')).unwrap_or_default();
        before = end + 1;
        let field = |(equals, _): (usize, &str)| {
            let (path, value) = (inside.get(..equals)?, inside.get(equals + 1..)?);
            Field::equals(path, value.into()).ok()
        };
        let condition = inside.match_indices('=').find_map(field);
        found.extend(condition.map(|field| GroupCondition { group: group.name().to_owned(), field }));
    }
    found
}

/// The most segment ids that are named as ones that may have been meant.
const MOST_NEAR: usize = 3;

/// A path leads to segments and fields that some version of the standard has; the messages may be of any.
pub(crate) fn exists(path: &Path) -> Result<(), PathProblem> {
    let (text, id) = (path.as_str(), path.segment_id());
    let Ok(segment) = <[u8; 3]>::try_from(id.as_bytes()) else { return Ok(()) };
    if unknown(segment, None).is_some() {
        let rest = text.get(3..).unwrap_or_default();
        let has_them = |near: &&str| {
            let near = <[u8; 3]>::try_from(near.as_bytes()).ok();
            near.is_some_and(|near| path.elements().all(|((number, ..), _)| unknown(near, Some(number)).is_none()))
        };
        // Several ids are as near as each other: to name one of them would be a guess.
        let known = segments();
        let near = known.iter().copied().filter(|known| nearest(id, &[*known]).is_some()).filter(has_them);
        let near: Vec<String> = near.map(|near| format!("`{near}{rest}`")).take(MOST_NEAR + 1).collect();
        let meant = match near.len() {
            1..=MOST_NEAR => format!("; did you mean {}?", near.join(" or ")),
            _ => String::new(),
        };
        let message = format!("no version of HL7 v2 has a segment {id}{meant}");
        return Err(PathProblem { offset: 0, message });
    }
    for ((number, ..), condition) in path.elements() {
        let Some(Unknown::Field { last }) = unknown(segment, Some(number)) else { continue };
        let written = if condition.is_some() {
            [format!("[{number}"), String::new()]
        } else {
            [format!(".{number}"), format!("-{number}")]
        };
        let at = written.iter().filter(|written| !written.is_empty()).find_map(|written| text.rfind(written.as_str()));
        let message = if number > last {
            format!("no version of HL7 v2 has {id}-{number}; the last field is `{id}.{last}`")
        } else {
            format!("no version of HL7 v2 defines {id}-{number}")
        };
        return Err(PathProblem { offset: at.map_or(0, |at| at + 1), message });
    }
    Ok(())
}

/// The selection of a path in a message, and the parts of it that could not be decoded.
pub(crate) struct Selected {
    pub(crate) selection: Selection<'static>,
    /// The bytes, in hex, of the first value of which some were replaced by U+FFFD.
    pub(crate) replaced: Option<String>,
    /// The escape sequences that are still in the first value that has some, and what each is.
    pub(crate) kept_escapes: Vec<(String, &'static str)>,
}

impl MessagePath {
    pub(crate) const fn written(&self) -> &GroupPath {
        &self.written
    }

    /// The conditions of its groups, and of those that the items in which it begins were selected by.
    pub(crate) fn conditions(&self) -> &[GroupCondition] {
        &self.conditions
    }

    /// The field that reads all items of a selector, for a group of which nothing but their number is asserted.
    pub(crate) fn counted(&self) -> Option<&Field<Self>> {
        self.counted.as_deref()
    }

    /// Makes that field, which every item must be safe for, or one of them. Of groups it reads their conditions only.
    pub(crate) fn count_items(&mut self, text: &str, every: bool) {
        let path = match self.path() {
            None => format!("{text}.MSH"),
            Some(path) if path.is_segment() && path.takes_first_segment() => format!("{text}[*]"),
            Some(_) => text.to_owned(),
        };
        let field = match every {
            true => json!({"path": path, "op": "count", "expected": {"min": 0}}),
            false => json!({"path": path, "op": "notEmpty"}),
        };
        let field: Option<Field<Self>> = candor_json::from_value(field).ok();
        self.counted = field.map(|field| {
            let path = Self { conditions: self.conditions.clone(), ..field.path };
            Box::new(Field { path, ..field })
        });
    }

    /// The path after the groups; `None` for a selector of groups.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.written.path()
    }

    pub(crate) fn groups(&self) -> &[GroupStep] {
        self.written.groups()
    }

    pub(crate) fn is_date(&self) -> bool {
        let Ok(segment) = <[u8; 3]>::try_from(self.segment_id().as_bytes()) else { return false };
        let own = self.path().and_then(|path| path.elements().find(|(_, condition)| condition.is_none()));
        own.is_some_and(|((field, component, _), _)| component.is_none_or(|one| one == 1) && is_date(segment, field))
    }

    pub(crate) fn segment_id(&self) -> &str {
        self.path().map_or("", Path::segment_id)
    }
}

/// Evaluates a path among segments. `offset` is where the message's bytes begin in the file; without it values have no span.
/// Of how many values a path takes the first.
pub(crate) fn among(path: &Path, message: &Message<'_>, among: &[Range<usize>]) -> Option<Box<Among>> {
    path.of_every().iter().find_map(|every| Among::of(every.select_in(message, among).count(), every.as_str()))
}

pub(crate) fn select(path: &Path, message: &Message<'_>, among: &[Range<usize>], offset: Option<u64>) -> Selected {
    let mut replaced = None;
    let mut kept_escapes = Vec::new();
    let found = |value: Value<'_>| {
        let decoded = value.text();
        if decoded.replaced && replaced.is_none() {
            replaced = Some(hex(value.raw()));
        }
        if kept_escapes.is_empty() {
            let kept = value.kept_escapes().into_iter().take(MOST_ESCAPES);
            let shown =
                |kept: KeptEscape<'_>| (String::from_utf8_lossy(kept.sequence).into_owned(), kept.meaning.words());
            kept_escapes.extend(kept.map(shown));
        }
        let span = offset.map(|offset| offset + value.span().start as u64..offset + value.span().end as u64);
        Found { datum: Datum::Text(Cow::Owned(decoded.text.into_owned())), span }
    };
    let values = path.select_in(message, among).map(found).collect();
    Selected { selection: Selection::texts(values), replaced, kept_escapes }
}

/// The most escape sequences of one value that evidence names.
const MOST_ESCAPES: usize = 20;

fn hex(bytes: &[u8]) -> String {
    const MOST: usize = 64;
    let shown: String = bytes.iter().take(MOST).map(|byte| format!("{byte:02X}")).collect();
    if bytes.len() > MOST { format!("{shown}…") } else { shown }
}
