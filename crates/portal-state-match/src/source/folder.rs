//! The sandbox's `portal/` folder: listed once, each resource read once, when it is first asked for.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use candor_check::evidence::SourceRef;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::{FileEntry, Folder, Limits, Listing, is_packed};
use candor_check::work::{cancelled, side_by_side};
use candor_check::{Obstacle, Sandbox, Unverifiable};

use super::PART;
use super::facts::Facts;
use super::section::{FolderSettings, Keys};
use crate::look::{Lacking, Look, Passing};
use crate::rows::{CsvForm, Format, Held, RowFault};
use crate::seen::{Missing, Seen};
use crate::selection::CorrelateBy;
use crate::sql::{self, Engine, Found, Sqlite, SqliteFile, Trouble, is_sqlite, within};

pub(crate) struct FolderSource {
    pub(super) folder: Folder,
    pub(super) files: Vec<RowFile>,
    pub(super) databases: Vec<DatabaseFile>,
    /// Places that may hold rows of any resource: folders that cannot be listed.
    pub(super) unreadable: Vec<Unreadable>,
    /// Files in no format that is read, by their names, with their locators.
    others: Vec<(String, String)>,
    outside_links: Vec<String>,
    pub(super) facts: Facts,
    pub(super) keys: Keys,
    pub(super) csv: CsvForm,
    /// Held while databases are read, so that waiting for another criterion is not time of one's own.
    gate: Arc<tokio::sync::Mutex<()>>,
    loaded: Mutex<HashMap<String, Loaded>>,
}

/// A resource, once it was read.
type Loaded = Arc<Mutex<Option<Arc<Resource>>>>;

/// A SQLite file, opened when it is first asked; by one criterion at a time.
pub(super) struct DatabaseFile {
    pub(super) entry: FileEntry,
    /// The files next to it that hold changes which are not in it yet.
    logs: Vec<FileEntry>,
    opened: Mutex<Option<Result<Box<dyn Engine>, Trouble>>>,
}

pub(super) struct RowFile {
    pub(super) entry: FileEntry,
    pub(super) resource: String,
    pub(super) format: Format,
    /// True if it is within the bytes that the part may hold.
    within_total: bool,
}

#[derive(Default)]
pub(super) struct Resource {
    pub(super) files: Vec<ResourceFile>,
    pub(super) unreadable: Vec<Unreadable>,
}

pub(super) struct ResourceFile {
    pub(super) locator: String,
    pub(super) rows: Held,
}

pub(super) struct FileRows {
    pub(super) held: Held,
    pub(super) faults: Vec<RowFault>,
    pub(super) cost: u64,
}

impl FolderSource {
    pub(super) async fn open(sandbox: &Sandbox, settings: FolderSettings) -> Result<Self, Unverifiable> {
        let folder = sandbox.folder(PART).ok_or_else(|| sandbox.no_source(PART))?;
        sandbox
            .blocking("portal/", move || folder.list_records().map(|listing| Self::new(folder, listing, settings)))
            .await
    }

    pub(crate) async fn look(
        self: Arc<Self>,
        sandbox: &Sandbox,
        correlate_by: CorrelateBy,
    ) -> Result<Seen, Unverifiable> {
        let gate = match self.databases.is_empty() {
            true => None,
            false => Some(Arc::clone(&self.gate).lock_owned().await),
        };
        let limits = sandbox.limits().clone();
        sandbox
            .blocking("portal/", move || {
                let _gate = gate;
                let resource = &correlate_by.resource;
                match self.folder.captured().filter(|part| !part.covers(resource)) {
                    Some(part) => Err(part.not_covered(resource)),
                    None => Ok(self.seen(&correlate_by, &limits)),
                }
            })
            .await
    }

