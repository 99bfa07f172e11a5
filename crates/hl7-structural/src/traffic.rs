//! The assertions on all messages together: `unique` and `sequence`.

use std::collections::HashMap;

use candor_check::Failure;
use candor_check::field::{Field, FieldReason, FieldResult, Location};
use candor_check::records::{Candidate, Standing};
use candor_hl7v2::{self as hl7v2, Path};
use candor_json::{Value, json};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::ack::NULL;
use crate::correlation::{Correlation, Selected, Sent, first};
use crate::items::{self, Judging, SelectedValues};
use crate::order::standing;
use crate::path::MessagePath;
use crate::seen::Message;

/// `unique`: no message was sent twice.
#[derive(Debug)]
pub(crate) enum Unique {
    /// Each MSH-10 occurs only once among the messages of one sender (MSH-3, MSH-4).
    ControlId,
    /// No two messages agree on all of these.
    Values(Vec<Field<MessagePath>>),
}

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let paths = match &value {
            Value::String(text) if text == "control_id" => return Ok(Self::ControlId),
            Value::Array(paths) => paths.iter().map(Value::as_str).collect::<Option<Vec<&str>>>(),
            _ => None,
        };
        let Some(paths) = paths.filter(|paths| !paths.is_empty()) else {
            let expected = "expected \"control_id\", or a list of paths such as [\"ORC.2\"]";
            return Err(D::Error::custom(format!("`unique` is {value}; {expected}")));
        };
        let read = |path: &&str| {
            let path = if *path == "control_id" { "MSH.10" } else { path };
            items::there(path).map_err(|problem| D::Error::custom(format!("`unique`: {problem}")))
        };
        paths.iter().map(read).collect::<Result<_, _>>().map(Self::Values)
    }
}

/// `sequence`: messages that were sent one after the other, others between them or not.
#[derive(Clone, Debug)]
pub(crate) struct Sequence(Vec<Correlation>);

impl<'de> Deserialize<'de> for Sequence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let items = Vec::<Correlation>::deserialize(deserializer)?;
        if items.len() < 2 {
            return Err(D::Error::custom("`sequence` lists two messages or more, each as in `correlate_by`"));
        }
        if items.iter().any(|item| item.described().is_empty()) {
            return Err(D::Error::custom("an item of `sequence` is empty, which every message is"));
        }
        Ok(Self(items))
    }
}

type Constraint = (Failure, FieldResult);

