//! HL7 v2 and X12 files: a path selects from every message or transaction set, in the order of the file.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use candor_check::compare::Datum;
use candor_check::field::{Found, Selection};
use candor_check::records::{Completeness, Cut, Reading};
use candor_hl7v2::{Ending, Message, messages};
use candor_hl7v2_structure::{Fit, GroupPath, Groups, MessagePart};
use candor_x12::{Excerpt, Item, Reader, SetView, Token, Walk};
use candor_x12_guides::{Guide, Part, ReadSet};

use super::path::X12Path;
use super::{Malformed, span};

/// Nothing marks the end of a message's last segment, or of the messages of a file.
pub(super) fn hl7(bytes: &[u8]) -> Result<Reading<&[u8]>, Malformed> {
    let mut read = messages(bytes);
    for message in read.by_ref() {
        let message = message
            .map_err(|error| Malformed::at(error.span.start, format!("not an HL7 v2 message ({})", error.kind)))?;
        if ends_in_its_header(&message) {
            let cut = Cut::new(message.span().start as u64, "an HL7 v2 message that ends in its header");
            return Ok(Reading::new(bytes, Completeness::Cut(cut)));
        }
    }
    match read.ending() {
        Ending::NoTrailer { ended: false, .. } => {
            let cut = Cut::new(bytes.len() as u64, "the end of a batch that breaks off in its last line");
            Ok(Reading::new(bytes, Completeness::Cut(cut)))
        }
        // A batch without its trailer is read, and what NUL bytes mean is the same in every text.
        Ending::Open | Ending::NoTrailer { .. } | Ending::Nuls { .. } => Ok(Reading::unknown(bytes)),
    }
}

/// Returns `true` if a message is a header, and that without the version in MSH-12, which every version requires.
fn ends_in_its_header(message: &Message<'_>) -> bool {
    const SEPARATORS: usize = 11;
    let header = message.raw();
    message.segments().len() == 1 && header.iter().filter(|byte| Some(*byte) == header.get(3)).count() < SEPARATORS
}

pub(super) fn x12(bytes: &[u8]) -> Result<Reading<&[u8]>, Malformed> {
    /// Premature end of file. Source: X12 element I18, interchange note code.
    const END_OF_FILE: &str = "TA105:023";
    let mut walk = Walk::from_slice(bytes);
    let mut any = false;
    let mut is_open = false;
    let found = loop {
        match walk.next_item(&mut |_| false) {
            Ok(None) => break None,
            Ok(Some(Item::Fault(error))) => {
                let offset = usize::try_from(error.offset).unwrap_or(usize::MAX);
                break Some(Malformed::at(offset, format!("not X12 ({})", error.kind)));
            }
            Ok(Some(Item::InterchangeEnd { findings, .. })) => {
                any = true;
                is_open = findings.iter().any(|finding| finding.code == END_OF_FILE);
            }
            Ok(Some(_)) => any = true,
            Err(error) => break Some(Malformed::at(0, format!("what cannot be read: {error}"))),
        }
    };
    match found {
        Some(malformed) => Err(malformed),
        None if is_open => {
            let cut = Cut::new(bytes.len() as u64, "the end of a file whose last X12 interchange has no IEA");
            Ok(Reading::new(bytes, Completeness::Cut(cut)))
        }
        None if any => Ok(Reading::whole(bytes)),
        None => Err(Malformed::at(0, "no X12 interchange")),
    }
}

pub(super) fn count_hl7(bytes: &[u8]) -> u64 {
    messages(bytes).flatten().count() as u64
}

pub(super) fn count_x12(bytes: &[u8]) -> u64 {
    let mut walk = Walk::from_slice(bytes);
    let mut sets = 0;
    while let Ok(Some(item)) = walk.next_item(&mut |_| false) {
        sets += u64::from(matches!(item, Item::Set(_)));
    }
    sets
}

