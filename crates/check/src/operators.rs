//! Changes of ground truth that a rubric must notice, or must not: what an audit makes of a sandbox in which the work was
//! done. A check crate lists them as values, beside its check; whoever audits knows none of them.
//!
//! An operator never sees an assertion, that of a breach aside: it adds what one forbids. It is given the files of a part and the record that a criterion passed on, and
//! answers with changes, each told in one sentence. One that finds nothing to change answers with none.
//!
//! ```
//! use candor_check::operators::{Change, Operator, Target};
//! use candor_check::strict_json::put;
//!
//! fn cancelled(target: &Target<'_>) -> Vec<Change> {
//!     let edit = target.record().and_then(|order| put(order, &[], "status", "\"cancelled\""));
//!     edit.map(|edit| target.change([edit], "The order was cancelled.")).into_iter().collect()
//! }
//! const CANCELLED: Operator =
//!     Operator::harm("orders/cancelled", cancelled, "An order that is cancelled asks nobody to do anything.");
//! # let target = Target { files: &[("a".into(), b"{}".to_vec().into())], place: &candor_check::field::Location::whole("a"), is_production: false, forbidden: None };
//! # assert_eq!((CANCELLED.apply)(&target)[0].sentence, "The order was cancelled.");
//! ```

use std::sync::Arc;

use serde_json::Value;

use crate::field::Location;
use crate::strict_json::Edit;

/// What a change does to the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It makes the work wrong, and leaves every value that a criterion may assert where it is.
    Harm,
    /// It leaves the meaning as it was.
    Equivalence,
    /// It puts what has no order in another one.
    Order,
    /// It adds what a criterion that forbids something may forbid.
    Breach,
}

/// A kind of change.
#[derive(Clone, Copy, Debug)]
pub struct Operator {
    /// The part and its name: `fhir/second-dose`.
    pub id: &'static str,
    /// What it does to the work.
    pub kind: Kind,
    /// Why that is so, with the standard's own words where it has some.
    pub why: &'static str,
    /// The changes, none where there is nothing to change.
    pub apply: fn(&Target<'_>) -> Vec<Change>,
}

impl Operator {
    /// A change that makes the work wrong.
    #[must_use]
    pub const fn harm(id: &'static str, apply: fn(&Target<'_>) -> Vec<Change>, why: &'static str) -> Self {
        Self { id, kind: Kind::Harm, why, apply }
    }

    /// A change that leaves the meaning as it was.
    #[must_use]
    pub const fn equivalent(id: &'static str, apply: fn(&Target<'_>) -> Vec<Change>, why: &'static str) -> Self {
        Self { id, kind: Kind::Equivalence, why, apply }
    }

    /// Another order of what has none.
    #[must_use]
    pub const fn order(id: &'static str, apply: fn(&Target<'_>) -> Vec<Change>, why: &'static str) -> Self {
        Self { id, kind: Kind::Order, why, apply }
    }

    /// What a criterion may forbid.
    #[must_use]
    pub const fn breach(id: &'static str, apply: fn(&Target<'_>) -> Vec<Change>, why: &'static str) -> Self {
        Self { id, kind: Kind::Breach, why, apply }
    }

    /// The part whose records it changes.
    #[must_use]
    pub fn part(&self) -> &'static str {
        self.id.split_once('/').map_or(self.id, |(part, _)| part)
    }
}

/// What is changed: a record among the files of its part.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The files of the part, by their locators, in order.
    pub files: &'a [(String, Arc<[u8]>)],
    /// The record that a criterion passed on.
    pub place: &'a Location,
    /// Whether the sandbox is one of production, so that test data in it is no work.
    pub is_production: bool,
    /// What is forbidden, for a breach alone: the assertion.
    pub forbidden: Option<&'a Value>,
}

impl<'a> Target<'a> {
    /// The file that the record stands in, where it is text.
    #[must_use]
    pub fn file(&self) -> Option<&'a str> {
        let (_, bytes) = self.files.iter().find(|(locator, _)| *locator == self.place.locator)?;
        std::str::from_utf8(bytes).ok()
    }

    /// The first byte of the record in its file.
    #[must_use]
    pub fn start(&self) -> usize {
        self.place.span.and_then(|(start, _)| usize::try_from(start).ok()).unwrap_or_default()
    }

    /// The text of the record.
    #[must_use]
    pub fn record(&self) -> Option<&'a str> {
        let text = self.file()?;
        match self.place.span {
            Some((start, end)) => text.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?),
            None => Some(text),
        }
    }

    /// A change within the record: its edits count from the record's first byte.
    #[must_use]
    pub fn change(&self, edits: impl IntoIterator<Item = Edit>, sentence: impl Into<String>) -> Change {
        let edits = edits.into_iter().map(|edit| edit.shifted(self.start())).collect();
        Change { locator: self.place.locator.clone(), edits, sentence: sentence.into() }
    }

    /// A change of the record's file: its edits count from the file's first byte.
    #[must_use]
    pub fn change_file(&self, edits: impl IntoIterator<Item = Edit>, sentence: impl Into<String>) -> Change {
        Change { locator: self.place.locator.clone(), edits: edits.into_iter().collect(), sentence: sentence.into() }
    }

    /// A new file beside the record's, its name ending as that one's does.
    #[must_use]
    pub fn beside(&self, content: impl Into<String>, sentence: impl Into<String>) -> Change {
        let (folder, name) = self.place.locator.rsplit_once('/').unwrap_or(("", &self.place.locator));
        let locator = format!("{folder}/zz-audit-{name}");
        Change { locator, edits: vec![Edit { span: 0..0, with: content.into() }], sentence: sentence.into() }
    }
}

/// A file with some of its bytes changed, or a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub locator: String,
    /// What is changed in it; of a new file, what it holds.
    pub edits: Vec<Edit>,
    /// What was done, in one sentence.
    pub sentence: String,
}
