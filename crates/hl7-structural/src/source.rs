//! The messages of a sandbox: the files of `hl7/`, and `hl7_outbound` events.

use std::ops::ControlFlow;
use std::sync::Arc;

use candor_check::draft::{Came, Selection};
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::{
    EventKind, Events, FileBytes, FileEntry, Folder, Gaps, PartRecord, Section, SectionError, SharedReading,
};
use candor_check::work::side_by_side;
use candor_check::{EVENTS, Part, Sandbox, Source, Unverifiable};
use candor_json::Value;

use crate::seen::Seen;
use crate::settings::Settings;

pub(crate) const PART: &str = "hl7";
const EXTENSIONS: [&str; 2] = ["hl7", "txt"];

pub(crate) struct MessageFile {
    pub(crate) entry: FileEntry,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    /// A small one, read once for all criteria.
    Held(FileBytes),
    Large(Folder),
}

/// The largest file that is held, and the most that is held of all.
const HELD: u64 = 4 << 20;
const HELD_IN_ALL: u64 = 16 << 20;

/// Everything that may hold messages, read once for all criteria.
pub(crate) struct MessageSource {
    /// Where messages were looked for, as a sentence names it.
    pub(crate) place: String,
    pub(crate) files: Vec<MessageFile>,
    pub(crate) events: Option<Events>,
    pub(crate) unreadable: Vec<Unreadable>,
    pub(crate) notes: Vec<String>,
    pub(crate) outside_links: Vec<String>,
    pub(crate) shared: SharedReading<Arc<Settings>, Seen>,
}

impl Source for MessageSource {
    const READS: &'static [&'static str] = &[PART, EVENTS];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let folder = sandbox.folder(PART);
        let mut source = match &folder {
            Some(folder) => {
                let folder = folder.clone();
                sandbox.blocking("hl7/", move || Self::of_folder(&folder)).await?
            }
            None => Self::empty(),
        };
        match sandbox.events(EventKind::Hl7Outbound).await {
            Ok(None) if folder.is_none() => return Err(sandbox.no_source(PART)),
            Ok(events) => source.events = events,
            Err(unverifiable) if folder.is_none() => return Err(unverifiable),
            Err(unverifiable) => source.unreadable.push(obstacle("events.ndjson", unverifiable)),
        }
        source.place = match (&folder, &source.events) {
            (Some(_), Some(_)) => "hl7/ and events.ndjson",
            (None, Some(_)) => "events.ndjson",
            _ => "hl7/",
        }
        .to_owned();
        Ok(source)
    }
}

impl Part for MessageSource {
    const NAME: &'static str = PART;
    const MADE_UP: &'static str = include_str!("made-up.txt");
    const KEYS: &'static [&'static str] = &["path", "url"];
    type Settings = ();

    fn selections(came: &Came<'_>) -> Vec<Selection> {
        crate::draft::selections(came)
    }

    fn settings(section: &Section) -> Result<(), SectionError> {
        section.folder_only(&[])
    }

    fn records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        self.visit_records(visit)
    }

    fn fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        self.record_fields(record)
    }
}

impl MessageSource {
    fn empty() -> Self {
        Self {
            place: String::new(),
            files: Vec::new(),
            events: None,
            unreadable: Vec::new(),
            notes: Vec::new(),
            outside_links: Vec::new(),
            shared: SharedReading::default(),
        }
    }

    fn of_folder(folder: &Folder) -> Result<Self, Unverifiable> {
        let listing = folder.list_records()?;
        let mut source = Self::empty();
        let (mut held, mut total) = (0u64, 0u64);
        let (mut files, mut others) = (Vec::new(), Vec::new());
        for entry in listing.files {
            if !holds_messages(&entry.path) {
                others.push(entry);
                continue;
            }
            let fits = total.saturating_add(entry.size) <= folder.limits().max_total_bytes;
            let is_held = fits && entry.size <= HELD && held + entry.size <= HELD_IN_ALL;
            total += if fits { entry.size } else { 0 };
            held += if is_held { entry.size } else { 0 };
            files.push((entry, fits, is_held));
        }
        let size = |(entry, _, is_held): &(FileEntry, bool, bool)| if *is_held { entry.size } else { 0 };
        let content = |(entry, fits, is_held): &(FileEntry, bool, bool)| match (fits, is_held) {
            (true, true) => folder.read(entry).map(Content::Held),
            (true, false) => Ok(Content::Large(folder.clone())),
            (false, _) => {
                let what = "this file and what was read before it are more than the limit max_total_bytes";
                Err(Unverifiable::new(candor_check::Obstacle::LimitExceeded, what))
            }
        };
        let contents = side_by_side(&files, size, content);
        for ((entry, ..), content) in files.into_iter().zip(contents) {
            match content {
                Ok(content) => source.files.push(MessageFile { entry, content }),
                Err(unverifiable) => source.unreadable.push(obstacle(&entry.locator, unverifiable)),
            }
        }
        source.unreadable.extend(listing.unreadable.into_iter().map(|(place, why)| obstacle(&place, why)));
        source.notes.extend(
            listing
                .outside_links
                .iter()
                .map(|link| format!("The link {link} does not lead to anything inside hl7/ and was not followed.")),
        );
        source.outside_links = listing.outside_links;
        source.unreadable.extend(folder.not_unpacked(&others));
        source.notes.extend(not_read(&others));
        Ok(source)
    }
}

pub(crate) fn obstacle(locator: &str, why: Unverifiable) -> Unreadable {
    // The place is named by itself.
    let what = why.details.strip_prefix(locator).map(str::trim_start).unwrap_or(&why.details);
    let what = what.strip_prefix("is ").unwrap_or(what).to_owned();
    Unreadable { place: Location::whole(locator), what, fault: Fault::Obstacle(why.obstacle) }
}

fn holds_messages(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// The note on files that were left alone; without hidden ones.
fn not_read(others: &[FileEntry]) -> Option<String> {
    let visible = |locator: &&str| !locator.rsplit('/').next().unwrap_or_default().starts_with('.');
    let mut visible = others.iter().map(|file| file.locator.as_str()).filter(visible);
    let first = visible.next()?;
    let more = match visible.count() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    Some(format!("Messages are read from .hl7 and .txt files: {first}{more} was not read."))
}