/// The values that a path selects in every message; open where it goes through groups and those of a message are not known.
pub(super) fn select_hl7<'a>(bytes: &'a [u8], path: &GroupPath) -> Selection<'a> {
    let mut values = Vec::new();
    for message in messages(bytes).flatten() {
        match FileMessage::new(message).values(&MessagePart::message(), path) {
            Some(found) => values.extend(found),
            None => return Selection::open(),
        }
    }
    Selection::texts(values)
}

/// The values that a path selects in every transaction set; open where it goes through loops and those of a set are not
/// known.
pub(super) fn select_x12<'a>(bytes: &'a [u8], path: &X12Path) -> Selection<'a> {
    let X12Path::Values(path) = path else { return Selection::default() };
    let mut values = Vec::new();
    let mut walk = Walk::from_slice(bytes);
    while let Ok(Some(item)) = walk.next_item(&mut |_| true) {
        let view = match &item {
            Item::Set(set) => set.view(),
            Item::Ta1(ta1) => ta1.view(),
            _ => continue,
        };
        match x12_values(&ReadSet::new(view), Part::Set, path) {
            Some(found) => values.extend(found.into_iter().map(Found::into_owned)),
            None => return Selection::open(),
        }
    }
    Selection::texts(values)
}

/// The values of a path in a part of a set; nothing where its loops are not known.
pub(crate) fn x12_values<'a>(set: &ReadSet<'a>, part: Part, path: &candor_x12::Path) -> Option<Vec<Found<'a>>> {
    let found = |value: candor_x12::Value<'a>| {
        let range = value.offset..value.offset + value.len as u64;
        Found { datum: Datum::Text(value.text), span: Some(range) }
    };
    Some(set.values(part, path)?.into_iter().map(found).collect())
}

/// A message of a file; its groups are found when a path asks for them.
#[derive(Debug)]
pub(crate) struct FileMessage<'a> {
    message: Message<'a>,
    groups: OnceCell<Option<Groups>>,
}

impl<'a> FileMessage<'a> {
    fn new(message: Message<'a>) -> Self {
        Self { message, groups: OnceCell::new() }
    }

    fn groups(&self) -> Option<&Groups> {
        self.groups.get_or_init(|| Groups::of(&self.message).ok()).as_ref()
    }

    /// The values of a path in a part of the message; nothing where its groups are not known.
    pub(crate) fn values<'v>(&self, part: &MessagePart, path: &GroupPath) -> Option<Vec<Found<'v>>> {
        let scopes = part.scopes(&self.message, path, || self.groups())?;
        let segments: Vec<Range<usize>> = scopes.into_iter().map(|scope| scope.segments).collect();
        let own = part.own(path.path()?);
        let found = |value: candor_hl7v2::Value<'_>| {
            let datum = Datum::Text(Cow::Owned(value.text().text.into_owned()));
            Found { datum, span: span(value.span()) }
        };
        Some(own.select_in(&self.message, &segments).map(found).collect())
    }

    /// The items of a selector in a part of the message; nothing where its groups are not known.
    pub(crate) fn items(&self, part: &MessagePart, item: &GroupPath) -> Option<Vec<MessagePart>> {
        part.items(&self.message, item, || self.groups())
    }
}

pub(crate) fn read_hl7(bytes: &[u8]) -> Vec<FileMessage<'_>> {
    messages(bytes).flatten().map(FileMessage::new).collect()
}

/// The transaction sets of a file; nothing where one of them is not a part of the bytes as they are.
pub(crate) fn read_x12(bytes: &[u8]) -> Option<Vec<ReadSet<'_>>> {
    let within = |excerpt: Excerpt<'_>| {
        let start = usize::try_from(excerpt.offset).ok()?;
        let found = bytes.get(start..start.checked_add(excerpt.bytes.len())?)?;
        (found == excerpt.bytes).then_some(Excerpt { bytes: found, offset: excerpt.offset })
    };
    let mut sets = Vec::new();
    let mut walk = Walk::from_slice(bytes);
    while let Ok(Some(item)) = walk.next_item(&mut |_| true) {
        let Item::Set(set) = item else { continue };
        let view = set.view();
        let gs = match view.gs {
            Some(gs) => Some(within(gs)?),
            None => None,
        };
        let (isa, body) = (within(view.isa)?, within(view.body)?);
        sets.push(ReadSet::new(SetView { delimiters: view.delimiters, isa, gs, body }));
    }
    Some(sets)
}

