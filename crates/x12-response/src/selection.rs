//! Which transaction sets are meant: `transaction`, `guide` and `correlate_by`.

use candor_check::compare::References;
use candor_check::evidence::quoted;
use candor_check::field::{Expected, Field, FieldResult, Location, Quantifier, ReadFrom};
use candor_check::records::NearMiss;
use candor_check::settings::nearest;
use candor_json::{Map, Value, json};
use candor_x12::{Path, SetHead, Value as TextValue};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::answer::Subject;
use crate::path::{ReadSet, SetPath};

/// The transactions that a selection can name: ST01, and the one segment outside of sets.
pub(crate) const TRANSACTIONS: [&str; 14] =
    ["270", "271", "275", "276", "277", "278", "820", "824", "834", "835", "837", "997", "999", TA1];
const TA1: &str = "TA1";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transaction {
    /// ST to SE with this ST01.
    Set(&'static str),
    Ta1,
}

impl<'de> Deserialize<'de> for Transaction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        // YAML reads 271 as a number where its author has left the quotation marks out.
        let name = match &value {
            Value::String(name) => name.clone(),
            Value::Number(number) => number.to_string(),
            other => {
                return Err(D::Error::custom(format!("`transaction` is {other}; expected a string such as \"271\"")));
            }
        };
        match TRANSACTIONS.iter().find(|known| **known == name) {
            Some(&TA1) => Ok(Self::Ta1),
            Some(known) => Ok(Self::Set(known)),
            None => {
                let near = nearest(&name, &TRANSACTIONS).map(|near| format!("; did you mean `{near}`?"));
                Err(D::Error::custom(format!(
                    "`transaction` is `{name}`; expected one of {}{}",
                    TRANSACTIONS.join(", "),
                    near.unwrap_or_default()
                )))
            }
        }
    }
}

/// `guide`: how ST03, or GS08 where it is absent, begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guide(pub(crate) String);

impl<'de> Deserialize<'de> for Guide {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let fits = !text.is_empty()
            && text.len() <= 35
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        if fits {
            return Ok(Self(text));
        }
        Err(D::Error::custom(format!(
            "`guide` is {text:?}; expected the beginning of a guide's identifier, such as \"005010X214\""
        )))
    }
}

/// `correlate_by`: paths with the values they must equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Correlation(pub(crate) Vec<Field<SetPath>>);

impl<'de> Deserialize<'de> for Correlation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::deserialize(deserializer)?;
        let field = |(path, value): (String, Value)| {
            if matches!(value, Value::Bool(_) | Value::Array(_) | Value::Object(_)) {
                return Err(format!(
                    "`{path}` is {value}, which no text of a segment equals; expected a text, a number or null"
                ));
            }
            Field::equals(&path, value).map(Field::where_empty_is_nothing)
        };
        members.into_iter().map(field).collect::<Result<_, _>>().map(Self).map_err(D::Error::custom)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) transaction: Option<Transaction>,
    pub(crate) guide: Option<Guide>,
    pub(crate) correlation: Correlation,
    pub(crate) subject: Subject,
}

impl Selection {
    pub(crate) fn asks_for_ta1(&self) -> bool {
        self.transaction == Some(Transaction::Ta1)
    }

