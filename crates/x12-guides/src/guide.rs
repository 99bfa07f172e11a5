//! The tables: text to loops and segments, read once and when they are asked for.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use candor_x12::Segment;

use crate::syntax::{self, Note};

/// One implementation guide.
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
    /// By loop, where a segment that comes next may stand: by the segment's key, in the order they are looked at.
    places: Vec<Vec<(u32, Vec<Place>)>>,
    /// The loops that HL begins.
    levels: Vec<usize>,
}

/// A place where a segment may stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The loop that it stands in, or in which it begins one.
    pub(crate) owner: usize,
    /// The entry of the owner.
    entry: usize,
    /// The loop that it begins, if it does.
    pub(crate) begins: Option<usize>,
    pub(crate) position: u32,
}

/// A loop as the guide defines it.
#[derive(Debug)]
pub struct Loop {
    id: &'static str,
    name: &'static str,
    parent: Option<usize>,
    position: u32,
    required: bool,
    most: Option<u32>,
    pub(crate) items: Vec<Entry>,
}

/// What may stand in a loop, in the order of the guide.
#[derive(Debug)]
pub(crate) enum Entry {
    Segment(SegmentRule),
    Loop(usize),
}

/// A segment as the guide defines it at one place.
#[derive(Debug)]
pub struct SegmentRule {
    id: &'static str,
    /// The id as one number, to be compared fast.
    key: u32,
    elements: &'static str,
    required: bool,
    most: Option<u32>,
    pub(crate) position: u32,
    qualifier: Qualifier,
    /// Another segment of its loop has its qualifiers: they are told apart by the codes of their other elements.
    pub(crate) has_rival: bool,
    /// What X12.22 says of its elements together.
    pub(crate) notes: &'static [Note],
}

/// What tells this use of a segment from others.
#[derive(Debug, Default)]
struct Qualifier {
    element: usize,
    /// None: any value.
    codes: Vec<&'static str>,
    /// It need not be there.
    is_optional: bool,
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

static GUIDES: [Guide; 14] = guides![
    "005010X279A1.270" "005010X279A1" "270",
    "005010X279A1.271" "005010X279A1" "271",
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
    "005010X231A1" "005010X231A1" "999",
    "997" "997" "997",
];

impl Guide {
    /// The guide that a transaction set goes by: ST01, and ST03 or else GS08. The addenda behind the guide's number
    /// (`A1`, `A2`) make no other guide; a 997 has the same loops in every version.
    #[must_use]
    pub fn of(transaction: &str, guide: &str) -> Option<&'static Self> {
        let base = |id: &str| id.get(..10).map(str::to_owned);
        GUIDES.iter().filter(|known| known.transaction == transaction).find(|known| {
            known.transaction == "997" || base(guide.trim()).is_some_and(|guide| base(known.id) == Some(guide))
        })
    }

