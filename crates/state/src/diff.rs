//! Differences between two sandboxes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use candor_check::difference::{Change, Difference, Recording, differences};
use candor_check::explain::plain;
use candor_check::records::Unreadable;
use candor_check::sandbox::{Gaps, OpenedPart, PartRecord, Recorded};
use candor_check::{Obstacle, PartType, Sandbox, Unverifiable};
use candor_json::{Value, json};
use tempfile::TempDir;

use crate::parts::{chosen, is_there, scratch};

/// Differences, in order of the parts, then of the records' names.
#[derive(Clone, Debug, Default)]
pub struct Diff {
    /// The records that differ.
    pub differences: Vec<Difference>,
    /// The key of each collection of each part: the fields that identify its records.
    pub keys: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// How many records there are on either side, each counted once.
    pub records: u64,
    /// Parts and places that could not be compared.
    pub unread: Vec<Unread>,
}

/// A part, or a place in it, that could not be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The part.
    pub part: String,
    /// `before` or `after`, where it is known which of the two.
    pub side: Option<&'static str>,
    /// The place, where it is one.
    pub place: Option<String>,
    /// The obstacle.
    pub what: String,
}

/// Compares the parts of two sandboxes: those that are named, else all that either has. A part that one of them lacks was
/// not recorded there, and is not compared.
///
/// # Errors
/// The name that is not the name of a part.
pub async fn diff(before: &Sandbox, after: &Sandbox, named: Option<&[String]>) -> Result<Diff, String> {
    compared(before, after, named, false).await
}

/// As [`diff`], where the work may have made parts: of one that `before` lacks, every record was added.
///
/// # Errors
/// As [`diff`].
pub async fn diff_of_work(before: &Sandbox, after: &Sandbox, named: Option<&[String]>) -> Result<Diff, String> {
    compared(before, after, named, true).await
}

async fn compared(
    before: &Sandbox,
    after: &Sandbox,
    named: Option<&[String]>,
    makes_parts: bool,
) -> Result<Diff, String> {
    let mut diff = Diff::default();
    for part in chosen(after, named)? {
        let compared = async {
            let (mut of_before, mut of_after) = (None, None);
            let was = side(before, part, &mut of_before).await?;
            let is = side(after, part, &mut of_after).await?;
            let (was, is) = match (was, is) {
                (was, Some(is)) if was.is_some() || makes_parts => (was, is),
                (None, None) => return Ok(None),
                (was, _) => {
                    let side = if was.is_none() { "before" } else { "after" };
                    diff.unread.push(lacking(part, side));
                    return Ok(None);
                }
            };
            let compare = move || {
                let mut found = Vec::new();
                let was = was.as_ref().map_or(&Nothing as &dyn OpenedPart, Recording::part);
                let compared = differences(part.name(), was, is.part(), &mut |difference| {
                    found.push(difference);
                    ControlFlow::Continue(())
                })?;
                Ok((found, compared))
            };
            let done = after.work().wait(compare).await;
            done.unwrap_or_else(|error| Err(broke(&format!("{error:?}")))).map(Some)
        };
        match compared.await {
            Ok(None) => {}
            Ok(Some((found, compared))) => {
                diff.records += compared.records;
                if !compared.keys.is_empty() {
                    diff.keys.insert(part.name().to_owned(), compared.keys);
                }
                diff.differences.extend(found);
                diff.unread.extend(unread(part, &compared.before, "before"));
                diff.unread.extend(unread(part, &compared.after, "after"));
            }
            Err(why) => {
                diff.unread.push(Unread { part: part.name().to_owned(), side: None, place: None, what: why.details })
            }
        }
    }
    Ok(diff)
}

fn lacking(part: PartType, side: &'static str) -> Unread {
    let name = part.name();
    let what = format!("there is no `{name}/`; if nothing was in it, make an empty `{name}/` folder");
    Unread { part: name.to_owned(), side: Some(side), place: None, what }
}

fn broke(what: &str) -> Unverifiable {
    Unverifiable::new(Obstacle::SourceUnavailable, format!("the comparison broke off: {what}"))
}

