//! Streams interchanges and keeps what the selection leaves.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Read};
use std::sync::Arc;

use candor_check::evidence::{SharedText, SourceRef};
use candor_check::field::{Field, Location};
use candor_check::records::{Candidate, Completeness, Cut, Fault, NearMiss, Reading, Unreadable, closest};
use candor_check::sandbox::{FileEntry, Folder};
use candor_check::work::cancelled;
use candor_check::{Obstacle, Unverifiable};
use candor_x12::{Ending, Finding, Input, Item, ParseError, ParseErrorKind, SetHead, SetView, TextSearch, Value, Walk};

use crate::claims::{Reversals, Reversed, add_reversed};
use crate::limits::x12_limits;
use crate::lines;
use crate::path::{ReadSet, SetPath};
use crate::seen::{Coded, Content};
use crate::selection::{Correlated, Selection};
use crate::settings::Settings;
use crate::tried::record;

/// ST01 of an 835.
const REMITTANCE: &str = "835";

/// The most unreadable places of one file that are kept one by one.
const MOST_UNREADABLE: usize = 200;

#[derive(Default)]
pub(crate) struct Held {
    pub(crate) candidates: Vec<Candidate<Content>>,
    pub(crate) considered: u64,
    pub(crate) near: Option<NearMiss>,
    pub(crate) unreadable: Vec<Unreadable>,
    pub(crate) more_unreadable: usize,
    pub(crate) size: u64,
    /// X12's own codes of what could not be read.
    pub(crate) codes: Vec<Coded>,
    /// Something is cut off that was, or may have been, a remittance.
    pub(crate) cuts_remittance: bool,
    pub(crate) reversed: Reversed,
    /// More was selected than may be held.
    pub(crate) over_the_limit: bool,
    /// How many bytes were read.
    pub(crate) read: u64,
}

fn completeness(ending: Ending) -> Completeness {
    match ending {
        Ending::Whole => Completeness::Whole,
        Ending::CutOff { offset } => Completeness::Cut(Cut::new(offset, "X12 that is cut off")),
        Ending::Unknown => Completeness::Unknown,
    }
}

pub(crate) struct From {
    pub(crate) place: Location,
    pub(crate) name: String,
    pub(crate) located: bool,
}

/// Who asks: the settings, and the most bytes of candidates that may be held.
pub(crate) type Asking = (Arc<Settings>, u64);
pub(crate) type Readings = Vec<Result<Reading<Held>, Unverifiable>>;

/// Reads a file of the sandbox, piece by piece, for all who ask. Where form is asked for, candidates know the line in which
/// they begin.
pub(crate) fn file(folder: &Folder, file: &FileEntry, asking: &[Asking]) -> Readings {
    let from = From { place: Location::whole(file.locator.as_str()), name: file.locator.clone(), located: true };
    let read = Cell::new(0);
    let open = || {
        read.set(0);
        let counted = Counted { source: folder.open(file)?, read: &read };
        Ok(Walk::from_read(counted, x12_limits(folder.limits())))
    };
    let sha256 = OnceCell::new();
    let finish = |(reading, (settings, _)): (Reading<Held>, &Asking)| {
        let (mut held, ending) = reading.into_parts();
        if held.read > folder.limits().max_bytes {
            let what = "the file has grown beyond the limit max_bytes".to_owned();
            let fault = Fault::Obstacle(Obstacle::LimitExceeded);
            held.unreadable.insert(0, Unreadable { place: from.place.clone(), what, fault });
        }
        if !held.candidates.is_empty() {
            let sha256 = sha256.get_or_init(|| folder.sha256(file).map(SharedText::from)).clone()?;
            for candidate in &mut held.candidates {
                candidate.source.sha256 = Some(sha256.clone());
            }
            if settings.validate.is_some() {
                let offsets: Vec<u64> = held.candidates.iter().map(|candidate| candidate.content.offset()).collect();
                let lines = lines::at(folder.open(file)?, &offsets).map_err(|error| {
                    Unverifiable::new(
                        Obstacle::SourceUnavailable,
                        format!("{}: it could not be read again: {error}", file.locator),
                    )
                })?;
                for (candidate, line) in held.candidates.iter_mut().zip(lines) {
                    candidate.content.begins_in(line);
                }
            }
        }
        Ok(Reading::new(held, ending))
    };
    let readings = from.read(asking, &open, &|| read.get());
    readings.into_iter().zip(asking).map(|(reading, asking)| finish((reading?, asking))).collect()
}

