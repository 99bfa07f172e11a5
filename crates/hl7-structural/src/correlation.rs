//! `correlate_by`: which messages are meant.

use std::borrow::Cow;

use candor_check::compare::{Comparison, Date, DateForm, Operator, Order, References, Zone};
use candor_check::field::{Expected, Field, FieldReason, FieldResult, Location, Quantifier, ReadFrom};
use candor_check::settings::nearest;
use candor_hl7v2::{Message, Path};
use candor_json::{Map, Value, json};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::items;
use crate::path::MessagePath;

/// The conditions of `correlate_by`; all must hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Correlation {
    conditions: Vec<Condition>,
}

#[derive(Clone, Debug)]
enum Condition {
    Field(Box<Field<MessagePath>>),
    MessageType(MessageType),
    Time(TimeBound),
}

/// `message_type`: MSH-9 by its components, as many as are given.
#[derive(Clone, Debug)]
struct MessageType {
    text: String,
    whole: Path,
    components: Vec<(Path, String)>,
}

/// `since`, not before what was written, or `until`, not after it.
#[derive(Clone, Debug)]
struct TimeBound {
    key: &'static str,
    text: String,
    date: Date,
    zone: Option<Zone>,
    time: Path,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    Yes,
    /// A condition does not hold. How many do.
    No(usize),
    Undecidable,
}

pub(crate) struct Sent<'a> {
    pub(crate) message: &'a Message<'a>,
    /// When an event was recorded; messages of files say it in MSH-7.
    pub(crate) at: Option<&'a str>,
}

const SHORT: [&str; 4] = ["message_type", "control_id", "since", "until"];

impl<'de> Deserialize<'de> for Correlation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::deserialize(deserializer)?;
        let conditions = members.into_iter().map(|(key, value)| condition(&key, value));
        let conditions: Vec<Condition> = conditions.collect::<Result<_, _>>().map_err(D::Error::custom)?;
        let bound = |key: &str| {
            conditions.iter().find_map(|condition| match condition {
                Condition::Time(bound) if bound.key == key => Some(bound),
                _ => None,
            })
        };
        if let Some((since, until)) = bound("since").zip(bound("until"))
            && since.date.ordered(Order::LessOrEqual, &until.date, None) == Comparison::Fails
        {
            let (since, until) = (&since.text, &until.text);
            return Err(D::Error::custom(format!("`since` {since} is after `until` {until}, which no message can be")));
        }
        Ok(Self { conditions })
    }
}

fn condition(key: &str, value: Value) -> Result<Condition, String> {
    let field = |path: &str, value: Value| {
        if matches!(value, Value::Bool(_) | Value::Array(_) | Value::Object(_)) {
            return Err(format!(
                "`{key}` is {value}, which no text of a message equals; expected a text, a number or null"
            ));
        }
        let mut field = Field::equals(path, value)?.where_empty_is_nothing();
        key.clone_into(&mut field.path_text);
        Ok(Condition::Field(Box::new(field)))
    };
    let text = |value: &Value| {
        value.as_str().map(str::to_owned).ok_or_else(|| format!("`{key}` is {value}; expected a string"))
    };
    match key {
        "message_type" => MessageType::parse(text(&value)?).map(Condition::MessageType),
        "since" => TimeBound::parse("since", text(&value)?).map(Condition::Time),
        "until" => TimeBound::parse("until", text(&value)?).map(Condition::Time),
        "control_id" => match &value {
            Value::String(id) if !id.is_empty() => field("MSH.10", value),
            Value::Number(_) => field("MSH.10", value),
            other => Err(format!("`control_id` is {other}; expected the text of MSH-10")),
        },
        path => field(path, value).map_err(|error| match nearest(path, &SHORT) {
            Some(near) => format!("`{path}` is neither a path nor a short key; did you mean `{near}`?"),
            None if path.chars().all(|c| c.is_ascii_lowercase() || c == '_') => {
                format!("`{path}` is neither a path nor one of {}", SHORT.map(|key| format!("`{key}`")).join(", "))
            }
            None => error,
        }),
    }
}

