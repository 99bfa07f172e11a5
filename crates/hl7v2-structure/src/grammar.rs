//! A message structure as a graph: the segments that may follow each other, and the segments missing between them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// A set of places, one bit each: the largest structure of the standard (CCR_I16) has 88.
pub(crate) type Places = u128;

#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) id: &'static str,
    group: Option<usize>,
    /// The nodes before and after it.
    enter: usize,
    leave: usize,
}

#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) parent: Option<usize>,
    /// Its first place.
    pub(crate) first: usize,
    /// Its first place that must be filled: what a reader knows the group by.
    head: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Free,
    Enter(usize),
    Again(usize),
    /// A segment required here is missing.
    WithoutPlace(usize),
    /// A group required here is missing.
    WithoutGroup(usize),
}

#[derive(Debug)]
pub(crate) struct Grammar {
    pub(crate) places: Vec<Place>,
    pub(crate) groups: Vec<Group>,
    /// By node, where it leads.
    edges: Vec<Vec<(usize, Step)>>,
    end: usize,
    /// The places that may come first, and by place those that may follow it, with nothing missing.
    pub(crate) first: Places,
    pub(crate) follow: Vec<Places>,
    /// The places that a message may end after, with nothing missing.
    pub(crate) last: Places,
    /// Ids in order, each with its places.
    ids: Vec<([u8; 3], Places)>,
    /// The places for any segment.
    any: Places,
    costs: Mutex<HashMap<Places, Arc<Costs>>>,
}

/// How many combinations of segments have their costs kept, of each structure.
const MOST_KNOWN: usize = 64;

/// How many things are missing between two places.
#[derive(Debug)]
pub(crate) struct Costs {
    /// By the place before (the start is the last), then by the place after (the end is the last).
    rows: Vec<Vec<u16>>,
}

impl Costs {
    pub(crate) const NEVER: u16 = u16::MAX;

    /// The number of missing things from `from` to every place, the end last. The start is the place after the last.
    pub(crate) fn from(&self, from: usize) -> &[u16] {
        self.rows.get(from).map(Vec::as_slice).unwrap_or_default()
    }
}

pub(crate) fn bit(place: usize) -> Places {
    1u128.checked_shl(u32::try_from(place).unwrap_or(u32::MAX)).unwrap_or(0)
}

/// The places of a set, in order.
pub(crate) fn each(mut set: Places) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(place)
    })
}

impl Grammar {
    /// Reads `MSH SFT* EVN PROCEDURE{PR1 ROL*}*`.
    pub(crate) fn parse(text: &'static str) -> Self {
        let mut grammar = Self {
            places: Vec::new(),
            groups: Vec::new(),
            edges: vec![Vec::new()],
            end: 0,
            first: 0,
            follow: Vec::new(),
            last: 0,
            ids: Vec::new(),
            any: 0,
            costs: Mutex::default(),
        };
        let mut rest = text;
        grammar.end = grammar.items(&mut rest, 0, None);
        grammar.index();
        grammar
    }

    /// Reads items up to the end of their group. The data nests nine deep at most.
    fn items(&mut self, rest: &mut &'static str, mut node: usize, group: Option<usize>) -> usize {
        let before = node;
        let mut alternatives = Vec::new();
        loop {
            *rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('|') {
                *rest = after;
                alternatives.push(node);
                node = before;
                continue;
            }
            let Some(stop) = rest.find([' ', '{', '}']).or(Some(rest.len())).filter(|&stop| stop > 0) else { break };
            let (word, after) = rest.split_at(stop);
            *rest = after;
            node = match after.strip_prefix('{') {
                Some(inner) => {
                    *rest = inner;
                    self.group(rest, word, node, group)
                }
                None => self.place(word, node, group),
            };
        }
        if alternatives.is_empty() {
            return node;
        }
        let joined = self.node();
        alternatives.push(node);
        for alternative in alternatives {
            self.edge(alternative, joined, Step::Free);
        }
        joined
    }

