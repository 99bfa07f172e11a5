//! Parts of a transaction set, one loop or one segment of it, and the paths that begin there.

use std::collections::HashMap;

use candor_x12::path::{ItemPath, LoopStep};
use candor_x12::{Path, Segment, SetView, Value};

use crate::guide::Loop;
use crate::loops::Loops;

/// The part of a transaction set in which a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The transaction set.
    Set,
    /// A loop with the loops in it, by its occurrence.
    Loop(usize),
    /// A segment, by its number from 0 with ST.
    Segment(usize),
}

impl Part {
    /// The place of a path that begins in this part, where the part's own place is `place`.
    #[must_use]
    pub fn joined(self, place: &str, path: &str) -> String {
        match self {
            _ if place.is_empty() => path.to_owned(),
            // The place ends with the segment already.
            Self::Segment(_) => {
                let element = path.trim_start_matches(|c: char| c.is_ascii_uppercase());
                let element = match path.split_once('.') {
                    Some((_, element)) => format!(".{element}"),
                    None => element.to_owned(),
                };
                format!("{place}{element}")
            }
            Self::Set | Self::Loop(_) => format!("{place}.{path}"),
        }
    }

    fn root(self) -> Option<usize> {
        match self {
            Self::Set => Some(0),
            Self::Loop(at) => Some(at),
            Self::Segment(_) => None,
        }
    }
}

/// One of the items that a selector selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartItem {
    /// The item.
    pub part: Part,
    /// Its place in the part that the selector began in, as a path: `2000B[2].2300[1]`, `2110C.EB[3]`.
    pub place: String,
}

/// The loops of a part after the steps of a path were taken.
struct Narrowed {
    root: usize,
    /// In the order they begin, the part's own first.
    loops: Vec<usize>,
    taken: Vec<Taken>,
}

#[derive(Clone, Copy, Default)]
struct Taken {
    steps: usize,
    /// The loop of the last step that was taken.
    anchor: usize,
    /// Where a step was taken here: which one of its id it is in the loop of the step before, from 1, and that loop.
    here: Option<(usize, usize)>,
}

