//! Selection: which of the messages that were sent are meant.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read as _};
use std::sync::Arc;

use candor_check::evidence::{SharedText, SourceRef};
use candor_check::field::{Field, FieldEntry, FieldResult, Location};
use candor_check::records::{Bytes, Candidate, Fact, FactRole, Fault, NearMiss, Unreadable, closest};
use candor_check::sandbox::{Environment, Folder, not_followed};
use candor_check::work;
use candor_check::{Obstacle, Sandbox, Unverifiable};
use candor_hl7v2::{self as hl7v2, Declared, Part, Path, Stream, TextSearch};
use candor_hl7v2_structure::Scope;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use sha2::{Digest as _, Sha256};

use crate::ack::{Acknowledged, Acknowledgment, is_acknowledgment};
use crate::batch::{self, Cut, WrongCount};
use crate::correlation::{Selected, Sent, first};
use crate::here::{Hash, Here, Origin};
use crate::index::Index;
use crate::path::{self, MessagePath};
use crate::safety::Cancels;
use crate::same_as::Others;
use crate::seen::{Message, Seen};
use crate::settings::Settings;
use crate::source::{Content, MessageSource, obstacle};
use crate::tried::control_id;

pub(crate) async fn observe(settings: &Arc<Settings>, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
    let source = sandbox.source::<MessageSource>().await?;
    let (limit, environment) = (sandbox.limits().max_total_bytes, sandbox.environment());
    let pass = |asking: Vec<Arc<Settings>>| {
        let (source, place) = (Arc::clone(&source), source.place.clone());
        async move { sandbox.blocking(&place, move || select(&asking, &source, limit, environment)).await }
    };
    source.shared.read(sandbox, Arc::clone(settings), pass).await
}

/// Reads everything once, and gives to each of those who ask what it selects.
fn select(
    asking: &[Arc<Settings>],
    source: &MessageSource,
    limit: u64,
    environment: Environment,
) -> Result<Vec<Result<Seen, Unverifiable>>, Unverifiable> {
    let of = |settings| Selecting::new(settings, source, limit.max(LEAST_HELD), environment);
    let mut pass = Pass::new(asking.iter().map(|settings| of(&**settings)).collect());
    if let Some(events) = &source.events {
        pass.each(|one| one.seen.messages.unreadable.extend(events.unreadable.iter().cloned()));
        for event in &events.events {
            let from = format!("line {} of {}", event.line, event.place.locator);
            let hash = Hash::Known(&events.sha256);
            let origin = Origin { hash, located: false, from, event: Some((&event.place, &event.at)) };
            match event.payload.as_str() {
                Some(text) if !text.trim().is_empty() => pass.bytes(text.as_bytes(), &event.place, &origin)?,
                _ => pass.each(|one| one.recording(event.place.clone(), "the event has no message in `payload`")),
            }
        }
    }
    for file in &source.files {
        if pass.is_over() {
            break;
        }
        let place = Location::whole(file.entry.locator.as_str());
        let origin = |hash, located| Origin { hash, located, from: file.entry.locator.clone(), event: None };
        match &file.content {
            Content::Held(held) => match wide(&held.bytes) {
                Some(encoding) => {
                    let (text, _) = encoding.decode_with_bom_removal(&held.bytes);
                    pass.each(|one| one.rewritten(&place));
                    pass.bytes(text.as_bytes(), &place, &origin(Hash::Of(held), false))?;
                }
                None => pass.bytes(&held.bytes, &place, &origin(Hash::Of(held), true))?,
            },
            Content::Large(folder) => {
                pass.each(|one| one.before = one.seen.messages.candidates.len());
                match pass.stream(folder, file, &place, origin(Hash::Known(""), true))? {
                    Ok(sha256) => pass.each(|one| {
                        for candidate in one.seen.messages.candidates.iter_mut().skip(one.before) {
                            candidate.source.sha256 = Some(sha256.clone());
                        }
                    }),
                    Err(why) => pass.each(|one| one.unreadable(obstacle(&file.entry.locator, why.clone()))),
                }
            }
        }
    }
    Ok(pass.finish())
}

