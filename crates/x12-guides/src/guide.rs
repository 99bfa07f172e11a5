//! The tables: text to loops and segments, read once and when they are asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use candor_x12::{Segment, SegmentId};

use crate::dictionary;
use crate::syntax::{self, Note};

/// An implementation guide.
#[derive(Debug)]
pub struct Guide {
    id: &'static str,
    transaction: &'static str,
    text: &'static str,
    tables: OnceLock<Tables>,
}

#[derive(Debug)]
struct Tables {
    /// The transaction set itself comes first.
    loops: Vec<Loop>,
    title: &'static str,
    /// The loops by their ids, in order; of several with one id the first.
    by_id: Vec<(&'static str, usize)>,
    /// By loop, the places of a segment that comes next.
    following: Vec<Following>,
    levels: Vec<usize>,
}

#[derive(Debug)]
struct Following {
    /// The keys of the segments, in order.
    keys: Vec<u32>,
    places: Vec<Vec<Place>>,
}

#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) owner: usize,
    /// How many loops this is around the one being read, where no level was skipped.
    pub(crate) up: usize,
    /// The loop that it begins, if it does.
    pub(crate) begins: Option<usize>,
    pub(crate) position: u32,
    pub(crate) rule: RuleAt,
    pub(crate) has_rival: bool,
    pub(crate) qualifier: Arc<Qualifier>,
}

/// The place of a segment's rule in the tables: the loop and the entry in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleAt(usize, usize);

/// A loop as the guide defines it.
#[derive(Debug)]
pub struct Loop {
    id: &'static str,
    /// The first loop with its id.
    namesake: usize,
    name: &'static str,
    parent: Option<usize>,
    position: u32,
    required: bool,
    most: Option<u32>,
    pub(crate) items: Vec<Entry>,
}

#[derive(Debug)]
pub(crate) enum Entry {
    Segment(SegmentRule),
    Loop(usize),
}

/// A segment as the guide defines it at one place.
#[derive(Debug)]
pub struct SegmentRule {
    id: &'static str,
    key: u32,
    elements: &'static str,
    /// The elements behind those, by the base standard, where the guide's own are not known.
    base: Option<&'static [&'static str]>,
    required: bool,
    most: Option<u32>,
    pub(crate) position: u32,
    qualifier: Arc<Qualifier>,
    /// The elements whose codes tell this segment from another of its loop with the same qualifiers, by position. Empty
    /// if there is no such other.
    told_by: Vec<(usize, ElementRule)>,
    /// The syntax notes of X12.22, each about several elements together.
    pub(crate) notes: &'static [Note],
}

#[derive(Debug, Default)]
pub(crate) struct Qualifier {
    element: usize,
    /// None: any value.
    codes: Vec<&'static str>,
    packed: Vec<u64>,
    is_optional: bool,
}

/// The limits of Candor's knowledge of a guide's elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Segments with elements that are held to the base standard: type, length and number, not the guide's codes.
    pub by_base: BTreeSet<&'static str>,
    /// Segments with elements of which nothing is known.
    pub unknown: BTreeSet<&'static str>,
}

impl Gaps {
    /// The gaps in a few words; `None` if there are no gaps.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        let list = |ids: &BTreeSet<&str>| ids.iter().copied().collect::<Vec<_>>().join(", ");
        let by_base = (!self.by_base.is_empty()).then(|| {
            format!("elements of {} by the base standard alone, without the guide's codes", list(&self.by_base))
        });
        let unknown =
            (!self.unknown.is_empty()).then(|| format!("not all elements of {} were looked at", list(&self.unknown)));
        let all: Vec<String> = by_base.into_iter().chain(unknown).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

macro_rules! guides {
    ($($file:literal $id:literal $transaction:literal),* $(,)?) => {
        [$(Guide {
            id: $id,
            transaction: $transaction,
            text: include_str!(concat!("../data/", $file, ".txt")),
            tables: OnceLock::new(),
        }),*]
    };
}

static GUIDES: [Guide; 16] = guides![
    "005010X279A1.270" "005010X279A1" "270",
    "005010X279A1.271" "005010X279A1" "271",
    "005010X210" "005010X210" "275",
    "005010X212.276" "005010X212" "276",
    "005010X212.277" "005010X212" "277",
    "005010X214" "005010X214" "277",
    "005010X217" "005010X217" "278",
    "005010X218" "005010X218" "820",
    "005010X220A1" "005010X220A1" "834",
    "005010X221A1" "005010X221A1" "835",
    "005010X222A1" "005010X222A1" "837",
    "005010X223A2" "005010X223A2" "837",
    "005010X224A2" "005010X224A2" "837",
    "005010X186A1" "005010X186A1" "824",
    "005010X231A1" "005010X231A1" "999",
    "997" "997" "997",
];

impl Guide {
    /// The guide of a transaction set: ST01, and ST03 or else GS08. Addenda after the guide's number (`A1`, `A2`) do
    /// not select another guide; a 997 has the same loops in every version.
    #[must_use]
    pub fn of(transaction: &str, guide: &str) -> Option<&'static Self> {
        let base = guide.trim().get(..10);
        GUIDES
            .iter()
            .filter(|known| known.transaction == transaction)
            .find(|known| known.transaction == "997" || base.is_some_and(|base| known.id.get(..10) == Some(base)))
    }