    fn place(&mut self, word: &'static str, enter: usize, group: Option<usize>) -> usize {
        let id = word.trim_end_matches(['?', '*', '+']);
        let (required, repeats) = quantity(word.get(id.len()..).unwrap_or_default());
        let leave = self.node();
        let number = self.places.len();
        let step = if required { Step::WithoutPlace(number) } else { Step::Free };
        if let Some(group) = group.filter(|_| required).and_then(|group| self.groups.get_mut(group)) {
            group.head.get_or_insert(number);
        }
        self.edge(enter, leave, step);
        // Entered through a node of its own, so that a repetition does not lead to anything else that could come first.
        let own = self.node();
        self.edge(enter, own, Step::Free);
        if repeats {
            self.edge(leave, own, Step::Free);
        }
        self.places.push(Place { id, group, enter: own, leave });
        leave
    }

    fn group(&mut self, rest: &mut &'static str, name: &'static str, enter: usize, parent: Option<usize>) -> usize {
        let number = self.groups.len();
        self.groups.push(Group { name, parent, first: self.places.len(), head: None });
        let (inside, after) = (self.node(), self.node());
        self.edge(enter, inside, Step::Enter(number));
        let last = self.items(rest, inside, Some(number));
        *rest = rest.strip_prefix('}').unwrap_or(rest);
        let signs = rest.find(|c: char| !matches!(c, '?' | '*' | '+')).unwrap_or(rest.len());
        let (sign, others) = rest.split_at(signs);
        *rest = others;
        let (required, repeats) = quantity(sign);
        self.edge(last, after, Step::Free);
        self.edge(enter, after, if required { Step::WithoutGroup(number) } else { Step::Free });
        if repeats {
            self.edge(last, inside, Step::Again(number));
        }
        after
    }

    fn node(&mut self) -> usize {
        self.edges.push(Vec::new());
        self.edges.len() - 1
    }

    fn edge(&mut self, from: usize, to: usize, step: Step) {
        if let Some(edges) = self.edges.get_mut(from) {
            edges.push((to, step));
        }
    }

    fn index(&mut self) {
        let (first, _) = self.free(0);
        let reached: Vec<(Places, bool)> = self.places.iter().map(|place| self.free(place.leave)).collect();
        self.first = first;
        for (number, (places, ends)) in reached.into_iter().enumerate() {
            self.follow.push(places);
            if ends {
                self.last |= bit(number);
            }
        }
        for (number, place) in self.places.iter().enumerate() {
            let Some(&id) = place.id.as_bytes().first_chunk::<3>() else { continue };
            if place.id == "ANY" {
                self.any |= bit(number);
            } else {
                match self.ids.binary_search_by_key(&id, |&(id, _)| id) {
                    Ok(at) => {
                        if let Some((_, places)) = self.ids.get_mut(at) {
                            *places |= bit(number);
                        }
                    }
                    Err(at) => self.ids.insert(at, (id, bit(number))),
                }
            }
        }
    }

    /// The places that are reached from a node with nothing missing, and whether the end is.
    fn free(&self, from: usize) -> (Places, bool) {
        let distances = self.distances(from, 0);
        let mut places = 0;
        for (number, place) in self.places.iter().enumerate() {
            if distances.get(place.enter) == Some(&0) {
                places |= bit(number);
            }
        }
        (places, distances.get(self.end) == Some(&0))
    }

    /// How many things a step leaves out. A segment of a group that is elsewhere in the message counts as two: more than one
    /// segment out of place, so that no stray segment makes up a group around itself. `present` are the places of the
    /// message's segments.
    fn missing(&self, step: Step, present: Places) -> u16 {
        match step {
            Step::Free | Step::Enter(_) | Step::Again(_) => 0,
            Step::WithoutGroup(_) => 1,
            Step::WithoutPlace(place) => {
                let in_group = self.places.get(place).is_some_and(|place| place.group.is_some());
                if in_group && present & bit(place) != 0 { 2 } else { 1 }
            }
        }
    }

    /// By node, how many things are missing on the way to it.
    fn distances(&self, from: usize, present: Places) -> Vec<u16> {
        self.ways(from, present).into_iter().map(|(distance, _)| distance).collect()
    }

    /// By node, how many things are missing on the shortest way to it, and the step that ends that way.
    fn ways(&self, from: usize, present: Places) -> Vec<(u16, Option<(usize, Step)>)> {
        let mut ways = vec![(Costs::NEVER, None); self.edges.len()];
        let mut queue = VecDeque::from([from]);
        if let Some(way) = ways.get_mut(from) {
            way.0 = 0;
        }
        while let Some(node) = queue.pop_front() {
            let here = ways.get(node).map_or(Costs::NEVER, |way| way.0);
            for &(to, step) in self.edges.get(node).into_iter().flatten() {
                let missing = self.missing(step, present);
                let cost = here.saturating_add(missing);
                if let Some(way) = ways.get_mut(to)
                    && cost < way.0
                {
                    *way = (cost, Some((node, step)));
                    if missing > 0 { queue.push_back(to) } else { queue.push_front(to) }
                }
            }
        }
        ways
    }

