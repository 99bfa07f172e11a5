//! The groups of one message, by the structure it has.

use std::collections::HashMap;
use std::ops::Range;

use candor_hl7v2::Message;

use crate::check::{Fit, structure_of};
use crate::grammar::{Grammar, Places, Step};
use crate::group_path::{GroupSelector, GroupStep};
use crate::order::read;

/// The groups of one message.
#[derive(Debug)]
pub struct Groups {
    structure: &'static str,
    grammar: &'static Grammar,
    instances: Vec<Instance>,
}

#[derive(Debug)]
struct Instance {
    group: usize,
    parent: Option<usize>,
    /// Its segments, by number from 0.
    segments: Range<usize>,
}

/// Some segments of a message: those of a group, or all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The segments, by number from 0.
    pub segments: Range<usize>,
    /// The place in the scope that a path began in: `ORDER[2]`.
    pub place: String,
}

impl Scope {
    /// The message as a whole.
    #[must_use]
    pub fn message() -> Self {
        Self { segments: 0..usize::MAX, place: String::new() }
    }
}

impl Groups {
    /// Reads the groups of a message by the structure that MSH-9 names, in the version that MSH-12 names.
    ///
    /// A segment that the structure does not have, a Z segment too, belongs to the group of the segment before it. So does one
    /// that is out of place.
    ///
    /// # Errors
    /// The version or the structure that is not known.
    pub fn of(message: &Message<'_>) -> Result<Self, Fit> {
        let (version, (structure, grammar)) = structure_of(message)?;
        let known = |id: [u8; 3]| !id.starts_with(b"Z") && (version.segment(id).is_some() || grammar.has(id));
        let (lines, ids): (Vec<usize>, Vec<[u8; 3]>) =
            message.segments().map(|segment| segment.id()).enumerate().filter(|(_, id)| known(*id)).unzip();
        let mut reading =
            read(grammar, &ids).into_iter().filter_map(|(at, place)| Some((*lines.get(at)?, place))).peekable();
        let mut building = Building::new(grammar, grammar.present(&ids));
        for line in 0..message.segments().len() {
            if let Some((_, place)) = reading.next_if(|(read, _)| *read == line) {
                building.enter(place, line);
            }
            building.extend(line);
        }
        Ok(Self { structure, grammar, instances: building.instances })
    }