    /// ST01 of what is asked for, or TA1.
    pub(crate) fn transaction_name(&self) -> Option<&'static str> {
        self.transaction.map(|transaction| match transaction {
            Transaction::Set(name) => name,
            Transaction::Ta1 => TA1,
        })
    }

    fn named(&self) -> usize {
        usize::from(self.transaction.is_some()) + usize::from(self.guide.is_some())
    }

    pub(crate) fn number(&self) -> usize {
        self.named() + self.correlation.0.len() + self.subject.number()
    }

    /// Returns `true` if both ask for the same transaction of the same guide.
    pub(crate) fn is_of_kind(&self, other: &Self) -> bool {
        self.transaction == other.transaction && self.guide == other.guide
    }

    /// A text, and the number and path of its field, that every set has that is meant: of a field that a value meets if it
    /// is this text, byte for byte. A path through loops decides nothing where these are not known.
    pub(crate) fn wanted_text(&self) -> Option<(usize, &Path, &str)> {
        let fields = self.correlation.0.iter().enumerate().filter(|_| !self.asks_for_ta1());
        let wanted = fields.filter_map(|(number, field)| {
            let is_plain = field.rules.is_empty() && field.read_as.is_none() && !field.absent_passes;
            match &field.expected {
                Expected::Equals(Value::String(text)) if is_plain && field.quantifier == Quantifier::Any => {
                    Some((number, field.path.path()?, text.as_str()))
                }
                _ => None,
            }
        });
        wanted.min_by_key(|(_, path, _)| !path.loops().is_empty())
    }

    /// The first condition that a set's ST or GS does not meet, and how many it meets before.
    pub(crate) fn unmet(&self, head: &SetHead<'_>, transaction: &str) -> Option<(Unmet<'_>, usize)> {
        if let Some(Transaction::Set(wanted)) = self.transaction
            && transaction != wanted
        {
            return Some((Unmet::Transaction(wanted), 0));
        }
        let Guide(wanted) = self.guide.as_ref()?;
        let met = usize::from(self.transaction.is_some());
        (!head.guide().starts_with(wanted.as_str())).then_some((Unmet::Guide(wanted), met))
    }

    /// Selects by `correlate_by`, the member and the claim. `values` are those of a field, by its number.
    pub(crate) fn correlates<'v>(
        &self,
        set: &ReadSet<'_>,
        values: impl Fn(usize) -> Option<&'v [TextValue<'v>]>,
    ) -> Correlated {
        let (mut met, mut fails, mut open) = (0, false, false);
        for (number, field) in self.correlation.0.iter().enumerate() {
            match set.decides(field, || values(number)) {
                Some(true) => met += 1,
                Some(false) => fails = true,
                None => open = true,
            }
        }
        match (fails, open) {
            (false, true) => Correlated::Open,
            (false, false) if self.subject.is_in(set) => Correlated::Yes,
            _ => Correlated::No(met + self.named()),
        }
    }

    /// The conditions that [`Selection::correlates`] looks at, as results: those of `correlate_by`, and of the member and the
    /// claim what does not hold.
    pub(crate) fn results(&self, set: &ReadSet<'_>, place: &Location) -> Vec<FieldResult> {
        let references = References::default();
        let reading = ReadFrom { locator: &place.locator, span: place.span, references: &references };
        let results: Vec<FieldResult> = self.correlation.0.iter().map(|field| set.evaluate(field, reading)).collect();
        if results.iter().any(|result| !result.passed) {
            return results;
        }
        results.into_iter().chain(self.subject.missing(set, place)).collect()
    }

    /// The near miss of a set whose ST or GS does not meet a condition.
    pub(crate) fn miss(
        &self,
        (unmet, met): (Unmet<'_>, usize),
        head: &SetHead<'_>,
        place: Location,
        label: String,
    ) -> NearMiss {
        let (path, expected, actual) = match unmet {
            Unmet::Transaction(wanted) => ("ST.1", wanted, json!(head.st.text(1))),
            Unmet::Guide(wanted) if head.st.text(3).is_empty() => ("GS.8", wanted, json!(head.guide())),
            Unmet::Guide(wanted) => ("ST.3", wanted, json!(head.guide())),
        };
        let matched = (met, self.number());
        NearMiss { place, label, path: path.to_owned(), expected: json!(expected), actual, matched }
    }

    /// The near miss of a set that is what was asked for, but for `correlate_by`.
    pub(crate) fn miss_of(&self, results: &[FieldResult], place: Location, label: String) -> Option<NearMiss> {
        let near = NearMiss::of(place, label, results)?;
        Some(NearMiss { matched: (near.matched.0 + self.named(), self.number()), ..near })
    }

    pub(crate) fn described(&self) -> String {
        let mut parts = Vec::new();
        if let Some(Transaction::Set(id)) = self.transaction {
            parts.push(format!("ST.1 {id:?}"));
        }
        if let Some(Guide(guide)) = &self.guide {
            parts.push(format!("guide {guide:?}"));
        }
        parts.extend(self.correlation.0.iter().map(|field| {
            let value =
                if field.expected_value.is_null() { "nothing".to_owned() } else { quoted(&field.expected_value) };
            format!("{} {value}", field.path_text)
        }));
        parts.extend(self.subject.described());
        if parts.is_empty() { String::new() } else { format!("with {}", parts.join(", ")) }
    }
}

/// A condition that a set's ST or GS does not meet, with what it asks for.
pub(crate) enum Unmet<'s> {
    Transaction(&'static str),
    Guide(&'s str),
}

pub(crate) enum Correlated {
    Yes,
    /// A condition does not hold. How many do.
    No(usize),
    /// The set does not tell.
    Open,
}