    /// Every guide there are tables of.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        GUIDES.iter()
    }

    /// Whether any guide has a loop with this id.
    #[must_use]
    pub fn has_loop(id: &str) -> bool {
        Self::all().any(|guide| guide.loops().iter().any(|known| known.id == id))
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

    /// What the transaction is for, in words.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.tables().title
    }

    /// Its loops; the first is the transaction set itself, without an id.
    #[must_use]
    pub fn loops(&self) -> &[Loop] {
        &self.tables().loops
    }

    /// Where a segment with this key may stand while this loop is read: in it, then in the loops around it.
    pub(crate) fn places(&self, definition: usize, key: u32) -> &[Place] {
        let places = self.tables().places.get(definition).map(Vec::as_slice).unwrap_or_default();
        let at = places.binary_search_by_key(&key, |(key, _)| *key).ok();
        at.and_then(|at| places.get(at)).map(|(_, places)| places.as_slice()).unwrap_or_default()
    }

    /// What stands at a place.
    pub(crate) fn rule(&self, place: Place) -> Option<&SegmentRule> {
        match place.begins {
            Some(inner) => self.loops().get(inner)?.first(),
            None => match self.loops().get(place.owner)?.items.get(place.entry)? {
                Entry::Segment(rule) => Some(rule),
                Entry::Loop(_) => None,
            },
        }
    }

    /// The loops that HL begins.
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

    /// What it is, in words.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The loop it stands in: its index among the guide's loops.
    #[must_use]
    pub const fn parent(&self) -> Option<usize> {
        self.parent
    }

    /// Whether the guide requires it where its parent stands.
    #[must_use]
    pub const fn is_required(&self) -> bool {
        self.required
    }

    /// How often it may stand in one of its parent; nothing for any number.
    #[must_use]
    pub const fn most(&self) -> Option<u32> {
        self.most
    }

    /// The segment that begins it.
    #[must_use]
    pub fn first(&self) -> Option<&SegmentRule> {
        self.items.iter().find_map(|item| match item {
            Entry::Segment(rule) => Some(rule),
            Entry::Loop(_) => None,
        })
    }

    fn find_rivals(&mut self) {
        let is_rival = |rule: &SegmentRule| self.segments().filter(|other| rule.is_rival(other)).count() > 1;
        let rivals: Vec<bool> =
            self.items.iter().map(|item| matches!(item, Entry::Segment(rule) if is_rival(rule))).collect();
        for (item, has_rival) in self.items.iter_mut().zip(rivals) {
            if let Entry::Segment(rule) = item {
                rule.has_rival = has_rival;
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

    /// Whether the guide requires it.
    #[must_use]
    pub const fn is_required(&self) -> bool {
        self.required
    }

    /// How often it may stand there; nothing for any number.
    #[must_use]
    pub const fn most(&self) -> Option<u32> {
        self.most
    }

    /// What is said of its elements, in order.
    pub(crate) fn elements(&self) -> impl Iterator<Item = ElementRule> + use<> {
        elements(self.elements).filter(|token| *token != OTHERS).filter_map(ElementRule::read)
    }

    /// Whether it may have more elements than are told of: a `*` stands at their end.
    pub(crate) fn has_others(&self) -> bool {
        elements(self.elements).last().is_none_or(|token| token == OTHERS)
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

    /// Whether every element has a code that it may have there.
    pub(crate) fn allows_codes(&self, segment: &Segment<'_>) -> bool {
        (1..).zip(self.elements()).filter(|(_, rule)| !rule.is_composite()).all(|(position, rule)| {
            let code = segment.text(position);
            code.is_empty() || rule.allows(&code)
        })
    }

    /// Whether a segment may be taken for either.
    fn is_rival(&self, other: &Self) -> bool {
        let (mine, others) = (&self.qualifier.codes, &other.qualifier.codes);
        self.key == other.key && (mine.is_empty() || others.is_empty() || mine.iter().any(|code| others.contains(code)))
    }

    /// Whether a segment with its id is this one by its qualifier, which `code` reads.
    pub(crate) fn is_qualified(&self, code: &Code<'_>) -> bool {
        let Qualifier { codes, is_optional, element } = &self.qualifier;
        if codes.is_empty() {
            return true;
        }
        let code = code.of(*element);
        (code.is_empty() && *is_optional) || codes.iter().any(|known| is_code(known, code))
    }
}

impl Tables {
    fn read(text: &'static str) -> Self {
        let mut lines = text.lines();
        let title = lines.next().and_then(|line| line.splitn(4, ' ').nth(3)).unwrap_or_default();
        let whole =
            Loop { id: "", name: title, parent: None, position: 0, required: true, most: Some(1), items: Vec::new() };
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
                    loops.push(Loop { id, name, parent: Some(parent), position, required, most, items: Vec::new() });
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
        let places = (0..loops.len()).map(|definition| places(&loops, definition)).collect();
        Self { loops, title, places, levels }
    }
}

/// Everything that may come while a loop is read, the innermost first.
fn places(loops: &[Loop], definition: usize) -> Vec<(u32, Vec<Place>)> {
    let mut by_key: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
    let around = std::iter::successors(Some(definition), |&at| loops.get(at)?.parent);
    for (owner, known) in around.filter_map(|at| Some((at, loops.get(at)?))) {
        for (entry, item) in known.items.iter().enumerate() {
            let (rule, begins, position) = match item {
                Entry::Segment(rule) => (Some(rule), None, rule.position),
                Entry::Loop(inner) => {
                    let inner_loop = loops.get(*inner);
                    let first = inner_loop.and_then(Loop::first).filter(|first| first.id != "HL");
                    (first, Some(*inner), inner_loop.map_or(0, |inner| inner.position))
                }
            };
            let Some(rule) = rule else { continue };
            // One more of what begins a loop begins another.
            let is_first = known.parent.is_some() && known.first().is_some_and(|first| std::ptr::eq(first, rule));
            if begins.is_some() || !is_first {
                by_key.entry(rule.key).or_default().push(Place { owner, entry, begins, position });
            }
        }
    }
    by_key.into_iter().collect()
}

impl SegmentRule {
    /// Reads `NM1 R 1 500 R98=PR|AY R1065=2 R1035`.
    fn read(line: &'static str) -> Self {
        let mut words = line.splitn(5, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (id, required, most) = (word(), word() == "R", most(word()));
        let (position, elements) = (word().parse().unwrap_or(0), word());
        let (key, qualifier) = (key(id.as_bytes()), Qualifier::of(id, elements));
        Self { id, key, required, most, position, elements, qualifier, has_rival: false, notes: syntax::of(id) }
    }
}

impl Qualifier {
    /// A level of HL is told by its third element, an entity of ENT by its second; everything else by the codes that its
    /// first may have.
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
        let codes = token.split_once('=').map(|(_, codes)| codes.split('|').collect()).unwrap_or_default();
        Self { element, codes, is_optional }
    }
}

/// What stands in place of elements of which the tables say nothing.
const OTHERS: &str = "*";

/// What the guide says of an element or a component.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementRule {
    pub(crate) usage: Usage,
    /// The data element: `1065`; of a composite `C022`.
    pub(crate) data: &'static str,
    /// The codes it may have, `|` between them; empty for any.
    codes: &'static str,
    /// How often it may be repeated.
    pub(crate) most: usize,
    /// Of a composite what is said of its components.
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

/// Whether a code of the tables is this one; a blank in it is written `_` there.
fn is_code(known: &str, code: &[u8]) -> bool {
    let alike = |(known, code): (u8, &u8)| known == *code || (known == b'_' && *code == b' ');
    known.len() == code.len() && known.bytes().zip(code).all(alike)
}

/// The qualifiers of one segment, read once for every place that it may stand at.
pub(crate) struct Code<'s> {
    segment: &'s Segment<'s>,
    read: OnceCell<(usize, Cow<'s, [u8]>)>,
}

impl<'s> Code<'s> {
    pub(crate) fn new(segment: &'s Segment<'s>) -> Self {
        Self { segment, read: OnceCell::new() }
    }

    /// The first component of the first repetition of an element; a segment's qualifiers are all in the same one.
    fn of(&self, element: usize) -> &[u8] {
        let (_, code) = self.read.get_or_init(|| {
            let delimiters = self.segment.delimiters();
            let first = self.segment.element(element).and_then(|element| element.repetitions(delimiters).next());
            let code = first.and_then(|repetition| repetition.components(delimiters).next());
            let code = code.map(|code| match code.raw() {
                raw if raw.iter().any(|byte| matches!(byte, b'\r' | b'\n')) => {
                    Cow::Owned(code.text().into_owned().into_bytes())
                }
                raw => Cow::Borrowed(raw),
            });
            (element, code.unwrap_or_default())
        });
        code
    }
}

/// The tokens of elements; a composite is one, whatever stands between its parentheses.
fn elements(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(' ').filter(|token| !token.is_empty())
}

/// A segment's id as one number.
pub(crate) fn key(id: &[u8]) -> u32 {
    id.iter().fold(0, |key, byte| key << 8 | u32::from(*byte))
}

fn most(text: &str) -> Option<u32> {
    text.parse().ok()
}
