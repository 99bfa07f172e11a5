//! The open envelopes of a walk, and its events.

use super::items::{Group, Interchange};
use crate::reader::RawSegment;
use crate::{Finding, ParseError};

#[derive(Debug)]
pub(super) struct OpenInterchange {
    pub(super) interchange: Interchange,
    pub(super) version: String,
    pub(super) control: String,
    pub(super) groups: u64,
    pub(super) findings: Vec<Finding>,
}

#[derive(Debug)]
pub(super) struct OpenGroup {
    pub(super) group: Group,
    pub(super) sets: u64,
    pub(super) findings: Vec<Finding>,
}

#[derive(Debug)]
pub(super) struct OpenSet {
    pub(super) start: u64,
    /// Behind the terminator of the last segment.
    pub(super) end: u64,
    pub(super) segments: u64,
    /// How many of them have no id.
    pub(super) damaged: u32,
    pub(super) control: String,
    pub(super) findings: Vec<Finding>,
    pub(super) state: SetState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SetState {
    /// Its bytes are held.
    Wanted,
    /// The caller did not want it; its segments are counted.
    Unwanted,
    Broken,
}

/// An event by offsets, made into an [`super::Item`] after the last change.
pub(super) enum Event {
    Set(OpenSet),
    Ta1(RawSegment),
    GroupEnd { index: u64, findings: Vec<Finding> },
    InterchangeEnd { index: u64, findings: Vec<Finding> },
    Fault(ParseError),
}