/// Each segment that a path without loops means among the segments of a set, whether its loops are known or not.
pub(crate) fn segment_items(path: &Path, segments: &[Segment<'_>]) -> Vec<PartItem> {
    let of_id = |(number, segment): (usize, &Segment<'_>)| (segment.id() == path.segment()).then_some(number);
    numbered(path, &segments.iter().enumerate().filter_map(of_id).collect::<Vec<_>>(), segments)
}

fn numbered(path: &Path, run: &[usize], segments: &[Segment<'_>]) -> Vec<PartItem> {
    let all = run.iter().filter_map(|number| segments.get(*number)).copied();
    let loops = path.as_str().get(..path.segment_at()).unwrap_or_default();
    let item = |(n, _): (usize, Segment<'_>)| {
        let number = run.get(n.checked_sub(1)?)?;
        Some(PartItem { part: Part::Segment(*number), place: format!("{loops}{}[{n}]", path.segment()) })
    };
    path.items_among(all).into_iter().filter_map(item).collect()
}

impl Loops {
    /// The values that a path selects, with its loops. ISA and GS are outside of any loop.
    #[must_use]
    pub fn select<'a>(&self, path: &Path, set: &SetView<'a>) -> Vec<Value<'a>> {
        if path.loops().is_empty() {
            return path.select(set);
        }
        self.select_among(path, &set.read())
    }

    /// As [`Loops::select`], among the segments of the set from ST on: a caller with several paths splits the set only
    /// once.
    #[must_use]
    pub fn select_among<'a>(&self, path: &Path, segments: &[Segment<'a>]) -> Vec<Value<'a>> {
        self.select_in(Part::Set, path, segments)
    }

    /// By occurrence, what lies in it: the loops and the segments.
    /// The values that a path selects in a part of the set, where it begins.
    #[must_use]
    pub fn select_in<'a>(&self, part: Part, path: &Path, segments: &[Segment<'a>]) -> Vec<Value<'a>> {
        if part == Part::Set && path.loops().is_empty() {
            return path.select_among(segments.iter().copied());
        }
        let run = self.run(part, path, segments);
        path.select_among(run.into_iter().filter_map(|number| segments.get(number)).copied())
    }

    /// The items that a selector selects in a part of the set, in order.
    #[must_use]
    pub fn items(&self, part: Part, item: &ItemPath, segments: &[Segment<'_>]) -> Vec<PartItem> {
        match item {
            ItemPath::Segments(path) => numbered(path, &self.run(part, path, segments), segments),
            ItemPath::Loops(steps) => {
                let narrowed = part.root().and_then(|root| self.narrow(root, steps, segments));
                let Some(narrowed) = narrowed else { return Vec::new() };
                let all = narrowed.loops.iter().zip(&narrowed.taken);
                let selected = all.filter(|(_, taken)| taken.here.is_some() && taken.steps == steps.len());
                selected.map(|(&at, _)| PartItem { part: Part::Loop(at), place: narrowed.place(at, steps) }).collect()
            }
        }
    }

    /// The segments with the path's id in the loops that its steps lead to, by number.
    fn run(&self, part: Part, path: &Path, segments: &[Segment<'_>]) -> Vec<usize> {
        let is_meant = |number: &usize| segments.get(*number).is_some_and(|segment| segment.id() == path.segment());
        if let Part::Segment(number) = part {
            return Some(number).filter(is_meant).filter(|_| path.loops().is_empty()).into_iter().collect();
        }
        let narrowed = part.root().and_then(|root| self.narrow(root, path.loops(), segments));
        let Some(narrowed) = narrowed else { return Vec::new() };
        let is_reached = |at: usize| narrowed.at(at).is_some_and(|taken| taken.steps == path.loops().len());
        if part == Part::Set {
            let in_loops = |number: &usize| self.of_segment(*number).is_some_and(is_reached);
            return (0..segments.len()).filter(is_meant).filter(in_loops).collect();
        }
        let reached = narrowed.loops.iter().filter(|at| is_reached(**at));
        let own = reached.filter_map(|at| self.tree().segments.get(*at)).flatten().copied();
        let mut run: Vec<usize> = own.filter(is_meant).collect();
        // Segments may follow in an outer loop after those of an inner one.
        run.sort_unstable();
        run
    }

    /// Takes the steps; nothing where the guide does not have one of the loops. Time grows with what lies in the part, and
    /// with how deep conditions lie in each other.
    fn narrow(&self, root: usize, steps: &[LoopStep], segments: &[Segment<'_>]) -> Option<Narrowed> {
        let known = |step: &LoopStep| self.guide().loop_with(step.id());
        let narrowing = steps.iter().map(|step| Some((known(step)?, step.choosing())));
        let mut narrowing = narrowing.collect::<Option<Vec<_>>>()?;
        let loops = match root {
            0 => (0..self.occurrences().len()).collect(),
            root => self.tree().subtree(root),
        };
        let mut narrowed = Narrowed { root, taken: Vec::with_capacity(loops.len()), loops };
        let mut counted: HashMap<usize, usize> = HashMap::new();
        for index in 0..narrowed.loops.len() {
            let at = narrowed.loops.get(index).copied().unwrap_or_default();
            let occurrence = self.occurrences().get(at).filter(|_| at != root);
            let above = occurrence.and_then(|occurrence| narrowed.at(occurrence.parent?));
            let Some((occurrence, above)) = occurrence.zip(above) else {
                narrowed.taken.push(Taken { anchor: root, ..Taken::default() });
                continue;
            };
            let mut taken = Taken { here: None, ..above };
            let id = self.guide().loops().get(occurrence.definition).map(Loop::namesake);
            if let Some((wanted, choosing)) = narrowing.get_mut(above.steps)
                && id == Some(*wanted)
                && let Some(first) = segments.get(occurrence.first)
            {
                let number = counted.entry(above.anchor).or_default();
                *number += 1;
                if choosing.admits(first, &|path, text| self.holds(at, path, text, segments)) {
                    taken = Taken { steps: above.steps + 1, anchor: at, here: Some((*number, above.anchor)) };
                }
            }
            narrowed.taken.push(taken);
        }
        Some(narrowed)
    }

    fn holds(&self, at: usize, path: &Path, text: &str, segments: &[Segment<'_>]) -> bool {
        let run = self.run(Part::Loop(at), path, segments);
        path.holds_among(run.into_iter().filter_map(|number| segments.get(number)).copied(), text)
    }
}

impl Narrowed {
    fn at(&self, at: usize) -> Option<Taken> {
        let index = if self.root == 0 { at } else { self.loops.binary_search(&at).ok()? };
        self.taken.get(index).copied()
    }

    /// `2000B[2].2300[1]`
    fn place(&self, at: usize, steps: &[LoopStep]) -> String {
        let mut names = Vec::new();
        let mut at = at;
        for step in steps.iter().rev() {
            let Some((number, before)) = self.at(at).and_then(|taken| taken.here) else { break };
            names.push(format!("{}[{number}]", step.id()));
            at = before;
        }
        names.reverse();
        names.join(".")
    }
}
