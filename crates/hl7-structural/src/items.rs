//! Item groups over a message: its groups, segments and repetitions of fields, one by one.

use std::cell::OnceCell;
use std::ops::Range;

use candor_check::compare::{Datum, References};
use candor_check::field::{
    Among, Field, FieldReason, FieldResult, ItemGroup, Items, Location, ReadFrom, Selection, Thing,
};
use candor_hl7v2::{Message, Path, Value};
use candor_hl7v2_structure::{Fit, Groups, MessagePart};
use candor_json::json;

use crate::path::{MessagePath, Selected, among, select};

pub(crate) struct Judging<'m> {
    pub(crate) message: &'m Message<'m>,
    /// Where the message's bytes begin in the file.
    pub(crate) offset: Option<u64>,
    groups: OnceCell<Result<Groups, Fit>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Read<'f> {
    pub(crate) field: &'f Field<MessagePath>,
    pub(crate) at: ReadAt,
}

#[derive(Clone, Debug)]
pub(crate) struct ReadAt {
    pub(crate) path: Path,
    pub(crate) segments: Vec<Range<usize>>,
}

pub(crate) struct Noticed {
    /// Nothing where the groups of the message are not known.
    pub(crate) at: Option<ReadAt>,
    pub(crate) place: String,
    pub(crate) replaced: Option<String>,
    pub(crate) kept_escapes: Vec<(String, &'static str)>,
}

impl<'m> Judging<'m> {
    pub(crate) fn new(message: &'m Message<'m>, offset: Option<u64>) -> Self {
        Self { message, offset, groups: OnceCell::new() }
    }

    pub(crate) fn groups(&self) -> Result<&Groups, &Fit> {
        self.groups.get_or_init(|| Groups::of(self.message)).as_ref()
    }

    pub(crate) fn location(&self, value: &Value<'_>, message: &Location) -> Location {
        match self.offset {
            Some(offset) => {
                let span = value.span();
                Location::bytes(message.locator.as_str(), offset + span.start as u64..offset + span.end as u64)
            }
            None => message.clone(),
        }
    }

    pub(crate) fn whole<'j>(&'j self, reading: ReadFrom<'j>) -> MessageThing<'j, 'm> {
        MessageThing { judging: self, reading, part: MessagePart::message() }
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

pub(crate) struct MessageThing<'j, 'm> {
    judging: &'j Judging<'m>,
    reading: ReadFrom<'j>,
    part: MessagePart,
}

impl MessageThing<'_, '_> {
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
}

impl Thing<MessagePath> for MessageThing<'_, '_> {
    type Note = Noticed;

    fn items(&self, group: &ItemGroup<MessagePath>) -> Items<Self> {
        let Self { judging, reading, part } = self;
        let items = part.items(judging.message, group.item.written(), || judging.groups().ok());
        let open = items.is_none();
        let item = |part| Self { judging, reading: *reading, part };
        let items = items.unwrap_or_default().into_iter().map(item).collect();
        Items { items, place: part.joined(&group.item_text), open }
    }

    fn judge(&self, field: &Field<MessagePath>) -> (FieldResult, Noticed) {
        let Self { judging, reading, part } = self;
        let path = part.joined(&field.path_text);
        let nothing = Noticed { at: None, place: path.clone(), replaced: None, kept_escapes: Vec::new() };
        let scopes = part.scopes(judging.message, field.path.written(), || judging.groups().ok());
        let Some((scopes, own)) = scopes.zip(field.path.path()) else {
            let result = field.evaluate(Selection::default(), *reading);
            let result = FieldResult { path, actual: json!(self.unknown()), passed: false, ..result };
            return (result.because(FieldReason::Undecidable), nothing);
        };
        let own = part.own(own);
        let segments: Vec<Range<usize>> = scopes.into_iter().map(|scope| scope.segments).collect();
        let Selected { selection, replaced, kept_escapes } = select(&own, judging.message, &segments, judging.offset);
        let result = field.evaluate(selection, *reading);
        let before = field.path_text.strip_suffix(own.as_str()).unwrap_or_default();
        let among = if result.is_of_one() { among(&own, judging.message, &segments) } else { None };
        let among = among.map(|among| Box::new(Among { path: format!("{before}{}", among.path), ..*among }));
        let result = FieldResult { among, ..result };
        let at = Some(ReadAt { path: own, segments });
        (FieldResult { path: path.clone(), ..result }, Noticed { at, place: path, replaced, kept_escapes })
    }

    fn counted<'f>(&self, group: &'f ItemGroup<MessagePath>) -> Option<&'f Field<MessagePath>> {
        group.item.counted()
    }

    fn place(&self) -> String {
        self.part.place().to_owned()
    }

    fn source(&self) -> Location {
        Location { locator: self.reading.locator.to_owned(), span: self.reading.span }
    }
}

/// The values that a path selects in a whole message, or why that is not known.
pub(crate) enum SelectedValues<'m> {
    Known(Vec<Value<'m>>),
    Unknown(String),
}

/// A field that asserts only that something is there, for a path in an assertion that is not a field itself.
pub(crate) fn there(path: &str) -> Result<Field<MessagePath>, String> {
    candor_json::from_value(json!({"path": path, "op": "notEmpty"})).map_err(|error| error.to_string())
}

pub(crate) fn selected<'m>(field: &'m Field<MessagePath>, judging: &Judging<'m>) -> SelectedValues<'m> {
    let references = References::default();
    let whole = judging.whole(ReadFrom { locator: "", span: None, references: &references });
    let scopes = whole.part.scopes(judging.message, field.path.written(), || judging.groups().ok());
    match scopes.zip(field.path.path()) {
        Some((scopes, path)) => {
            let segments: Vec<Range<usize>> = scopes.into_iter().map(|scope| scope.segments).collect();
            SelectedValues::Known(path.select_in(judging.message, &segments).collect())
        }
        None => SelectedValues::Unknown(whole.unknown()),
    }
}

pub(crate) fn evaluate(field: &Field<MessagePath>, message: &Message<'_>, reading: ReadFrom<'_>) -> FieldResult {
    Judging::new(message, None).whole(reading).judge(field).0
}

/// Says whether [`evaluate`] passes, without a result: `None` where it is undecidable.
pub(crate) fn holds(field: &Field<MessagePath>, message: &Message<'_>) -> Option<bool> {
    let references = References::default();
    match field.path.path().filter(|_| field.path.groups().is_empty()) {
        Some(path) => field.decides(path.select(message).map(|value| Datum::Text(value.text().text)), &references),
        None => {
            let result = evaluate(field, message, ReadFrom { locator: "", span: None, references: &references });
            (!result.is_undecidable()).then_some(result.passed)
        }
    }
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
