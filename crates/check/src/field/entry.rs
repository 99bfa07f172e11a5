//! The entries of a list of fields: fields, and item groups that bind fields to one and the same item.

use candor_json::{Map, Value};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::assertion::{QUANTIFIERS, sentence, validated, weight};
use super::members::EntryMembers;
use super::{Field, FieldPath, PathProblem, Quantifier};
use crate::compare::Zone;
use crate::outcome::Share;
use crate::settings::{Cardinality, one_of, placed};

/// The most groups that lie within each other. No record has items that deep.
const MOST_LEVELS: usize = 8;

const ONE_OF: &str = "one_of";

/// An entry of a list of fields.
///
/// ```
/// use candor_check::field::FieldEntry;
/// use candor_check::json_path::DottedPath;
/// let entry: FieldEntry<DottedPath> = candor_json::from_str(
///     r#"{"item": "dosageInstruction", "count": 1, "fields": [{"path": "route.text", "expected": "IV"}]}"#,
/// )?;
/// assert!(matches!(&entry, FieldEntry::Group(group) if group.item_text == "dosageInstruction"));
/// let wrong = candor_json::from_str::<FieldEntry<DottedPath>>(r#"{"item": "dosageInstruction", "expected": 1}"#);
/// assert!(wrong.unwrap_err().to_string().contains("`expected`"));
/// # Ok::<(), candor_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum FieldEntry<P> {
    /// A field.
    Field(Box<Field<P>>),
    /// An item group.
    Group(ItemGroup<P>),
    /// `one_of`: lists of which one passes whole.
    OneOf(OneOf<P>),
}

/// Lists of fields, of which one passes whole.
#[derive(Clone, Debug)]
pub struct OneOf<P> {
    /// The lists, at least two.
    pub lists: Vec<Vec<FieldEntry<P>>>,
    /// Weight in the share of what it lies in.
    pub weight: Share,
}

/// Fields of one and the same item.
#[derive(Clone, Debug)]
pub struct ItemGroup<P> {
    /// Selects the items.
    pub item: P,
    /// The selector as the author wrote it.
    pub item_text: String,
    /// `where`: only items that satisfy all of these are selected.
    pub conditions: Vec<FieldEntry<P>>,
    /// `match`: how many of the selected items must satisfy `fields`.
    pub matching: Quantifier,
    /// How many items must be selected.
    pub count: Option<Cardinality>,
    /// The assertions about a selected item; paths begin at it.
    pub fields: Vec<FieldEntry<P>>,
    /// Weight in the share of what the group lies in.
    pub weight: Share,
}

impl<P> ItemGroup<P> {
    /// True for `count: 0`: no item may be selected.
    #[must_use]
    pub fn expects_none(&self) -> bool {
        self.count.is_some_and(|count| count.is_none())
    }
}

impl<P> FieldEntry<P> {
    /// The path of a field, the selector of a group.
    #[must_use]
    pub fn path_text(&self) -> &str {
        match self {
            Self::Field(field) => &field.path_text,
            Self::Group(group) => &group.item_text,
            Self::OneOf(_) => ONE_OF,
        }
    }

    /// Its weight.
    #[must_use]
    pub fn weight(&self) -> &Share {
        match self {
            Self::Field(field) => &field.weight,
            Self::Group(group) => &group.weight,
            Self::OneOf(one) => &one.weight,
        }
    }

    /// The field, if it is one.
    #[must_use]
    pub fn as_field(&self) -> Option<&Field<P>> {
        match self {
            Self::Field(field) => Some(field),
            Self::Group(_) | Self::OneOf(_) => None,
        }
    }

    /// The fields in it at any depth, those of `where` included.
    #[must_use]
    pub fn fields(&self) -> Vec<&Field<P>> {
        let mut found = Vec::new();
        self.visit(&mut |field| found.push(field), &mut |_| {});
        found
    }

    /// The paths and selectors in it at any depth.
    #[must_use]
    pub fn paths(&self) -> Vec<&P> {
        let found = std::cell::RefCell::new(Vec::new());
        self.visit(&mut |field| found.borrow_mut().push(&field.path), &mut |group| {
            found.borrow_mut().push(&group.item);
        });
        found.into_inner()
    }