    /// The structure's name.
    #[must_use]
    pub const fn structure(&self) -> &'static str {
        self.structure
    }

    /// The names of the groups that the structure has, in its order.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for group in &self.grammar.groups {
            if !names.contains(&group.name) {
                names.push(group.name);
            }
        }
        names
    }

    /// Every group of the message by its name, with its segments by number from 0: in order, and each before those in it.
    ///
    /// ```
    /// use candor_hl7v2_structure::Groups;
    /// let text = b"MSH|^~\\&|A|B|C|D|2026||ORU^R01^ORU_R01|1|P|2.5.1\rPID|1\rOBR|1\rOBX|1\r";
    /// let message = candor_hl7v2::messages(text).next().unwrap().unwrap();
    /// let groups = Groups::of(&message).unwrap();
    /// let all: Vec<_> = groups.all().collect();
    /// assert_eq!(all[..2], [("PATIENT_RESULT", 1..4), ("PATIENT", 1..2)]);
    /// assert_eq!(all[2..], [("ORDER_OBSERVATION", 2..4), ("OBSERVATION", 3..4)]);
    /// ```
    pub fn all(&self) -> impl Iterator<Item = (&'static str, Range<usize>)> + '_ {
        let grammar = self.grammar;
        let named =
            move |instance: &Instance| Some((grammar.groups.get(instance.group)?.name, instance.segments.clone()));
        self.instances.iter().filter_map(named)
    }

    /// The groups that steps lead to from a scope, in order. A step reaches groups at any depth.
    #[must_use]
    pub fn select(&self, message: &Message<'_>, from: &Scope, steps: &[GroupStep]) -> Vec<Scope> {
        let mut scopes = vec![Scope { place: String::new(), ..from.clone() }];
        for step in steps {
            let mut found: Vec<Scope> = scopes.iter().flat_map(|scope| self.inside(scope, step.name())).collect();
            for selector in &step.selectors {
                match selector {
                    GroupSelector::All => {}
                    GroupSelector::Nth(number) => {
                        found = found.into_iter().skip(number - 1).take(1).collect();
                    }
                    GroupSelector::Holds(path, text) => found.retain(|scope| {
                        let scopes = self.select(message, scope, path.groups());
                        let segments: Vec<Range<usize>> = scopes.into_iter().map(|scope| scope.segments).collect();
                        path.path().is_some_and(|path| path.holds_in(message, &segments, text))
                    }),
                }
            }
            scopes = found;
        }
        scopes
    }

    /// The groups with a name in a scope, but for those that lie in one of them.
    fn inside(&self, scope: &Scope, name: &str) -> Vec<Scope> {
        let from = self.instances.partition_point(|one| one.segments.start < scope.segments.start);
        let to = self.instances.partition_point(|one| one.segments.start < scope.segments.end);
        let mut found: Vec<Scope> = Vec::new();
        for instance in self.instances.get(from..to).unwrap_or_default() {
            let is_named = self.grammar.groups.get(instance.group).is_some_and(|group| group.name == name);
            // A group is not in itself, and groups that begin with the same segment lie in each other.
            let is_inside = instance.segments.end <= scope.segments.end;
            let is_new = found.last().is_none_or(|last| last.segments.end <= instance.segments.start);
            if is_named && is_inside && is_new {
                let dot = if scope.place.is_empty() { "" } else { "." };
                let place = format!("{}{dot}{name}[{}]", scope.place, found.len() + 1);
                found.push(Scope { segments: instance.segments.clone(), place });
            }
        }
        found
    }
}

struct Building {
    grammar: &'static Grammar,
    present: Places,
    instances: Vec<Instance>,
    /// By group, its last repetition, and whether the next segment in it begins another.
    current: Vec<(Option<usize>, bool)>,
    /// The place of the segment before, and the innermost group it is in.
    before: Option<usize>,
    innermost: Option<usize>,
    begun: HashMap<(Option<usize>, usize), Vec<usize>>,
}

impl Building {
    fn new(grammar: &'static Grammar, present: Places) -> Self {
        let current = vec![(None, false); grammar.groups.len()];
        Self { grammar, present, instances: Vec::new(), current, before: None, innermost: None, begun: HashMap::new() }
    }

    fn enter(&mut self, place: usize, line: usize) {
        let (grammar, before, present) = (self.grammar, self.before, self.present);
        let begun = self.begun.entry((before, place)).or_insert_with(|| {
            let begins = |step| match step {
                Step::Enter(group) | Step::Again(group) => Some(group),
                Step::Free | Step::WithoutPlace(_) | Step::WithoutGroup(_) => None,
            };
            grammar.steps(before, Some(place), present).into_iter().filter_map(begins).collect()
        });
        for group in begun.iter() {
            if let Some((_, begins)) = self.current.get_mut(*group) {
                *begins = true;
            }
        }
        let mut parent = None;
        for group in grammar.groups_of(place) {
            let Some((current, begins)) = self.current.get_mut(group) else { continue };
            let known =
                current.filter(|&at| !*begins && self.instances.get(at).is_some_and(|one| one.parent == parent));
            let instance = known.unwrap_or_else(|| {
                self.instances.push(Instance { group, parent, segments: line..line });
                self.instances.len() - 1
            });
            (*current, *begins) = (Some(instance), false);
            parent = Some(instance);
        }
        (self.before, self.innermost) = (Some(place), parent);
    }

    /// Adds a segment to the group of the segment that was read last, and to those around it.
    fn extend(&mut self, line: usize) {
        let mut at = self.innermost;
        while let Some(instance) = at.and_then(|at| self.instances.get_mut(at)) {
            instance.segments.end = line + 1;
            at = instance.parent;
        }
    }
}
