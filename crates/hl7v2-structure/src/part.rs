//! Parts of a message, one group, segment or repetition of it, and the paths that begin there.

use std::ops::Range;

use candor_hl7v2::{Message, Path};

use crate::group_path::GroupPath;
use crate::groups::{Groups, Scope};

/// The part of a message in which a path begins.
///
/// ```
/// use candor_hl7v2_structure::{GroupPath, MessagePart};
/// let text = b"MSH|^~\\&|A|B|C|D|20261120||ORU^R01|1|P|2.5.1\rOBX|1|NM|x||5\rOBX|2|NM|y||6\r";
/// let message = candor_hl7v2::messages(text).next().unwrap().unwrap();
/// let items = MessagePart::message().items(&message, &GroupPath::parse_item("OBX").unwrap(), || None).unwrap();
/// assert_eq!(items[1].joined("OBX.5"), "OBX[2].5");
/// ```
#[derive(Clone, Debug)]
pub struct MessagePart {
    scope: Scope,
    at: At,
}

#[derive(Clone, Copy, Debug)]
enum At {
    Scope,
    Segment,
    /// A repetition of a field of one segment, from 1.
    Repetition(u32),
}

impl MessagePart {
    /// The message as a whole.
    #[must_use]
    pub fn message() -> Self {
        Self { scope: Scope::message(), at: At::Scope }
    }

    fn of(segments: Range<usize>, place: String, at: At) -> Self {
        Self { scope: Scope { segments, place }, at }
    }

    /// Its place in the message: `ORDER[2].OBX[3]`; empty for the message.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.scope.place
    }

    /// The place of a path that begins in it.
    #[must_use]
    pub fn joined(&self, path: &str) -> String {
        let place = &self.scope.place;
        match self.at {
            _ if place.is_empty() => path.to_owned(),
            // The place ends with the segment already.
            At::Segment => format!("{place}{}", path.get(3..).unwrap_or_default()),
            At::Scope | At::Repetition(_) => format!("{place}.{path}"),
        }
    }

    /// A path that was read where it begins in this part.
    #[must_use]
    pub fn own(&self, path: &Path) -> Path {
        match self.at {
            At::Repetition(number) => path.at_repetition(number),
            At::Scope | At::Segment => path.clone(),
        }
    }

    /// The segments among which a path selects, each run with its place; nothing where it goes through groups and these are
    /// not known.
    #[must_use]
    pub fn scopes<'g>(
        &self,
        message: &Message<'_>,
        path: &GroupPath,
        groups: impl FnOnce() -> Option<&'g Groups>,
    ) -> Option<Vec<Scope>> {
        if path.groups().is_empty() {
            return Some(vec![Scope { place: String::new(), ..self.scope.clone() }]);
        }
        Some(groups()?.select(message, &self.scope, path.groups()))
    }

    /// The items that a selector selects, in order; nothing where that takes groups and these are not known.
    #[must_use]
    pub fn items<'g>(
        &self,
        message: &Message<'_>,
        item: &GroupPath,
        groups: impl FnOnce() -> Option<&'g Groups>,
    ) -> Option<Vec<Self>> {
        let scopes = self.scopes(message, item, groups)?;
        Some(match item.path() {
            Some(path) => self.segments(message, path, &scopes, item),
            None => {
                let part = |Scope { segments, place }: Scope| Self::of(segments, self.joined(&place), At::Scope);
                scopes.into_iter().map(part).collect()
            }
        })
    }

    fn segments(&self, message: &Message<'_>, path: &Path, scopes: &[Scope], written: &GroupPath) -> Vec<Self> {
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
                found.push(Self::of(line..line + 1, self.joined(&format!("{before}{own}")), At::Segment));
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
                found.push(Self::of(line..line + 1, place, At::Repetition(repetition)));
            }
        }
        found
    }
}