impl MessageType {
    fn parse(text: String) -> Result<Self, String> {
        let parts: Vec<String> = text.split('^').map(str::to_owned).collect();
        if parts.len() > 3 || parts.iter().any(String::is_empty) {
            return Err(format!("`message_type` is {text:?}; expected a message type such as `ADT` or `ADT^A01`"));
        }
        let path = |path: &str| Path::parse(path).map_err(|error| error.to_string());
        let components = ["MSH.9.1", "MSH.9.2", "MSH.9.3"].iter().zip(parts);
        let components = components.map(|(at, part)| Ok((path(at)?, part))).collect::<Result<_, String>>()?;
        Ok(Self { whole: path("MSH.9")?, components, text })
    }

    fn holds(&self, sent: &Sent<'_>) -> bool {
        self.components.iter().all(|(path, part)| text(path, sent.message).is_some_and(|text| text == part.as_str()))
    }

    fn judge(&self, sent: &Sent<'_>, place: &Location) -> FieldResult {
        let actual = first(&self.whole, sent.message);
        FieldResult::constraint("message_type", json!(self.text), json!(actual), self.holds(sent)).at(place.clone())
    }
}

impl TimeBound {
    fn parse(key: &'static str, text: String) -> Result<Self, String> {
        let date = read(&text);
        let date = date.ok_or_else(|| {
            format!("`{key}` is {text:?}; expected a date or time such as 2026-11-20T10:00:00Z or 20261120100000+0000")
        })?;
        let time = Path::parse("MSH.7.1").map_err(|error| error.to_string())?;
        Ok(Self { key, text, date, zone: None, time })
    }

    fn written<'s>(&'s self, sent: &'s Sent<'_>) -> Option<Cow<'s, str>> {
        sent.at.map(Cow::Borrowed).or_else(|| text(&self.time, sent.message))
    }

    /// How the time that is written is to the bound; `None` where it is not a time.
    fn answer(&self, written: Option<&str>) -> Option<Comparison> {
        let asserted = if self.key == "since" { Order::GreaterOrEqual } else { Order::LessOrEqual };
        written.and_then(read).map(|date| date.ordered(asserted, &self.date, self.zone.as_ref()))
    }

    fn judge(&self, sent: &Sent<'_>, place: &Location) -> FieldResult {
        let written = self.written(sent);
        let operator = if self.key == "since" { Operator::GreaterOrEqual } else { Operator::LessOrEqual };
        let answer = self.answer(written.as_deref());
        let holds = answer == Some(Comparison::Holds);
        let result = FieldResult::constraint(self.key, json!(self.text), json!(written), holds)
            .with_operator(operator)
            .at(place.clone());
        match (answer, written) {
            (Some(Comparison::Holds | Comparison::Fails), _) => result,
            (Some(_), _) => result.because(FieldReason::Undecidable),
            // The recording wrote it, not who sent the message.
            (None, Some(_)) if sent.at.is_some() => result.because(FieldReason::Undecidable),
            (None, Some(_)) => result.because(FieldReason::TypeMismatch),
            (None, None) => result.because(FieldReason::Absent),
        }
    }
}

fn read(text: &str) -> Option<Date> {
    Date::parse(text, DateForm::Iso).or_else(|| Date::parse(text, DateForm::Hl7))
}

/// The text of the first value.
pub(crate) fn text<'m>(path: &'m Path, message: &'m Message<'_>) -> Option<Cow<'m, str>> {
    path.select(message).next().map(|value| value.text().text)
}

pub(crate) fn first(path: &Path, message: &Message<'_>) -> Option<String> {
    text(path, message).map(Cow::into_owned)
}

