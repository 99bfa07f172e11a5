//! Changes of ground truth that a rubric must notice, or must not: what an audit makes of a sandbox in which the work was
//! done. A check crate lists them as values, next to its check; whoever audits knows none of them.
//!
//! An operator gets the files of a part and the record that a criterion passed on. It returns changes, each with one
//! sentence that describes it, or an empty list if it finds nothing to change. It never sees an assertion, except that
//! of a breach: such an operator adds what the assertion forbids. No operator makes a source unreadable, except those
//! whose harm is just that.
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
//!     Operator::harm("orders/cancelled", cancelled, "A cancelled order does not ask for anything to be done.");
//! # let target = Target { files: &[("a".into(), b"{}".to_vec().into())], place: &candor_check::field::Location::whole("a"), is_production: false, forbidden: None };
//! # assert_eq!((CANCELLED.apply)(&target)[0].sentence, "The order was cancelled.");
//! ```

use std::sync::Arc;

use candor_json::Value;

use crate::field::Location;
use crate::strict_json::Edit;

/// The effect of a change on the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It makes the work wrong, and leaves every value that a criterion may assert where it is.
    Harm,
    /// It leaves the meaning unchanged.
    Equivalence,
    /// It puts what has no order in another one.
    Order,
    /// It adds what a criterion that forbids something may forbid.
    Breach,
    /// It may make the work wrong, and a person has to judge: it is reported, and no grade depends on it.
    Remark,
}

/// A kind of change.
#[derive(Clone, Copy, Debug)]
pub struct Operator {
    /// The part and its name: `fhir/second-dose`.
    pub id: &'static str,
    /// Its effect on the work.
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

    /// A change that leaves the meaning unchanged.
    #[must_use]
    pub const fn equivalent(id: &'static str, apply: fn(&Target<'_>) -> Vec<Change>, why: &'static str) -> Self {
        Self { id, kind: Kind::Equivalence, why, apply }
    }

    /// A reordering of records whose order has no meaning.
    #[must_use]
    pub const fn order(id: &'static str, apply: fn(&Target<'_>) -> Vec<Change>, why: &'static str) -> Self {
        Self { id, kind: Kind::Order, why, apply }
    }

    /// A change that a person has to judge.
    #[must_use]
    pub const fn remark(id: &'static str, apply: fn(&Target<'_>) -> Vec<Change>, why: &'static str) -> Self {
        Self { id, kind: Kind::Remark, why, apply }
    }

    /// A change that a criterion may forbid.
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

/// The thing that is changed: a record among the files of its part.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The files of the part, by their locators, in order.
    pub files: &'a [(String, Arc<[u8]>)],
    /// The record that a criterion passed on.
    pub place: &'a Location,
    /// True if the sandbox is one of production, so that test data in it does not count as work.
    pub is_production: bool,
    /// The assertion that forbids something; `None` except for a breach.
    pub forbidden: Option<&'a Value>,
}

impl<'a> Target<'a> {
    /// The file that the record is in, where it is text.
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
        self.change_file(edits.into_iter().map(|edit| edit.shifted(self.start())), sentence)
    }

    /// A change of the record's file: its edits count from the file's first byte.
    #[must_use]
    pub fn change_file(&self, edits: impl IntoIterator<Item = Edit>, sentence: impl Into<String>) -> Change {
        Change::new(self.place.locator.as_str(), edits.into_iter().collect(), sentence)
    }

    /// The bytes of the file that the record is in.
    #[must_use]
    pub fn bytes(&self) -> Option<&'a [u8]> {
        self.files.iter().find(|(locator, _)| *locator == self.place.locator).map(|(_, bytes)| bytes.as_ref())
    }

    /// The name of the record's file, without its folders.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.place.locator.rsplit('/').next().unwrap_or_default()
    }

    /// Returns `true` if a file of that locator is there.
    #[must_use]
    pub fn has(&self, locator: &str) -> bool {
        self.files.iter().any(|(name, _)| name == locator)
    }

    /// The record's file with other bytes.
    #[must_use]
    pub fn rewritten(&self, bytes: impl Into<Arc<[u8]>>, sentence: impl Into<String>) -> Change {
        Change::new(self.place.locator.as_str(), Vec::new(), sentence)
            .with_file(self.place.locator.as_str(), Some(bytes.into()))
    }

    /// The record's file under another ending, with what it holds then: the old one is taken away. Nothing where a file of
    /// that name is there.
    #[must_use]
    pub fn renamed(&self, to: &str, bytes: impl Into<Arc<[u8]>>, sentence: impl Into<String>) -> Vec<Change> {
        if self.has(to) || to == self.place.locator {
            return Vec::new();
        }
        let moved = Change::new(to, Vec::new(), sentence).with_file(self.place.locator.as_str(), None);
        vec![moved.with_file(to, Some(bytes.into()))]
    }

    /// A new file next to the record's, its name ending as that one's does.
    #[must_use]
    pub fn beside(&self, content: impl Into<String>, sentence: impl Into<String>) -> Change {
        let (folder, name) = self.place.locator.rsplit_once('/').unwrap_or(("", &self.place.locator));
        let locator = format!("{folder}/zz-audit-{name}");
        Change::new(locator, vec![Edit { span: 0..0, with: content.into() }], sentence)
    }
}

/// A file with some of its bytes changed, or a new one; and files next to it that are replaced, or taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub locator: String,
    /// The edits in it; of a new file, its content.
    pub edits: Vec<Edit>,
    /// The change, in one sentence.
    pub sentence: String,
    /// Files as a whole, by their locators: what they hold, or nothing where one is taken away.
    pub files: Vec<(String, Option<Arc<[u8]>>)>,
}

impl Change {
    /// A change of one file.
    #[must_use]
    pub fn new(locator: impl Into<String>, edits: Vec<Edit>, sentence: impl Into<String>) -> Self {
        Self { locator: locator.into(), edits, sentence: sentence.into(), files: Vec::new() }
    }

    /// The same change, and one more file as a whole.
    #[must_use]
    pub fn with_file(mut self, locator: impl Into<String>, bytes: Option<Arc<[u8]>>) -> Self {
        self.files.push((locator.into(), bytes));
        self
    }

    /// Returns `true` if nothing is changed.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.edits.is_empty() && self.files.is_empty()
    }

    /// The files that come with another name, and take the place of one that goes.
    pub fn new_names(&self) -> impl Iterator<Item = &str> {
        let takes_away = self.files.iter().any(|(_, bytes)| bytes.is_none());
        let new = self.files.iter().filter(move |(_, bytes)| takes_away && bytes.is_some());
        new.map(|(locator, _)| locator.as_str())
    }
}
