//! The sources of calls: the files of `voice/`, and `voice_turn` events. Read and parsed once for all criteria.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use candor_check::draft::{Came, Selection};
use candor_check::evidence::SourceRef;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::{EventKind, Events, FileEntry, Folder, Gaps, PartRecord, Section, SectionError};
use candor_check::{Obstacle, Part, Sandbox, Source, Unverifiable};
use candor_json::Value;
use candor_json::value::to_raw_value;

use crate::seen::{Call, UnreadCall};
use crate::semantic::{JUDGE, JudgeServer};
use crate::transcript::{Extension, Format, Transcript, TranscriptError, Turn, cut_off, owners};

pub(crate) const PART: &str = "voice";
const EXTENSIONS: [&str; 8] = ["json", "txt", "vtt", "srt", "sbv", "textgrid", "jsonl", "ndjson"];
/// Extensions of recordings: calls without a transcript.
const RECORDINGS: [&str; 16] =
    ["wav", "mp3", "m4a", "ogg", "oga", "opus", "flac", "aac", "webm", "mp4", "mov", "amr", "wma", "au", "aiff", "gsm"];
/// The call of events that name none: the name of their file.
const EVENTS: &str = "events";

#[derive(Default)]
pub(crate) struct Calls {
    /// Where they were looked for, as a sentence names it.
    pub(crate) place: String,
    pub(crate) calls: Vec<Call>,
    pub(crate) unread: Vec<UnreadCall>,
    pub(crate) notes: Vec<String>,
}

#[derive(Default)]
struct ByFormat(Mutex<HashMap<Format, Arc<Calls>>>);

impl Source for ByFormat {
    const READS: &'static [&'static str] = &[PART, candor_check::EVENTS];

    async fn open(_: &Sandbox) -> Result<Self, Unverifiable> {
        Ok(Self::default())
    }
}

impl Source for Calls {
    const READS: &'static [&'static str] = &[PART, candor_check::EVENTS];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        Self::read(sandbox, None).await
    }
}

impl Part for Calls {
    const NAME: &'static str = PART;
    const MADE_UP: &'static str = include_str!("made-up.txt");
    const KEYS: &'static [&'static str] = &["path", "url", JUDGE];
    type Settings = ();

    fn selections(came: &Came<'_>) -> Vec<Selection> {
        crate::draft::selections(came)
    }

    fn settings(section: &Section) -> Result<(), SectionError> {
        let judge = JudgeServer::read(section)?;
        let rest = section.without(&[JUDGE]);
        // A table that names a judge alone leaves the calls where they always are.
        if judge.is_some() && rest.is_empty() { Ok(()) } else { rest.folder_only(&[]) }
    }

    const KEPT: &'static [&'static str] = &[JUDGE];

    fn records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        Ok(self.visit_records(visit))
    }

    fn fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        self.record_fields(record)
    }
}

impl Calls {
    /// The calls of a sandbox, read by what they look like or as the format that is named.
    pub(crate) async fn of(sandbox: &Sandbox, format: Option<Format>) -> Result<Arc<Self>, Unverifiable> {
        let Some(format) = format else { return sandbox.source::<Self>().await };
        let known = sandbox.source::<ByFormat>().await?;
        let before = known.0.lock().unwrap_or_else(PoisonError::into_inner).get(&format).cloned();
        if let Some(calls) = before {
            return Ok(calls);
        }
        let calls = Arc::new(Self::read(sandbox, Some(format)).await?);
        known.0.lock().unwrap_or_else(PoisonError::into_inner).insert(format, Arc::clone(&calls));
        Ok(calls)
    }

    async fn read(sandbox: &Sandbox, format: Option<Format>) -> Result<Self, Unverifiable> {
        let folder = sandbox.folder(PART);
        let mut calls = match &folder {
            Some(folder) => {
                let folder = folder.clone();
                sandbox.blocking("voice/", move || Self::of_folder(&folder, format)).await?
            }
            None => Self::default(),
        };
        let mut recorded = None;
        match sandbox.events(EventKind::VoiceTurn).await {
            Ok(None) if folder.is_none() => return Err(sandbox.no_source(PART)),
            Ok(events) => recorded = events,
            Err(why) if folder.is_none() => return Err(why),
            Err(why) => calls.unread.push(kept_out(None, "events.ndjson", why)),
        }
        calls.place = match (&folder, &recorded) {
            (Some(_), Some(_)) => "voice/ and events.ndjson",
            (None, Some(_)) => "events.ndjson",
            _ => "voice/",
        }
        .to_owned();
        if let Some(events) = recorded {
            calls.add_events(events);
        }
        Ok(calls)
    }