impl Correlation {
    pub(crate) fn set_zone(&mut self, zone: &Zone) {
        for condition in &mut self.conditions {
            match condition {
                Condition::Time(bound) => bound.zone = Some(zone.clone()),
                Condition::Field(field) => field.set_zone(zone),
                Condition::MessageType(_) => {}
            }
        }
    }

    pub(crate) fn select(&self, sent: &Sent<'_>) -> Selected {
        let (mut met, mut open) = (0, false);
        let mut selected = Selected::Yes;
        for condition in &self.conditions {
            match condition.holds(sent) {
                Some(true) => met += 1,
                Some(false) => selected = Selected::No(0),
                None => open = true,
            }
        }
        match selected {
            Selected::Yes if open => Selected::Undecidable,
            Selected::No(_) => Selected::No(met),
            selected => selected,
        }
    }

    /// The conditions as results, for a message that they do not select.
    pub(crate) fn results(&self, sent: &Sent<'_>, place: &Location) -> Vec<FieldResult> {
        self.conditions.iter().map(|condition| condition.judge(sent, place)).collect()
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = &Field<MessagePath>> {
        self.conditions.iter().filter_map(|condition| match condition {
            Condition::Field(field) => Some(field.as_ref()),
            Condition::MessageType(_) | Condition::Time(_) => None,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.conditions.len()
    }

    /// A text, and its path, that every message has that is meant: of a condition that a value meets if it is this text,
    /// byte for byte.
    pub(crate) fn wanted_text(&self) -> Option<(&Path, &str)> {
        self.fields().find_map(|field| {
            let path = field.path.path().filter(|_| field.path.groups().is_empty())?;
            let is_plain = field.rules.is_empty() && field.read_as.is_none() && !field.absent_passes;
            match &field.expected {
                Expected::Equals(Value::String(text)) if is_plain && field.quantifier == Quantifier::Any => {
                    Some((path, text.as_str()))
                }
                _ => None,
            }
        })
    }

    pub(crate) fn message_type(&self) -> Option<&str> {
        self.conditions.iter().find_map(|condition| match condition {
            Condition::MessageType(wanted) => Some(wanted.text.as_str()),
            Condition::Field(_) | Condition::Time(_) => None,
        })
    }

    /// True if it has conditions, so that some messages may not be meant.
    pub(crate) fn selects(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// The conditions as the rest of a sentence; empty when there are no conditions.
    pub(crate) fn described(&self) -> String {
        let parts: Vec<String> = self.conditions.iter().map(Condition::described).collect();
        if parts.is_empty() { String::new() } else { format!("with {}", parts.join(" and ")) }
    }
}

impl Condition {
    /// `None` where it is not decided: also where the time is missing or cannot be read.
    fn holds(&self, sent: &Sent<'_>) -> Option<bool> {
        match self {
            Self::MessageType(wanted) => Some(wanted.holds(sent)),
            Self::Time(bound) => match bound.answer(bound.written(sent).as_deref()) {
                Some(Comparison::Holds) => Some(true),
                Some(Comparison::Fails) => Some(false),
                _ => None,
            },
            Self::Field(field) => items::holds(field, sent.message),
        }
    }

    fn judge(&self, sent: &Sent<'_>, place: &Location) -> FieldResult {
        match self {
            Self::MessageType(wanted) => wanted.judge(sent, place),
            Self::Time(bound) => bound.judge(sent, place),
            Self::Field(field) => {
                let references = References::default();
                let reading = ReadFrom { locator: &place.locator, span: place.span, references: &references };
                items::evaluate(field, sent.message, reading)
            }
        }
    }

    fn described(&self) -> String {
        match self {
            Self::MessageType(wanted) => format!("message_type {:?}", wanted.text),
            Self::Time(bound) => format!("{} {:?}", bound.key, bound.text),
            Self::Field(field) => match &field.expected_value {
                Value::Null => format!("no {}", field.path_text),
                value => format!("{} {}", field.path_text, candor_check::evidence::quoted(value)),
            },
        }
    }
}
