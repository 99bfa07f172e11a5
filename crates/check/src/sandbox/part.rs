//! A part of a sandbox as a value: what its table in `sandbox.toml` may hold, how it is opened, and how its records are
//! listed, read and captured. The one place where a part's type is erased.

use std::any::Any;
use std::collections::BTreeMap;
use std::future::Future;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use candor_json::Value;

use super::section::{Section, SectionError};
use super::{Sandbox, Source};
use crate::draft::{Came, MadeUpTable, Selection};
use crate::field::Location;
use crate::outcome::{Obstacle, Unverifiable};
use crate::records::Unreadable;

/// A part of a sandbox (`fhir`, `portal`): the source that a check crate reads, with the settings that belong to it.
///
/// # The contract for authors
/// - [`Part::settings`] reads the whole table, refuses what it does not know with the nearest known name, and opens
///   nothing. It is asked once, when the sandbox is opened, also when there is no such table.
/// - [`Source::open`] opens the part from those settings ([`Sandbox::settings`]) or from its folder ([`Sandbox::folder`]).
/// - [`Part::records`] visits every record in the same order each time, holds one record at a time, and reports what it
///   could not read. A record's `digest` changes exactly when one of its fields changes.
/// - [`Part::fields`] reads the fields of a record that [`Part::records`] visited.
/// - A source that cannot be asked twice for the same state (a server, a database) says so by [`Part::is_listed`]. It
///   implements [`Part::record`] in place of the other two: it writes files below the part's folder of another sandbox,
///   whose records are then listed. A folder is copied as it is, and nothing has to be written for that.
///
/// All of them block: call them on a thread that may wait. A part that does not implement them is refused with a sentence,
/// never treated as empty.
pub trait Part: Source {
    /// The part's name: its folder in a sandbox, and its table in `sandbox.toml`.
    const NAME: &'static str;

    /// The settings that its table may hold.
    const KEYS: &'static [&'static str];

    /// The part's settings, read and valid.
    type Settings: Send + Sync + 'static;

    /// Reads the part's table.
    ///
    /// # Errors
    /// The first setting that is wrong.
    fn settings(section: &Section) -> Result<Self::Settings, SectionError>;

    /// True if the source can change while it is read: a server, not a recording. Only then does waiting help.
    fn is_live(_settings: &Self::Settings) -> bool {
        false
    }

    /// Files and folders of this machine that the settings name, besides the part's own folder: whoever can write there
    /// can write evidence.
    fn paths(_settings: &Self::Settings) -> Vec<PathBuf> {
        Vec::new()
    }

    /// The settings of its table that hold for a capture, too: those that say how files are read, not where they are.
    const KEPT: &'static [&'static str] = &[];

    /// True if [`Part::records`] and [`Part::fields`] can be asked of the source itself. Otherwise they are asked of what
    /// [`Part::record`] wrote.
    fn is_listed(&self) -> bool {
        true
    }

    /// Visits every record of the part, until `visit` breaks.
    ///
    /// # Errors
    /// When the part cannot be listed at all.
    fn records(&self, _visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        Err(not_supported::<Self>("list the records of"))
    }

    /// By collection, what may tell its records apart; nothing of those without records, nor where a part leaves no choice.
    ///
    /// # Errors
    /// When a key that the settings name is in no record, or the caller has cancelled.
    fn keys(&self) -> Result<BTreeMap<String, Vec<RecordKey>>, Unverifiable> {
        Ok(BTreeMap::new())
    }

    /// As [`Part::records`], where the fields that tell records apart were chosen, by collection.
    ///
    /// # Errors
    /// As [`Part::records`].
    fn records_by(
        &self,
        _keys: &BTreeMap<String, Vec<String>>,
        visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>,
    ) -> Result<Gaps, Unverifiable> {
        Part::records(self, visit)
    }

    /// The collections that are there by name, with or without records: the tables of a portal, and the columns of one without
    /// rows in order of their names, where they are known. Nothing where a part has no such division, or does not name them.
    fn collections(&self) -> BTreeMap<String, Vec<String>> {
        BTreeMap::new()
    }

    /// The fields of a record, by their paths, in the record's own order.
    ///
    /// # Errors
    /// When the record cannot be read, or is no longer there.
    fn fields(&self, _record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        Err(not_supported::<Self>("read single records of"))
    }

    /// Makes alike what two states of one record say in two ways, so that what is left different has changed. Leaves in both
    /// what is to be compared.
    fn align(&self, _before: &mut Vec<(String, Value)>, _after: &mut Vec<(String, Value)>) {}

    /// The values of its records that systems make up, for whoever writes assertions: see [`crate::draft`].
    const MADE_UP: &'static str = "";

    /// The names that its collections can have, where the format lists them: resource types. Empty where any name may be one.
    #[must_use]
    fn collection_names() -> Vec<&'static str> {
        Vec::new()
    }

    /// How a record is selected by what identifies it, the best way first; nothing where no assertion can be written about
    /// a record of this part.
    fn selections(_came: &Came<'_>) -> Vec<Selection> {
        Vec::new()
    }

    /// Writes what the source holds into a folder, which is there, as the part of a sandbox of files.
    ///
    /// # Errors
    /// When the part cannot be read at all, or the folder cannot be written. What else could not be read is a gap.
    fn record(&self, _into: &Path) -> Result<Recorded, Unverifiable> {
        Err(not_supported::<Self>("capture"))
    }
}

