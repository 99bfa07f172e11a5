//! Fields and item groups, as a review asks them.

use super::{Claim, Said, Weakness, WeaknessKind};
use crate::field::{Field, FieldEntry, ItemGroup};

/// An entry of a list of fields that can be reviewed.
pub trait Reviewed {
    /// The path, or the selector of a group.
    fn path_text(&self) -> &str;

    /// Returns `true` if it weighs nothing.
    fn is_dead(&self) -> bool;

    /// Returns `true` if it passes where what it names is not there.
    fn passes_on_absence(&self) -> bool;

    /// Returns `true` if the author wrote `absent: pass` in it.
    fn excuses_absence(&self) -> bool;

    /// Its weaknesses by its settings alone; `place` is its place in the assertion.
    fn weaknesses(&self, place: &str) -> Vec<Weakness>;

    /// Its claims, to be compared with what others assert; `place` is its place in the assertion.
    fn said(&self, place: &str) -> Said;
}

impl<P> Reviewed for Field<P> {
    fn path_text(&self) -> &str {
        &self.path_text
    }

    fn is_dead(&self) -> bool {
        self.weight.is_zero()
    }

    fn passes_on_absence(&self) -> bool {
        Self::passes_on_absence(self)
    }

    fn excuses_absence(&self) -> bool {
        self.absent_passes
    }

    fn weaknesses(&self, place: &str) -> Vec<Weakness> {
        self.weakness(place).into_iter().collect()
    }

    fn said(&self, place: &str) -> Said {
        Said::Field(Box::new(Claim::of(self, place, false)))
    }
}

impl<P> Reviewed for FieldEntry<P> {
    fn path_text(&self) -> &str {
        Self::path_text(self)
    }

    fn is_dead(&self) -> bool {
        self.weight().is_zero()
    }

    fn passes_on_absence(&self) -> bool {
        match self {
            Self::Field(field) => field.passes_on_absence(),
            // With fields and without items it fails, whatever the bounds of `count`.
            Self::Group(group) => {
                group.expects_none() || group.fields.is_empty() && group.count.is_some_and(|count| count.allows(0))
            }
            Self::OneOf(one) => one.lists.iter().any(|list| list.iter().all(Reviewed::passes_on_absence)),
        }
    }

    fn excuses_absence(&self) -> bool {
        match self {
            Self::Field(field) => field.absent_passes,
            Self::Group(_) => false,
            Self::OneOf(one) => one.lists.iter().flatten().any(Reviewed::excuses_absence),
        }
    }

    fn weaknesses(&self, place: &str) -> Vec<Weakness> {
        match self {
            Self::Field(field) => field.weaknesses(place),
            Self::Group(group) => of_group(group, place),
            Self::OneOf(one) => {
                let list = |(number, list): (usize, &Vec<Self>)| {
                    let entry = |(index, entry): (usize, &Self)| {
                        entry.weaknesses(&format!("{place}.one_of[{number}][{index}]"))
                    };
                    list.iter().enumerate().flat_map(entry).collect::<Vec<_>>()
                };
                one.lists.iter().enumerate().flat_map(list).collect()
            }
        }
    }

    fn said(&self, place: &str) -> Said {
        match self {
            Self::Field(field) => field.said(place),
            Self::Group(group) => {
                let lists = [("where", &group.conditions), ("fields", &group.fields)];
                let said = |(list, entries): (&str, &[Self])| {
                    let entry = |(index, entry): (usize, &Self)| entry.said(&format!("{place}.{list}[{index}]"));
                    entries.iter().enumerate().map(entry).collect::<Vec<_>>()
                };
                let entries = lists.into_iter().flat_map(|(list, entries)| said((list, entries))).collect();
                Said::Group { item: group.item_text.clone(), count: group.count, entries }
            }
            // No list of it is asserted by itself.
            Self::OneOf(_) => Said::Group { item: place.to_owned(), count: None, entries: Vec::new() },
        }
    }
}

fn of_group<P>(group: &ItemGroup<P>, place: &str) -> Vec<Weakness> {
    let mut found = Vec::new();
    let name = &group.item_text;
    if let Some(count) = group.count.filter(|count| count.allows(u64::MAX) && count.allows(0)) {
        let message = format!(
            "any number of `{name}` items is right ({}); write how many there must be, or leave out `count`",
            count.to_value()
        );
        found.push(Weakness::new(WeaknessKind::AlwaysHolds, format!("{place}.count"), message));
    }
    if !group.fields.is_empty() && group.expects_none() {
        let message =
            format!("`count` is 0, so there is no `{name}` item that `fields` could be about; leave them out");
        found.push(Weakness::new(WeaknessKind::AlwaysHolds, format!("{place}.fields"), message));
    }
    if !group.fields.is_empty() && group.fields.iter().all(Reviewed::is_dead) {
        let message =
            "every field has weight 0, so an item that is right in part scores as none; leave the weights out";
        found.push(Weakness::new(WeaknessKind::NoFieldWeight, format!("{place}.fields"), message));
    }
    for (list, entries) in [("where", &group.conditions), ("fields", &group.fields)] {
        for (index, entry) in entries.iter().enumerate() {
            found.extend(entry.weaknesses(&format!("{place}.{list}[{index}]")));
        }
    }
    found
}
