//! Reads every source and gathers what the selection leaves.

use std::sync::Arc;

use candor_check::evidence::SharedText;
use candor_check::field::Location;
use candor_check::records::{Completeness, Fault, Observation, Reading, Unreadable, closest};
use candor_check::sandbox::{Environment, FileEntry, not_followed};
use candor_check::work;
use candor_check::{Obstacle, Sandbox, Unverifiable};
use candor_x12::Walk;

use crate::claims::{Claims, MOST_CLAIMS, RemittedClaim, Reversed, add_reversed, too_many_claims};
use crate::limits::{obstacle, x12_limits};
use crate::request::Requests;
use crate::seen::{Coded, Content, Seen};
use crate::settings::Settings;
use crate::source::Interchanges;
use crate::stream::{self, Asking, From, Held, Readings};

pub(crate) async fn observe(settings: &Arc<Settings>, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
    let source = sandbox.source::<Interchanges>().await?;
    let pass = |asking: Vec<Arc<Settings>>| pass(asking, sandbox, Arc::clone(&source));
    source.shared.read(sandbox, Arc::clone(settings), pass).await
}

/// Reads everything once, and gives to each of those who ask what it selects.
async fn pass(
    asking: Vec<Arc<Settings>>,
    sandbox: &Sandbox,
    source: Arc<Interchanges>,
) -> Result<Vec<Result<Seen, Unverifiable>>, Unverifiable> {
    let (room, environment) = (sandbox.limits().max_total_bytes, sandbox.environment());
    let begin = |settings: &Arc<Settings>| Gathered::new(Arc::clone(settings), &source, environment);
    let mut all: Vec<Gathered> = asking.iter().map(begin).collect();
    if let Some(events) = &source.events {
        let (mut gathering, source, limits) = (all, Arc::clone(&source), x12_limits(sandbox.limits()));
        let read = move || {
            read_events(&mut gathering, &source, room, limits)?;
            Ok(gathering)
        };
        all = match sandbox.blocking(EVENTS_FILE, read).await {
            Ok(gathered) => gathered,
            Err(why) if asking.len() > 1 => return Err(why),
            Err(why) => {
                let mut all: Vec<Gathered> = asking.iter().map(begin).collect();
                all.iter_mut().for_each(|one| one.seen.unreadable.push(obstacle(EVENTS_FILE, why.clone())));
                all
            }
        };
        all.iter_mut().for_each(|one| one.seen.unreadable.extend(events.unreadable.iter().cloned()));
    }
    let (mut ahead, mut reads_ahead) = (Vec::new().into_iter(), true);
    for (at, file) in source.files.iter().enumerate() {
        let Some(folder) = &source.folder else { break };
        if all.iter().all(|one| one.stopped.is_some()) {
            break;
        }
        let share = share(&all, room);
        if reads_ahead && ahead.as_slice().is_empty() {
            let next = read_ahead(&all, sandbox, &source, at, share).await;
            reads_ahead = next.is_some();
            ahead = next.unwrap_or_default().into_iter();
        }
        let mut reading = Vec::new();
        for one in all.iter_mut().filter(|one| one.stopped.is_none()) {
            let Some(answers) = one.settings.answers.clone().filter(|answers| answers.holds(file)) else {
                reading.push(one);
                continue;
            };
            let (folder, entry, mut requests) = (folder.clone(), file.clone(), std::mem::take(&mut one.requests));
            let read = move || {
                answers.read(&folder, &entry, &mut requests);
                Ok(requests)
            };
            match sandbox.blocking(&file.locator, read).await {
                Ok(requests) => one.requests = requests,
                Err(why) => one.stopped = Some(why),
            }
        }
        if reading.is_empty() {
            continue;
        }
        let meant: Vec<Asking> = reading.iter().map(|one| (Arc::clone(&one.settings), share)).collect();
        let (folder, entry) = (folder.clone(), file.clone());
        let read = move || Ok(stream::file(&folder, &entry, &meant));
        let readings = match ahead.next() {
            Some(readings) => Ok(readings),
            None => sandbox.blocking(&file.locator, read).await,
        };
        let readings = match readings {
            Ok(readings) => readings,
            Err(why) if reading.len() > 1 => return Err(why),
            Err(why) => vec![Err(why)],
        };
        for (one, read) in reading.into_iter().zip(readings) {
            match read {
                Ok(reading) => one.gather(&Location::whole(file.locator.as_str()), reading),
                Err(why) => one.seen.unreadable.push(obstacle(&file.locator, why)),
            }
        }
        go_on(&all)?;
    }
    let (mut seen, mut known, several) = (Vec::new(), None, all.len() > 1);
    for one in all {
        seen.push(one.finish(sandbox, &source, &mut known, several).await);
    }
    Ok(seen)
}