    /// Every guide there are tables of.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        GUIDES.iter()
    }

    /// The segments of which some elements are held to the base standard alone, and those of which some are not looked at.
    #[must_use]
    pub fn gaps(&self) -> Gaps {
        let mut gaps = Gaps::default();
        let is_envelope = |rule: &&SegmentRule| matches!(rule.id, "ST" | "SE");
        for rule in self.loops().iter().flat_map(Loop::segments).filter(|rule| !is_envelope(rule)) {
            if rule.is_by_base() {
                gaps.by_base.insert(rule.id);
            } else if rule.has_others() {
                gaps.unknown.insert(rule.id);
            }
        }
        gaps
    }

    /// The first of its loops with an id.
    pub(crate) fn loop_with(&self, id: &str) -> Option<usize> {
        let by_id = &self.tables().by_id;
        let at = by_id.binary_search_by(|(known, _)| (*known).cmp(id)).ok()?;
        by_id.get(at).map(|&(_, index)| index)
    }

    /// Its identifier, as ST03 has it.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// The transaction set: ST01.
    #[must_use]
    pub const fn transaction(&self) -> &'static str {
        self.transaction
    }

    /// The purpose of the transaction, in words.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.tables().title
    }

    /// Its loops; the first is the transaction set itself, without an id.
    #[must_use]
    pub fn loops(&self) -> &[Loop] {
        &self.tables().loops
    }

    /// The places that a segment with this key may have while this loop is read: in it, then in the loops around it.
    pub(crate) fn places(&self, definition: usize, key: u32) -> &[Place] {
        let following = self.tables().following.get(definition);
        let places = following.and_then(|Following { keys, places }| places.get(keys.binary_search(&key).ok()?));
        places.map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn rule(&self, RuleAt(owner, entry): RuleAt) -> Option<&SegmentRule> {
        match self.loops().get(owner)?.items.get(entry)? {
            Entry::Segment(rule) => Some(rule),
            Entry::Loop(_) => None,
        }
    }

    pub(crate) fn levels(&self) -> impl Iterator<Item = (usize, &Loop)> {
        let tables = self.tables();
        tables.levels.iter().filter_map(|&index| Some((index, tables.loops.get(index)?)))
    }

    fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| Tables::read(self.text))
    }
}

impl Loop {
    /// Its id: `2110C`; nothing for the transaction set itself.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        self.id
    }

    pub(crate) const fn namesake(&self) -> usize {
        self.namesake
    }

    /// Its name, in words.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The loop that contains it: its index among the guide's loops.
    #[must_use]
    pub const fn parent(&self) -> Option<usize> {
        self.parent
    }

    /// True if the guide requires it in each occurrence of its parent.
    #[must_use]
    pub const fn is_required(&self) -> bool {
        self.required
    }

    /// The most times that it may occur in one occurrence of its parent; `None` for any number.
    #[must_use]
    pub const fn most(&self) -> Option<u32> {
        self.most
    }

    /// The segment that begins it.
    #[must_use]
    pub fn first(&self) -> Option<&SegmentRule> {
        self.segments().next()
    }

    /// Where the tables have the segment that begins it, itself being the one with this index.
    pub(crate) fn first_at(&self, index: usize) -> Option<RuleAt> {
        let entry = self.items.iter().position(|item| matches!(item, Entry::Segment(_)))?;
        Some(RuleAt(index, entry))
    }

    fn find_rivals(&mut self) {
        let is_rival = |rule: &SegmentRule| self.segments().filter(|other| rule.is_rival(other)).count() > 1;
        let rivals: Vec<bool> =
            self.items.iter().map(|item| matches!(item, Entry::Segment(rule) if is_rival(rule))).collect();
        for (item, has_rival) in self.items.iter_mut().zip(rivals) {
            if let Entry::Segment(rule) = item {
                rule.told_by = if has_rival { rule.coded().collect() } else { Vec::new() };
            }
        }
    }

    /// Its segments, in the order of the guide.
    pub fn segments(&self) -> impl Iterator<Item = &SegmentRule> {
        self.items.iter().filter_map(|item| match item {
            Entry::Segment(rule) => Some(rule),
            Entry::Loop(_) => None,
        })
    }
}