    /// Does a segment open a group whose head comes later, as ORC does before OBR?
    pub(crate) fn opens(&self, id: [u8; 3]) -> bool {
        each(self.places_of(id)).any(|number| {
            let group = self.places.get(number).and_then(|place| self.groups.get(place.group?));
            group.is_some_and(|group| group.first == number && group.head.is_some_and(|head| head != number))
        })
    }

    pub(crate) fn places_of(&self, id: [u8; 3]) -> Places {
        let own = self.ids.binary_search_by_key(&id, |&(id, _)| id).ok().and_then(|at| self.ids.get(at));
        own.map_or(self.any, |&(_, places)| places | self.any)
    }

    pub(crate) fn has(&self, id: [u8; 3]) -> bool {
        self.ids.binary_search_by_key(&id, |&(id, _)| id).is_ok()
    }

    /// Where a place comes in the structure's groups, the outermost first.
    pub(crate) fn groups_of(&self, place: usize) -> Vec<usize> {
        self.chain(self.places.get(place).and_then(|place| place.group))
    }

    /// Returns `true` if a segment has a place ahead of this one, in the same group or in one within it.
    pub(crate) fn belongs_before(&self, id: [u8; 3], place: usize) -> bool {
        let group = self.places.get(place).and_then(|place| place.group);
        let is_ahead = |other: usize| other < place && group.is_none_or(|group| self.groups_of(other).contains(&group));
        each(self.places_of(id)).any(is_ahead)
    }

    /// The id of the first segment of the group that a place is in.
    pub(crate) fn head(&self, place: usize) -> Option<[u8; 3]> {
        let first =
            self.groups_of(place).last().and_then(|&group| self.groups.get(group)).map_or(0, |group| group.first);
        self.places.get(first)?.id.as_bytes().first_chunk().copied()
    }

    /// A group and those around it, the outermost first.
    pub(crate) fn chain(&self, group: Option<usize>) -> Vec<usize> {
        let parent = |&group: &usize| self.groups.get(group).and_then(|group| group.parent);
        let mut chain: Vec<usize> = std::iter::successors(group, parent).collect();
        chain.reverse();
        chain
    }

    pub(crate) fn present(&self, ids: &[[u8; 3]]) -> Places {
        ids.iter().fold(0, |all, id| all | self.places_of(*id))
    }

    pub(crate) fn costs(&self, present: Places) -> Arc<Costs> {
        let mut known = self.costs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(costs) = known.get(&present) {
            return Arc::clone(costs);
        }
        let row = |node: usize| {
            let distances = self.distances(node, present);
            let to = |node: usize| distances.get(node).copied().unwrap_or(Costs::NEVER);
            self.places.iter().map(|place| to(place.enter)).chain([to(self.end)]).collect()
        };
        let costs = Arc::new(Costs { rows: self.places.iter().map(|place| place.leave).chain([0]).map(row).collect() });
        // Traffic has few combinations.
        if known.len() < MOST_KNOWN {
            known.insert(present, Arc::clone(&costs));
        }
        costs
    }

    /// The steps from a place (`None`: the start) to another (`None`: the end).
    pub(crate) fn steps(&self, from: Option<usize>, to: Option<usize>, present: Places) -> Vec<Step> {
        let start = from.and_then(|from| self.places.get(from)).map_or(0, |place| place.leave);
        let mut node = to.and_then(|to| self.places.get(to)).map_or(self.end, |place| place.enter);
        let ways = self.ways(start, present);
        let mut steps = Vec::new();
        // Every step leads nearer to the start, so there are no more of them than nodes.
        while node != start
            && let Some(&(_, Some((before, step)))) = ways.get(node)
        {
            steps.push(step);
            node = before;
        }
        steps.reverse();
        steps
    }
}

/// Reads `?`, `*`, `+` or no sign: first if the item is required, then if it repeats.
fn quantity(sign: &str) -> (bool, bool) {
    (matches!(sign, "" | "+"), matches!(sign, "*" | "+"))
}
