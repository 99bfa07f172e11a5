//! `ack`: the message was acknowledged, and how.

use std::collections::HashMap;

use candor_check::compare::Operator;
use candor_check::field::{FieldResult, Location};
use candor_hl7v2::{Message, Path};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use crate::correlation::first;

/// The codes of HL7 table 0008.
const CODES: [&str; 6] = ["AA", "AE", "AR", "CA", "CE", "CR"];
const POSITIVE: [&str; 2] = ["AA", "CA"];

/// Who sent a message, and to whom.
const PARTIES: [&str; 4] = ["MSH.3.1", "MSH.4.1", "MSH.5.1", "MSH.6.1"];

/// The HL7 null is no id.
pub(crate) const NULL: &str = "\"\"";

fn parties(message: &Message<'_>) -> [Option<String>; 4] {
    PARTIES.map(|path| Path::parse(path).ok().and_then(|path| first(&path, message)))
}

/// What is asserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ack {
    /// There is an acknowledgment with one of these codes.
    With(Vec<String>),
    /// There is none at all.
    Without,
}

/// A message with an MSA segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acknowledgment {
    /// Where it stands.
    pub place: Location,
    /// MSA-1.
    pub code: Option<String>,
    /// MSA-2: MSH-10 of what it acknowledges.
    pub control_id: String,
    /// Who sent it and to whom, as far as it says so: MSH-3.1, MSH-4.1, MSH-5.1, MSH-6.1.
    pub parties: [Option<String>; 4],
    /// What ERR (or MSA-3) says.
    pub error: Option<String>,
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
    /// What a message acknowledges, if it does.
    pub(crate) fn of(message: &Message<'_>, place: &Location) -> Option<Self> {
        let read = |path: &str| Path::parse(path).ok().and_then(|path| first(&path, message));
        let control_id = read("MSA.2").filter(|id| id != NULL)?;
        // ERR-1 until 2.4 (ELD, its code in component 4), ERR-3 from 2.5 (HL7 v2.8.2, 2.14.5).
        let error = ["ERR.3", "ERR.1", "ERR.8", "MSA.3"].iter().find_map(|path| read(path));
        Some(Self { place: place.clone(), code: read("MSA.1"), control_id, parties: parties(message), error })
    }
}

/// Acknowledgments by MSA-2.
pub(crate) type ByControlId<'a> = HashMap<&'a str, Vec<&'a Acknowledgment>>;

pub(crate) fn by_control_id(all: &[Acknowledgment]) -> ByControlId<'_> {
    let mut by_control_id = ByControlId::new();
    for ack in all {
        by_control_id.entry(&ack.control_id).or_default().push(ack);
    }
    by_control_id
}

/// Whether a message is nothing but an acknowledgment: it is not acknowledged itself.
pub(crate) fn is_acknowledgment(message: &Message<'_>) -> bool {
    message.segments().any(|segment| &segment.id() == b"MSA")
        && Path::parse("MSH.9.1")
            .is_ok_and(|path| first(&path, message).is_some_and(|code| code == "ACK" || code == "MCF"))
}

impl Ack {
    pub(crate) fn judge(&self, message: &Message<'_>, all: &ByControlId<'_>, place: &Location) -> Vec<FieldResult> {
        let read = |path: &str| Path::parse(path).ok().and_then(|path| first(&path, message));
        let control_id = read("MSH.10").filter(|id| id != NULL);
        let Some(control_id) = control_id else {
            if *self == Self::Without {
                return vec![FieldResult::constraint("ack.MSA.2", Value::Null, Value::Null, true).at(place.clone())];
            }
            let nothing = FieldResult::constraint("ack.MSA.2", json!("the MSH-10 of the message"), Value::Null, false);
            return vec![nothing.at(place.clone())];
        };
        let same = all.get(control_id.as_str()).map(Vec::as_slice).unwrap_or_default();
        // A control id is unique for one sender only, and the same message may go to several receivers: who acknowledges
        // has sender and receiver the other way round (HL7 v2.8.2, 2.9.2).
        let [application, facility, to_application, to_facility] = parties(message);
        let wanted = [to_application, to_facility, application, facility];
        let other = |ack: &Acknowledgment| {
            let pairs = PARTIES.iter().zip(wanted.iter().zip(&ack.parties));
            let differs = |(wanted, said): &(&Option<String>, &Option<String>)| {
                wanted.as_ref().zip(said.as_ref()).is_some_and(|(wanted, said)| wanted != said)
            };
            pairs
                .filter(|(_, pair)| differs(pair))
                .map(|(path, (wanted, said))| (*path, json!(wanted), json!(said)))
                .next()
        };
        let ours: Vec<&Acknowledgment> = same.iter().copied().filter(|ack| other(ack).is_none()).collect();
        let Self::With(codes) = self else {
            let found = ours.first().map(|ack| json!(ack.control_id));
            let at = ours.first().map_or(place, |ack| &ack.place).clone();
            let none =
                FieldResult::constraint("ack.MSA.2", Value::Null, found.clone().unwrap_or_default(), found.is_none());
            return vec![none.at(at)];
        };
        let Some(found) = ours.first() else {
            let mut results =
                vec![FieldResult::constraint("ack.MSA.2", json!(control_id), Value::Null, false).at(place.clone())];
            if let Some((ack, (path, wanted, said))) = same.iter().copied().find_map(|ack| Some((ack, other(ack)?))) {
                let party = FieldResult::constraint(format!("ack.{path}"), wanted, said, false);
                results.push(party.at(ack.place.clone()));
            }
            return results;
        };
        let identified = FieldResult::constraint("ack.MSA.2", json!(control_id), json!(found.control_id), true);
        vec![identified.at(found.place.clone()), code(codes, &ours)]
    }
}

/// What the acknowledgments say. An application acknowledgment outranks one that only says the message was kept.
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
