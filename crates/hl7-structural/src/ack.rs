//! `ack`: the message was acknowledged, and how.

use std::collections::HashMap;

use candor_check::compare::Operator;
use candor_check::field::{FieldReason, FieldResult, Location};
use candor_hl7v2::{Message, Path};
use candor_json::{Value, json};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::correlation::first;
use crate::here::Here;
use crate::time;

/// The codes of HL7 table 0008.
const CODES: [&str; 6] = ["AA", "AE", "AR", "CA", "CE", "CR"];
const POSITIVE: [&str; 2] = ["AA", "CA"];

/// Who sent a message, and to whom.
const PARTIES: [&str; 4] = ["MSH.3.1", "MSH.4.1", "MSH.5.1", "MSH.6.1"];

/// The HL7 null, which is not an id.
pub(crate) const NULL: &str = "\"\"";

fn parties(message: &Message<'_>) -> [Option<String>; 4] {
    PARTIES.map(|path| Path::parse(path).ok().and_then(|path| first(&path, message)))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ack {
    /// There is an acknowledgment with one of these codes.
    With(Vec<String>),
    Without,
}

/// A message with an MSA segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acknowledgment {
    /// Its place.
    pub place: Location,
    /// MSA-1.
    pub code: Option<String>,
    /// MSA-2: MSH-10 of what it acknowledges.
    pub control_id: String,
    /// Who sent it and to whom, as far as it says so: MSH-3.1, MSH-4.1, MSH-5.1, MSH-6.1.
    pub parties: [Option<String>; 4],
    /// The text of ERR (or MSA-3).
    pub error: Option<String>,
    /// When it was sent, as far as it says so: MSH-7, of an event `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<String>,
}

/// A message that may have been acknowledged, whether it is meant or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acknowledged {
    /// MSH-10.
    pub control_id: String,
    /// Who sent it and to whom: MSH-3.1, MSH-4.1, MSH-5.1, MSH-6.1.
    pub parties: [Option<String>; 4],
    /// When it was sent.
    pub sent: Option<String>,
}

impl<'de> Deserialize<'de> for Ack {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let codes = match &value {
            Value::Bool(true) => return Ok(Self::With(POSITIVE.map(str::to_owned).to_vec())),
            Value::Bool(false) => return Ok(Self::Without),
            Value::Object(members) if members.len() == 1 && members.contains_key("code") => members.get("code"),
            Value::String(_) | Value::Array(_) => Some(&value),
            _ => None,
        };
        let codes = match codes {
            Some(Value::String(code)) => vec![code.clone()],
            Some(Value::Array(codes)) => codes.iter().filter_map(|code| code.as_str().map(str::to_owned)).collect(),
            _ => Vec::new(),
        };
        if codes.is_empty() || !codes.iter().all(|code| CODES.contains(&code.as_str())) {
            return Err(D::Error::custom(format!(
                "`ack` is {value}; expected true, false, or {{\"code\": …}} with one or several of {}",
                CODES.join(", ")
            )));
        }
        Ok(Self::With(codes))
    }
}

impl Acknowledgment {
    /// The acknowledgment in a message; `None` if the message does not acknowledge another.
    pub(crate) fn of(message: &Message<'_>, here: &Here<'_>) -> Option<Self> {
        let read = |path: &str| Path::parse(path).ok().and_then(|path| first(&path, message));
        let control_id = read("MSA.2").filter(|id| id != NULL)?;
        // ERR-1 until 2.4 (ELD, its code in component 4), ERR-3 from 2.5 (HL7 v2.8.2, 2.14.5).
        let error = ["ERR.3", "ERR.1", "ERR.8", "MSA.3"].iter().find_map(|path| read(path));
        let (sent, place) = (sent(message, here.at()), here.place().clone());
        Some(Self { place, code: read("MSA.1"), control_id, parties: parties(message), error, sent })
    }

