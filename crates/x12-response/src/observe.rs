//! Reads every source and gathers what the selection leaves.

use std::collections::HashSet;
use std::sync::Arc;

use candor_check::field::Location;
use candor_check::records::{Completeness, Fault, Observation, Reading, Unreadable, closest};
use candor_check::sandbox::FileEntry;
use candor_check::{Obstacle, Sandbox, Unverifiable};
use candor_x12::Walk;

use crate::claims::{Claims, MOST_CLAIMS, RemittedClaim, too_many_claims};
use crate::request::Requests;
use crate::seen::{Coded, Content, Seen};
use crate::settings::Settings;
use crate::source::{Interchanges, obstacle, x12_limits};
use crate::stream::{self, From, Held};

pub(crate) async fn observe(settings: &Arc<Settings>, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
    let source = sandbox.source::<Interchanges>().await?;
    let room = sandbox.limits().max_total_bytes;
    let mut gathered = Gathered {
        seen: Observation { environment: sandbox.environment(), ..Observation::default() },
        requests: Requests::default(),
        codes: Vec::new(),
        cuts_remittance: false,
        reversed: HashSet::new(),
        more: 0,
        room,
    };
    gathered.seen.unreadable.extend(source.unreadable.iter().cloned());
    gathered.seen.notes.extend(source.notes.iter().cloned());
    for event in source.events.iter().flat_map(|events| &events.events) {
        let from = From {
            place: event.place.clone(),
            name: format!("line {} of {}", event.line, event.place.locator),
            located: false,
            selection: &settings.selection,
            room: gathered.room,
            form: settings.validate.is_some(),
            remittances: settings.reads_remittances(),
        };
        match event.payload.as_str() {
            Some(text) if !text.trim().is_empty() => {
                let limits = x12_limits(sandbox.limits());
                let reading = from.read(Walk::from_slice_with(text.as_bytes(), limits)).map(|mut held| {
                    for candidate in &mut held.candidates {
                        candidate.source.sha256 = source.events.as_ref().map(|events| events.sha256.clone());
                    }
                    held
                });
                gather(settings, &mut gathered, &event.place, reading)?;
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
    for file in source.folder.iter().flat_map(|_| &source.files) {
        let Some(folder) = &source.folder else { break };
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
        let read = move || stream::file(&folder, &entry, &meant, room);
        match sandbox.blocking(&file.locator, read).await {
            Ok(reading) => gather(settings, &mut gathered, &Location::whole(file.locator.as_str()), reading)?,
            Err(why) => gathered.seen.unreadable.push(obstacle(&file.locator, why)),
        }
    }
    let claims = claims(settings, sandbox, &source, std::mem::take(&mut gathered.reversed)).await?;
    Ok(Seen { claims, ..gathered.finish(&source) })
}

async fn claims(
    settings: &Arc<Settings>,
    sandbox: &Sandbox,
    source: &Arc<Interchanges>,
    reversed: HashSet<String>,
) -> Result<Vec<RemittedClaim>, Unverifiable> {
    if reversed.is_empty() {
        return Ok(Vec::new());
    }
    let (settings, source, limits) = (Arc::clone(settings), Arc::clone(source), x12_limits(sandbox.limits()));
    let read = move || {
        let mut found = Claims { reversed, found: Vec::new() };
        for event in source.events.iter().flat_map(|events| &events.events) {
            if let Some(text) = event.payload.as_str() {
                found.read(&event.place, false, Walk::from_slice_with(text.as_bytes(), limits))?;
            }
        }
        let folder = source.folder.as_ref();
        let asks = |file: &&FileEntry| settings.answers.as_ref().is_some_and(|answers| answers.holds(file));
        for (folder, file) in folder.into_iter().flat_map(|folder| source.files.iter().map(move |file| (folder, file)))
        {
            // What could not be opened was reported when it was read first.
            if let (false, Ok(open)) = (asks(&file), folder.open(file)) {
                found.read(&Location::whole(file.locator.as_str()), true, Walk::from_read(open, limits))?;
            }
        }
        Ok(found.found)
    };
    sandbox.blocking("x12/", read).await
}

struct Gathered {
    seen: Observation<Content>,
    requests: Requests,
    codes: Vec<Coded>,
    cuts_remittance: bool,
    reversed: HashSet<String>,
    /// Places that could not be read, beyond those that are kept.
    more: usize,
    room: u64,
}

impl Gathered {
    fn finish(mut self, source: &Interchanges) -> Seen {
        if self.more > 0 {
            self.seen.notes.push(format!("{} more places could not be read.", self.more));
        }
        Seen {
            place: source.place.clone(),
            sets: self.seen,
            requests: self.requests,
            codes: self.codes,
            cuts_remittance: self.cuts_remittance,
            claims: Vec::new(),
        }
    }
}

fn gather(
    settings: &Settings,
    gathered: &mut Gathered,
    place: &Location,
    reading: Reading<Held>,
) -> Result<(), Unverifiable> {
    let (held, ending) = reading.into_parts();
    if held.over_the_limit {
        let selected = settings.selection.described();
        let details = format!("the transaction sets {selected} are more than the limit max_total_bytes");
        return Err(Unverifiable::new(Obstacle::LimitExceeded, details.replace("  ", " ")));
    }
    let seen = &mut gathered.seen;
    seen.considered += held.considered;
    seen.near = closest(seen.near.take(), held.near);
    for candidate in &held.candidates {
        if let Some(at) = candidate.content.damaged().first() {
            seen.notes.push(format!("The segment at byte {at} of {} has no id and was passed over.", candidate.label));
        }
    }
    seen.candidates.extend(held.candidates);
    // A cut was met as a fault, unless there were more faults than are kept.
    if let Completeness::Cut(cut) = ending
        && held.unreadable.is_empty()
    {
        seen.unreadable.push(cut.unreadable(place.locator.as_str(), Fault::Recording));
    }
    seen.unreadable.extend(held.unreadable);
    gathered.codes.extend(held.codes);
    gathered.cuts_remittance |= held.cuts_remittance;
    gathered.reversed.extend(held.reversed);
    if gathered.reversed.len() > MOST_CLAIMS {
        return Err(too_many_claims());
    }
    gathered.more += held.more_unreadable;
    gathered.room = gathered.room.saturating_sub(held.size);
    Ok(())
}