/// The most files that are read side by side.
const MOST_AHEAD: usize = 16;

/// The most bytes of them, so that together they hold no more than a file with one large set.
const MOST_BYTES_AHEAD: u64 = 16 << 20;

/// Reads the next files side by side, up to one that holds requests, each with a part of the share. Fewer than two give an
/// empty list. Nothing if a part is too small or the job fails: then files are read one after another, each with what those
/// before it left, and with its own time.
async fn read_ahead(
    all: &[Gathered],
    sandbox: &Sandbox,
    source: &Arc<Interchanges>,
    at: usize,
    share: u64,
) -> Option<Vec<Readings>> {
    let open = || all.iter().filter(|one| one.stopped.is_none()).map(|one| &one.settings);
    let holds_requests =
        |file: &FileEntry| open().any(|settings| settings.answers.as_ref().is_some_and(|answers| answers.holds(file)));
    let mut bytes = 0_u64;
    let next = source.files.iter().skip(at).take(MOST_AHEAD).take_while(|file| {
        bytes = bytes.saturating_add(file.size);
        bytes <= MOST_BYTES_AHEAD && !holds_requests(file)
    });
    let count = next.count();
    if count < 2 {
        return Some(Vec::new());
    }
    let asking: Vec<Asking> = open().map(|settings| (Arc::clone(settings), share / count as u64)).collect();
    let source = Arc::clone(source);
    let read = move || {
        let (Some(folder), Some(files)) = (&source.folder, source.files.get(at..at + count)) else { return Ok(None) };
        let readings = work::side_by_side(files, |file| file.size, |file| stream::file(folder, file, &asking));
        Ok(readings.into_iter().map(within_the_limit).collect())
    };
    sandbox.blocking("x12/", read).await.ok().flatten()
}

fn within_the_limit(readings: Readings) -> Option<Readings> {
    let mut is_within = true;
    let mut look = |held: Held| {
        is_within &= !held.over_the_limit;
        held
    };
    let readings: Readings =
        readings.into_iter().map(|reading| reading.map(|reading| reading.map(&mut look))).collect();
    is_within.then_some(readings)
}

const EVENTS_FILE: &str = "events.ndjson";

/// The bytes that each of those who ask may still hold: all together no more than one alone.
fn share(all: &[Gathered], room: u64) -> u64 {
    let held = all.iter().fold(0_u64, |held, one| held.saturating_add(one.held));
    room.saturating_sub(held) / (all.len() as u64).max(1)
}

/// Fails if one of several who ask together had to stop, so that each reads alone, with all the room.
fn go_on(all: &[Gathered]) -> Result<(), Unverifiable> {
    let stopped = all.iter().filter(|_| all.len() > 1).find_map(|one| one.stopped.clone());
    stopped.map_or(Ok(()), Err)
}

fn read_events(
    gathering: &mut [Gathered],
    source: &Interchanges,
    room: u64,
    limits: candor_x12::Limits,
) -> Result<(), Unverifiable> {
    let sha256: Option<SharedText> = source.events.as_ref().map(|events| events.sha256.as_str().into());
    for event in source.events.iter().flat_map(|events| &events.events) {
        work::wanted()?;
        let share = share(gathering, room);
        let open = gathering.iter_mut().filter(|one| one.stopped.is_none());
        let Some(text) = event.payload.as_str().filter(|text| !text.trim().is_empty()) else {
            open.for_each(|one| {
                one.seen.unreadable.push(Unreadable {
                    place: event.place.clone(),
                    what: "the event has no interchange in `payload`".to_owned(),
                    fault: Fault::Recording,
                });
            });
            continue;
        };
        let open: Vec<&mut Gathered> = open.collect();
        let meant: Vec<Asking> = open.iter().map(|one| (Arc::clone(&one.settings), share)).collect();
        let from = From {
            place: event.place.clone(),
            name: format!("line {} of {}", event.line, event.place.locator),
            located: false,
        };
        let walk = || Ok(Walk::from_slice_with(text.as_bytes(), limits));
        for (one, reading) in open.into_iter().zip(from.read(&meant, &walk, &|| 0)) {
            let reading = reading?.map(|mut held| {
                for candidate in &mut held.candidates {
                    candidate.source.sha256.clone_from(&sha256);
                }
                held
            });
            one.gather(&event.place, reading);
        }
        go_on(gathering)?;
    }
    Ok(())
}