/// Counts the bytes read, to distinguish a file that grew past the limit from one that ended.
struct Counted<'a, R> {
    source: R,
    read: &'a Cell<u64>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}

impl From {
    /// Reads a stream for all who ask. `open` opens it, again where they cannot share one reading; `passed` says how many
    /// bytes were read of it.
    pub(crate) fn read<I: Input>(
        &self,
        asking: &[Asking],
        open: &dyn Fn() -> Result<Walk<I>, Unverifiable>,
        passed: &dyn Fn() -> u64,
    ) -> Readings {
        let read = |asking: &[Asking]| {
            Some(match open() {
                Ok(walk) => self.walk(asking, walk, passed)?.into_iter().map(Ok).collect(),
                Err(why) => asking.iter().map(|_| Err(why.clone())).collect::<Readings>(),
            })
        };
        read(asking).unwrap_or_else(|| asking.chunks(1).filter_map(read).flatten().collect())
    }

    /// Gives nothing if a fault is met in a set that some want and others do not: alone, they report it differently.
    fn walk<I: Input>(
        &self,
        asking: &[Asking],
        mut walk: Walk<I>,
        passed: &dyn Fn() -> u64,
    ) -> Option<Vec<Reading<Held>>> {
        let mut all: Vec<One<'_>> = asking.iter().map(|(settings, room)| One::new(self, settings, *room)).collect();
        let mut fields = Vec::new();
        all.iter_mut().for_each(|one| one.number_paths(&mut fields));
        let mut index = Index::of(&mut all);
        let reversals = all.iter().any(|one| one.remittances).then(Reversals::new);
        let mut reversed = HashSet::new();
        let (mut wanted, mut unwanted, mut sets) = (false, false, 0);
        let (mut asked, mut last, mut is_damaged) = (Vec::new(), None, false);
        loop {
            let item = walk.next_item(&mut |head| {
                (wanted, unwanted) = (false, false);
                let transaction = head.st.text(1);
                sets += 1;
                last = Some((head.st.offset(), transaction == REMITTANCE));
                for kind in &mut index.kinds {
                    kind.meet(head, &transaction);
                    wanted |= kind.wants;
                    unwanted |= !kind.wants;
                }
                for &at in index.always.iter().chain(&index.unsettled) {
                    let Some(one) = all.get_mut(at).filter(|one| !one.held.over_the_limit) else { continue };
                    one.wants = one.wants(head, &transaction);
                    wanted |= one.wants;
                    unwanted |= !one.wants;
                }
                wanted
            });
            match item {
                Ok(Some(Item::Fault(_))) if wanted && unwanted => return None,
                Ok(Some(item)) => {
                    let mut set = Shared::of(&fields);
                    if let (Item::Set(of), Some(reversals)) = (&item, &reversals) {
                        let is_remittance = last.is_some_and(|(_, is_remittance)| is_remittance);
                        let found = reversals.find(&of.view(), is_remittance);
                        // Whoever reads remittances reads each of them, and of other sets those that are selected.
                        match is_remittance {
                            true => reversed.extend(found),
                            false => set.reversed = found,
                        }
                    }
                    asked.clear();
                    match &item {
                        Item::Set(of) if !is_damaged && set.reversed.is_empty() => {
                            index.concerned(&of.view(), self, &set, &fields, &mut asked);
                        }
                        _ => asked.extend(0..all.len()),
                    }
                    is_damaged = matches!(item, Item::Fault(_));
                    for &at in &asked {
                        let Some(one) = all.get_mut(at).filter(|one| !one.held.over_the_limit) else { continue };
                        if let Some(kind) = one.kind.and_then(|kind| index.kinds.get(kind)) {
                            (one.wants, one.open.head, one.open.unselected) = (kind.wants, last, kind.unselected);
                        }
                        one.item(&item, &set);
                    }
                    index.unsettled.retain(|at| all.get(*at).is_some_and(|one| !one.has_nearest()));
                }
                Ok(None) => {
                    all.iter_mut().filter(|one| !one.held.over_the_limit).for_each(One::lay_down);
                    break;
                }
                Err(error) => {
                    all.iter_mut().filter(|one| !one.held.over_the_limit).for_each(|one| one.lose(&error));
                    break;
                }
            }
            if cancelled() || all.iter().all(|one| one.held.over_the_limit) {
                break;
            }
        }
        let reversed = Arc::new(reversed);
        for one in &mut all {
            if one.kind.is_some() {
                one.held.considered = sets;
            }
            if one.remittances {
                add_reversed(&mut one.held.reversed, &reversed);
            }
        }
        let (ending, read) = (completeness(walk.ending()), passed());
        Some(all.into_iter().map(|one| Reading::new(Held { read, ..one.held }, ending.clone())).collect())
    }

