//! Holds the differences against the exceptions.

use candor_check::difference::{Change, Difference, FieldChange};
use candor_check::evidence::{Candidates, Entry, SourceRef};
use candor_check::field::{FieldReason, FieldResult, Location};
use candor_check::records::{Fault, Unreadable};
use candor_check::{Evidence, Failure, Obstacle, Share};
use candor_json::{Value, json};

use crate::except::NewRecord;
use crate::seen::{Seen, SeenPart};
use crate::settings::Settings;

/// The most results that evidence holds.
const MOST_RESULTS: usize = 200;
/// The most records that the sentence names.
const MOST_TOLD: usize = 3;

pub(crate) fn judge(settings: &Settings, seen: &Seen) -> Evidence {
    let records: u64 = seen.parts.iter().map(|part| part.records).sum();
    let names: Vec<&str> = seen.parts.iter().map(|part| part.part.as_str()).collect();
    let too_many = too_many(settings, seen);
    let mut found: Vec<Difference> = Vec::new();
    let mut hidden: Vec<&Unreadable> = Vec::new();
    let mut excepted = 0u64;
    for part in &seen.parts {
        let is_open = |one: &&Unreadable| !settings.excepts_place(&part.part, one);
        let before: Vec<&Unreadable> = part.unread_before.iter().filter(is_open).collect();
        let after: Vec<&Unreadable> = part.unreadable.iter().filter(is_open).collect();
        for difference in &part.differences {
            match settings.not_excepted(part, difference, &too_many) {
                None => excepted += 1,
                // What could not be read may hold it.
                Some(one) if one.change == Change::Added && !before.is_empty() => {}
                Some(one) if one.change == Change::Removed && !after.is_empty() => {}
                Some(difference) => found.push(difference),
            }
        }
        hidden.extend(before.into_iter().chain(after));
    }
    let evidence = if !found.is_empty() {
        let results: Vec<Entry> = found.iter().flat_map(results).take(MOST_RESULTS).collect();
        Evidence::failed(Failure::ForbiddenFound, Share::default(), results, sentence(&found, settings))
    } else if let Some(first) = hidden.first() {
        let obstacle = match first.fault {
            Fault::Obstacle(obstacle) => obstacle,
            Fault::Recording | Fault::System => Obstacle::SourceMalformed,
        };
        let more = match hidden.len() {
            0 | 1 => String::new(),
            2 => " (and 1 more place)".to_owned(),
            n => format!(" (and {} more places)", n - 1),
        };
        let result = FieldResult::constraint("$differences", json!(0), Value::Null, false)
            .because(FieldReason::Undecidable)
            .at(first.place.clone());
        let details =
            format!("Nothing that was read has changed, and not everything could be read: {}{more}.", named(first));
        Evidence::unverifiable(obstacle, vec![result.into()], details)
    } else {
        let place = names.first().map_or_else(String::new, |name| format!("{name}/"));
        let result = FieldResult::constraint("$differences", json!(0), json!(0), true).at(Location::whole(place));
        let beside = match excepted {
            0 => String::new(),
            1 => ", but for 1 that is excepted".to_owned(),
            n => format!(", but for {n} that are excepted"),
        };
        let parts = names.join(", ");
        let details = match records {
            1 => format!("1 record in {parts} is as it was before the work{beside}."),
            _ => format!("{records} records in {parts} are as they were before the work{beside}."),
        };
        Evidence::passed(vec![result.into()], details)
    };
    let evidence = match idle(settings, seen).as_slice() {
        [] => evidence,
        [one] => evidence.adding(&format!("The exception {one} covers none of the changes.")),
        several => evidence.adding(&format!("The exceptions {} cover none of the changes.", several.join(", "))),
    };
    let sources = names
        .iter()
        .map(|name| SourceRef { locator: format!("{name}/").into(), sha256: None, span: None, record: None })
        .collect();
    evidence
        .over(Candidates { considered: records, matched: found.len() as u64, nearest: None }, sources)
        .with("compared", json!({"records": records, "parts": names}))
}

/// A place with what is wrong there, which may name it already.
fn named(unreadable: &Unreadable) -> String {
    let (place, what) = (&unreadable.place.locator, &unreadable.what);
    match what.strip_prefix(place.as_str()).map_or(what.as_str(), str::trim_start) {
        rest if rest.starts_with("was ") || rest.starts_with("is ") || rest.starts_with("cannot ") => {
            format!("{place} {rest}")
        }
        rest => format!("{place}: {rest}"),
    }
}

