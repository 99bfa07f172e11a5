//! The words of `answer` for codes of X12.

use candor_json::{Value, json};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::scalar::{Amount, Text};

/// `coverage`: of a 271 whether there is some, of an 834 the line that HD03 names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    Active,
    Inactive,
    /// HD03, such as `HLT`.
    Line(String),
}

impl<'de> Deserialize<'de> for Coverage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Text(text) = Text::deserialize(deserializer)?;
        let is_line =
            (1..=3).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        match text.as_str() {
            "active" => Ok(Self::Active),
            "inactive" => Ok(Self::Inactive),
            _ if is_line => Ok(Self::Line(text)),
            _ => Err(D::Error::custom(format!(
                "`coverage` is {text:?}; expected `active` or `inactive` of a 271, or a line of coverage (HD03) of an 834, such as `HLT`"
            ))),
        }
    }
}

impl Coverage {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Active => "active",
            Self::Inactive => "inactive",
            Self::Line(line) => line,
        }
    }
}

/// `certified`: a decision, or what else HCR01 says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certified {
    Decided(bool),
    Pended,
    Modified,
}

impl<'de> Deserialize<'de> for Certified {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Bool(decided) => Ok(Self::Decided(decided)),
            Value::String(text) if text == "pended" => Ok(Self::Pended),
            Value::String(text) if text == "modified" => Ok(Self::Modified),
            other => Err(D::Error::custom(format!(
                "`certified` is {other}; expected true, false, \"pended\" or \"modified\""
            ))),
        }
    }
}

impl Certified {
    pub(super) fn written(self) -> Value {
        match self {
            Self::Decided(decided) => json!(decided),
            Self::Pended => json!("pended"),
            Self::Modified => json!("modified"),
        }
    }
}

/// `service`: the procedure of a 278, or a service line of a claim of an 835.
#[derive(Clone, Debug)]
pub(super) enum Service {
    Procedure(Text),
    Paid(Box<PaidService>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PaidService {
    pub(super) procedure: Text,
    pub(super) amount: Option<Amount>,
    pub(super) status: Option<LineStatus>,
}

/// `service.status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LineStatus {
    Paid,
    Denied,
}

impl LineStatus {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Denied => "denied",
        }
    }
}

impl<'de> Deserialize<'de> for Service {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            value @ Value::Object(_) => {
                let paid =
                    candor_json::from_value(value).map_err(|error| D::Error::custom(format!("`service`: {error}")))?;
                Ok(Self::Paid(Box::new(paid)))
            }
            value => candor_json::from_value(value).map(Self::Procedure).map_err(D::Error::custom),
        }
    }
}

impl Service {
    pub(super) fn written(&self) -> Value {
        match self {
            Self::Procedure(Text(procedure)) => json!(procedure),
            Self::Paid(paid) => {
                let mut members = candor_json::Map::new();
                members.insert("procedure".to_owned(), json!(paid.procedure.0));
                members.extend(paid.amount.as_ref().map(|amount| ("amount".to_owned(), amount.written.clone())));
                members.extend(paid.status.map(|status| ("status".to_owned(), json!(status.name()))));
                Value::Object(members)
            }
        }
    }
}

/// `level`: EB02.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Individual,
    Family,
}

impl Level {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Individual => "individual",
            Self::Family => "family",
        }
    }

    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Individual => "IND",
            Self::Family => "FAM",
        }
    }
}

/// `period`: EB06, by the names that an author writes.
const PERIODS: [(&str, &str); 19] = [
    ("hour", "6"),
    ("day", "7"),
    ("24_hours", "13"),
    ("years", "21"),
    ("service_year", "22"),
    ("calendar_year", "23"),
    ("year_to_date", "24"),
    ("contract", "25"),
    ("episode", "26"),
    ("visit", "27"),
    ("outlier", "28"),
    (REMAINING, "29"),
    ("exceeded", "30"),
    ("not_exceeded", "31"),
    ("lifetime", "32"),
    ("lifetime_remaining", "33"),
    ("month", "34"),
    ("week", "35"),
    ("admission", "36"),
];
const REMAINING: &str = "remaining";

/// One of [`PERIODS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Period {
    name: &'static str,
    code: &'static str,
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let known = PERIODS.iter().find(|(name, _)| *name == text).map(|&(name, code)| Self { name, code });
        known.ok_or_else(|| {
            let names: Vec<&str> = PERIODS.iter().map(|(name, _)| *name).collect();
            let near = candor_check::settings::nearest(&text, &names).map(|near| format!("; did you mean `{near}`?"));
            D::Error::custom(format!(
                "`period` is {text:?}; expected one of {}{}",
                names.join(", "),
                near.unwrap_or_default()
            ))
        })
    }
}

impl Period {
    pub(super) const fn name(self) -> &'static str {
        self.name
    }

    pub(super) const fn code(self) -> &'static str {
        self.code
    }
}

/// The name of a code of EB06, where it has one here.
pub(super) fn period_name(code: &str) -> Option<&'static str> {
    PERIODS.iter().find(|(_, known)| *known == code).map(|(name, _)| *name)
}