/// The encoding of bytes that are UTF-16: they begin with a byte order mark, or with the id of a header and a NUL next
/// to each of its letters, framed or not.
pub(crate) fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    let header = |low: usize| {
        let unit = |at: usize| match bytes.get(2 * at..2 * at + 2) {
            Some([byte, 0]) if low == 0 => Some(*byte),
            Some([0, byte]) if low == 1 => Some(*byte),
            _ => None,
        };
        let from = usize::from(unit(0) == Some(0x0B));
        let id = [unit(from), unit(from + 1), unit(from + 2)];
        [b"MSH", b"FHS", b"BHS"].iter().any(|header| header.map(Some) == id)
    };
    match bytes {
        [0xFF, 0xFE, ..] => Some(UTF_16LE),
        [0xFE, 0xFF, ..] => Some(UTF_16BE),
        _ if header(0) => Some(UTF_16LE),
        _ if header(1) => Some(UTF_16BE),
        _ => None,
    }
}

/// The memory that candidates may always take, in bytes, however small the limits: files within them were read already.
const LEAST_HELD: u64 = 64 << 20;

struct Pass<'a> {
    selecting: Vec<Selecting<'a>>,
    /// The messages that cancel others, for those who assert work: with acknowledgments among them, and without them for
    /// those who assert `ack`.
    cancels: [Option<Cancels>; 2],
    asks_for_ack: bool,
    index: Index<'a>,
    /// Those of the index to whom a message that is not meant may still be nearer than those before it.
    unsettled: Vec<usize>,
    /// Those whom the message concerns that is read now.
    asked: Vec<usize>,
    messages: u64,
    /// The bytes that all hold.
    held: u64,
    /// How many of the index hold what messages cancel.
    noting: u64,
}

impl<'a> Pass<'a> {
    fn new(mut selecting: Vec<Selecting<'a>>) -> Self {
        match selecting.as_mut_slice() {
            [alone] => alone.search = alone.settings.wanted_text().map(|(path, text)| TextSearch::new(path, text)),
            several => several.iter_mut().for_each(|one| one.wanted = one.settings.wanted_text()),
        }
        let index = Index::new(selecting.iter().map(|one| one.wanted));
        let unsettled = (0..).zip(&selecting).filter(|(_, one)| one.wanted.is_some()).map(|(at, _)| at).collect();
        let asserts = |ack: bool| selecting.iter().any(|one| one.asserts_work && one.settings.ack.is_some() == ack);
        let cancels = [false, true].map(|ack| asserts(ack).then(Cancels::default));
        let asks_for_ack = selecting.iter().any(|one| one.settings.ack.is_some());
        let noting = selecting.iter().filter(|one| one.wanted.is_some() && one.asserts_work).count() as u64;
        let (asked, messages, held) = (Vec::new(), 0, 0);
        Self { selecting, cancels, asks_for_ack, index, unsettled, asked, messages, held, noting }
    }