    fn seen(&self, correlate_by: &CorrelateBy, limits: &Limits) -> Seen {
        let name = correlate_by.resource.as_str();
        let deadline = Instant::now() + within(limits.timeout);
        let begin = || {
            let mut look = Look::new(correlate_by, limits.max_total_bytes);
            if let Some(table) = self.facts.tables.get(name) {
                look.header(table.columns.iter().map(|(column, _)| column.as_str()));
            }
            look
        };
        let looked = self.resource(name, |resource| resource.look(&begin));
        let mut found = looked.is_some();
        let mut look = looked.unwrap_or_else(begin);
        let mut names = self.names();
        let mut empty = true;
        for database in &self.databases {
            match database.pass(name, &mut look, limits, deadline) {
                Ok(Found::There) => found = true,
                Ok(Found::Missing { names: others, no_rows }) => {
                    names.extend(others);
                    empty &= no_rows;
                }
                Err(trouble) => {
                    empty = false;
                    look.unreadable(trouble.at(&database.entry.locator));
                }
            }
        }
        if !self.outside_links.is_empty() {
            look.note(links(&self.outside_links));
        }
        let mut seen = look.finish();
        if !found && empty && self.has_no_rows() && self.others.is_empty() && self.outside_links.is_empty() {
            seen.rows.notes.push(format!("There is no resource `{name}`, and no rows of any other."));
        } else if !found {
            seen.missing = Some(Missing::Resource(names.into_iter().collect()));
        }
        seen.rows.unreadable.extend(self.unreadable_beside(name, found));
        seen.rows.unreadable.sort_by(|a, b| (&a.place.locator, a.place.span).cmp(&(&b.place.locator, b.place.span)));
        seen
    }

    pub(super) fn new(folder: Folder, listing: Listing, settings: FolderSettings) -> Self {
        let mut source = Self {
            files: Vec::new(),
            databases: Vec::new(),
            gate: Arc::default(),
            unreadable: listing.unreadable.into_iter().map(|(name, why)| kept_from(name, &why)).collect(),
            others: Vec::new(),
            outside_links: listing.outside_links,
            facts: Facts::of(folder.captured()),
            keys: settings.keys,
            csv: settings.csv,
            loaded: Mutex::default(),
            folder,
        };
        let mut total = 0u64;
        let mut logs = Vec::new();
        for entry in listing.files {
            let name = entry.path.rsplit('/').next().unwrap_or_default().to_owned();
            match name.rsplit_once('.') {
                Some((stem, extension)) if Format::of_extension(extension).is_some() => {
                    let limits = source.folder.limits();
                    total = total.saturating_add(entry.size.min(limits.max_bytes));
                    let within_total = total <= limits.max_total_bytes;
                    let format = Format::of_extension(extension).unwrap_or(Format::Json);
                    source.files.push(RowFile { entry, resource: stem.to_owned(), format, within_total });
                }
                Some((_, extension)) if is_sqlite(extension) => {
                    source.databases.push(DatabaseFile { entry, logs: Vec::new(), opened: Mutex::default() });
                }
                // What SQLite writes next to a database is read with it.
                _ if beside(&name).is_some() => logs.push(entry),
                _ => source.others.push((name, entry.locator)),
            }
        }
        for log in logs {
            let of = |database: &&mut DatabaseFile| beside(&log.path) == Some(database.entry.path.as_str());
            if let Some(database) = source.databases.iter_mut().find(of) {
                if log.size > 0 && !log.path.ends_with("-shm") {
                    database.logs.push(log);
                }
            } else if log.size > 0 {
                source.unreadable.push(Unreadable {
                    what: format!("{} belongs to a database that is not there", log.locator),
                    place: Location::whole(log.locator),
                    fault: Fault::Recording,
                });
            }
        }
        source
    }

    /// The rows of a resource; `None` when no file holds it.
    pub(super) fn resource<T>(&self, name: &str, use_it: impl FnOnce(&Resource) -> T) -> Option<T> {
        self.files.iter().find(|file| file.resource == name)?;
        let cell = {
            let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(loaded.entry(name.to_owned()).or_default())
        };
        let mut loaded = cell.lock().unwrap_or_else(PoisonError::into_inner);
        let resource = match &*loaded {
            Some(resource) => Arc::clone(resource),
            None => {
                let resource = Arc::new(self.load(name));
                // What was broken off is not kept for the others.
                *loaded = (!cancelled()).then(|| Arc::clone(&resource));
                resource
            }
        };
        drop(loaded);
        Some(use_it(&resource))
    }

