//! The items of a [`crate::Walk`].

use crate::set::{Excerpt, SetView};
use crate::{Delimiters, Finding, HeaderForm, ParseError, Segment};

/// An interchange that is open: its ISA.
#[derive(Debug, Clone)]
pub struct Interchange {
    /// Its number in the file, from 0.
    pub index: u64,
    /// The offset of ISA.
    pub offset: u64,
    /// The bytes of ISA without the terminator.
    pub header: Vec<u8>,
    /// The delimiters that ISA declares.
    pub delimiters: Delimiters,
    /// How ISA is written.
    pub form: HeaderForm,
}

impl Interchange {
    pub(super) fn excerpt(&self) -> Excerpt<'_> {
        Excerpt { bytes: &self.header, offset: self.offset }
    }
}

/// A functional group that is open: its GS.
#[derive(Debug, Clone)]
pub struct Group {
    /// Its number in the file, from 0.
    pub index: u64,
    /// The offset of GS.
    pub offset: u64,
    /// The bytes of GS without the terminator.
    pub header: Vec<u8>,
    pub(super) id: String,
    pub(super) control: String,
    pub(super) version: String,
}

impl Group {
    pub(super) fn excerpt(&self) -> Excerpt<'_> {
        Excerpt { bytes: &self.header, offset: self.offset }
    }

    /// GS08, the version, release and industry identifier code.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// Says if a [`crate::Walk`] came to the end that X12 requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every set has its SE and every interchange its IEA.
    Whole,
    /// Something is cut off.
    CutOff {
        /// The offset of the first thing that is: an ISA, a segment, the ST of a set.
        offset: u64,
    },
    /// Nothing is visibly cut off, but an interchange has no IEA: more sets may have followed.
    Unknown,
}

/// A set, a TA1 segment, the end of a group or an interchange, or a fault that a [`crate::Walk`] meets.
#[derive(Debug)]
pub enum Item<'a> {
    /// A transaction set that is whole.
    Set(Set<'a>),
    /// A TA1 segment.
    Ta1(Ta1<'a>),
    /// A group is over, with the comparison of its GS and GE, and of the sets between.
    GroupEnd {
        /// [`Group::index`].
        index: u64,
        /// The disagreements.
        findings: Vec<Finding>,
    },
    /// An interchange is over, with the comparison of its ISA and IEA.
    InterchangeEnd {
        /// [`Interchange::index`].
        index: u64,
        /// The disagreements.
        findings: Vec<Finding>,
    },
    /// A place that cannot be read. What comes after it is read all the same.
    Fault(ParseError),
}

/// A transaction set of which only the ST is read.
#[derive(Debug, Clone, Copy)]
pub struct SetHead<'a> {
    /// The interchange that contains it.
    pub interchange: &'a Interchange,
    /// The group that contains it.
    pub group: Option<&'a Group>,
    /// ST.
    pub st: Segment<'a>,
}

impl SetHead<'_> {
    /// The implementation guide: ST03, or GS08 where it is absent.
    #[must_use]
    pub fn guide(&self) -> String {
        let st03 = self.st.text(3);
        match (st03.is_empty(), self.group) {
            (true, Some(group)) => group.version.clone(),
            _ => st03.into_owned(),
        }
    }
}

/// A transaction set.
#[derive(Debug)]
pub struct Set<'a> {
    /// The interchange that contains it.
    pub interchange: &'a Interchange,
    /// The group that contains it; `None` if there is no GS before it.
    pub group: Option<&'a Group>,
    /// Its bytes from ST to SE.
    pub body: Excerpt<'a>,
    /// How many segments it has, ST and SE included.
    pub segments: u64,
    /// How many of them have no id. Each was reported as a fault before.
    pub damaged: u32,
    /// Disagreements between its ST and SE and its group.
    pub findings: Vec<Finding>,
}

impl<'a> Set<'a> {
    /// The set as a path sees it.
    #[must_use]
    pub fn view(&self) -> SetView<'a> {
        SetView {
            delimiters: self.interchange.delimiters,
            isa: self.interchange.excerpt(),
            gs: self.group.map(Group::excerpt),
            body: self.body,
        }
    }
}

/// An interchange acknowledgment.
#[derive(Debug)]
pub struct Ta1<'a> {
    /// The interchange that contains it.
    pub interchange: &'a Interchange,
    /// Its bytes.
    pub body: Excerpt<'a>,
}

impl<'a> Ta1<'a> {
    /// The acknowledgment as a path sees it: with its ISA, whether or not a group is open.
    #[must_use]
    pub fn view(&self) -> SetView<'a> {
        SetView { delimiters: self.interchange.delimiters, isa: self.interchange.excerpt(), gs: None, body: self.body }
    }
}