    fn of_folder(folder: &Folder, format: Option<Format>) -> Result<Self, Unverifiable> {
        let listing = folder.list_records()?;
        let mut calls = Self::default();
        let mut others = Vec::new();
        let mut recordings = Vec::new();
        let mut room = folder.limits().max_total_bytes;
        for file in &listing.files {
            let name = file.path.rsplit('/').next().unwrap_or_default();
            let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
            if name.starts_with('.') {
                continue;
            }
            if !EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)) {
                match RECORDINGS.iter().any(|known| extension.eq_ignore_ascii_case(known)) {
                    true => recordings.push((stem, file)),
                    false => others.push(file.locator.as_str()),
                }
                continue;
            }
            let Some(left) = room.checked_sub(file.size) else {
                let details = "voice/ holds more than the limit max_total_bytes";
                return Err(Unverifiable::new(Obstacle::LimitExceeded, details));
            };
            room = left;
            calls.add_file(folder, file, stem, format);
        }
        for (stem, file) in recordings {
            let written = calls.calls.iter().map(|call| call.id.as_str());
            let unread = calls.unread.iter().filter_map(|call| call.id.as_deref());
            if !written.chain(unread).any(|id| id == stem) {
                let what = "a recording without a transcript".to_owned();
                calls.unread.push(not_read(Some(stem), Location::whole(&file.locator), what, Fault::Recording));
            }
        }
        for (place, why) in listing.unreadable {
            let name = place.rsplit('/').next().unwrap_or_default();
            let (stem, extension) = name.rsplit_once('.').unwrap_or_default();
            let is_of = |known: &[&str]| known.iter().any(|known| extension.eq_ignore_ascii_case(known));
            // Another name may be that of a folder with any calls.
            let id = (is_of(&EXTENSIONS) || is_of(&RECORDINGS)).then_some(stem);
            calls.unread.push(kept_out(id, &place, why));
        }
        let link =
            |link: &String| format!("The link {link} does not lead to anything inside voice/ and was not followed.");
        calls.notes.extend(listing.outside_links.iter().map(link));
        if let Some(first) = others.first() {
            let more = if others.len() > 1 { format!(" (and {} more)", others.len() - 1) } else { String::new() };
            calls.notes.push(format!("{first}{more} is not a transcript by its name and was not read."));
        }
        Ok(calls)
    }

    fn add_file(&mut self, folder: &Folder, file: &FileEntry, id: &str, format: Option<Format>) {
        let content = match folder.read(file) {
            Ok(content) => content,
            Err(why) => return self.unread.push(kept_out(Some(id), &file.locator, why)),
        };
        let read = match format {
            None => Transcript::read(&content.bytes, Extension::of(&file.path)),
            Some(format) => Transcript::read_as(&content.bytes, format),
        };
        match read {
            Ok(transcript) => {
                let source = source(&file.locator, content.sha256().to_owned());
                self.calls.push(Call { id: id.to_owned(), source, turns: transcript.turns });
                // what was read of it is there; the rest may hold anything
                if let Some(what) = transcript.missing {
                    self.unread.push(not_read(Some(id), Location::whole(&file.locator), what, Fault::Recording));
                }
            }
            Err(error) => {
                let large = matches!(error, TranscriptError::TooLarge { .. });
                let fault = if large { Fault::Obstacle(Obstacle::LimitExceeded) } else { Fault::Recording };
                let asked = format.map(|format| format!(" (read as `{}`, as `format` asks)", format.name()));
                let what = format!("{error}{}", asked.unwrap_or_default());
                self.unread.push(not_read(Some(id), Location::whole(&file.locator), what, fault));
            }
        }
    }

    fn add_events(&mut self, events: Events) {
        let mut known: HashMap<String, usize> = HashMap::new();
        for event in events.events {
            let span = event.place.span.unwrap_or_default();
            let length = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
            let id = match event.payload.get("call").or_else(|| event.payload.get("call_id")) {
                None => Ok(EVENTS.to_owned()),
                Some(candor_json::Value::String(id)) => Ok(id.clone()),
                Some(_) => Err("has a `call` that is not a text".to_owned()),
            };
            let turn = to_raw_value(&event.payload)
                .map_err(|error| error.to_string())
                .and_then(|json| Turn::read(json.as_raw(), length(span.0)..length(span.1)).map_err(|e| e.to_string()));
            let mut skip = |id: Option<String>, problem: String| {
                let what = format!("the turn of line {} {problem}", event.line);
                self.unread.push(not_read(id.as_deref(), event.place.clone(), what, Fault::Recording));
            };
            let (id, turn) = match (id, turn) {
                (Ok(id), Ok(Some(turn))) => (id, turn),
                (Ok(id), Ok(None)) => {
                    if let Some(why) = cut_off(&event.payload) {
                        skip(Some(id), why);
                    }
                    continue;
                }
                (Err(problem), _) | (_, Err(problem)) => {
                    skip(None, problem);
                    continue;
                }
            };
            let at = *known.entry(id.clone()).or_insert(self.calls.len());
            match self.calls.get_mut(at) {
                Some(call) => call.turns.push(turn),
                None => {
                    let source = source(&event.place.locator, events.sha256.clone());
                    self.calls.push(Call { id, source, turns: vec![turn] });
                }
            }
        }
        for at in known.into_values() {
            if let Some(call) = self.calls.get_mut(at) {
                call.turns = owners::split(std::mem::take(&mut call.turns));
            }
        }
        let unread = events.unreadable.into_iter().map(|unreadable| UnreadCall { id: None, unreadable });
        self.unread.extend(unread);
    }
}

fn kept_out(id: Option<&str>, locator: &str, why: Unverifiable) -> UnreadCall {
    not_read(id, Location::whole(locator), why.details, Fault::Obstacle(why.obstacle))
}

fn not_read(id: Option<&str>, place: Location, what: String, fault: Fault) -> UnreadCall {
    UnreadCall { id: id.map(str::to_owned), unreadable: Unreadable { place, what, fault } }
}

fn source(locator: &str, sha256: String) -> SourceRef {
    SourceRef { locator: locator.into(), sha256: Some(sha256.into()), span: None, record: None }
}