    /// Those who still select.
    fn each(&mut self, does: impl FnMut(&mut Selecting<'a>)) {
        self.selecting.iter_mut().filter(|one| one.stopped.is_none()).for_each(does);
    }

    fn is_over(&self) -> bool {
        self.selecting.iter().all(|one| one.stopped.is_some())
    }

    fn bytes(&mut self, bytes: &[u8], place: &Location, origin: &Origin<'_>) -> Result<(), Unverifiable> {
        let text = if origin.located { None } else { std::str::from_utf8(bytes).ok() };
        let mut reading = text.map_or_else(|| hl7v2::messages(bytes), hl7v2::messages_of_text);
        let mut number = 0;
        while let Some(item) = reading.next() {
            if self.is_over() {
                return Ok(());
            }
            number += 1;
            match item {
                Ok(message) => self.message(&message, number, place, origin)?,
                Err(error) => self.each(|one| one.malformed(&error, place, origin)),
            }
            reading.trailers().for_each(|trailer| self.each(|one| one.trailer(&trailer, place, origin)));
        }
        reading.trailers().for_each(|trailer| self.each(|one| one.trailer(&trailer, place, origin)));
        let ending = reading.ending();
        self.each(|one| one.ending(&ending, place, origin));
        Ok(())
    }

    /// Reads a file piece by piece; gives its SHA-256, or what kept it from being read to its end.
    fn stream(
        &mut self,
        folder: &Folder,
        file: &crate::source::MessageFile,
        place: &Location,
        mut origin: Origin<'_>,
    ) -> Result<Result<SharedText, Unverifiable>, Unverifiable> {
        const PIECE: usize = 256 << 10;
        let mut open = match folder.open(&file.entry) {
            Ok(open) => open,
            Err(why) => return Ok(Err(why)),
        };
        let (mut stream, mut hash, mut number, mut total) = (Stream::default(), Sha256::new(), 0, 0u64);
        let mut stopped = Ok(());
        let mut each = |this: &mut Self, origin: &Origin<'_>, part: Part<'_>| match part {
            _ if stopped.is_err() => {}
            Part::Message(message) => {
                number += 1;
                stopped = this.message(&message, number, place, origin);
            }
            Part::Unreadable(error) => {
                number += 1;
                this.each(|one| one.malformed(&error, place, origin));
            }
            Part::Trailer(trailer) => this.each(|one| one.trailer(&trailer, place, origin)),
            Part::Ending(ending) => this.each(|one| one.ending(&ending, place, origin)),
        };
        let mut buffer = vec![0; PIECE];
        let mut decoder = None;
        let mut text = String::new();
        loop {
            match open.read(&mut buffer) {
                Ok(0) => break,
                Ok(_) if self.is_over() => break,
                Ok(read) => {
                    let piece = buffer.get(..read).unwrap_or_default();
                    if total == 0
                        && let Some(encoding) = wide(piece)
                    {
                        decoder = Some(encoding.new_decoder_with_bom_removal());
                        stream = Stream::of_text();
                        origin.located = false;
                        self.each(|one| one.rewritten(place));
                    }
                    total += read as u64;
                    hash.update(piece);
                    match &mut decoder {
                        None => stream.push(piece, &mut |part| each(self, &origin, part)),
                        Some(decoder) => {
                            text.clear();
                            text.reserve(decoder.max_utf8_buffer_length(read).unwrap_or(4 * PIECE));
                            let _ = decoder.decode_to_string(piece, &mut text, false);
                            stream.push(text.as_bytes(), &mut |part| each(self, &origin, part));
                        }
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let why = format!("{} cannot be read: {error}", file.entry.locator);
                    return Ok(Err(Unverifiable::new(Obstacle::SourceUnavailable, why)));
                }
            }
        }
        stream.finish(&mut |part| each(self, &origin, part));
        stopped?;
        if total > folder.limits().max_bytes {
            let why = format!("{} grew beyond the limit max_bytes while it was read", file.entry.locator);
            return Ok(Err(Unverifiable::new(Obstacle::LimitExceeded, why)));
        }
        Ok(Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()))
    }

    fn message(
        &mut self,
        message: &hl7v2::Message<'_>,
        number: u64,
        place: &Location,
        origin: &Origin<'_>,
    ) -> Result<(), Unverifiable> {
        work::wanted()?;
        if self.is_over() {
            return Ok(());
        }
        let span = message.span();
        let here = Here::new(origin, place, number, span.start as u64..span.end as u64);
        let is_ack = self.asks_for_ack && is_acknowledgment(message);
        let [all, others] = &mut self.cancels;
        let read = |of: &mut Option<Cancels>| of.as_mut().and_then(|cancels| cancels.read(message, &here));
        let (all, others) = (read(all), if is_ack { None } else { read(others) });
        self.messages += 1;
        self.asked.clear();
        self.asked.extend(&self.unsettled);
        self.index.concerned(message, &mut self.asked);
        let size = all.map_or(0, |(_, size)| size).saturating_mul(self.noting);
        self.held = self.held.saturating_add(size);
        for &at in &self.asked {
            let Some(one) = self.selecting.get_mut(at).filter(|one| one.stopped.is_none()) else { continue };
            let (before, held) = (one.seen.messages.candidates.len(), one.held);
            let cancels = if one.settings.ack.is_some() { others } else { all };
            one.stopped = one.message(message, &here, is_ack, cancels).err();
            one.meant = Some(before).filter(|_| one.asserts_work && one.seen.messages.candidates.len() > before);
            self.held = self.held.saturating_add(one.held - held);
        }
        for ((with_ack, cancels), noted) in [false, true].into_iter().zip(&mut self.cancels).zip([all, others]) {
            let meant = |one: &Selecting<'_>| {
                one.meant.is_some() && one.stopped.is_none() && one.settings.ack.is_some() == with_ack
            };
            let those = self.asked.iter().filter(|at| self.selecting.get(**at).is_some_and(meant));
            let those: Vec<usize> = those.copied().collect();
            let cancels = cancels.as_mut().filter(|_| !those.is_empty());
            let orders = cancels.and_then(|cancels| cancels.meant(message, &here, noted.map(|(number, _)| number)));
            let Some((number, size)) = orders else { continue };
            for at in those {
                let Some(one) = self.selecting.get_mut(at) else { continue };
                one.noted.extend(one.meant.map(|candidate| (number, candidate)));
                one.stopped = one.hold_bytes(size).err();
                self.held = self.held.saturating_add(size);
            }
        }
        self.unsettled.retain(|at| self.selecting.get(*at).is_some_and(|one| !one.has_nearest()));
        self.hold()
    }