pub(super) fn leaves_hl7(bytes: &[u8]) -> Vec<Vec<(String, String)>> {
    messages(bytes).flatten().map(|message| message.leaves()).collect()
}

/// The fields of the segments around messages: of the file and of its batches.
pub(super) fn frame_hl7(bytes: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.split(['\r', '\n']).map(|line| line.trim_start_matches('\u{b}'));
    let frame = lines.filter(|line| ["FHS", "BHS", "BTS", "FTS"].iter().any(|id| line.starts_with(id)));
    frame
        .flat_map(|line| {
            let (id, fields) = line.split_at_checked(3).unwrap_or((line, ""));
            let separator = fields.chars().next();
            // The separator is the first field of a header.
            let first = if id.ends_with("HS") { 1 } else { 0 };
            let fields = separator.map(|separator| fields.split(separator).collect::<Vec<_>>()).unwrap_or_default();
            let field = move |(number, field): (usize, &str)| (format!("{id}.{}", number + first), field.to_owned());
            fields.into_iter().enumerate().skip(1).filter(|(_, field)| !field.is_empty()).map(field).collect::<Vec<_>>()
        })
        .collect()
}

pub(super) fn frame_x12(bytes: &[u8]) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut reader = Reader::from_slice(bytes);
    while let Ok(Some(token)) = reader.next_token() {
        let Token::Segment(segment) = token else { continue };
        if ["ISA", "GS", "GE", "IEA", "TA1"].iter().any(|id| segment.id().is(id)) {
            let id = segment.id().as_str().to_owned();
            let elements =
                (1..).zip(segment.elements()).map(|(number, element)| (format!("{id}.{number}"), element.text()));
            all.extend(elements.map(|(path, text)| (path, text.into_owned())));
        }
    }
    all
}

/// The values of each transaction set of a file; nothing where one of them is not a part of the bytes as they are.
pub(super) fn leaves_x12(bytes: &[u8]) -> Option<Vec<Vec<(String, String)>>> {
    let mut sets = Vec::new();
    let mut walk = Walk::from_slice(bytes);
    while let Ok(Some(item)) = walk.next_item(&mut |_| true) {
        if let Item::Set(set) = item {
            sets.push(set.view().leaves());
        }
    }
    (!sets.is_empty()).then_some(sets)
}

/// The first message whose groups a path asks for and whose structure is not known: the end of a sentence about the file.
pub(super) fn hint_hl7(bytes: &[u8], path: &GroupPath) -> Option<String> {
    if path.groups().is_empty() {
        return None;
    }
    messages(bytes).flatten().find_map(|message| match Groups::of(&message).err()? {
        Fit::UnknownVersion(version) => {
            Some(format!("has a message of version {version:?}, whose groups are not known"))
        }
        Fit::UnknownStructure { name, version } => {
            Some(format!("has a message of structure {name:?}, whose groups are not known in {version}"))
        }
        Fit::Checked(_) => None,
    })
}

/// The first set whose loops a path asks for and whose guide is not known: the end of a sentence about the file.
pub(super) fn hint_x12(bytes: &[u8], path: &X12Path) -> Option<String> {
    if path.loops().is_empty() {
        return None;
    }
    let unknown = read_x12(bytes)?.into_iter().find(|set| Guide::of(&set.transaction(), &set.guide()).is_none())?;
    Some(format!("has a set of guide {:?}, whose loops are not known", unknown.guide()))
}
