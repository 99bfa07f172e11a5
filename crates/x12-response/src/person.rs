//! Whom a set speaks of: the patients of an inquiry, a claim or an answer, each with its trace numbers and claims.

use candor_check::compare::{Date, DateForm};
use candor_x12::Segment;
use serde::{Deserialize, Serialize};

/// The levels of HL that are patients: subscriber, dependent, and the patient of a 277CA.
const LEVELS: [&str; 3] = ["22", "23", "PT"];
/// The levels around them; everything below a patient (an event, a service) is the patient's.
const AROUND: [&str; 3] = ["20", "21", "19"];
/// NM101 of subscriber, patient and dependent.
const NAMES: [&str; 3] = ["IL", "QC", "03"];

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Person {
    /// NM109, with NM108 before it.
    pub(crate) id: Option<(String, String)>,
    /// NM103 and NM104.
    pub(crate) last: String,
    pub(crate) first: String,
    /// DMG02.
    pub(crate) born: String,
    /// Below a subscriber, whose number a dependent may have.
    pub(crate) dependent: bool,
    /// TRN02.
    pub(crate) traces: Vec<String>,
    /// CLM01, CLP01.
    pub(crate) claims: Vec<String>,
}

/// The patients of a set: those of its HL levels; of an 835 one for each claim.
///
/// `answers`: of the trace numbers only those count that are repeated from a request (TRN01 2).
pub(crate) fn of(segments: &[Segment<'_>], answers: bool) -> Vec<Person> {
    let mut persons: Vec<Person> = Vec::new();
    let mut open = false;
    for segment in segments {
        let text = |element| segment.text(element).into_owned();
        match segment.id().as_str() {
            "HL" => {
                let level = segment.text(3);
                if LEVELS.contains(&&*level) {
                    persons.push(Person { dependent: &*level == "23", ..Person::default() });
                    open = true;
                } else if AROUND.contains(&&*level) {
                    open = false;
                }
                continue;
            }
            "CLP" => {
                persons.push(Person::default());
                open = true;
            }
            _ => {}
        }
        let Some(person) = persons.last_mut().filter(|_| open) else { continue };
        match segment.id().as_str() {
            // The first name of a level is the patient's; those that follow are of other people around a claim.
            "NM1" if person.last.is_empty() && person.id.is_none() && NAMES.contains(&&*segment.text(1)) => {
                person.id = Some((text(8), text(9))).filter(|(_, number)| !number.is_empty());
                (person.last, person.first) = (text(3), text(4));
            }
            "DMG" if person.born.is_empty() => person.born = text(2),
            "TRN" if !answers || &*segment.text(1) == "2" => person.traces.push(text(2)),
            "CLM" | "CLP" => person.claims.push(text(1)),
            _ => {}
        }
    }
    persons
}

/// How a person of an answer differs from that of the request: the element, what the request has and what the answer has.
pub(crate) type Difference = (&'static str, String, String);

impl Person {
    /// How another, of an answer, differs; nothing where it may be the same person.
    ///
    /// The number decides where both have one of one kind and neither is a dependent; else the name and the day of birth.
    pub(crate) fn difference(&self, answered: &Self) -> Option<Difference> {
        let numbers = self.id.as_ref().zip(answered.id.as_ref()).filter(|((kind, _), (other, _))| {
            !self.dependent && !answered.dependent && (kind == other || kind.is_empty() || other.is_empty())
        });
        if let Some(((_, own), (_, other))) = numbers {
            return (!own.eq_ignore_ascii_case(other)).then(|| ("NM1.9", own.clone(), other.clone()));
        }
        let names = [("NM1.3", &self.last, &answered.last), ("NM1.4", &self.first, &answered.first)];
        let name = names.into_iter().find(|(_, own, other)| !may_be_alike(own, other));
        let by_name = name.map(|(path, own, other)| (path, own.clone(), other.clone()));
        let day = |text: &str| Date::parse(text, DateForm::X12);
        let born = day(&self.born).zip(day(&answered.born)).is_some_and(|(own, other)| own.bounds() != other.bounds());
        by_name.or_else(|| born.then(|| ("DMG.2", self.born.clone(), answered.born.clone())))
    }
}

/// True if two names may be one: they differ only in case, punctuation and further names. A missing name may be any
/// name.
fn may_be_alike(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let text: String = text.chars().filter(|c| !matches!(c, '\'' | '.' | ',')).collect();
        text.to_lowercase().split([' ', '-']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    one.iter().zip(&other).all(|(one, other)| one == other)
}