    /// All who ask together may hold no more than one alone; beyond that each reads alone.
    fn hold(&self) -> Result<(), Unverifiable> {
        match self.selecting.as_slice() {
            [first, _, ..] if self.held > first.limit => {
                let details = "the messages of several criteria are more than the limit max_total_bytes";
                Err(Unverifiable::new(Obstacle::LimitExceeded, details))
            }
            _ => Ok(()),
        }
    }

    fn finish(self) -> Vec<Result<Seen, Unverifiable>> {
        let [all, others] = self.cancels;
        let finish = |mut one: Selecting<'_>| {
            if one.wanted.is_some() {
                one.seen.messages.considered = self.messages;
            }
            let cancels = if one.settings.ack.is_some() { &others } else { &all };
            let facts = cancels.as_ref().map(|cancels| cancels.facts(&one.noted)).unwrap_or_default();
            let asserts = one.asserts_work && !one.settings.counts_none();
            let lacks = asserts && one.seen.messages.unreadable.iter().any(Unreadable::is_outage);
            one.seen.may_be_cancelled = lacks && cancels.as_ref().is_some_and(|cancels| cancels.may_undo(&one.noted));
            if one.seen.may_be_cancelled {
                one.seen.messages.notes.push("A file that was not read may hold a cancellation.".to_owned());
            }
            one.finish(&facts)
        };
        self.selecting.into_iter().map(finish).collect()
    }
}

struct Selecting<'a> {
    settings: &'a Settings,
    seen: Seen,
    /// Places that could not be read, beyond those that are kept.
    more_unreadable: usize,
    held: u64,
    limit: u64,
    asserts_work: bool,
    /// The text, and its path, without which no message concerns it: where several ask.
    wanted: Option<(&'a Path, &'a str)>,
    /// The search for that text: where it asks alone.
    search: Option<TextSearch<'a>>,
    /// Candidates by the numbers that what cancels has of their messages.
    noted: HashMap<usize, usize>,
    /// The candidate that the last message became, where work is asserted.
    meant: Option<usize>,
    /// The candidates of files before this one.
    before: usize,
    stopped: Option<Unverifiable>,
}

impl<'a> Selecting<'a> {
    /// The most unreadable places that are kept one by one.
    const MOST_UNREADABLE: usize = 1000;
    /// The memory that a candidate takes in addition to its text, in bytes, about.
    const OVERHEAD: u64 = 512;

