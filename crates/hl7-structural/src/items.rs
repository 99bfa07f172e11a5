//! Item groups over a message: its groups, segments and repetitions of fields, one by one.

use std::cell::OnceCell;
use std::ops::Range;

use candor_check::field::{Field, FieldReason, FieldResult, ItemGroup, Items, Location, ReadFrom, Selection, Thing};
use candor_hl7v2::{Message, Path};
use candor_hl7v2_structure::{Fit, Groups, Scope};
use serde_json::json;

use crate::path::{MessagePath, Selected, select};

/// A message while its fields and groups are judged.
pub(crate) struct Judging<'m> {
    pub(crate) message: &'m Message<'m>,
    /// Where the message's bytes begin in the file.
    pub(crate) offset: Option<u64>,
    groups: OnceCell<Result<Groups, Fit>>,
}

/// A field that reads a message, and the segments among which it does.
#[derive(Clone, Debug)]
pub(crate) struct Read<'f> {
    pub(crate) field: &'f Field<MessagePath>,
    pub(crate) at: ReadAt,
}

/// The path that was read, and among which segments.
#[derive(Clone, Debug)]
pub(crate) struct ReadAt {
    pub(crate) path: Path,
    pub(crate) segments: Vec<Range<usize>>,
}

/// What came of a field.
pub(crate) struct Noticed {
    /// Nothing where the groups of the message are not known.
    pub(crate) at: Option<ReadAt>,
    pub(crate) replaced: Option<String>,
    pub(crate) kept_escapes: Vec<(String, &'static str)>,
}

impl<'m> Judging<'m> {
    pub(crate) fn new(message: &'m Message<'m>, offset: Option<u64>) -> Self {
        Self { message, offset, groups: OnceCell::new() }
    }

    /// The groups of the message, or why they are not known.
    pub(crate) fn groups(&self) -> Result<&Groups, &Fit> {
        self.groups.get_or_init(|| Groups::of(self.message)).as_ref()
    }

    /// The message as a whole.
    pub(crate) fn whole<'j>(&'j self, reading: ReadFrom<'j>) -> MessageThing<'j, 'm> {
        MessageThing { judging: self, reading, scope: Scope::message(), at: At::Scope }
    }

    /// Why a group is not in the message at all: its structure does not have it.
    pub(crate) fn without(&self, path: &MessagePath) -> Option<String> {
        let groups = self.groups.get()?.as_ref().ok()?;
        let name = path.groups().first()?.name();
        let names = groups.names();
        let has = match names.as_slice() {
            [] => "no groups".to_owned(),
            names => names.join(", "),
        };
        (!names.contains(&name)).then(|| format!("{} does not have a group {name}; it has {has}.", groups.structure()))
    }
}

/// A message, or an item of it.
pub(crate) struct MessageThing<'j, 'm> {
    judging: &'j Judging<'m>,
    reading: ReadFrom<'j>,
    /// Its segments, and its place.
    scope: Scope,
    at: At,
}

#[derive(Clone, Copy)]
enum At {
    /// The message, or a group of it.
    Scope,
    /// One segment.
    Segment,
    /// One repetition of a field of one segment, from 1.
    Repetition(u32),
}

impl<'j, 'm> MessageThing<'j, 'm> {
    fn of(&self, segments: Range<usize>, place: String, at: At) -> Self {
        Self { judging: self.judging, reading: self.reading, scope: Scope { segments, place }, at }
    }

    /// The segments among which a path selects, each run with its place; nothing where groups are not known.
    fn scopes(&self, path: &MessagePath) -> Option<Vec<Scope>> {
        if path.groups().is_empty() {
            return Some(vec![Scope { place: String::new(), ..self.scope.clone() }]);
        }
        let groups = self.judging.groups().ok()?;
        Some(groups.select(self.judging.message, &self.scope, path.groups()))
    }

    /// The place of something in this item.
    fn joined(&self, path: &str) -> String {
        let place = &self.scope.place;
        match self.at {
            _ if place.is_empty() => path.to_owned(),
            // The place ends with the segment already.
            At::Segment => format!("{place}{}", path.get(3..).unwrap_or_default()),
            At::Scope | At::Repetition(_) => format!("{place}.{path}"),
        }
    }