    /// True if it may answer a message: its sender and receiver are those of the message the other way round, where
    /// both name them (HL7 v2.8.2, 2.9.2), and it is not known to be older, by more than clocks differ.
    fn may_answer(&self, parties: &[Option<String>; 4], sent: Option<&str>) -> bool {
        self.other_party(parties).is_none() && !self.is_older(sent)
    }

    /// The first of its parties that is not as the message says.
    fn other_party(&self, [application, facility, to_application, to_facility]: &[Option<String>; 4]) -> Option<Party> {
        let wanted = [to_application, to_facility, application, facility];
        let pairs = PARTIES.iter().zip(wanted.into_iter().zip(&self.parties));
        let differs = |(wanted, said): &(&Option<String>, &Option<String>)| {
            wanted.as_ref().zip(said.as_ref()).is_some_and(|(wanted, said)| wanted != said)
        };
        pairs.filter(|(_, pair)| differs(pair)).map(|(path, (wanted, said))| (*path, json!(wanted), json!(said))).next()
    }

    fn is_older(&self, sent: Option<&str>) -> bool {
        let read = |text: Option<&str>| text.and_then(time::read);
        let (own, message) = (read(self.sent.as_deref()), read(sent));
        own.zip(message).is_some_and(|(own, message)| own.precedes(&message))
    }
}

type Party = (&'static str, Value, Value);

impl Acknowledged {
    pub(crate) fn of(message: &Message<'_>, at: Option<&str>) -> Option<Self> {
        let control_id = Path::parse("MSH.10").ok().and_then(|path| first(&path, message)).filter(|id| id != NULL)?;
        Some(Self { control_id, parties: parties(message), sent: sent(message, at) })
    }
}

/// When a message was sent: of an event when it was recorded, else MSH-7.
fn sent(message: &Message<'_>, at: Option<&str>) -> Option<String> {
    at.map(str::to_owned).or_else(|| first(&Path::parse("MSH.7.1").ok()?, message))
}

/// Acknowledgments by MSA-2, and the messages that they may answer by MSH-10.
#[derive(Default)]
pub(crate) struct Answers<'a> {
    by_id: HashMap<&'a str, Vec<&'a Acknowledgment>>,
    messages: HashMap<&'a str, Vec<&'a Acknowledged>>,
}

impl<'a> Answers<'a> {
    pub(crate) fn new(all: &'a [Acknowledgment], messages: &'a [Acknowledged]) -> Self {
        let mut answers = Self::default();
        for ack in all {
            answers.by_id.entry(&ack.control_id).or_default().push(ack);
        }
        for message in messages {
            answers.messages.entry(&message.control_id).or_default().push(message);
        }
        answers
    }

    /// True if these acknowledgments may answer more messages than there are acknowledgments.
    fn are_too_few(&self, ours: &[&Acknowledgment]) -> bool {
        let Some(first) = ours.first() else { return false };
        let of = self.messages.get(first.control_id.as_str()).map(Vec::as_slice).unwrap_or_default();
        let may_be =
            |message: &&&Acknowledged| ours.iter().any(|ack| ack.may_answer(&message.parties, message.sent.as_deref()));
        of.iter().filter(may_be).count() > ours.len()
    }
}

/// True if a message is nothing but an acknowledgment: it is not acknowledged itself.
pub(crate) fn is_acknowledgment(message: &Message<'_>) -> bool {
    message.segments().any(|segment| &segment.id() == b"MSA")
        && Path::parse("MSH.9.1")
            .is_ok_and(|path| first(&path, message).is_some_and(|code| code == "ACK" || code == "MCF"))
}