    fn new(settings: &'a Settings, source: &MessageSource, limit: u64, environment: Environment) -> Self {
        let others = settings.same_as.iter().map(|_| Others::default()).collect();
        let mut seen = Seen { others, place: source.place.clone(), ..Seen::default() };
        seen.messages.environment = environment;
        seen.messages.unreadable.extend(source.unreadable.iter().cloned());
        if settings.rules().count.is_some_and(|count| count.allows(0)) {
            seen.messages.unreadable.extend(source.outside_links.iter().map(|link| not_followed(link)));
        }
        seen.messages.notes.extend(source.notes.iter().cloned());
        let asserting = settings.asserting(environment);
        Self {
            settings,
            seen,
            more_unreadable: 0,
            held: 0,
            limit,
            // What an operator allows matters nowhere; what is asserted of form matters in no environment.
            asserts_work: asserting.work && !asserting.allow_modifiers,
            wanted: None,
            search: None,
            noted: HashMap::new(),
            meant: None,
            before: 0,
            stopped: None,
        }
    }

    fn malformed(&mut self, error: &hl7v2::ParseError, place: &Location, origin: &Origin<'_>) {
        let (start, end) = (error.span.start as u64, error.span.end as u64);
        let (place, what) = match origin.event {
            None if origin.located => (Location::bytes(place.locator.as_str(), start..end), error.to_string()),
            None => (place.clone(), format!("{error}, in what was read as UTF-8")),
            Some(_) => (place.clone(), format!("the payload cannot be read, {error}")),
        };
        self.unreadable(Unreadable { place, what, fault: Fault::System });
    }

    /// A trailer that says a wrong number is a finding where a structure is asserted, and a note elsewhere.
    fn trailer(&mut self, trailer: &hl7v2::Trailer, place: &Location, origin: &Origin<'_>) {
        const MOST: usize = 100;
        let Some(wrong) = WrongCount::of(trailer, place, origin.located) else { return };
        if self.settings.structure.is_none() {
            self.note(wrong.note());
        } else if self.seen.wrong_counts.len() < MOST {
            self.seen.wrong_counts.push(wrong);
        }
    }

    /// Marks an input that was cut off, which is not read as if it were whole.
    fn ending(&mut self, ending: &hl7v2::Ending, place: &Location, origin: &Origin<'_>) {
        match batch::cut(ending, self.settings.counts()) {
            Some(Cut::Off(cut)) => {
                let offset = cut.offset;
                let (place, at) = match origin.located {
                    true => (Location::bytes(place.locator.as_str(), offset..offset), format!("byte {offset}: ")),
                    false => (place.clone(), String::new()),
                };
                self.unreadable(Unreadable { place, what: format!("{at}{}", cut.what), fault: Fault::System });
            }
            Some(Cut::Maybe(what)) => self.note(format!("{} {what}.", place.locator)),
            None => {}
        }
    }

    fn rewritten(&mut self, place: &Location) {
        self.note(format!("{} is UTF-16, so that its values have no byte offsets.", place.locator));
    }

    fn note(&mut self, note: String) {
        const MOST: usize = 20;
        if self.seen.messages.notes.len() < MOST {
            self.seen.messages.notes.push(note);
        }
    }