/// The outcome of a part that cannot do what is asked of it: `what` is a verb, `capture`.
#[must_use]
pub fn not_supported<P: Part>(what: &str) -> Unverifiable {
    let details = format!("this version of Candor cannot {what} the part `{}`", P::NAME);
    Unverifiable::new(Obstacle::Undecidable, details)
}

/// A record of a part: a resource, a message, a row, a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartRecord {
    /// The kind of the record: a resource type, a table; empty where the part has no such division.
    pub collection: String,
    /// The key that identifies the record within its collection. Records with the same key count in their order.
    pub key: String,
    /// SHA-256 over the record's fields: the same for two records whose fields are equal, however they are written.
    pub digest: [u8; 32],
    /// Where the record was read.
    pub place: Location,
}

impl PartRecord {
    /// The record as differences and exceptions name it: `Appointment/7`, `orders/77`, `outbound/claims.csv`.
    #[must_use]
    pub fn name(&self) -> String {
        if self.collection.is_empty() { self.key.clone() } else { format!("{}/{}", self.collection, self.key) }
    }
}

/// Fields that may tell the records of a collection apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordKey {
    /// How well it is known to be the key: 0 where its settings or its database say so. Of two with one number neither is.
    pub rank: u8,
    /// The fields, which are the key together.
    pub fields: Vec<String>,
}

/// By collection, the fields that tell its records apart in both of two states: what either says is the key, else the best
/// that may be in both. A collection without a key is left out: the content identifies its records.
#[must_use]
pub fn keys_of_both(
    mut before: BTreeMap<String, Vec<RecordKey>>,
    after: BTreeMap<String, Vec<RecordKey>>,
) -> BTreeMap<String, Vec<String>> {
    let mut chosen = BTreeMap::new();
    for (collection, mut keys) in after {
        let others = before.remove(&collection);
        let is_said = |keys: &[RecordKey]| keys.iter().any(|key| key.rank == 0);
        match others {
            Some(others) if is_said(&others) && !is_said(&keys) => keys = others,
            Some(others) if !is_said(&keys) => keys.retain(|key| others.contains(key)),
            _ => {}
        }
        chosen.extend(best(keys).map(|fields| (collection, fields)));
    }
    chosen.extend(before.into_iter().filter_map(|(collection, keys)| Some((collection, best(keys)?))));
    chosen
}

fn best(mut keys: Vec<RecordKey>) -> Option<Vec<String>> {
    keys.sort();
    let mut keys = keys.into_iter();
    let first = keys.next()?;
    keys.next().is_none_or(|next| next.rank != first.rank).then_some(first.fields)
}

/// The outcome of writing a source into a folder.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The places that could not be read, each at the file that would hold it.
    pub gaps: Gaps,
    /// The collections that were written, where the settings ask for some alone.
    pub only: Option<Vec<String>>,
    /// The facts that the part needs to read the files as it read the source.
    pub facts: Value,
}

/// The places that could not be read while records were listed or captured.
pub type Gaps = Vec<Unreadable>;

/// An opened part, whatever its type.
pub trait OpenedPart: Send + Sync {
    /// As [`Part::is_listed`].
    fn is_listed(&self) -> bool;

    /// As [`Part::records`].
    ///
    /// # Errors
    /// As [`Part::records`].
    fn records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable>;

    /// As [`Part::keys`].
    ///
    /// # Errors
    /// As [`Part::keys`].
    fn keys(&self) -> Result<BTreeMap<String, Vec<RecordKey>>, Unverifiable> {
        Ok(BTreeMap::new())
    }

    /// As [`Part::records_by`].
    ///
    /// # Errors
    /// As [`Part::records`].
    fn records_by(
        &self,
        _keys: &BTreeMap<String, Vec<String>>,
        visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>,
    ) -> Result<Gaps, Unverifiable> {
        self.records(visit)
    }

    /// As [`Part::collections`].
    fn collections(&self) -> BTreeMap<String, Vec<String>> {
        BTreeMap::new()
    }

    /// As [`Part::fields`].
    ///
    /// # Errors
    /// As [`Part::fields`].
    fn fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable>;

    /// As [`Part::align`].
    fn align(&self, _before: &mut Vec<(String, Value)>, _after: &mut Vec<(String, Value)>) {}

    /// As [`Part::record`].
    ///
    /// # Errors
    /// As [`Part::record`].
    fn record(&self, into: &Path) -> Result<Recorded, Unverifiable>;
}