impl Ack {
    pub(crate) fn judge(
        &self,
        message: &Message<'_>,
        at: Option<&str>,
        all: &Answers<'_>,
        place: &Location,
    ) -> Vec<FieldResult> {
        let read = |path: &str| Path::parse(path).ok().and_then(|path| first(&path, message));
        let control_id = read("MSH.10").filter(|id| id != NULL);
        let Some(control_id) = control_id else {
            if *self == Self::Without {
                return vec![FieldResult::constraint("ack.MSA.2", Value::Null, Value::Null, true).at(place.clone())];
            }
            let nothing = FieldResult::constraint("ack.MSA.2", json!("the MSH-10 of the message"), Value::Null, false);
            return vec![nothing.at(place.clone())];
        };
        let same = all.by_id.get(control_id.as_str()).map(Vec::as_slice).unwrap_or_default();
        // A control id is unique for one sender only, and the same message may go to several receivers.
        let (parties, sent) = (parties(message), sent(message, at));
        let ours: Vec<&Acknowledgment> =
            same.iter().copied().filter(|ack| ack.may_answer(&parties, sent.as_deref())).collect();
        let open = |result: FieldResult| match all.are_too_few(&ours) {
            true => FieldResult { passed: false, ..result }.because(FieldReason::Undecidable),
            false => result,
        };
        let Self::With(codes) = self else {
            let found = ours.first().map(|ack| json!(ack.control_id));
            let at = ours.first().map_or(place, |ack| &ack.place).clone();
            let none =
                FieldResult::constraint("ack.MSA.2", Value::Null, found.clone().unwrap_or_default(), found.is_none());
            return vec![open(none.at(at))];
        };
        let Some(found) = ours.first() else {
            let mut results =
                vec![FieldResult::constraint("ack.MSA.2", json!(control_id), Value::Null, false).at(place.clone())];
            let other = |ack: &&Acknowledgment| Some((ack.place.clone(), ack.other_party(&parties)?));
            if let Some((at, (path, wanted, said))) = same.iter().find_map(other) {
                results.push(FieldResult::constraint(format!("ack.{path}"), wanted, said, false).at(at));
            } else if let Some(older) = same.first() {
                let older_at = older.place.clone();
                let time = FieldResult::constraint("ack.MSH.7", json!(sent), json!(older.sent), false);
                results.push(time.with_operator(Operator::GreaterOrEqual).at(older_at));
            }
            return results;
        };
        let identified = FieldResult::constraint("ack.MSA.2", json!(control_id), json!(found.control_id), true);
        vec![open(identified.at(found.place.clone())), code(codes, &ours)]
    }
}

/// Judges the code of the acknowledgments. An application acknowledgment outranks one that only confirms that the
/// message was kept.
fn code(codes: &[String], ours: &[&Acknowledgment]) -> FieldResult {
    let is_application = |ack: &&&Acknowledgment| ack.code.as_ref().is_some_and(|code| code.starts_with('A'));
    let application: Vec<&Acknowledgment> = ours.iter().filter(is_application).copied().collect();
    let deciding = if application.is_empty() { ours } else { application.as_slice() };
    let holds = |ack: &&Acknowledgment| ack.code.as_ref().is_some_and(|code| codes.contains(code));
    let expected = match codes {
        [code] => json!(code),
        codes => json!(codes),
    };
    let passed = deciding.iter().all(holds);
    let mut said: Vec<Value> = Vec::new();
    for ack in deciding {
        let said_here = match &ack.error {
            Some(error) if !passed => json!(format!("{} ({error})", ack.code.as_deref().unwrap_or("no code"))),
            _ => json!(ack.code),
        };
        if !said.contains(&said_here) {
            said.push(said_here);
        }
    }
    let actual = if said.len() == 1 { said.pop().unwrap_or_default() } else { Value::Array(said) };
    let shown = deciding.iter().find(|ack| !holds(ack)).or(deciding.first());
    let operator = if codes.len() == 1 { Operator::Equals } else { Operator::In };
    let result = FieldResult::constraint("ack.MSA.1", expected, actual, passed).with_operator(operator);
    match shown {
        Some(shown) => result.at(shown.place.clone()),
        None => result,
    }
}