    /// Calls `field` and `group` for everything in it, outer groups before what they hold.
    pub fn visit<'a>(&'a self, field: &mut dyn FnMut(&'a Field<P>), group: &mut dyn FnMut(&'a ItemGroup<P>)) {
        match self {
            Self::Field(one) => field(one),
            Self::Group(one) => {
                group(one);
                one.conditions.iter().chain(&one.fields).for_each(|entry| entry.visit(field, group));
            }
            Self::OneOf(one) => one.lists.iter().flatten().for_each(|entry| entry.visit(field, group)),
        }
    }

    /// The same for data in which an empty value is nothing: [`Field::where_empty_is_nothing`] at any depth.
    #[must_use]
    pub fn where_empty_is_nothing(self) -> Self {
        let all = |entries: Vec<Self>| entries.into_iter().map(Self::where_empty_is_nothing).collect();
        match self {
            Self::Field(field) => Self::Field(Box::new(field.where_empty_is_nothing())),
            Self::Group(group) => {
                Self::Group(ItemGroup { conditions: all(group.conditions), fields: all(group.fields), ..group })
            }
            Self::OneOf(one) => Self::OneOf(OneOf { lists: one.lists.into_iter().map(all).collect(), ..one }),
        }
    }

    /// Gives the criterion's zone to the fields without a zone of their own.
    pub fn set_zone(&mut self, zone: &Zone) {
        match self {
            Self::Field(field) => field.set_zone(zone),
            Self::Group(group) => {
                group.conditions.iter_mut().chain(&mut group.fields).for_each(|entry| entry.set_zone(zone));
            }
            Self::OneOf(one) => one.lists.iter_mut().flatten().for_each(|entry| entry.set_zone(zone)),
        }
    }
}

impl<P> From<Field<P>> for FieldEntry<P> {
    fn from(field: Field<P>) -> Self {
        Self::Field(Box::new(field))
    }
}

impl<'de, P: FieldPath> Deserialize<'de> for FieldEntry<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = EntryMembers::deserialize(deserializer)?;
        entry(members, &mut Vec::new()).map_err(|problem| D::Error::custom(placed(&problem.place, &problem.message)))
    }
}

struct Misplaced {
    place: String,
    message: String,
}

impl From<String> for Misplaced {
    fn from(message: String) -> Self {
        Self { place: String::new(), message }
    }
}

/// Reads an entry that lies in the items of `within`, the outermost first.
fn entry<P: FieldPath>(members: EntryMembers, within: &mut Vec<P>) -> Result<FieldEntry<P>, Misplaced> {
    if members.one_of.is_some() {
        return Ok(FieldEntry::OneOf(one_of_lists(members, within)?));
    }
    let EntryMembers { item, conditions, matching, count, fields, .. } = &members;
    if item.is_none() {
        let group_only = [
            ("where", conditions.is_some()),
            ("match", matching.is_some()),
            ("count", count.is_some()),
            ("fields", fields.is_some()),
        ];
        if let Some((name, _)) = group_only.iter().find(|(_, given)| *given) {
            let message = match *name {
                "count" if members.path.is_some() => {
                    "`count` goes with `item`; to count the values of a path, write `op: count` and `expected`".into()
                }
                name => format!("`{name}` goes with `item`, which is missing"),
            };
            return Err(message.into());
        }
        let field = if within.is_empty() {
            validated(members.of_field(), P::parse, P::parse_fhirpath)?
        } else {
            let (path, fhirpath) =
                (|text: &str| P::parse_inside(text, within), |text: &str| P::parse_fhirpath_inside(text, within));
            validated(members.of_field(), path, fhirpath)?
        };
        return Ok(field.into());
    }
    Ok(FieldEntry::Group(group(members, within)?))
}

