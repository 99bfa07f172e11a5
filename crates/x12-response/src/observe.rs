//! Reads every source and gathers what the selection leaves.

use std::sync::Arc;

use candor_check::records::{Fault, Observation, Unreadable, closest};
use candor_check::{Obstacle, Sandbox, Unverifiable};
use candor_x12::Walk;

use crate::request::Requests;
use crate::seen::{Content, Seen};
use crate::settings::Settings;
use crate::source::{Interchanges, obstacle, x12_limits};
use crate::stream::{self, From, Held};

pub(crate) async fn observe(settings: &Arc<Settings>, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
    let source = sandbox.source::<Interchanges>().await?;
    let room = sandbox.limits().max_total_bytes;
    let mut gathered = Gathered { seen: Observation::default(), requests: Requests::default(), more: 0, room };
    gathered.seen.unreadable.extend(source.unreadable.iter().cloned());
    gathered.seen.notes.extend(source.notes.iter().cloned());
    for event in source.events.iter().flat_map(|events| &events.events) {
        let from = From {
            place: event.place.clone(),
            name: format!("line {} of {}", event.line, event.place.locator),
            located: false,
            selection: &settings.selection,
            room: gathered.room,
        };
        match event.payload.as_str() {
            Some(text) if !text.trim().is_empty() => {
                let limits = x12_limits(sandbox.limits());
                let mut held = from.read(Walk::from_slice_with(text.as_bytes(), limits));
                for candidate in &mut held.candidates {
                    candidate.source.sha256 = source.events.as_ref().map(|events| events.sha256.clone());
                }
                gather(settings, &mut gathered, held)?;
            }
            _ => gathered.seen.unreadable.push(Unreadable {
                place: event.place.clone(),
                what: "the event has no interchange in `payload`".to_owned(),
                fault: Fault::Recording,
            }),
        }
    }
    if let Some(events) = &source.events {
        gathered.seen.unreadable.extend(events.unreadable.iter().cloned());
    }
    let Some(folder) = &source.folder else { return Ok(gathered.finish(&source)) };
    for file in &source.files {
        if let Some(answers) = settings.answers.clone().filter(|answers| answers.holds(file)) {
            let (folder, entry, mut requests) = (folder.clone(), file.clone(), std::mem::take(&mut gathered.requests));
            let read = move || {
                answers.read(&folder, &entry, &mut requests);
                Ok(requests)
            };
            gathered.requests = sandbox.blocking(&file.locator, read).await?;
            continue;
        }
        let (meant, room) = (Arc::clone(settings), gathered.room);
        let (folder, entry) = (folder.clone(), file.clone());
        let read = move || stream::file(&folder, &entry, &meant.selection, room, meant.validate.is_some());
        match sandbox.blocking(&file.locator, read).await {
            Ok(held) => gather(settings, &mut gathered, held)?,
            Err(why) => gathered.seen.unreadable.push(obstacle(&file.locator, why)),
        }
    }
    Ok(gathered.finish(&source))
}

/// What was observed so far.
struct Gathered {
    seen: Observation<Content>,
    requests: Requests,
    /// Places that could not be read, beyond those that are kept.
    more: usize,
    room: u64,
}

impl Gathered {
    fn finish(mut self, source: &Interchanges) -> Seen {
        if self.more > 0 {
            self.seen.notes.push(format!("{} more places could not be read.", self.more));
        }
        Seen { place: source.place.clone(), sets: self.seen, requests: self.requests }
    }
}

fn gather(settings: &Settings, gathered: &mut Gathered, held: Held) -> Result<(), Unverifiable> {
    if held.over_the_limit {
        let selected = settings.selection.described();
        let details = format!("the transaction sets {selected} are more than the limit max_total_bytes");
        return Err(Unverifiable::new(Obstacle::LimitExceeded, details.replace("  ", " ")));
    }
    let seen = &mut gathered.seen;
    seen.considered += held.considered;
    seen.near = closest(seen.near.take(), held.near);
    seen.candidates.extend(held.candidates);
    seen.unreadable.extend(held.unreadable);
    gathered.more += held.more_unreadable;
    gathered.room = gathered.room.saturating_sub(held.size);
    Ok(())
}