fn read<T>(candidate: &Candidate<Message>, use_it: impl FnOnce(&hl7v2::Message<'_>) -> T) -> Option<T> {
    candidate.content.read().map(|message| use_it(&message))
}

impl Unique {
    pub(crate) fn judge(&self, candidates: &[Candidate<Message>]) -> Constraint {
        match self {
            Self::ControlId => Self::by_control_id(candidates),
            Self::Values(paths) => Self::by_values(paths, candidates),
        }
    }

    /// No two messages agree on all values. One without any agrees with none that has some; of several without any it is not
    /// known.
    fn by_values(paths: &[Field<MessagePath>], candidates: &[Candidate<Message>]) -> Constraint {
        let named = paths.iter().map(|path| &*path.path_text).collect::<Vec<_>>().join(", ");
        let expected = json!("once each");
        let values = |message: &hl7v2::Message<'_>| -> Option<Vec<Vec<String>>> {
            let judging = Judging::new(message, None);
            let of = |path: &Field<MessagePath>| match items::selected(path, &judging) {
                SelectedValues::Known(values) => {
                    Some(values.iter().map(|value| value.text().text.into_owned()).collect())
                }
                SelectedValues::Unknown(_) => None,
            };
            paths.iter().map(of).collect()
        };
        let mut sent: HashMap<Vec<Vec<String>>, &Candidate<Message>> = HashMap::new();
        let (mut without, mut unknown) = (Vec::new(), None);
        for candidate in candidates {
            let Some(values) = read(candidate, values).flatten() else {
                unknown = unknown.or(Some(candidate));
                continue;
            };
            if values.iter().all(Vec::is_empty) {
                without.push(candidate);
                continue;
            }
            let shown: Vec<String> = values.iter().map(|values| values.join(" and ")).collect();
            if let Some(earlier) = sent.insert(values, candidate) {
                let actual = format!("{} in {} and in {}", shown.join(", "), earlier.label, candidate.label);
                let twice = FieldResult::constraint(named, expected, json!(actual), false);
                return (Failure::CountMismatch, twice.at(candidate.source.place()));
            }
        }
        let open = match (unknown, without.as_slice()) {
            (Some(candidate), _) => Some((format!("groups that are not known in {}", candidate.label), candidate)),
            (None, [first, second, ..]) => {
                Some((format!("nothing in {} and in {}", first.label, second.label), *second))
            }
            _ => None,
        };
        let result = match (open, candidates.last()) {
            (Some((why, candidate)), _) => FieldResult::constraint(named, expected, json!(why), false)
                .because(FieldReason::Undecidable)
                .at(candidate.source.place()),
            (None, last) => {
                let actual = json!(format!("{} different values", sent.len()));
                let result = FieldResult::constraint(named, expected, actual, true);
                match last {
                    Some(last) => result.at(last.source.place()),
                    None => result,
                }
            }
        };
        (Failure::CountMismatch, result)
    }

    fn by_control_id(candidates: &[Candidate<Message>]) -> Constraint {
        // By component and decoded: trailing and other delimiters make no other id.
        let paths = ["MSH.10.1.1", "MSH.3.1.1", "MSH.3.2.1", "MSH.3.3.1", "MSH.4.1.1", "MSH.4.2.1", "MSH.4.3.1"]
            .map(Path::parse);
        let key = |message: &hl7v2::Message<'_>| {
            let [id, sender @ ..] =
                paths.each_ref().map(|path| path.as_ref().ok().and_then(|path| first(path, message)));
            id.filter(|id| id != NULL).map(|id| (id, sender))
        };
        let mut sent: HashMap<_, &Candidate<Message>> = HashMap::new();
        let mut without = None;
        for candidate in candidates {
            match read(candidate, key).flatten() {
                Some(key) => {
                    let id = key.0.clone();
                    if let Some(earlier) = sent.insert(key, candidate) {
                        let actual = format!("{id} in {} and in {}", earlier.label, candidate.label);
                        let twice = FieldResult::constraint("MSH.10", json!("once each"), json!(actual), false);
                        return (Failure::CountMismatch, twice.at(candidate.source.place()));
                    }
                }
                None => without = without.or(Some(candidate)),
            }
        }
        let expected = json!("once each");
        let result = match (without, candidates.last()) {
            (Some(without), _) => {
                let actual = json!(format!("nothing in {}", without.label));
                FieldResult::constraint("MSH.10", expected, actual, false)
                    .because(FieldReason::Undecidable)
                    .at(without.source.place())
            }
            (None, last) => {
                let actual = json!(format!("{} different ids", sent.len()));
                let result = FieldResult::constraint("MSH.10", expected, actual, true);
                match last {
                    Some(last) => result.at(last.source.place()),
                    None => result,
                }
            }
        };
        (Failure::CountMismatch, result)
    }
}

struct Step<'a> {
    label: &'a str,
    place: Location,
    standing: Standing<'a>,
    /// By item, whether it is that one: yes, no, or not known.
    items: Vec<Option<bool>>,
}

