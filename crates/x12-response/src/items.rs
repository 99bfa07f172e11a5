//! Item groups over a transaction set: its loops and segments, one by one.

use candor_check::field::{Field, FieldResult, ItemGroup, Items, Location, ReadFrom, Thing};
use candor_x12_guides::Part;

use crate::path::{ReadSet, SetPath};

/// The elements by which people know a claim: of its trace, its remittance, itself.
const NAMES: [(&str, usize); 3] = [("TRN", 2), ("CLP", 1), ("CLM", 1)];

pub(crate) struct SetThing<'s, 'a> {
    set: &'s ReadSet<'a>,
    reading: ReadFrom<'s>,
    part: Part,
    place: String,
}

impl<'s, 'a> SetThing<'s, 'a> {
    pub(crate) fn whole(set: &'s ReadSet<'a>, reading: ReadFrom<'s>) -> Self {
        Self { set, reading, part: Part::Set, place: String::new() }
    }

    fn joined(&self, path: &str) -> String {
        self.part.joined(&self.place, path)
    }
}

impl Thing<SetPath> for SetThing<'_, '_> {
    /// Where the field begins.
    type Note = Part;

    fn items(&self, group: &ItemGroup<SetPath>) -> Items<Self> {
        let found = match &group.item {
            // What has no id may have been any segment, and begun any loop.
            _ if self.set.damage().is_some() => None,
            SetPath::Items(item) => self.set.read.items(self.part, item),
            SetPath::Values(_) => Some(Vec::new()),
        };
        let open = found.is_none();
        let item = |item: candor_x12_guides::PartItem| Self {
            set: self.set,
            reading: self.reading,
            part: item.part,
            place: self.joined(&item.place),
        };
        let items = found.unwrap_or_default().into_iter().map(item).collect();
        Items { items, place: self.joined(&group.item_text), open }
    }

    fn judge(&self, field: &Field<SetPath>) -> (FieldResult, Part) {
        let result = match self.part {
            Part::Set => self.set.evaluate(field, self.reading),
            part => self.set.evaluate_in(part, field, self.reading),
        };
        (FieldResult { path: self.joined(&field.path_text), ..result }, self.part)
    }

    fn place(&self) -> String {
        self.place.clone()
    }

    fn name(&self) -> Option<String> {
        let Part::Loop(at) = self.part else { return None };
        let loops = self.set.loops()?;
        let own = self.set.segments().iter().enumerate().filter(|(number, _)| loops.of_segment(*number) == Some(at));
        let name = |(_, segment): (usize, &candor_x12::Segment<'_>)| {
            let element = NAMES.iter().find(|(id, _)| segment.id().as_str() == *id)?.1;
            Some(format!("{}{element:02} {}", segment.id(), segment.text(element)))
        };
        own.filter_map(name).next()
    }

    fn source(&self) -> Location {
        Location { locator: self.reading.locator.to_owned(), span: self.reading.span }
    }
}