    pub(super) fn load(&self, name: &str) -> Resource {
        let mut resource = Resource::default();
        let all = self.folder.limits().max_total_bytes;
        let mut budget = all;
        let files: Vec<&RowFile> = self.files.iter().filter(|file| file.resource == name).collect();
        let size = |file: &RowFile| u128::from(file.entry.size);
        let total = files.iter().filter(|file| file.within_total).map(|file| size(file)).sum::<u128>().max(1);
        // Each has a part of the budget, so that together they hold no more than one after another.
        let part = |file: &RowFile| u64::try_from(u128::from(all) * size(file) / total).unwrap_or(all);
        let ahead = side_by_side(&files, |file| file.entry.size, |file| self.rows(file, part(file)));
        let mut ahead = ahead.into_iter();
        for file in files {
            let mut read = ahead.next();
            if let Some(Ok(rows)) = &read
                && rows.held.read.cut_off
                && part(file) < budget
            {
                // From here on it matters what the files before have left.
                read = None;
                ahead = Vec::new().into_iter();
            }
            match read.unwrap_or_else(|| self.rows(file, budget)) {
                Ok(FileRows { held, faults, cost }) => {
                    budget = budget.saturating_sub(cost);
                    let locator = file.entry.locator.clone();
                    resource.unreadable.extend(faults.into_iter().map(|fault| unreadable(&locator, fault)));
                    resource.files.push(ResourceFile { locator, rows: held });
                }
                Err(unreadable) => resource.unreadable.push(unreadable),
            }
        }
        resource
    }

    /// The rows of a file, and what they take of a budget of memory.
    pub(super) fn rows(&self, file: &RowFile, budget: u64) -> Result<FileRows, Unreadable> {
        let locator = &file.entry.locator;
        if !file.within_total {
            let what = "with the files before it in portal/ it is larger than is allowed (limit max_total_bytes)";
            let fault = Fault::Obstacle(Obstacle::LimitExceeded);
            return Err(Unreadable { place: Location::whole(locator), what: what.to_owned(), fault });
        }
        let content = self.folder.read(&file.entry).map_err(|why| kept_from(locator.clone(), &why))?;
        let zero_one = self.facts.tables.get(&file.resource).is_some_and(|table| table.zero_one);
        let mut left = budget;
        let (held, faults) = Held::read(file.format, &self.csv, content, &mut left, zero_one);
        Ok(FileRows { held, faults, cost: budget - left })
    }

    /// Returns `true` if no file of the folder holds a row, or anything that may be one.
    fn has_no_rows(&self) -> bool {
        let empty = |name: &&str| {
            let resource =
                self.resource(name, |r| r.unreadable.is_empty() && r.files.iter().all(|f| f.rows.len() == 0));
            resource.unwrap_or(true)
        };
        self.names().iter().all(|name| empty(&name.as_str()))
    }

    pub(super) fn names(&self) -> BTreeSet<String> {
        self.files.iter().map(|file| file.resource.clone()).collect()
    }

    /// Places outside the files of a resource that may hold rows of it. `found` is whether it has files.
    fn unreadable_beside(&self, name: &str, found: bool) -> Vec<Unreadable> {
        let others = self.others.iter().filter(|(file, _)| may_hold(file, name, found));
        let others = others.map(|(_, locator)| Unreadable {
            place: Location::whole(locator),
            what: "rows are not read from files of this kind; expected .json, .ndjson, .jsonl, .csv or .tsv".to_owned(),
            fault: Fault::Recording,
        });
        // A file that cannot be read would hold the rows of its table, and no others.
        let of_another = |one: &&Unreadable| table_of(&one.place.locator).is_some_and(|table| table != name);
        let missing = self.unreadable.iter().filter(|one| !of_another(one)).cloned();
        missing.chain(others).collect()
    }
}

fn table_of(locator: &str) -> Option<&str> {
    let (stem, extension) = locator.rsplit('/').next()?.rsplit_once('.')?;
    Format::of_extension(extension).map(|_| stem)
}

