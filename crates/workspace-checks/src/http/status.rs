//! The expected statuses, a member that both kinds have.

use candor_check::review::{Weakness, WeaknessKind};
use candor_json::{Value, json};
use serde::{Deserialize, Deserializer};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statuses(Vec<Status>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Is(u16),
    /// The first digit.
    Class(u16),
}

impl Default for Statuses {
    /// Success. Source: RFC 9110, 15.3.
    fn default() -> Self {
        Self(vec![Status::Class(2)])
    }
}

impl<'de> Deserialize<'de> for Statuses {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let all = match &value {
            Value::Array(values) if !values.is_empty() => values.iter().map(status).collect::<Result<_, _>>(),
            one => status(one).map(|one| vec![one]),
        };
        all.map(Self).map_err(serde::de::Error::custom)
    }
}

fn status(value: &Value) -> Result<Status, String> {
    let wrong =
        || format!("{value} is not a status; write a code from 100 to 599, a class as in \"2xx\", or several of them");
    if let Some(code) = value.as_u64() {
        let code = u16::try_from(code).ok().filter(|code| (100..600).contains(code));
        return code.map(Status::Is).ok_or_else(wrong);
    }
    let class = value.as_str().and_then(|text| text.strip_suffix("xx")).and_then(|digit| digit.parse::<u16>().ok());
    class.filter(|class| (1..=5).contains(class)).map(Status::Class).ok_or_else(wrong)
}

impl Statuses {
    pub(super) fn allow(&self, code: u16) -> bool {
        self.0.iter().any(|status| match status {
            Status::Is(known) => *known == code,
            Status::Class(class) => code / 100 == *class,
        })
    }

    /// Where every status is one of them, which asserts no more than that there is an answer.
    pub(super) fn weakness(&self) -> Option<Weakness> {
        let message =
            "every status is one of them, that of an error too; write the one that is asked for, as in \"2xx\"";
        // A status before 200 is not a final answer.
        let all = (200..600).all(|code| self.allow(code));
        all.then(|| Weakness::new(WeaknessKind::AlwaysHolds, "status", message))
    }

    pub(super) fn to_value(&self) -> Value {
        let value = |status: &Status| match status {
            Status::Is(code) => json!(code),
            Status::Class(class) => json!(format!("{class}xx")),
        };
        match self.0.as_slice() {
            [one] => value(one),
            several => several.iter().map(value).collect(),
        }
    }
}