async fn side(
    sandbox: &Sandbox,
    part: PartType,
    kept: &mut Option<TempDir>,
) -> Result<Option<Recording>, Unverifiable> {
    match is_there(sandbox, part).await? {
        true => Recording::of(sandbox, part, || scratch(kept)).await.map(Some),
        false => Ok(None),
    }
}

fn unread(part: PartType, gaps: &Gaps, side: &'static str) -> impl Iterator<Item = Unread> {
    let one = move |gap: &Unreadable| Unread {
        part: part.name().to_owned(),
        side: Some(side),
        place: Some(gap.place.locator.clone()),
        what: gap.what.clone(),
    };
    gaps.iter().map(one)
}

/// A part that a sandbox lacks: it has no records.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl OpenedPart for Nothing {
    fn is_listed(&self) -> bool {
        true
    }

    fn records(&self, _: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        Ok(Gaps::new())
    }

    fn fields(&self, _: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        Ok(Vec::new())
    }

    fn record(&self, _: &Path) -> Result<Recorded, Unverifiable> {
        Ok(Recorded::default())
    }
}

impl Diff {
    /// How many records were added, removed and changed.
    #[must_use]
    pub fn counts(&self) -> (usize, usize, usize) {
        let count = |is: fn(&Change) -> bool| self.differences.iter().filter(|one| is(&one.change)).count();
        (
            count(|change| *change == Change::Added),
            count(|change| *change == Change::Removed),
            count(|change| matches!(change, Change::Changed { .. })),
        )
    }

    /// The difference as JSON: the numbers, the records with their fields, and what could not be read.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let (added, removed, changed) = self.counts();
        let record = |one: &Difference| match &one.change {
            Change::Changed { fields } => {
                json!({"part": one.part, "record": one.record, "change": one.change.name(), "fields": fields})
            }
            Change::Added | Change::Removed => {
                json!({"part": one.part, "record": one.record, "change": one.change.name()})
            }
        };
        let records: Vec<Value> = self.differences.iter().map(record).collect();
        let mut value = json!({"added": added, "removed": removed, "changed": changed, "records": records});
        let Some(members) = value.as_object_mut() else { return value };
        if !self.keys.is_empty() {
            members.insert("keys".to_owned(), json!(self.keys));
        }
        if !self.unread.is_empty() {
            let unread =
                |one: &Unread| json!({"part": one.part, "side": one.side, "place": one.place, "what": one.what});
            members.insert("unread".to_owned(), self.unread.iter().map(unread).collect());
        }
        value
    }

    /// The difference as a person would tell it, a line a record, whatever their names hold.
    #[must_use]
    pub fn told(&self) -> String {
        let mut text = String::new();
        let mut part = "";
        for one in &self.differences {
            if part != one.part {
                part = &one.part;
                // Writing into a text cannot fail.
                let _ = writeln!(text, "{part}:");
            }
            let hidden = |side| self.unread.iter().any(|unread| unread.part == one.part && unread.side == Some(side));
            let doubt = match &one.change {
                Change::Added if hidden("before") => ", or was where something could not be read",
                Change::Removed if hidden("after") => ", or is where something could not be read",
                _ => "",
            };
            let _ = writeln!(text, "  {}{doubt}", plain(&one.told()));
        }
        for one in &self.unread {
            let side = one.side.map(|side| format!(" {side}")).unwrap_or_default();
            let place = one.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
            let _ = writeln!(text, "not compared: {}{side}{}", one.part, plain(&format!("{place}: {}", one.what)));
        }
        let (added, removed, changed) = self.counts();
        let records = if self.records == 1 { "1 record".to_owned() } else { format!("{} records", self.records) };
        let _ = match (self.differences.is_empty(), self.unread.is_empty()) {
            (true, true) => writeln!(text, "No difference in {records}."),
            (true, false) => writeln!(text, "No difference in what could be read ({records})."),
            (false, _) => writeln!(text, "{added} added, {removed} removed, {changed} changed, of {records}."),
        };
        text
    }
}