    fn unknown(&self) -> String {
        match self.judging.groups().err() {
            Some(Fit::UnknownVersion(version)) => {
                format!("in a message of version {version:?}, whose groups are not known")
            }
            Some(Fit::UnknownStructure { name, version }) => {
                format!("in a message of structure {name:?}, whose groups are not known in {version}")
            }
            _ => String::new(),
        }
    }

    /// The segments of items, of which the path is about each.
    fn segments(&self, path: &Path, scopes: &[Scope], written: &MessagePath) -> Vec<Self> {
        let message = self.judging.message;
        let ranges: Vec<Range<usize>> = scopes.iter().map(|scope| scope.segments.clone()).collect();
        // Of one group the number counts in it; of several they are counted together.
        let before = match (written.groups(), scopes) {
            ([], _) => String::new(),
            (_, [only]) => format!("{}.", only.place),
            (groups, _) => groups.iter().map(|step| format!("{}[*].", step.name())).collect(),
        };
        let segments: Vec<_> = message.segments().collect();
        let mut found = Vec::new();
        for (line, number) in path.item_segments(message, &ranges) {
            let own = format!("{}[{number}]", path.segment_id());
            if path.is_segment() {
                found.push(self.of(line..line + 1, self.joined(&format!("{before}{own}")), At::Segment));
                continue;
            }
            let Some((segment, field)) = segments.get(line).copied().zip(path.field_number()) else { continue };
            // Without a selector a field is that of the first segment.
            if number > 1 && path.takes_first_segment() && !matches!(self.at, At::Segment) {
                break;
            }
            let own = if number == 1 { path.segment_id().to_owned() } else { own };
            for repetition in path.item_repetitions(segment) {
                let place = self.joined(&format!("{before}{own}.{field}[{repetition}]"));
                found.push(self.of(line..line + 1, place, At::Repetition(repetition)));
            }
        }
        found
    }
}

impl Thing<MessagePath> for MessageThing<'_, '_> {
    type Note = Noticed;

    fn items(&self, group: &ItemGroup<MessagePath>) -> Items<Self> {
        let place = self.joined(&group.item_text);
        let Some(scopes) = self.scopes(&group.item) else { return Items { items: Vec::new(), place, open: true } };
        let items = match group.item.path() {
            Some(path) => self.segments(path, &scopes, &group.item),
            None => {
                let item = |Scope { segments, place }: Scope| self.of(segments, self.joined(&place), At::Scope);
                scopes.into_iter().map(item).collect()
            }
        };
        Items { items, place, open: false }
    }

    fn judge(&self, field: &Field<MessagePath>) -> (FieldResult, Noticed) {
        let nothing = Noticed { at: None, replaced: None, kept_escapes: Vec::new() };
        let path = self.joined(&field.path_text);
        let known = self.scopes(&field.path).zip(field.path.path());
        let Some((scopes, own)) = known else {
            let result = field.evaluate(Selection::default(), self.reading);
            let result = FieldResult { path, actual: json!(self.unknown()), passed: false, ..result };
            return (result.because(FieldReason::Undecidable), nothing);
        };
        let own = match self.at {
            At::Repetition(number) => own.at_repetition(number),
            At::Scope | At::Segment => own.clone(),
        };
        let segments: Vec<Range<usize>> = scopes.into_iter().map(|scope| scope.segments).collect();
        let Selected { selection, replaced, kept_escapes } =
            select(&own, self.judging.message, &segments, self.judging.offset);
        let result = field.evaluate(selection, self.reading);
        (FieldResult { path, ..result }, Noticed { at: Some(ReadAt { path: own, segments }), replaced, kept_escapes })
    }

    fn place(&self) -> String {
        self.scope.place.clone()
    }

    fn source(&self) -> Location {
        Location { locator: self.reading.locator.to_owned(), span: self.reading.span }
    }
}

/// A field over a whole message.
pub(crate) fn evaluate(field: &Field<MessagePath>, message: &Message<'_>, reading: ReadFrom<'_>) -> FieldResult {
    Judging::new(message, None).whole(reading).judge(field).0
}

/// The fields that read a message where it is selected by them, and among which segments.
pub(crate) fn reads<'f>(
    fields: impl Iterator<Item = &'f Field<MessagePath>>,
    judging: &Judging<'_>,
    reading: ReadFrom<'_>,
) -> Vec<Read<'f>> {
    let whole = judging.whole(reading);
    fields.filter_map(|field| Some(Read { field, at: whole.judge(field).1.at? })).collect()
}