/// The exceptions that cover nothing of what changed: one of them may be misspelt.
fn idle(settings: &Settings, seen: &Seen) -> Vec<String> {
    let covers = |one: &crate::except::Exception, part: &SeenPart, difference: &Difference| {
        let (name, bare) = (part.part.as_str(), difference.name());
        one.covers_whole(difference)
            || match &difference.change {
                Change::Added => one.allows_new(&new(part, difference)).is_some(),
                Change::Removed => false,
                Change::Changed { fields } => fields.iter().any(|field| one.covers_field(name, bare, &field.path)),
            }
    };
    let excepts_place = |one: &crate::except::Exception, part: &SeenPart| {
        part.unread_before.iter().chain(&part.unreadable).any(|place| one.covers_place(&part.part, place))
    };
    let is_idle = |one: &&crate::except::Exception| {
        !seen.parts.iter().any(|part| {
            excepts_place(one, part) || part.differences.iter().any(|difference| covers(one, part, difference))
        })
    };
    settings.except.iter().filter(is_idle).map(crate::except::Exception::written).collect()
}

/// For each exception of new records whether more came than it allows.
fn too_many(settings: &Settings, seen: &Seen) -> Vec<bool> {
    let news: Vec<NewRecord<'_>> = seen
        .parts
        .iter()
        .flat_map(|part| {
            let came = part.differences.iter().filter(|one| one.change == Change::Added);
            // A record that may come in any case is not counted.
            came.filter(|one| !settings.covers_record(one)).map(|one| new(part, one))
        })
        .collect();
    let exceeded = |exception: &crate::except::Exception| {
        let allowed = news.iter().filter_map(|new| exception.allows_new(new));
        let (count, max) = allowed.fold((0u64, None), |(count, _), max| (count + 1, max));
        max.is_some_and(|max| count > max)
    };
    settings.except.iter().map(exceeded).collect()
}

fn new<'s>(part: &'s SeenPart, difference: &'s Difference) -> NewRecord<'s> {
    NewRecord { part: &part.part, collection: &difference.collection, record: &difference.record }
}

impl Settings {
    fn not_excepted(&self, part: &SeenPart, difference: &Difference, too_many: &[bool]) -> Option<Difference> {
        if self.covers_record(difference) {
            return None;
        }
        let (name, bare) = (part.part.as_str(), difference.name());
        match &difference.change {
            Change::Added => {
                let mut exceptions = self.except.iter().zip(too_many);
                let allowed =
                    exceptions.any(|(one, exceeded)| !exceeded && one.allows_new(&new(part, difference)).is_some());
                (!allowed).then(|| difference.clone())
            }
            Change::Removed => Some(difference.clone()),
            Change::Changed { fields } => {
                let is_covered =
                    |field: &FieldChange| self.except.iter().any(|one| one.covers_field(name, bare, &field.path));
                let left: Vec<FieldChange> = fields.iter().filter(|field| !is_covered(field)).cloned().collect();
                let change = Change::Changed { fields: left };
                let is_something =
                    !matches!(&change, Change::Changed { fields: left } if left.is_empty() && !fields.is_empty());
                is_something.then(|| Difference { change, ..difference.clone() })
            }
        }
    }

    /// If the record may have changed in any way.
    fn covers_record(&self, difference: &Difference) -> bool {
        self.except.iter().any(|one| one.covers_whole(difference))
    }

    /// True if a place that could not be read lies where anything may have changed.
    fn excepts_place(&self, part: &str, unreadable: &Unreadable) -> bool {
        self.except.iter().any(|one| one.covers_place(part, unreadable))
    }
}

fn results(difference: &Difference) -> Vec<Entry> {
    let record = format!("{}:{}", difference.part, difference.record);
    let result = |path: String, before: Value, after: Value| -> Entry {
        FieldResult::constraint(path, before, after, false).at(difference.place.clone()).into()
    };
    match &difference.change {
        Change::Added => vec![result(record, Value::Null, json!("added"))],
        Change::Removed => vec![result(record, json!("there"), Value::Null)],
        Change::Changed { fields } => fields
            .iter()
            .map(|field| {
                let path = if field.path.is_empty() { record.clone() } else { format!("{record}.{}", field.path) };
                result(path, field.before.clone().unwrap_or_default(), field.after.clone().unwrap_or_default())
            })
            .collect(),
    }
}

fn sentence(found: &[Difference], settings: &Settings) -> String {
    let told: Vec<String> = found.iter().take(MOST_TOLD).map(|one| format!("{}:{}", one.part, one.told())).collect();
    let more = if found.len() > MOST_TOLD { format!("; and {} more", found.len() - MOST_TOLD) } else { String::new() };
    let what = match found.len() {
        1 => "1 record is not as it was before the work".to_owned(),
        n => format!("{n} records are not as they were before the work"),
    };
    let beside = if settings.except.is_empty() { "" } else { " and is not excepted" };
    let beside = if found.len() > 1 { beside.replace("is not", "are not") } else { beside.to_owned() };
    format!("{what}{beside}: {}{more}.", told.join("; "))
}