    fn outage(&self, error: &io::Error) -> Unreadable {
        let obstacle = match error.kind() {
            io::ErrorKind::PermissionDenied => Obstacle::SourceDenied,
            io::ErrorKind::TimedOut => Obstacle::Timeout,
            _ => Obstacle::SourceUnavailable,
        };
        let what = format!("it could not be read to its end: {error}");
        Unreadable { place: self.place.clone(), what, fault: Fault::Obstacle(obstacle) }
    }

    fn place(&self, start: u64, end: u64) -> Location {
        if self.located { Location::bytes(self.place.locator.as_str(), start..end) } else { self.place.clone() }
    }
}

/// The parts of a set that are read once for all who look at it.
struct Shared<'a> {
    set: OnceCell<ReadSet<'a>>,
    /// The claims that a set other than an 835 reverses.
    reversed: Vec<String>,
    /// Those of the fields of all who ask, each path once.
    values: Vec<OnceCell<Option<Vec<Value<'a>>>>>,
}

impl Shared<'_> {
    fn of(fields: &[&Field<SetPath>]) -> Self {
        Self { set: OnceCell::new(), reversed: Vec::new(), values: vec![OnceCell::new(); fields.len()] }
    }
}

/// A transaction and guide that criteria ask for, and what these do with the set that is read now.
struct Kind<'a> {
    selection: &'a Selection,
    remittances: bool,
    /// They read it.
    wants: bool,
    /// Its ST, if they read it for its claims only.
    unselected: Option<u64>,
}

impl Kind<'_> {
    fn meet(&mut self, head: &SetHead<'_>, transaction: &str) {
        let is_selected = self.selection.unmet(head, transaction).is_none();
        let reads_claims = self.remittances && transaction == REMITTANCE;
        self.unselected = (reads_claims && !is_selected).then(|| head.st.offset());
        self.wants = is_selected || reads_claims;
    }
}

/// Which of many criteria a set concerns, by a text that each of them wants in it. Criteria by their numbers.
struct Index<'a> {
    kinds: Vec<Kind<'a>>,
    /// By path.
    wanting: BTreeMap<usize, HashMap<&'a str, Vec<usize>>>,
    /// Those that every set concerns.
    always: Vec<usize>,
    /// Those of the index to whom a set that is not meant may still be nearer than those before it.
    unsettled: Vec<usize>,
    /// Finds the text of one who asks alone.
    search: Option<TextSearch<'a>>,
}

