//! Settings of an assertion.

use candor_check::field::{Field, FieldEntry};
use candor_check::records::{Asserting, Match, RecordRules};
use candor_check::sandbox::Environment;
use candor_check::settings::{Cardinality, NotYet};
use candor_hl7v2::Path;
use serde::{Deserialize, Deserializer};

use crate::ack::Ack;
use crate::correlation::Correlation;
use crate::document::Document;
use crate::path::MessagePath;
use crate::profile::Profile;
use crate::same_as::{self, SameAs};
use crate::segments::SegmentCardinality;
use crate::structure::Structure;
use crate::traffic::{Sequence, Unique};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    #[serde(default)]
    pub(crate) correlate_by: Correlation,
    #[serde(default, deserialize_with = "fields")]
    pub(crate) fields: Vec<FieldEntry<MessagePath>>,
    #[serde(default)]
    pub(crate) segments: Vec<SegmentCardinality>,
    #[serde(default, deserialize_with = "given")]
    pub(crate) structure: Option<Structure>,
    #[serde(default, deserialize_with = "given")]
    pub(crate) ack: Option<Ack>,
    #[serde(default, deserialize_with = "given")]
    pub(crate) unique: Option<Unique>,
    #[serde(default, deserialize_with = "given")]
    pub(crate) sequence: Option<Sequence>,
    #[serde(default, deserialize_with = "same_as::list")]
    pub(crate) same_as: Vec<SameAs>,
    #[serde(default, deserialize_with = "given")]
    pub(crate) document: Option<Document>,
    #[serde(default, deserialize_with = "profile")]
    pub(crate) profile: Option<Profile>,
    #[serde(default)]
    allow_modifiers: bool,
    #[serde(default, rename = "match")]
    matching: Match,
    #[serde(default, deserialize_with = "given")]
    count: Option<Cardinality>,
    #[serde(default, rename = "within")]
    _within: NotYet,
}

impl Settings {
    pub(crate) fn rules(&self) -> RecordRules {
        RecordRules { matching: self.matching, count: self.count }
    }

    /// Every field that reads a value of a message, those of `correlate_by` too.
    pub(crate) fn reads(&self) -> impl Iterator<Item = &Field<MessagePath>> {
        self.fields.iter().flat_map(FieldEntry::fields).chain(self.correlate_by.fields()).chain(self.other_values())
    }

    /// The text that `correlate_by` wants, where messages without it do not matter otherwise.
    pub(crate) fn wanted_text(&self) -> Option<(&Path, &str)> {
        let matters = self.ack.is_some() || !self.same_as.is_empty();
        self.correlate_by.wanted_text().filter(|_| !matters)
    }

    /// The assertions that matter for safety. Without fields and acknowledgments, every assertion other than existence
    /// is about form.
    pub(crate) fn asserting(&self, environment: Environment) -> Asserting {
        let form = !self.segments.is_empty() || self.structure.is_some() || self.profile.is_some();
        let form = form || self.unique.is_some() || self.sequence.is_some();
        let values = !self.fields.is_empty() || !self.same_as.is_empty() || self.document.is_some();
        let work = values || self.ack.is_some() || !form;
        Asserting::new(self.allow_modifiers, self.rules(), work, environment)
    }

    /// True if there must be no message at all.
    pub(crate) fn counts_none(&self) -> bool {
        self.count.is_some_and(|count| count.is_none())
    }

    pub(crate) fn counts(&self) -> bool {
        self.count.is_some()
    }

    /// True if one message has assertions other than fields and segments.
    pub(crate) fn asserts_beside_fields(&self) -> bool {
        let values = !self.same_as.is_empty() || self.document.is_some();
        values || self.structure.is_some() || self.ack.is_some() || self.profile.is_some()
    }

    /// The fields of `same_as` and `document`, which take a value of the message as well.
    pub(crate) fn other_values(&self) -> impl Iterator<Item = &Field<MessagePath>> {
        self.same_as.iter().map(|same_as| &same_as.field).chain(self.document.iter().map(|document| &document.field))
    }

    pub(crate) fn asserts_content(&self) -> bool {
        !self.fields.is_empty() || !self.segments.is_empty() || self.asserts_beside_fields()
    }
}

fn fields<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<FieldEntry<MessagePath>>, D::Error> {
    let fields = Vec::<FieldEntry<MessagePath>>::deserialize(deserializer)?;
    let mut fields: Vec<_> = fields.into_iter().map(FieldEntry::where_empty_is_nothing).collect();
    fields.iter_mut().for_each(count_items);
    Ok(fields)
}

fn count_items(entry: &mut FieldEntry<MessagePath>) {
    match entry {
        FieldEntry::Field(_) => {}
        FieldEntry::Group(group) => {
            group.conditions.iter_mut().chain(&mut group.fields).for_each(count_items);
            group.item.count_items(&group.item_text, group.count.is_some());
        }
        FieldEntry::OneOf(one) => one.lists.iter_mut().flatten().for_each(count_items),
    }
}

/// A member that is there has a value: `null` is not a value.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A profile as written in its file. The engine puts it in the place of the file's name.
fn profile<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Profile>, D::Error> {
    Profile::deserialize(deserializer).map(Some)
}