impl<P: Part> OpenedPart for P {
    fn is_listed(&self) -> bool {
        Part::is_listed(self)
    }

    fn records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        Part::records(self, visit)
    }

    fn keys(&self) -> Result<BTreeMap<String, Vec<RecordKey>>, Unverifiable> {
        Part::keys(self)
    }

    fn records_by(
        &self,
        keys: &BTreeMap<String, Vec<String>>,
        visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>,
    ) -> Result<Gaps, Unverifiable> {
        Part::records_by(self, keys, visit)
    }

    fn collections(&self) -> BTreeMap<String, Vec<String>> {
        Part::collections(self)
    }

    fn fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        Part::fields(self, record)
    }

    fn align(&self, before: &mut Vec<(String, Value)>, after: &mut Vec<(String, Value)>) {
        Part::align(self, before, after);
    }

    fn record(&self, into: &Path) -> Result<Recorded, Unverifiable> {
        Part::record(self, into)
    }
}

type Opening<'a> = Pin<Box<dyn Future<Output = Result<Arc<dyn OpenedPart>, Unverifiable>> + Send + 'a>>;

/// A part, as a value: `pub const PART: PartType = PartType::of::<MyPart>();`
#[derive(Clone, Copy)]
pub struct PartType {
    name: &'static str,
    keys: &'static [&'static str],
    kept: &'static [&'static str],
    made_up: &'static str,
    collection_names: fn() -> Vec<&'static str>,
    selections: fn(&Came<'_>) -> Vec<Selection>,
    settings: fn(&Section) -> Result<PartSettings, SectionError>,
    open: for<'a> fn(&'a Sandbox) -> Opening<'a>,
}

/// The settings of a part, whatever their type, with what the sandbox itself needs to know.
#[derive(Clone)]
pub(super) struct PartSettings {
    pub(super) value: Arc<dyn Any + Send + Sync>,
    pub(super) is_live: bool,
    pub(super) paths: Vec<PathBuf>,
}

impl std::fmt::Debug for PartType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PartType").field("name", &self.name).finish_non_exhaustive()
    }
}

impl PartType {
    /// The part `P` as a value.
    #[must_use]
    pub const fn of<P: Part>() -> Self {
        Self {
            name: P::NAME,
            keys: P::KEYS,
            kept: P::KEPT,
            made_up: P::MADE_UP,
            collection_names: P::collection_names,
            selections: P::selections,
            settings: read::<P>,
            open: |sandbox| Box::pin(opened::<P>(sandbox)),
        }
    }

    /// A part that this build leaves out: its table is accepted as it is, because nothing here can read it. Its checks say
    /// which feature is missing.
    #[must_use]
    pub const fn left_out(name: &'static str) -> Self {
        Self {
            name,
            keys: &[],
            kept: &[],
            made_up: "",
            collection_names: Vec::new,
            selections: |_| Vec::new(),
            settings: |_| Ok(PartSettings { value: Arc::new(()), is_live: false, paths: Vec::new() }),
            open: |_| {
                let details = "this build of Candor leaves out the part: build it with the feature of the part's check";
                Box::pin(std::future::ready(Err(Unverifiable::new(Obstacle::NoSource, details))))
            },
        }
    }

    /// The part's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The settings that its table in `sandbox.toml` may hold.
    #[must_use]
    pub const fn keys(&self) -> &'static [&'static str] {
        self.keys
    }

    /// The settings that hold for a capture, too.
    #[must_use]
    pub const fn kept(&self) -> &'static [&'static str] {
        self.kept
    }

    /// The values of its records that systems make up.
    #[must_use]
    pub const fn made_up(&self) -> MadeUpTable<'static> {
        MadeUpTable::new(self.made_up)
    }

    /// As [`Part::collection_names`].
    #[must_use]
    pub fn collection_names(&self) -> Vec<&'static str> {
        (self.collection_names)()
    }

    /// As [`Part::selections`].
    #[must_use]
    pub fn selections(&self, came: &Came<'_>) -> Vec<Selection> {
        (self.selections)(came)
    }

    /// Opens the part, or hands out what was opened before.
    ///
    /// # Errors
    /// The value that [`Source::open`] returned.
    pub async fn open(&self, sandbox: &Sandbox) -> Result<Arc<dyn OpenedPart>, Unverifiable> {
        (self.open)(sandbox).await
    }

    pub(super) fn settings(&self, section: &Section) -> Result<PartSettings, SectionError> {
        (self.settings)(section)
    }
}

pub(super) fn read<P: Part>(section: &Section) -> Result<PartSettings, SectionError> {
    let settings = P::settings(section)?;
    let (is_live, paths) = (P::is_live(&settings), P::paths(&settings));
    Ok(PartSettings { value: Arc::new(settings), is_live, paths })
}

async fn opened<P: Part>(sandbox: &Sandbox) -> Result<Arc<dyn OpenedPart>, Unverifiable> {
    let part: Arc<dyn OpenedPart> = sandbox.source::<P>().await?;
    Ok(part)
}