impl SegmentRule {
    /// The segment's id.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// True if the guide requires it.
    #[must_use]
    pub const fn is_required(&self) -> bool {
        self.required
    }

    /// The most times that it may occur there; `None` for any number.
    #[must_use]
    pub const fn most(&self) -> Option<u32> {
        self.most
    }

    pub(crate) fn elements(&self) -> impl Iterator<Item = ElementRule> + use<> {
        let base = self.base.unwrap_or_default().iter().copied();
        elements(self.elements).filter(|token| *token != OTHERS).chain(base).filter_map(ElementRule::read)
    }

    /// True if it may have more elements than the tables describe.
    pub(crate) fn has_others(&self) -> bool {
        self.base.is_none() && is_open(self.elements)
    }

    /// True if some of its elements are known only by the base standard, without the guide's codes.
    pub(crate) fn is_by_base(&self) -> bool {
        self.base.is_some_and(|base| !base.is_empty())
    }

    pub(crate) fn of_base(id: &'static str) -> Self {
        let (key, qualifier) = (key(id), Arc::new(Qualifier::default()));
        let base = dictionary::elements_from(id, 0);
        let notes = syntax::of(id);
        Self {
            id,
            key,
            required: false,
            most: None,
            position: 0,
            elements: "",
            base,
            qualifier,
            told_by: Vec::new(),
            notes,
        }
    }