impl Resource {
    /// A look at its rows. It skips no row if that could change the result.
    pub(super) fn look<'a>(&self, begin: &dyn Fn() -> Look<'a>) -> Look<'a> {
        let mut look = begin();
        self.pass(&mut look, false);
        if look.missed_some() {
            look = begin();
            self.pass(&mut look, true);
        }
        look
    }

    fn pass(&self, look: &mut Look<'_>, every: bool) {
        self.unreadable.iter().for_each(|unreadable| look.unreadable(unreadable.clone()));
        for file in &self.files {
            if let Some(what) = look.foreign(&file.rows) {
                let place = Location::whole(file.locator.as_str());
                look.unreadable(Unreadable { place, what, fault: Fault::Recording });
                continue;
            }
            let header = file.rows.read.header.as_slice();
            look.header(header.iter().map(String::as_str).filter(|name| !name.is_empty()));
            let sought = if every { None } else { look.sought(&file.rows) };
            let mark = look.mark();
            let mut next = 0;
            while next < file.rows.len() && !cancelled() {
                if sought.as_ref().is_some_and(|sought| look.unseen(sought, &mut next)) {
                    continue;
                }
                let at = next;
                next += 1;
                let Some(row) = file.rows.row(at, &|column| look.reads(column)) else { continue };
                let whole = || file.rows.row(at, &|_| true).map(|row| row.into_owned().content);
                let source = SourceRef {
                    locator: file.locator.as_str().into(),
                    sha256: None,
                    span: Some(row.span),
                    record: Some(format!("row {}", row.number).into()),
                };
                let label = format!("row {} of {}", row.number, file.locator);
                let short = Lacking::of(row.short, header);
                look.row(Passing { source, label, content: &row.content, whole: Some(&whole), short });
            }
            if look.kept_since(mark) {
                look.hash_since(mark, file.rows.file.sha256());
            }
        }
    }
}

fn links(outside: &[String]) -> String {
    let shown: Vec<&str> = outside.iter().take(3).map(String::as_str).collect();
    let more = if outside.len() > shown.len() { " and others" } else { "" };
    format!("Symbolic links that lead out of portal/ were not followed: {}{more}.", shown.join(", "))
}

fn format_of(name: &str) -> Option<Format> {
    name.rsplit_once('.').and_then(|(_, extension)| Format::of_extension(extension))
}

/// True if a file of another kind may hold the resource. If the resource has files of its own (`found`), only a packed
/// file of its name and kind may. If not, a packed file that does not name a resource may hold any.
fn may_hold(file: &str, resource: &str, found: bool) -> bool {
    let packs_any = is_packed(file) && file.rsplit_once('.').is_some_and(|(inner, _)| format_of(inner).is_none());
    if packs_any && !found {
        return true;
    }
    let Some(rest) = file.strip_prefix(resource) else { return false };
    if !found {
        return rest.is_empty() || rest.starts_with('.');
    }
    let inner = rest.strip_prefix('.').and_then(|rest| rest.rsplit_once('.')).map(|(inner, _)| inner);
    is_packed(file) && inner.and_then(Format::of_extension).is_some()
}

impl DatabaseFile {
    fn pass(&self, resource: &str, look: &mut Look<'_>, limits: &Limits, deadline: Instant) -> Result<Found, Trouble> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let database = opened.get_or_insert_with(|| self.open(limits, deadline));
        let passed = match database {
            Ok(sqlite) => sql::pass(sqlite.as_mut(), &self.entry.locator, resource, look, deadline),
            Err(trouble) => Err(trouble.clone()),
        };
        if cancelled() {
            // What was broken off is not kept for the others.
            *opened = None;
        }
        passed
    }

    pub(super) fn open(&self, limits: &Limits, deadline: Instant) -> Result<Box<dyn Engine>, Trouble> {
        let journal = self.logs.iter().find(|log| log.path.ends_with("-journal")).and_then(FileEntry::in_memory);
        let file = match (self.entry.in_memory(), self.entry.location()) {
            (Some(bytes), _) => {
                SqliteFile::Memory { bytes, journal: journal.map(|bytes| &**bytes), has_log: !self.logs.is_empty() }
            }
            (None, location) => SqliteFile::Disk(location.unwrap_or(Path::new(""))),
        };
        Sqlite::open(file, limits, deadline)
    }
}

/// The database that a file belongs to, when it is one that SQLite writes next to it.
fn beside(path: &str) -> Option<&str> {
    let database = ["-wal", "-shm", "-journal"].iter().find_map(|suffix| path.strip_suffix(suffix))?;
    database.rsplit_once('.').is_some_and(|(_, extension)| is_sqlite(extension)).then_some(database)
}

pub(super) fn kept_from(locator: String, why: &Unverifiable) -> Unreadable {
    let what = why.details.clone();
    Unreadable { place: Location::whole(locator), what, fault: Fault::Obstacle(why.obstacle) }
}

pub(super) fn unreadable(locator: &str, fault: RowFault) -> Unreadable {
    Unreadable {
        place: Location { locator: locator.to_owned(), span: Some(fault.span) },
        what: fault.what,
        fault: fault.obstacle.map_or(Fault::Recording, Fault::Obstacle),
    }
}
