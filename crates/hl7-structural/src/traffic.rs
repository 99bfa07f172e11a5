//! The assertions on all messages together: `unique` and `sequence`.

use std::collections::HashMap;

use candor_check::Failure;
use candor_check::field::{Field, FieldReason, FieldResult, Location};
use candor_check::records::{Candidate, Label, Standing};
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

/// The id and its sender by component: trailing and other delimiters make no other id.
const CONTROL_ID: [&str; 7] =
    ["MSH.10.1.1", "MSH.3.1.1", "MSH.3.2.1", "MSH.3.3.1", "MSH.4.1.1", "MSH.4.2.1", "MSH.4.3.1"];

/// The decoded texts at each path by which messages are compared.
type Texts = Vec<Vec<String>>;

impl Unique {
    pub(crate) fn judge(&self, candidates: &[Candidate<Message>]) -> Constraint {
        match self {
            Self::ControlId => {
                let paths: Vec<Path> = CONTROL_ID.iter().filter_map(|path| Path::parse(path).ok()).collect();
                let texts = |message: &hl7v2::Message<'_>| -> Option<Texts> {
                    let texts: Texts = paths.iter().map(|path| first(path, message).into_iter().collect()).collect();
                    texts.first()?.first().is_some_and(|id| id != NULL).then_some(texts)
                };
                once_each(["MSH.10", "ids", "nothing"], 1, candidates, texts)
            }
            Self::Values(paths) => {
                let named = paths.iter().map(|path| &*path.path_text).collect::<Vec<_>>().join(", ");
                let texts = |message: &hl7v2::Message<'_>| -> Option<Texts> {
                    let judging = Judging::new(message, None);
                    let of = |path: &Field<MessagePath>| match items::selected(path, &judging) {
                        SelectedValues::Known(values) => {
                            Some(values.iter().map(|value| value.text().text.into_owned()).collect())
                        }
                        SelectedValues::Unknown(_) => None,
                    };
                    paths.iter().map(of).collect()
                };
                once_each([&named, "values", "groups that are not known"], paths.len(), candidates, texts)
            }
        }
    }
}

/// Checks that no two messages agree on all texts, the first `shown` of which are quoted. One without any agrees with none
/// that has some; of several without any it is not known.
fn once_each(
    [named, kind, unknown]: [&str; 3],
    shown: usize,
    candidates: &[Candidate<Message>],
    texts: impl Fn(&hl7v2::Message<'_>) -> Option<Texts>,
) -> Constraint {
    let constraint = |actual: String, holds: Option<bool>, at: Option<&Candidate<Message>>| {
        let result = FieldResult::constraint(named, json!("once each"), json!(actual), holds == Some(true));
        let reason = holds.is_none().then_some(FieldReason::Undecidable);
        (Failure::CountMismatch, FieldResult { reason, source: at.map(|at| at.source.place()), ..result })
    };
    let mut sent: HashMap<Texts, &Candidate<Message>> = HashMap::new();
    let (mut without, mut open) = (Vec::new(), None);
    for candidate in candidates {
        match candidate.content.read().and_then(|message| texts(&message)) {
            None => open = open.or(Some(candidate)),
            Some(texts) if texts.iter().all(Vec::is_empty) => without.push(candidate),
            Some(texts) => {
                let shown: Vec<String> = texts.iter().take(shown).map(|texts| texts.join(" and ")).collect();
                if let Some(earlier) = sent.insert(texts, candidate) {
                    let actual = format!("{} in {} and in {}", shown.join(", "), earlier.label, candidate.label);
                    return constraint(actual, Some(false), Some(candidate));
                }
            }
        }
    }
    match (open, without.as_slice()) {
        (Some(first), _) => constraint(format!("{unknown} in {}", first.label), None, open),
        (None, [first, second, ..]) => {
            constraint(format!("nothing in {} and in {}", first.label, second.label), None, Some(*second))
        }
        _ => constraint(format!("{} different {kind}", sent.len()), Some(true), candidates.last()),
    }
}

struct Step<'a> {
    label: &'a Label,
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
                let source = chain.last().and_then(|&at| steps.get(at)).map(|last| last.place.clone());
                let result = FieldResult::constraint("$sequence", expected, Value::Array(actual), true);
                (Failure::OrderViolation, FieldResult { source, ..result })
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

    fn step<'a>(&self, index: usize, candidate: &'a Candidate<Message>) -> Option<Step<'a>> {
        let place = candidate.source.place();
        let message = candidate.content.read()?;
        let sent = Sent { message: &message, at: candidate.content.at.as_deref() };
        let is = |item: &Correlation| match item.select(&sent) {
            Selected::Yes => Some(true),
            Selected::No(_) => Some(false),
            Selected::Undecidable => None,
        };
        let items: Vec<Option<bool>> = self.0.iter().map(is).collect();
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