    /// The element that tells this use of the segment from others, and the codes it may have there.
    pub(crate) fn qualifier(&self) -> (usize, &[&'static str]) {
        (self.qualifier.element, &self.qualifier.codes)
    }

    /// Its id, with the codes that tell this use of it: `REF with EI or SY`.
    pub(crate) fn described(&self) -> String {
        match self.qualifier.codes.as_slice() {
            [] => self.id.to_owned(),
            codes => format!("{} with {}", self.id, codes.join(" or ")),
        }
    }

    fn coded(&self) -> impl Iterator<Item = (usize, ElementRule)> + use<> {
        (1..).zip(self.elements()).filter(|(_, rule)| !rule.is_composite() && !rule.codes.is_empty())
    }

    /// True if a segment that fits another rule as well has codes that only the other allows.
    pub(crate) fn is_rather_its_rival(&self, segment: &Segment<'_>) -> bool {
        self.told_by.iter().any(|(position, rule)| {
            let code = segment.text(*position);
            !code.is_empty() && !rule.allows(&code)
        })
    }

    fn is_rival(&self, other: &Self) -> bool {
        let (mine, others) = (&self.qualifier.codes, &other.qualifier.codes);
        self.key == other.key && (mine.is_empty() || others.is_empty() || mine.iter().any(|code| others.contains(code)))
    }

    /// True if a segment with its id is this one by its qualifier, which `code` reads.
    pub(crate) fn is_qualified(&self, code: &mut Code<'_>) -> bool {
        self.qualifier.is_met(code)
    }
}

impl Tables {
    fn read(text: &'static str) -> Self {
        let mut lines = text.lines();
        let title = lines.next().and_then(|line| line.splitn(4, ' ').nth(3)).unwrap_or_default();
        let whole = Loop {
            id: "",
            namesake: 0,
            name: title,
            parent: None,
            position: 0,
            required: true,
            most: Some(1),
            items: Vec::new(),
        };
        let mut loops = vec![whole];
        // The loop that is open at each depth.
        let mut open = vec![0];
        for line in lines.filter(|line| !line.starts_with(';')) {
            let depth = line.len() - line.trim_start().len();
            open.truncate(depth + 1);
            let Some(&parent) = open.last() else { continue };
            let entry = match line.trim_start().strip_prefix('(') {
                Some(line) => {
                    let mut words = line.splitn(5, ' ');
                    let mut word = || words.next().unwrap_or_default();
                    let (id, required, most) = (word(), word() == "R", most(word()));
                    let (position, name) = (word().parse().unwrap_or(0), word());
                    let namesake = loops.iter().position(|other| other.id == id).unwrap_or(loops.len());
                    let items = Vec::new();
                    loops.push(Loop { id, namesake, name, parent: Some(parent), position, required, most, items });
                    open.push(loops.len() - 1);
                    Entry::Loop(loops.len() - 1)
                }
                None => Entry::Segment(SegmentRule::read(line.trim_start())),
            };
            if let Some(parent) = loops.get_mut(parent) {
                parent.items.push(entry);
            }
        }
        loops.iter_mut().for_each(Loop::find_rivals);
        let is_level = |(_, known): &(usize, &Loop)| known.first().is_some_and(|first| first.id == "HL");
        let levels = loops.iter().enumerate().filter(is_level).map(|(index, _)| index).collect();
        let mut by_id: Vec<(&str, usize)> = loops.iter().enumerate().map(|(index, known)| (known.id, index)).collect();
        by_id.sort_unstable();
        by_id.dedup_by_key(|(id, _)| *id);
        let following = (0..loops.len()).map(|definition| following(&loops, definition)).collect();
        Self { loops, title, by_id, following, levels }
    }
}

/// Everything that may come while a loop is read, the innermost first.
fn following(loops: &[Loop], definition: usize) -> Following {
    let mut by_key: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
    let around = std::iter::successors(Some(definition), |&at| loops.get(at)?.parent);
    for (up, (owner, known)) in around.filter_map(|at| Some((at, loops.get(at)?))).enumerate() {
        for (entry, item) in known.items.iter().enumerate() {
            let (rule, at, begins, position) = match item {
                Entry::Segment(rule) => (rule, RuleAt(owner, entry), None, rule.position),
                Entry::Loop(inner) => {
                    let Some(inner_loop) = loops.get(*inner) else { continue };
                    let Some(first) = inner_loop.first().filter(|first| first.id != "HL") else { continue };
                    let Some(at) = inner_loop.first_at(*inner) else { continue };
                    (first, at, Some(*inner), inner_loop.position)
                }
            };
            // One more of what begins a loop begins another.
            let is_first = known.parent.is_some() && known.first().is_some_and(|first| std::ptr::eq(first, rule));
            if begins.is_some() || !is_first {
                let (has_rival, qualifier) = (!rule.told_by.is_empty(), Arc::clone(&rule.qualifier));
                let place = Place { owner, up, begins, position, rule: at, has_rival, qualifier };
                by_key.entry(rule.key).or_default().push(place);
            }
        }
    }
    let (keys, places) = by_key.into_iter().unzip();
    Following { keys, places }
}

impl SegmentRule {
    /// Reads `NM1 R 1 500 R98=PR|AY R1065=2 R1035`.
    fn read(line: &'static str) -> Self {
        let mut words = line.splitn(5, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (id, required, most) = (word(), word() == "R", most(word()));
        let (position, elements) = (word().parse().unwrap_or(0), word());
        let (key, qualifier) = (key(id), Arc::new(Qualifier::of(id, elements)));
        let own = self::elements(elements).filter(|token| *token != OTHERS).count();
        let base = is_open(elements).then(|| dictionary::elements_from(id, own)).flatten();
        Self {
            id,
            key,
            required,
            most,
            position,
            elements,
            base,
            qualifier,
            told_by: Vec::new(),
            notes: syntax::of(id),
        }
    }
}

impl Qualifier {
    /// The qualifier of HL is its third element, the level; that of ENT its second, the entity; that of every other
    /// segment its first, by the codes that it may have.
    fn of(id: &str, elements: &'static str) -> Self {
        let element = match id {
            "HL" => 3,
            "ENT" => 2,
            _ => 1,
        };
        let token = elements.split(' ').nth(element - 1).unwrap_or_default();
        let is_optional = token.starts_with('S');
        // Of a composite the first component: `RC022(R1270=ABK|BK,R1271)`.
        let token = token.split_once('(').map_or(token, |(_, inner)| inner);
        let token = token.split([',', ')', '^']).next().unwrap_or_default();
        let codes: Vec<&str> = token.split_once('=').map(|(_, codes)| codes.split('|').collect()).unwrap_or_default();
        let packed = codes.iter().map(|code| code.bytes().map(unblanked).fold(NO_CODE, pack)).collect();
        Self { element, codes, packed, is_optional }
    }

