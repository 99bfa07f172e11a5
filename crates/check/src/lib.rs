//! The contract between a check and everything that runs it: the [`Check`] trait and its erasure, the [`Sandbox`] that
//! ground truth is read from, field comparison, and [`Evidence`].
//!
//! A check crate depends on this crate and on wire formats, never on another check. Nothing here knows a concrete check,
//! prints, scores a task or reads a task file.

mod check;
mod check_type;
mod compare;
mod evidence;
mod feature;
mod field;
mod host;
#[cfg(feature = "json-path")]
mod json_path;
mod outcome;
mod records;
mod review;
mod sandbox;
pub mod schema;
mod settings;
pub mod strict_json;
mod within;
pub mod work;

pub use check::{Check, Meta};
pub use check_type::{BoundCheck, CheckType, Seen};
pub use compare::{
    Answer, As, Date, DateForm, DateValue, Datum, Decimal, Judged, Manner, OPERATORS, Operator, Order, Precision,
    RULES, References, Rule, between, equal, lists_equal, normalized, order,
};
pub use evidence::{
    Candidates, Entry, Evidence, Nearest, PhraseResult, Record, Source as EvidenceSource, quoted, share,
};
pub use feature::{left_out, missing_feature};
pub use field::{
    Expected, Field, FieldPath, FieldReason, FieldResult, Found, PathProblem, Place, Quantifier, Reading, Selection,
    shown,
};
pub use host::{is_asked_directly, is_this_machine, use_proxies_of_environment};
#[cfg(feature = "json-path")]
pub use json_path::{DottedPath, Step};
pub use outcome::{Failure, Obstacle, Reason, Share, Status, Unverifiable};
pub use records::{
    Bytes, Candidate, Fault, Judgement, Judging, Match, NearMiss, Observation, RecordRules, Unreadable, Wording,
    closest, conclude, described,
};
pub use review::{RecordReview, Review, TooLarge, Weakness, WeaknessKind, matches_nothing, text_without_match};
pub use sandbox::{
    EVENTS, Event, EventKind, Events, FileBytes, FileEntry, Folder, Gaps, Limits, Listing, OpenedPart, Part,
    PartRecord, PartType, Remote, Sandbox, SandboxBuilder, SandboxError, Scheme, Secret, Section, SectionError,
    SettingFile, SettingKind, Source, duration, not_supported, size_text,
};
pub use settings::{Cardinality, InvalidAssertion, NotYet, nearest, one_of, read as read_settings};
pub use within::Within;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