async fn claims(
    settings: &Arc<Settings>,
    sandbox: &Sandbox,
    source: &Arc<Interchanges>,
    reversed: Reversed,
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

/// The claims that are reversed, and what remittances say of them.
type Known = Option<(Reversed, Result<Vec<RemittedClaim>, Unverifiable>)>;

struct Gathered {
    settings: Arc<Settings>,
    seen: Observation<Content>,
    requests: Requests,
    codes: Vec<Coded>,
    cuts_remittance: bool,
    reversed: Reversed,
    /// Places that could not be read, beyond those that are kept.
    more: usize,
    /// The bytes of the candidates.
    held: u64,
    stopped: Option<Unverifiable>,
}

impl Gathered {
    fn new(settings: Arc<Settings>, source: &Interchanges, environment: Environment) -> Self {
        let mut seen = Observation { environment, ..Observation::default() };
        seen.unreadable.extend(source.unreadable.iter().cloned());
        if settings.rules.count.is_some_and(|count| count.allows(0)) {
            seen.unreadable.extend(source.outside_links.iter().map(|link| not_followed(link)));
        }
        seen.notes.extend(source.notes.iter().cloned());
        Self {
            settings,
            seen,
            requests: Requests::default(),
            codes: Vec::new(),
            cuts_remittance: false,
            reversed: Reversed::default(),
            more: 0,
            held: 0,
            stopped: None,
        }
    }

    /// `known` is for several who ask: those that read the same remittances have the same claims.
    async fn finish(
        mut self,
        sandbox: &Sandbox,
        source: &Arc<Interchanges>,
        known: &mut Known,
        several: bool,
    ) -> Result<Seen, Unverifiable> {
        if let Some(why) = self.stopped {
            return Err(why);
        }
        let is_shared = several && self.settings.answers.is_none();
        let claims = match known {
            Some((same, claims)) if is_shared && *same == self.reversed => claims.clone(),
            _ => {
                let claims = claims(&self.settings, sandbox, source, Arc::clone(&self.reversed)).await;
                if is_shared {
                    *known = Some((self.reversed, claims.clone()));
                }
                claims
            }
        }?;
        if self.more > 0 {
            self.seen.notes.push(format!("{} more places could not be read.", self.more));
        }
        Ok(Seen {
            place: source.place.clone(),
            sets: self.seen,
            requests: self.requests,
            codes: self.codes,
            cuts_remittance: self.cuts_remittance,
            claims,
        })
    }

    fn gather(&mut self, place: &Location, reading: Reading<Held>) {
        let (held, ending) = reading.into_parts();
        if held.over_the_limit {
            let selected = self.settings.selection.described();
            let details = format!("the transaction sets {selected} are more than the limit max_total_bytes");
            self.stopped = Some(Unverifiable::new(Obstacle::LimitExceeded, details.replace("  ", " ")));
            return;
        }
        let seen = &mut self.seen;
        seen.considered += held.considered;
        seen.near = closest(seen.near.take(), held.near);
        for candidate in &held.candidates {
            if let Some(at) = candidate.content.damaged().first() {
                seen.notes
                    .push(format!("The segment at byte {at} of {} has no id and was passed over.", candidate.label));
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
        self.codes.extend(held.codes);
        self.cuts_remittance |= held.cuts_remittance;
        add_reversed(&mut self.reversed, &held.reversed);
        if self.reversed.len() > MOST_CLAIMS {
            self.stopped = Some(too_many_claims());
        }
        self.more += held.more_unreadable;
        self.held = self.held.saturating_add(held.size);
    }
}
