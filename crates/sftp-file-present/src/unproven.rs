//! Fields and groups that pass because the file does not have the column they read: they prove nothing.

use candor_check::compare::References;
use candor_check::field::{Field, FieldEntry, ItemGroup, Quantifier, ReadFrom, Selection};

use crate::content::{Content, ContentPath, ROWS, Table};

/// Returns `true` if a field passes when its path selects nothing.
pub(crate) fn passes_on_nothing(field: &Field<ContentPath>) -> bool {
    let references = References::default();
    let reading = ReadFrom { locator: "", span: None, references: &references };
    field.evaluate(Selection::default(), reading).passed
}

/// Why an entry would pass without proof: the end of a sentence about the file.
pub(crate) fn unproven(entry: &FieldEntry<ContentPath>, content: &Content<'_>) -> Option<String> {
    match entry {
        FieldEntry::Field(field) => unproven_field(field, content),
        FieldEntry::Group(group) => unproven_group(group, content),
        FieldEntry::OneOf(one) => in_all(&one.lists, &|entry| unproven(entry, content)),
    }
}

/// The same of a field outside of groups.
pub(crate) fn unproven_field(field: &Field<ContentPath>, content: &Content<'_>) -> Option<String> {
    let Content::Rows(table) = content else { return None };
    let path = field.path.rows.as_ref().filter(|_| field.path.name.is_none())?;
    table.unproven(path).filter(|_| passes_on_nothing(field) && is_blind(field, table))
}

/// Returns `true` unless the author lets an absent value pass, and the cells are divided as they seem to be.
fn is_blind(field: &Field<ContentPath>, table: &Table<'_>) -> bool {
    !field.absent_passes || table.misread().is_some()
}

/// The same of a group: a missing column leaves out every row, or keeps every row from matching.
pub(crate) fn unproven_group(group: &ItemGroup<ContentPath>, content: &Content<'_>) -> Option<String> {
    let Content::Rows(table) = content else { return None };
    if group.item_text != ROWS {
        return None;
    }
    let may_be_none = group.count.is_some_and(|count| count.allows(0));
    let matches_none = group.matching == Quantifier::None;
    let lacks = |field: &Field<ContentPath>| table.lacks(&field.path_text).filter(|_| field.path.name.is_none());
    let condition = |field: &Field<ContentPath>| {
        lacks(field).filter(|_| (may_be_none || passes_on_nothing(field)) && is_blind(field, table))
    };
    let unmatched = |field: &Field<ContentPath>| {
        let passes = passes_on_nothing(field);
        lacks(field).filter(|_| if matches_none { !passes } else { passes && table.misread().is_some() })
    };
    let conditions = group.conditions.iter().find_map(|entry| in_row(entry, &condition));
    conditions.or_else(|| group.fields.iter().find_map(|entry| in_row(entry, &unmatched)))
}

type Why<'w, T> = &'w dyn Fn(&T) -> Option<String>;

fn in_row(entry: &FieldEntry<ContentPath>, why: Why<'_, Field<ContentPath>>) -> Option<String> {
    match entry {
        FieldEntry::Field(field) => why(field),
        FieldEntry::Group(_) => None,
        FieldEntry::OneOf(one) => in_all(&one.lists, &|entry| in_row(entry, why)),
    }
}

/// The first reason, if every list has one.
fn in_all(lists: &[Vec<FieldEntry<ContentPath>>], why: Why<'_, FieldEntry<ContentPath>>) -> Option<String> {
    let all: Option<Vec<String>> = lists.iter().map(|list| list.iter().find_map(why)).collect();
    all?.into_iter().next()
}