    /// True if a segment has one of the codes, or has no code and need not have any.
    pub(crate) fn is_met(&self, code: &mut Code<'_>) -> bool {
        if self.packed.is_empty() {
            return true;
        }
        match code.of(self.element) {
            NO_CODE if self.is_optional => true,
            LONG_CODE => self.codes.iter().any(|known| code.is(self.element, known)),
            code => self.packed.contains(&code),
        }
    }
}

/// The mark for elements that the tables do not describe.
const OTHERS: &str = "*";

/// True if a segment may have more elements than its table describes: the table ends with `*`, or is empty.
fn is_open(text: &'static str) -> bool {
    elements(text).last().is_none_or(|token| token == OTHERS)
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementRule {
    pub(crate) usage: Usage,
    /// The data element: `1065`; of a composite `C022`.
    pub(crate) data: &'static str,
    /// The codes it may have, `|` between them; empty for any.
    codes: &'static str,
    pub(crate) most: usize,
    inner: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Usage {
    Required,
    Situational,
    NotUsed,
}

impl ElementRule {
    /// Reads `R98=PR|AY`, `-736`, `RC022(R1270=ABK|BK,R1271)`, `S1365=30^99`.
    fn read(token: &'static str) -> Option<Self> {
        let usage = match token.as_bytes().first()? {
            b'R' => Usage::Required,
            b'S' => Usage::Situational,
            _ => Usage::NotUsed,
        };
        let rest = token.get(1..)?;
        let (rest, inner) = match rest.split_once('(') {
            Some((rest, inner)) => (rest, inner.split_once(')').map_or(inner, |(inner, _)| inner)),
            None => (rest, ""),
        };
        let most = token.rsplit_once('^').and_then(|(_, most)| most.parse().ok()).unwrap_or(1);
        let rest = rest.split_once('^').map_or(rest, |(rest, _)| rest);
        let (data, codes) = rest.split_once('=').unwrap_or((rest, ""));
        Some(Self { usage, data, codes, most, inner })
    }

    pub(crate) fn allows(&self, code: &str) -> bool {
        self.codes.is_empty() || self.codes.split('|').any(|known| is_code(known, code.as_bytes()))
    }

    pub(crate) fn codes(&self) -> String {
        self.codes.replace('|', ", ").replace('_', " ")
    }

    pub(crate) fn is_composite(&self) -> bool {
        !self.inner.is_empty()
    }

    pub(crate) fn components(&self) -> impl Iterator<Item = Self> + use<> {
        self.inner.split(',').filter_map(Self::read)
    }
}

/// True if a code of the tables is this one; the tables write a blank as `_`.
fn is_code(known: &str, code: &[u8]) -> bool {
    let alike = |(known, code): (u8, &u8)| known == *code || (known == b'_' && *code == b' ');
    known.len() == code.len() && known.bytes().zip(code).all(alike)
}

/// A missing code, as a number: the leading 1 keeps the count of the bytes after it.
const NO_CODE: u64 = 1;
/// A code too long for a number.
const LONG_CODE: u64 = u64::MAX;

const fn pack(code: u64, byte: u8) -> u64 {
    if code >> 56 == 0 { code << 8 | byte as u64 } else { LONG_CODE }
}

const fn unblanked(byte: u8) -> u8 {
    if byte == b'_' { b' ' } else { byte }
}

/// The qualifier of a segment, read once for all of its possible places.
pub(crate) struct Code<'s> {
    segment: &'s Segment<'s>,
    /// The code of the first element, where nearly every qualifier is.
    first: Option<u64>,
}

impl<'s> Code<'s> {
    pub(crate) fn new(segment: &'s Segment<'s>) -> Self {
        Self { segment, first: None }
    }

    fn of(&mut self, element: usize) -> u64 {
        let read = || {
            let mut packed = NO_CODE;
            for byte in code(self.segment, element) {
                packed = pack(packed, byte);
                if packed == LONG_CODE {
                    break;
                }
            }
            packed
        };
        if element == 1 { *self.first.get_or_insert_with(read) } else { read() }
    }

    fn is(&self, element: usize, known: &str) -> bool {
        code(self.segment, element).eq(known.bytes().map(unblanked))
    }
}

/// The first component of the first repetition of an element.
fn code(segment: &Segment<'_>, element: usize) -> impl Iterator<Item = u8> {
    let delimiters = segment.delimiters();
    let separator = delimiters.element();
    let component = delimiters.component().unwrap_or(separator);
    let repetition = delimiters.repetition().unwrap_or(separator);
    let bytes = segment.from_element(element).unwrap_or_default().iter().copied();
    let bytes = bytes.take_while(move |&byte| byte != separator && byte != component && byte != repetition);
    bytes.filter(|byte| !matches!(byte, b'\r' | b'\n'))
}

/// The tokens of elements; a composite with its parentheses is a single token.
fn elements(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(' ').filter(|token| !token.is_empty())
}

pub(crate) const fn key(id: &str) -> u32 {
    match SegmentId::new(id) {
        Some(id) => id.key(),
        None => 0,
    }
}

fn most(text: &str) -> Option<u32> {
    text.parse().ok()
}