impl<'a> Index<'a> {
    /// A single criterion is left out of the index, which costs it more than it saves, and gets the search.
    fn of(all: &mut [One<'a>]) -> Self {
        let (kinds, wanting) = (Vec::new(), BTreeMap::new());
        let mut index = Self { kinds, wanting, always: Vec::new(), unsettled: Vec::new(), search: None };
        let several = all.len() > 1;
        for (at, one) in all.iter_mut().enumerate() {
            let settings: &'a Settings = one.settings;
            let selection = &settings.selection;
            let wanted = selection.wanted_text();
            index.search = wanted.filter(|_| !several).and_then(|(_, path, text)| TextSearch::new(path, text));
            let wanted = wanted.filter(|_| several || index.search.is_some());
            let Some((path, text)) = wanted.and_then(|(at, _, text)| Some((*one.paths.get(at)?, text))) else {
                index.always.push(at);
                continue;
            };
            let remittances = one.remittances;
            let is_known = |kind: &Kind<'_>| kind.selection.is_of_kind(selection) && kind.remittances == remittances;
            let known = index.kinds.iter().position(is_known);
            let kind = known.unwrap_or_else(|| {
                index.kinds.push(Kind { selection, remittances, wants: false, unselected: None });
                index.kinds.len() - 1
            });
            one.kind = Some(kind);
            index.wanting.entry(path).or_default().entry(text).or_default().push(at);
            index.unsettled.push(at);
        }
        index
    }

    /// Adds those whom a set concerns to `asked`, in order.
    fn concerned<'s>(
        &self,
        view: &SetView<'s>,
        from: &From,
        shared: &Shared<'s>,
        fields: &[&Field<SetPath>],
        asked: &mut Vec<usize>,
    ) {
        asked.extend(self.always.iter().chain(&self.unsettled));
        for (number, by_text) in &self.wanting {
            let Some((values, field)) = shared.values.get(*number).zip(fields.get(*number)) else { continue };
            let set = || shared.set.get_or_init(|| ReadSet::new(*view, from.located));
            let through_loops = field.path.path().filter(|path| !path.loops().is_empty());
            if through_loops.is_some() && !set().has_known_loops() {
                asked.extend(by_text.values().flatten());
                continue;
            }
            if self.search.as_ref().is_some_and(|search| !search.may_be_in(view)) {
                continue;
            }
            let anywhere = through_loops.map(|path| path.select_anywhere(set().segments().iter().copied()));
            let values = anywhere.as_ref().or_else(|| values.get_or_init(|| set().values_of(field)).as_ref());
            for value in values.into_iter().flatten() {
                asked.extend(by_text.get(&*value.text).into_iter().flatten());
            }
        }
        asked.sort_unstable();
        asked.dedup();
    }
}

/// A criterion that asks, with the sets that it has met.
struct One<'a> {
    from: &'a From,
    settings: &'a Settings,
    room: u64,
    /// Reversals of claims are looked for in every remittance, selected or not.
    remittances: bool,
    /// Of each field of `correlate_by`, the number of its path.
    paths: Vec<usize>,
    /// In the index, the number of what it asks for: see [`Index::kinds`].
    kind: Option<usize>,
    /// It reads the set that is read now.
    wants: bool,
    held: Held,
    open: Open,
}

impl<'a> One<'a> {
    fn new(from: &'a From, settings: &'a Settings, room: u64) -> Self {
        let remittances = settings.reads_remittances();
        let (held, open) = (Held::default(), Open::default());
        Self { from, settings, room, remittances, paths: Vec::new(), kind: None, wants: false, held, open }
    }

    fn number_paths(&mut self, fields: &mut Vec<&'a Field<SetPath>>) {
        for field in &self.settings.selection.correlation.0 {
            let known = fields.iter().position(|known| known.path_text == field.path_text);
            self.paths.push(known.unwrap_or(fields.len()));
            if known.is_none() {
                fields.push(field);
            }
        }
    }

    fn wants(&mut self, head: &SetHead<'_>, transaction: &str) -> bool {
        let settings = self.settings;
        let selection = &settings.selection;
        if selection.asks_for_ta1() {
            return false;
        }
        self.held.considered += 1;
        let start = head.st.offset();
        let is_remittance = transaction == REMITTANCE;
        self.open.head = Some((start, is_remittance));
        let Some(unmet) = selection.unmet(head, transaction) else { return true };
        if self.is_nearer(unmet.1) {
            let place = self.from.place(start, start + head.st.raw().len() as u64);
            let label = format!("transaction set {} {} of {}", head.st.text(1), head.st.text(2), self.from.name);
            self.held.near = Some(selection.miss(unmet, head, place, label));
        }
        let reads_claims = self.remittances && is_remittance;
        self.open.unselected = reads_claims.then_some(start).or(self.open.unselected);
        reads_claims
    }

    /// A set that meets so many conditions is nearer than those before it.
    fn is_nearer(&self, met: usize) -> bool {
        self.held.candidates.is_empty() && self.held.near.as_ref().is_none_or(|near| met > near.matched.0)
    }