/// True if every message is known to be before all that follow it here.
fn is_one_order(steps: &[Step<'_>]) -> bool {
    let follows = steps.windows(2).all(|pair| match pair {
        [first, second] => first.standing.leads(&second.standing),
        _ => true,
    });
    let mut positions: HashMap<&str, usize> = HashMap::new();
    let mut standings = steps.iter().map(|step| step.standing);
    follows && standings.all(|at| positions.insert(at.stream, at.position).is_none_or(|before| before < at.position))
}

/// The most messages that are compared each with each; more must have an order that is known of all.
const MOST_COMPARED: usize = 2000;

impl Sequence {
    pub(crate) fn judge(&self, candidates: &[Candidate<Message>]) -> Constraint {
        let mut steps: Vec<Step<'_>> =
            candidates.iter().enumerate().filter_map(|(index, candidate)| self.step(index, candidate)).collect();
        // Where every message has a time.
        if steps.iter().all(|step| step.standing.moment.is_some()) {
            steps.sort_by_key(|step| step.standing.sort_key());
        }
        let in_order = is_one_order(&steps);
        let certain = if in_order || steps.len() <= MOST_COMPARED {
            self.chain(&steps, in_order, |answer| answer == Some(true), |before| before == Some(true))
        } else {
            Err(0)
        };
        let expected = Value::Array((0..self.0.len()).map(|item| json!(self.described(item))).collect());
        match certain {
            Ok(chain) => {
                let actual = chain.iter().filter_map(|&at| steps.get(at)).map(|step| json!(step.label)).collect();
                let result = FieldResult::constraint("$sequence", expected, Value::Array(actual), true);
                let last = chain.last().and_then(|&at| steps.get(at));
                let result = match last {
                    Some(last) => result.at(last.place.clone()),
                    None => result,
                };
                (Failure::OrderViolation, result)
            }
            Err(reached) => {
                let possible = !in_order && steps.len() > MOST_COMPARED
                    || self.chain(&steps, in_order, |answer| answer != Some(false), |b| b != Some(false)).is_ok();
                let actual = match possible && !in_order && steps.len() > MOST_COMPARED {
                    true => json!(format!("{} messages, too many of which have no order that is known", steps.len())),
                    false => json!(self.missing(&steps, reached, possible)),
                };
                let result = FieldResult::constraint("$sequence", expected, actual, false);
                let result = if possible { result.because(FieldReason::Undecidable) } else { result };
                (Failure::OrderViolation, result)
            }
        }
    }

    /// The step of the sequence that a message is, if it is any.
    fn step<'a>(&self, index: usize, candidate: &'a Candidate<Message>) -> Option<Step<'a>> {
        let place = candidate.source.place();
        let items = read(candidate, |message| {
            let sent = Sent { message, at: candidate.content.at.as_deref() };
            let is = |item: &Correlation| match item.select(&sent) {
                Selected::Yes => Some(true),
                Selected::No(_) => Some(false),
                Selected::Undecidable => None,
            };
            self.0.iter().map(is).collect::<Vec<_>>()
        })?;
        let any = items.iter().any(|item| *item != Some(false));
        any.then(|| Step { label: &candidate.label, standing: standing(index, candidate), place, items })
    }

    /// Messages for the items, each after the one before; else how many items were found so.
    fn chain(
        &self,
        steps: &[Step<'_>],
        in_order: bool,
        is: impl Fn(Option<bool>) -> bool,
        before: impl Fn(Option<bool>) -> bool,
    ) -> Result<Vec<usize>, usize> {
        // For every item, the messages that can end a chain up to it, each with the one before it.
        let mut ends: Vec<Vec<(usize, Option<usize>)>> = Vec::new();
        for item in 0..self.0.len() {
            let of_item = steps.iter().enumerate().filter(|(_, step)| step.items.get(item).is_some_and(|&i| is(i)));
            let previous = ends.last();
            let mut found: Vec<(usize, Option<usize>)> = Vec::new();
            for (at, step) in of_item {
                match previous {
                    None => found.push((at, None)),
                    Some(previous) => {
                        let follows = |&&(earlier, _): &&(usize, Option<usize>)| {
                            earlier != at
                                && steps
                                    .get(earlier)
                                    .is_some_and(|earlier| before(earlier.standing.before(&step.standing)))
                        };
                        if let Some(&(earlier, _)) = previous.iter().find(follows) {
                            found.push((at, Some(earlier)));
                        }
                    }
                }
                // Of messages in one known order the earliest is as good as any.
                if in_order && !found.is_empty() {
                    break;
                }
            }
            if found.is_empty() {
                return Err(item);
            }
            ends.push(found);
        }
        let mut at = ends.last().and_then(|found| found.first()).map(|&(at, _)| at);
        let mut chain = Vec::new();
        for found in ends.iter().rev() {
            let Some(here) = at else { break };
            chain.push(here);
            at = found.iter().find(|&&(end, _)| end == here).and_then(|&(_, earlier)| earlier);
        }
        chain.reverse();
        Ok(chain)
    }

    /// The first item that is not found after those before it, in words.
    fn missing(&self, steps: &[Step<'_>], reached: usize, undecidable: bool) -> String {
        let anywhere = steps.iter().find(|step| step.items.get(reached).is_some_and(|&item| item == Some(true)));
        match (reached.checked_sub(1), anywhere) {
            (Some(before), Some(step)) => {
                let follows = if undecidable { "is not known to come after" } else { "does not come after" };
                format!("{} has {}, and {follows} {}", step.label, self.described(reached), self.described(before))
            }
            _ => format!("no message has {}", self.described(reached)),
        }
    }

    /// An item in words that can be quoted: `message_type ORU^R01`.
    fn described(&self, item: usize) -> String {
        let described = self.0.get(item).map(Correlation::described).unwrap_or_default();
        described.trim_start_matches("with ").replace('"', "")
    }
}