    fn message(
        &mut self,
        message: &hl7v2::Message<'_>,
        here: &Here<'_>,
        is_ack: bool,
        cancels: Option<(usize, u64)>,
    ) -> Result<(), Unverifiable> {
        let (offset, at) = (here.offset(), here.at());
        for (index, same_as) in self.settings.same_as.iter().enumerate() {
            let Some(others) = self.seen.others.get_mut(index) else { continue };
            let kept = same_as.gather(message, here, others);
            self.hold_bytes(kept)?;
        }
        if self.settings.ack.is_some() {
            self.acknowledgment(message, here)?;
            if is_ack {
                return Ok(());
            }
            if let Some(acknowledged) = Acknowledged::of(message, at) {
                self.hold(0)?;
                self.seen.acknowledged.push(acknowledged);
            }
        }
        self.seen.messages.considered += 1;
        let noted = cancels.filter(|_| self.asserts_work);
        // What all who are in the index hold of it is counted at once.
        let size = noted.filter(|_| self.wanted.is_none()).map_or(0, |(_, size)| size);
        self.hold_bytes(size)?;
        if self.has_nearest() && self.search.as_ref().is_some_and(|search| !search.may_select(message)) {
            return Ok(());
        }
        let sent = Sent { message, at };
        match self.settings.correlate_by.select(&sent) {
            Selected::Yes => {}
            Selected::No(met) => {
                if self.seen.messages.near.as_ref().is_none_or(|near| met > near.matched.0) {
                    self.passed_over(here, &self.settings.correlate_by.results(&sent, here.place()));
                }
                return Ok(());
            }
            Selected::Undecidable => {
                let results = self.settings.correlate_by.results(&sent, here.place());
                if let Some(result) = results.iter().find(|result| !result.passed) {
                    self.left_open(here, result);
                }
                return Ok(());
            }
        }
        self.hold(message.raw().len() as u64)?;
        self.note_replaced(message, here.label(), offset);
        self.note_cut(message, here.label());
        if let Some((number, _)) = noted {
            self.noted.insert(number, self.seen.messages.candidates.len());
        }
        let place = here.place();
        let source = SourceRef {
            locator: place.locator.as_str().into(),
            sha256: Some(here.origin.hash.sha256().into()),
            span: place.span,
            record: control_id(message).map(|id| format!("MSH-10 {id}").into()),
        };
        let candidate = Candidate {
            source,
            label: here.label().to_owned().into(),
            content: Message {
                text: Bytes(message.raw().into()),
                offset: offset.into(),
                decoded: !here.origin.located,
                at: at.map(Into::into),
                facts: None,
            },
        };
        let candidates = &mut self.seen.messages.candidates;
        candidates.push(candidate.shared_with(candidates.last()));
        Ok(())
    }

    /// It is not known whether the message is meant: `result` is of the first condition that does not tell.
    fn left_open(&mut self, here: &Here<'_>, result: &FieldResult) {
        // Unless a number is asserted, a message without a time is passed over: nothing shows that it was sent then.
        if !result.is_undecidable() && !self.settings.counts() {
            return self.passed_over(here, std::slice::from_ref(result));
        }
        let actual = candor_check::evidence::quoted(&result.actual);
        let (key, expected) = (&result.path, candor_check::evidence::quoted(&result.expected));
        let asked = format!("whether {} was sent {key} {expected}", here.label());
        let (what, fault) = match result.is_undecidable() {
            true => (format!("{actual} does not decide {asked}"), Fault::Obstacle(Obstacle::Undecidable)),
            // Who sent the message was to say it.
            false if result.actual.is_null() => (format!("there is no MSH-7, which would say {asked}"), Fault::System),
            false => (format!("MSH-7 is {actual}, which is not a time and does not say {asked}"), Fault::System),
        };
        self.unreadable(Unreadable { place: here.place().clone(), what, fault });
    }

    /// Returns `true` if a message that lacks the wanted text cannot be nearer than the nearest so far.
    fn has_nearest(&self) -> bool {
        let near = self.seen.messages.near.as_ref();
        near.is_some_and(|near| near.matched.0 + 1 >= self.settings.correlate_by.len())
    }

    fn passed_over(&mut self, here: &Here<'_>, results: &[FieldResult]) {
        let near = NearMiss::of(here.place().clone(), here.label().to_owned(), results);
        let near_before = self.seen.messages.near.take();
        self.seen.messages.near = closest(near_before, near);
    }

    fn hold(&mut self, bytes: u64) -> Result<(), Unverifiable> {
        self.hold_bytes(bytes + Self::OVERHEAD)
    }

    fn hold_bytes(&mut self, bytes: u64) -> Result<(), Unverifiable> {
        self.held = self.held.saturating_add(bytes);
        if self.held > self.limit {
            let details = format!("the messages{} are more than the limit max_total_bytes", self.selected_by());
            return Err(Unverifiable::new(Obstacle::LimitExceeded, details));
        }
        Ok(())
    }

