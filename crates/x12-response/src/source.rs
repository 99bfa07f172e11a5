//! The sources of interchanges: the files of `x12/`, and `x12_response` events.

use std::io::Read;
use std::ops::ControlFlow;
use std::sync::Arc;

use candor_check::draft::{Came, Selection};
use candor_check::records::Unreadable;
use candor_check::sandbox::{
    EventKind, Events, FileEntry, Folder, Gaps, PartRecord, Section, SectionError, SharedReading,
};
use candor_check::{EVENTS, Obstacle, Part, Sandbox, Source, Unverifiable};
use candor_json::Value;

use crate::limits::obstacle;
use crate::seen::Seen;
use crate::settings::Settings;

pub(crate) const PART: &str = "x12";
/// Which files of the part hold interchanges, whatever they begin with.
const EXTENSIONS: [&str; 3] = ["x12", "edi", "txt"];

/// Where interchanges are read from. Files are listed, not read: criteria that ask together stream them once.
pub(crate) struct Interchanges {
    /// Where they were looked for, as a sentence names it.
    pub(crate) place: String,
    pub(crate) folder: Option<Folder>,
    pub(crate) files: Vec<FileEntry>,
    pub(crate) events: Option<Events>,
    pub(crate) unreadable: Vec<Unreadable>,
    pub(crate) notes: Vec<String>,
    pub(crate) outside_links: Vec<String>,
    pub(crate) shared: SharedReading<Arc<Settings>, Seen>,
}

impl Source for Interchanges {
    const READS: &'static [&'static str] = &[PART, EVENTS];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let folder = sandbox.folder(PART);
        let mut source = match &folder {
            Some(folder) => {
                let folder = folder.clone();
                sandbox.blocking("x12/", move || Self::of_folder(folder)).await?
            }
            None => Self::empty(),
        };
        match sandbox.events(EventKind::X12Response).await {
            Ok(None) if folder.is_none() => return Err(sandbox.no_source(PART)),
            Ok(events) => source.events = events,
            Err(unverifiable) if folder.is_none() => return Err(unverifiable),
            Err(unverifiable) => source.unreadable.push(obstacle("events.ndjson", unverifiable)),
        }
        source.place = match (&folder, &source.events) {
            (Some(_), Some(_)) => "x12/ and events.ndjson",
            (None, Some(_)) => "events.ndjson",
            _ => "x12/",
        }
        .to_owned();
        Ok(source)
    }
}

impl Part for Interchanges {
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

impl Interchanges {
    fn empty() -> Self {
        Self {
            place: String::new(),
            folder: None,
            files: Vec::new(),
            events: None,
            unreadable: Vec::new(),
            notes: Vec::new(),
            outside_links: Vec::new(),
            shared: SharedReading::default(),
        }
    }

    fn of_folder(folder: Folder) -> Result<Self, Unverifiable> {
        let listing = folder.list_records()?;
        let mut source = Self::empty();
        let mut others = Vec::new();
        for file in listing.files {
            if holds_interchanges(&folder, &file) {
                source.files.push(file);
            } else {
                others.push(file);
            }
        }
        source.unreadable.extend(listing.unreadable.into_iter().map(|(place, why)| obstacle(&place, why)));
        source.notes.extend(
            listing
                .outside_links
                .iter()
                .map(|link| format!("The link {link} does not lead to anything inside x12/ and was not followed.")),
        );
        source.outside_links = listing.outside_links;
        source.unreadable.extend(folder.not_unpacked(&others));
        source.notes.extend(not_read(&others));
        source.folder = Some(folder);
        Ok(source)
    }
}

/// Files are known by their extension; of the others those that begin as an interchange does, so that `answer.271` is
/// not lost.
fn holds_interchanges(folder: &Folder, file: &FileEntry) -> bool {
    let extension = file.path.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    if EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)) {
        return true;
    }
    let mut head = Vec::new();
    match folder.open(file) {
        Ok(open) => {
            let read = open.take(64).read_to_end(&mut head).is_ok();
            let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&head).trim_ascii_start();
            read && text
                .strip_prefix(b"ISA")
                .is_some_and(|rest| rest.first().is_some_and(|b| !b.is_ascii_alphanumeric()))
        }
        // What is too large to be looked into is named by the one who reads it.
        Err(why) => why.obstacle == Obstacle::LimitExceeded && !file.path.starts_with('.'),
    }
}

/// The message about files that are not X12. Hidden files are left out.
fn not_read(others: &[FileEntry]) -> Option<String> {
    let visible = |locator: &&str| !locator.rsplit('/').next().unwrap_or_default().starts_with('.');
    let mut visible = others.iter().map(|file| file.locator.as_str()).filter(visible);
    let first = visible.next()?;
    let more = match visible.count() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    Some(format!("{first}{more} is not an X12 file and was not read."))
}