fn one_of_lists<P: FieldPath>(members: EntryMembers, within: &mut Vec<P>) -> Result<OneOf<P>, Misplaced> {
    let group_only = [
        ("item", members.item.is_some()),
        ("where", members.conditions.is_some()),
        ("match", members.matching.is_some()),
        ("count", members.count.is_some()),
        ("fields", members.fields.is_some()),
        ("zone", members.zone.is_some()),
    ];
    let other = group_only.iter().find(|(_, given)| *given).map(|(name, _)| *name).or_else(|| members.field_only());
    if let Some(name) = other {
        return Err(format!("`{name}` does not go with `one_of`; write it in an entry of its lists").into());
    }
    let weight = members.weight.as_ref().map_or_else(|| Ok(Share::one()), weight)?;
    let lists = members.one_of.unwrap_or_default();
    if lists.len() < 2 || lists.iter().any(Vec::is_empty) {
        let message = "`one_of` needs at least two lists of fields, each with a field: [[{…}], [{…}]]".to_owned();
        return Err(Misplaced { place: ONE_OF.to_owned(), message });
    }
    let mut read = Vec::with_capacity(lists.len());
    for (number, list) in lists.into_iter().enumerate() {
        let one = |(index, members): (usize, EntryMembers)| {
            entry(members, within).map_err(|Misplaced { place, message }| Misplaced {
                place: format!("{ONE_OF}[{number}][{index}]{}{place}", if place.is_empty() { "" } else { "." }),
                message,
            })
        };
        read.push(list.into_iter().enumerate().map(one).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(OneOf { lists: read, weight })
}

fn group<P: FieldPath>(members: EntryMembers, within: &mut Vec<P>) -> Result<ItemGroup<P>, Misplaced> {
    if let Some(name) = members.field_only() {
        return Err(format!("`{name}` goes with `path`; in an item group, write it in an entry of `fields`").into());
    }
    if within.len() >= MOST_LEVELS {
        return Err(format!("item groups lie in each other to {MOST_LEVELS} levels; this one is deeper").into());
    }
    let (item, item_text) = selector(members.item.as_ref().unwrap_or(&Value::Null), within)?;
    let count = members
        .count
        .as_ref()
        .map(Cardinality::from_value)
        .transpose()
        .map_err(|message| Misplaced { place: "count".to_owned(), message })?;
    let fields = members.fields.unwrap_or_default();
    if fields.is_empty() && members.matching.is_some() {
        let message =
            "`match` counts the items that satisfy `fields`, but `fields` is empty; write `count`, or `fields`";
        return Err(Misplaced { place: "match".to_owned(), message: message.to_owned() });
    }
    let matching = members.matching.as_deref().map_or(Ok(Quantifier::Any), |name| one_of("`match`", name, QUANTIFIERS));
    let matching = matching.map_err(|message| Misplaced { place: "match".to_owned(), message })?;
    let weight = members.weight.as_ref().map_or_else(|| Ok(Share::one()), weight)?;
    let zone = members.zone.as_deref().map(|zone| Zone::named(zone).map_err(|e| format!("`zone`: {e}"))).transpose()?;
    within.push(item);
    let mut list = |name: &str, all: Vec<EntryMembers>| {
        let read = |(index, members): (usize, EntryMembers)| {
            entry(members, within).map_err(|Misplaced { place, message }| Misplaced {
                place: format!("{name}[{index}]{}{place}", if place.is_empty() { "" } else { "." }),
                message,
            })
        };
        all.into_iter().enumerate().map(read).collect::<Result<Vec<FieldEntry<P>>, Misplaced>>()
    };
    let conditions = list("where", members.conditions.unwrap_or_default())?;
    let fields = list("fields", fields)?;
    let Some(item) = within.pop() else { return Err(String::from("an item group lies in nothing").into()) };
    let mut group = ItemGroup { item, item_text, conditions, matching, count, fields, weight };
    if let Some(zone) = zone {
        group.conditions.iter_mut().chain(&mut group.fields).for_each(|entry| entry.set_zone(&zone));
    }
    Ok(group)
}

/// `item`: a text, or `{fhirpath}`.
fn selector<P: FieldPath>(written: &Value, within: &[P]) -> Result<(P, String), Misplaced> {
    let problem = |member: &str, text: &str, problem: &PathProblem| Misplaced {
        place: member.to_owned(),
        message: sentence(member, text, problem),
    };
    let only = |members: &Map<String, Value>| match members.iter().next() {
        Some((name, Value::String(text))) if members.len() == 1 && name == "fhirpath" => Some(text.clone()),
        _ => None,
    };
    // YAML reads the id of an X12 loop, `2300`, as a number.
    let number = written.as_u64().map(|number| Value::String(number.to_string()));
    match number.as_ref().unwrap_or(written) {
        Value::String(text) => {
            let item = P::parse_item(text, within).map_err(|found| problem("item", text, &found))?;
            Ok((item, text.clone()))
        }
        Value::Object(members) if only(members).is_some() => {
            let text = only(members).unwrap_or_default();
            let item =
                P::parse_fhirpath_item(&text, within).map_err(|found| problem("item.fhirpath", &text, &found))?;
            Ok((item, text))
        }
        other => Err(Misplaced {
            place: "item".to_owned(),
            message: format!("`item` is {other}; expected a path, or {{\"fhirpath\": \"…\"}} for FHIR resources"),
        }),
    }
}