    fn acknowledgment(&mut self, message: &hl7v2::Message<'_>, here: &Here<'_>) -> Result<(), Unverifiable> {
        if let Some(acknowledgment) = Acknowledgment::of(message, here) {
            self.hold(0)?;
            self.seen.acknowledgments.push(acknowledgment);
        }
        Ok(())
    }

    fn selected_by(&self) -> String {
        let described = self.settings.correlate_by.described();
        if described.is_empty() { described } else { format!(" {described}") }
    }

    /// Says that a segment that is asserted may have been cut off: nothing ends it.
    fn note_cut(&mut self, message: &hl7v2::Message<'_>, label: &str) {
        let Some(last) = message.segments().next_back().filter(|_| !message.is_terminated()) else { return };
        let id = last.id();
        if self
            .settings
            .fields
            .iter()
            .flat_map(FieldEntry::fields)
            .any(|field| field.path.segment_id().as_bytes() == id)
        {
            let id = String::from_utf8_lossy(&id);
            self.note(format!("{label} ends without the end of its last segment, {id}, which may be cut off."));
        }
    }

    /// Says that a field that is asserted holds bytes that cannot be decoded.
    fn note_replaced(&mut self, message: &hl7v2::Message<'_>, label: &str, offset: Option<u64>) {
        let replaced = |field: &&Field<MessagePath>| {
            let whole = |own| path::select(own, message, &[Scope::message().segments], offset).replaced.is_some();
            field.path.groups().is_empty() && field.path.path().is_some_and(whole)
        };
        if let Some(field) = self.settings.fields.iter().filter_map(FieldEntry::as_field).find(replaced) {
            let charset = match message.charset() {
                Declared::Known(_) => "the character set of MSH-18",
                Declared::Nothing(_) | Declared::Unknown(_) => "its character set",
            };
            self.note(format!(
                "{} of {label} holds bytes that {charset} does not have; they are read as U+FFFD.",
                field.path_text
            ));
        }
    }

    fn recording(&mut self, place: Location, what: &str) {
        self.unreadable(Unreadable { place, what: what.to_owned(), fault: Fault::Recording });
    }

    fn unreadable(&mut self, unreadable: Unreadable) {
        // A fault that is not a failure of the system under test decides the outcome, so it is kept.
        let decides = unreadable.fault != Fault::System
            && self.seen.messages.unreadable.iter().all(|kept| kept.fault == Fault::System);
        if self.seen.messages.unreadable.len() < Self::MOST_UNREADABLE || decides {
            self.seen.messages.unreadable.push(unreadable);
        } else {
            self.more_unreadable += 1;
        }
    }

    fn finish(mut self, facts: &[(usize, Fact)]) -> Result<Seen, Unverifiable> {
        if let Some(why) = self.stopped {
            return Err(why);
        }
        if self.more_unreadable > 0 {
            self.seen.messages.notes.push(format!("{} more places could not be read.", self.more_unreadable));
        }
        for (number, fact) in facts.iter().filter(|_| self.asserts_work) {
            let index = self.noted.get(number);
            let candidate = index.and_then(|index| self.seen.messages.candidates.get_mut(*index));
            if let Some(candidate) = candidate.filter(|_| fact.role != FactRole::Restores) {
                candidate.content.facts.get_or_insert_with(Box::default).push(fact.clone());
            }
            self.seen.cancels.push(fact.clone());
        }
        if let Ok(path) = Path::parse("MSH.10")
            && !self.seen.acknowledgments.is_empty()
        {
            let sent: HashSet<String> = self
                .seen
                .messages
                .candidates
                .iter()
                .filter_map(|candidate| {
                    let message = candidate.content.read()?;
                    first(&path, &message)
                })
                .collect();
            self.seen.acknowledgments.retain(|ack| sent.contains(&ack.control_id));
        }
        let answered: HashSet<&str> = self.seen.acknowledgments.iter().map(|ack| ack.control_id.as_str()).collect();
        self.seen.acknowledged.retain(|message| answered.contains(message.control_id.as_str()));
        Ok(self.seen)
    }
}