    /// Returns `true` if a set that lacks the wanted text cannot be nearer than the nearest so far.
    fn has_nearest(&self) -> bool {
        !self.is_nearer(self.settings.selection.number().saturating_sub(1))
    }

    fn item<'s>(&mut self, item: &'s Item<'_>, shared: &Shared<'s>) {
        let from = self.from;
        let is_passed_over = matches!(item, Item::Fault(error) if error.kind == ParseErrorKind::InvalidSegmentId);
        if !is_passed_over && !matches!(item, Item::Set(_)) {
            self.lay_down();
        }
        match item {
            Item::Set(_) if !self.wants => {}
            Item::Set(set) => {
                let view = set.view();
                let damaged = self.damage(&view);
                if self.remittances && !shared.reversed.is_empty() {
                    Arc::make_mut(&mut self.held.reversed).extend(shared.reversed.iter().cloned());
                }
                if self.open.unselected == Some(view.body.offset) {
                    return;
                }
                let label = || {
                    let st = view.segment("ST");
                    let text = |position| st.map(|st| st.text(position)).unwrap_or_default();
                    format!("transaction set {} {} of {}", text(1), text(2), from.name)
                };
                if self.candidate(&view, shared, label, damaged) {
                    self.open.groups.push(set.group.map(|group| group.index));
                    let last = self.held.candidates.len() - 1;
                    add(&mut self.held, last, &set.findings);
                }
            }
            Item::Ta1(ta1) => {
                if self.settings.selection.asks_for_ta1() {
                    self.held.considered += 1;
                    let view = ta1.view();
                    let label = || {
                        let number = view.segment("TA1").map(|ta1| ta1.text(1)).unwrap_or_default();
                        format!("TA1 {number} of {}", from.name)
                    };
                    if self.candidate(&view, shared, label, Vec::new()) {
                        self.open.groups.push(None);
                    }
                }
            }
            Item::GroupEnd { index, findings } => {
                // Its candidates come last: a group ends before another begins.
                let own = self.open.groups.iter().rev().take_while(|group| **group == Some(*index)).count();
                let groups = self.open.interchange + self.open.groups.len();
                for candidate in groups - own..groups {
                    add(&mut self.held, candidate, findings);
                }
            }
            Item::InterchangeEnd { findings, .. } => {
                for candidate in self.open.interchange..self.held.candidates.len() {
                    add(&mut self.held, candidate, findings);
                }
                self.open.interchange = self.held.candidates.len();
                self.open.groups.clear();
            }
            Item::Fault(error) if is_passed_over => self.open.damage.push(error.clone()),
            Item::Fault(error) => self.fault(error),
        }
    }

    /// The segments of a set that have no id: they belong to the set, whose other segments are read.
    fn damage(&mut self, view: &SetView<'_>) -> Vec<u64> {
        if self.open.damage.is_empty() {
            return Vec::new();
        }
        let end = view.body.offset + view.body.bytes.len() as u64;
        let (own, others): (Vec<ParseError>, Vec<ParseError>) =
            self.open.damage.drain(..).partition(|error| view.body.offset <= error.offset && error.offset < end);
        self.open.damage = others;
        self.lay_down();
        own.into_iter().map(|error| error.offset).collect()
    }

    /// Reports the damage outside of any set as unreadable.
    fn lay_down(&mut self) {
        for error in std::mem::take(&mut self.open.damage) {
            self.fault(&error);
        }
    }

    /// Nothing more can be read, and nothing will be known of the trailers.
    fn lose(&mut self, error: &io::Error) {
        self.lay_down();
        self.held.unreadable.insert(0, self.from.outage(error));
        for candidate in self.held.candidates.iter_mut().skip(self.open.interchange) {
            candidate.content.envelope_is_unknown();
        }
    }

    /// Keeps a set or TA1 if it is selected.
    fn candidate<'s>(
        &mut self,
        view: &SetView<'s>,
        shared: &Shared<'s>,
        label: impl Fn() -> String,
        damaged: Vec<u64>,
    ) -> bool {
        let (settings, from) = (self.settings, self.from);
        let start = view.body.offset;
        let place = || from.place(start, start + view.body.bytes.len() as u64);
        let read = || ReadSet::new(*view, from.located).damaged_at(damaged.first().copied());
        let set = shared.set.get_or_init(read);
        let values = |number: usize| {
            let field = settings.selection.correlation.0.get(number)?;
            let values = shared.values.get(*self.paths.get(number)?)?;
            values.get_or_init(|| set.values_of(field)).as_deref()
        };
        match settings.selection.correlates(set, values) {
            Correlated::Yes => {}
            Correlated::Open => {
                let label = label();
                let what = match damaged.first() {
                    Some(at) => format!("whether {label} is meant is not known: its segment at byte {at} has no id"),
                    None => format!(
                        "whether {label} is meant is not known: it is of guide {:?}, whose loops are not known",
                        set.guide()
                    ),
                };
                let fault = Fault::Obstacle(Obstacle::Undecidable);
                self.unreadable(Unreadable { place: place(), what, fault });
                return false;
            }
            Correlated::No(met) => {
                if self.is_nearer(met) {
                    let results = settings.selection.results(set, &place());
                    let near = settings.selection.miss_of(&results, place(), label());
                    self.held.near = closest(self.held.near.take(), near);
                }
                return false;
            }
        }
        let before = self.held.candidates.last().map(|before| &before.content);
        let content = Content::new(view, from.located, damaged, before);
        self.held.size += content.size();
        if self.held.size > self.room {
            self.held.over_the_limit = true;
            return false;
        }
        let place = place();
        let record = record(set).map(Into::into);
        let source = SourceRef { locator: place.locator.into(), sha256: None, span: place.span, record };
        let candidate = Candidate { source, label: label().into(), content };
        self.held.candidates.push(candidate.shared_with(self.held.candidates.last()));
        true
    }

    fn fault(&mut self, error: &ParseError) {
        let (held, from, form) = (&mut self.held, self.from, self.settings.validate.is_some());
        if matches!(error.kind, ParseErrorKind::TooManyControlNumbers { .. }) {
            // What comes after may repeat a number that was not remembered; what came before may be repeated.
            for candidate in &mut held.candidates {
                candidate.content.envelope_is_unknown();
            }
        }
        if error.kind.is_cut() {
            let head = self.open.head;
            let of_other = head.is_some_and(|(offset, is_remittance)| offset == error.offset && !is_remittance);
            held.cuts_remittance |= !of_other;
        }
        let fault = match error.kind.is_limit() {
            true => Fault::Obstacle(Obstacle::LimitExceeded),
            // Where form is asked for, what cannot be read is the fault of who wrote it.
            false if form => Fault::System,
            false => Fault::Recording,
        };
        let what = match from.located {
            true => error.to_string(),
            false => format!("{}, of the payload", error),
        };
        let end = match error.kind {
            ParseErrorKind::SetCutOff { end } => end,
            _ => error.offset,
        };
        let place = from.place(error.offset, end);
        if let Some(code) = error.kind.code().filter(|_| form && held.unreadable.len() < MOST_UNREADABLE) {
            held.codes.push(Coded { place: place.clone(), code: code.to_owned() });
        }
        self.unreadable(Unreadable { place, what, fault });
    }

    fn unreadable(&mut self, unreadable: Unreadable) {
        if self.held.unreadable.len() < MOST_UNREADABLE {
            self.held.unreadable.push(unreadable);
        } else {
            self.held.more_unreadable += 1;
        }
    }
}

fn add(held: &mut Held, candidate: usize, findings: &[Finding]) {
    if let Some(candidate) = held.candidates.get_mut(candidate) {
        candidate.content.add(findings);
    }
}

/// The candidates whose interchange is not over yet.
#[derive(Default)]
struct Open {
    /// The first of them.
    interchange: usize,
    groups: Vec<Option<u64>>,
    /// The offset of the last ST, and whether it is that of a remittance.
    head: Option<(u64, bool)>,
    /// The ST of a set that is read for its claims only.
    unselected: Option<u64>,
    /// Segments without an id of the set that is being read.
    damage: Vec<ParseError>,
}
