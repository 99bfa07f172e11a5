//! `events.ndjson`: the events that a service recorded as they happened.

use std::fs;
use std::io::Read;

use candor_json::Value;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::description::{Description, EVENTS as FILE, is_absent};
use super::folder::{hex, obstacle};
use super::limits::{Limits, size_text};
use crate::field::Location;
use crate::outcome::{Obstacle, Unverifiable};
use crate::records::{Fault, Unreadable};
use crate::work;

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// An HL7 v2 message that was sent: its text.
    Hl7Outbound,
    /// An X12 interchange that came in: its text.
    X12Response,
    /// A turn of a call.
    VoiceTurn,
}

const KINDS: &[(&str, EventKind)] = &[
    ("hl7_outbound", EventKind::Hl7Outbound),
    ("x12_response", EventKind::X12Response),
    ("voice_turn", EventKind::VoiceTurn),
];

/// A recorded event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When it was recorded: RFC 3339 as written.
    pub at: String,
    /// The recorded content.
    pub payload: Value,
    /// Its line in the file, 1-based.
    pub line: u64,
    /// Where the line is.
    pub place: Location,
}

/// The events of one kind, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// The events.
    pub events: Vec<Event>,
    /// Lines that are not events: they may have been of any kind.
    pub unreadable: Vec<Unreadable>,
    /// SHA-256 of the file, in lower-case hex.
    pub sha256: String,
}

#[derive(Deserialize)]
struct Row {
    #[serde(rename = "type")]
    kind: String,
    at: String,
    #[serde(default)]
    payload: Value,
}

/// Reads the events of one kind; `None` when nothing was recorded.
pub(super) fn read(
    description: &Description,
    kind: EventKind,
    limits: &Limits,
) -> Result<Option<Events>, Unverifiable> {
    Ok(bytes(description, limits)?.map(|bytes| parse(&bytes, kind)))
}

/// The file as it is; `None` when nothing was recorded.
pub(super) fn bytes(description: &Description, limits: &Limits) -> Result<Option<Vec<u8>>, Unverifiable> {
    let too_large = || {
        let limit = size_text(limits.max_bytes);
        Unverifiable::new(Obstacle::LimitExceeded, format!("{FILE} is larger than {limit} (limit max_bytes)"))
    };
    if let Some(file) = description.events_in_memory() {
        let fits = file.bytes.len() as u64 <= limits.max_bytes;
        return if fits { Ok(Some(file.bytes.to_vec())) } else { Err(too_large()) };
    }
    let on_disk = description.root.path().filter(|_| !description.has_no_events());
    let Some(path) = on_disk.map(|root| root.join(FILE)) else { return Ok(None) };
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(Unverifiable::new(Obstacle::SourceUnavailable, format!("{FILE} is not a regular file"))),
        Err(_) if is_absent(&path) => return Ok(None),
        Err(error) => return Err(obstacle(FILE, &error)),
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(&path).map_err(|e| obstacle(FILE, &e))?;
    work::hold(file.metadata().map_or(0, |metadata| metadata.len().min(limits.max_bytes)));
    work::until_cancelled(file)
        .take(limits.max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|e| obstacle(FILE, &e))?;
    if bytes.len() as u64 > limits.max_bytes {
        return Err(too_large());
    }
    Ok(Some(bytes))
}

fn parse(bytes: &[u8], kind: EventKind) -> Events {
    let mut events = Events { sha256: hex(&Sha256::digest(bytes)), ..Events::default() };
    let mut offset = 0u64;
    for (number, line) in (1u64..).zip(bytes.split_inclusive(|&b| b == b'\n')) {
        if work::cancelled() {
            break;
        }
        let place = Location::bytes(FILE, offset..offset + line.len() as u64);
        offset += line.len() as u64;
        let line = line.strip_prefix(b"\xEF\xBB\xBF").filter(|_| number == 1).unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let unreadable = |what: String| Unreadable { place: place.clone(), what, fault: Fault::Recording };
        match candor_json::from_slice::<Row>(line) {
            Ok(row) => match KINDS.iter().find(|(name, _)| *name == row.kind) {
                Some(&(_, found)) if found == kind => {
                    events.events.push(Event { at: row.at, payload: row.payload, line: number, place });
                }
                Some(_) => {}
                None => events
                    .unreadable
                    .push(unreadable(format!("line {number} has the unknown event type `{}`", row.kind))),
            },
            Err(error) => {
                events
                    .unreadable
                    .push(unreadable(format!("line {number} is not an event (`type`, `at`, `payload`): {error}")));
            }
        }
    }
    events
}
