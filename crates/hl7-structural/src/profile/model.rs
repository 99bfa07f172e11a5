//! The rules of a profile, read into types that make sense.

use std::collections::{BTreeMap, HashMap};

use candor_hl7v2::Path;
use candor_json::Value;
use regex::Regex;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::condition::Condition;
use super::value::{Parsed, Pattern, Text};

#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) name: String,
    /// MSH-12.1, where one is asked for.
    pub(crate) versions: Vec<String>,
    /// MSH-9, as many components as are given.
    pub(crate) messages: Vec<String>,
    pub(crate) segments: Vec<SegmentRule>,
    pub(crate) fields: Vec<FieldRule>,
}

/// Usage of a segment or a field (HL7 v2.8.2, 2.B.7.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum Usage {
    /// Required: it must be there, with a value.
    R,
    /// Required but may be empty: senders must support it; its absence is not a violation.
    #[serde(rename = "RE")]
    Re,
    /// Optional.
    O,
    /// Not supported: it must not be there.
    X,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    #[default]
    Error,
    Warning,
}

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) usage: Option<Usage>,
    pub(crate) min: Option<usize>,
    pub(crate) max: Option<usize>,
    pub(crate) when: Option<Condition>,
    pub(crate) severity: Severity,
    pub(crate) message: Option<String>,
}

#[derive(Debug)]
pub(crate) struct SegmentRule {
    pub(crate) path: Path,
    pub(crate) rule: Rule,
}

#[derive(Debug)]
pub(crate) struct FieldRule {
    pub(crate) path: Path,
    pub(crate) rule: Rule,
    pub(crate) values: Option<Values>,
    pub(crate) pattern: Option<Regex>,
    pub(crate) max_length: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Values {
    pub(crate) table: Option<String>,
    pub(crate) values: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    profile: String,
    #[serde(default)]
    version: OneOrMore,
    #[serde(default)]
    messages: OneOrMore,
    #[serde(default)]
    segments: BTreeMap<String, SegmentMembers>,
    #[serde(default)]
    fields: Vec<FieldRule>,
    #[serde(default)]
    tables: HashMap<String, Vec<Text>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SegmentMembers {
    usage: Option<Usage>,
    min: Option<usize>,
    max: Option<usize>,
    when: Option<Condition>,
    #[serde(default)]
    severity: Severity,
    message: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldMembers {
    path: Parsed,
    usage: Option<Usage>,
    values: Option<Vec<Text>>,
    table: Option<String>,
    pattern: Option<Pattern>,
    max_length: Option<usize>,
    min: Option<usize>,
    max: Option<usize>,
    when: Option<Condition>,
    #[serde(default)]
    severity: Severity,
    message: Option<String>,
}

#[derive(Default)]
struct OneOrMore(Vec<String>);

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(one) => Ok(Self(vec![one])),
            Value::Array(more) => more
                .into_iter()
                .map(|value| match value {
                    Value::String(text) => Ok(text),
                    other => Err(D::Error::custom(format!("{other} is not a text"))),
                })
                .collect::<Result<_, _>>()
                .map(Self),
            other => Err(D::Error::custom(format!("{other} is neither a text nor a list of texts"))),
        }
    }
}

impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members::deserialize(deserializer)?;
        let Members { profile: name, version, messages, segments, fields, tables } = members;
        let tables: HashMap<String, Vec<String>> =
            tables.into_iter().map(|(name, values)| (name, texts(values))).collect();
        let segments =
            segments.into_iter().map(segment_rule).collect::<Result<Vec<_>, _>>().map_err(D::Error::custom)?;
        let fields: Vec<FieldRule> =
            fields.into_iter().map(|field| field.with(&tables)).collect::<Result<_, _>>().map_err(D::Error::custom)?;
        if segments.is_empty() && fields.is_empty() {
            return Err(D::Error::custom(format!("the profile {name:?} has neither `segments` nor `fields`")));
        }
        let mut always: HashMap<String, Usage> = HashMap::new();
        for field in fields.iter().filter(|field| field.rule.when.is_none()) {
            let Some(usage) = field.rule.usage else { continue };
            // `PID-8` and `PID.8` are one path.
            if always.insert(field.path.as_str().replace('-', "."), usage).is_some_and(|other| other != usage) {
                return Err(D::Error::custom(format!(
                    "{} has two usages, and no condition tells them apart",
                    field.path
                )));
            }
        }
        Ok(Self { name, versions: version.0, messages: messages.0, segments, fields })
    }
}

fn texts(values: Vec<Text>) -> Vec<String> {
    values.into_iter().map(|text| text.0).collect()
}

fn segment_rule((id, members): (String, SegmentMembers)) -> Result<SegmentRule, String> {
    let path = Path::parse(&id).ok().filter(|_| id.len() == 3);
    let path = path.ok_or_else(|| format!("`{id}` of `segments` is not a segment id, as in `PID`"))?;
    let SegmentMembers { usage, min, max, when, severity, message } = members;
    let rule = rule(&id, usage, (min, max), when, severity, message)?;
    if rule.usage.is_none() && min.is_none() && max.is_none() {
        return Err(format!("the rule of {id} says nothing; give `usage`, `min` or `max`"));
    }
    Ok(SegmentRule { path, rule })
}

impl<'de> Deserialize<'de> for FieldRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        field_rule(FieldMembers::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl FieldRule {
    fn with(mut self, tables: &HashMap<String, Vec<String>>) -> Result<Self, String> {
        if let Some(Values { table: Some(table), values }) = &mut self.values {
            *values = tables.get(table).cloned().ok_or_else(|| {
                let known: Vec<&str> = tables.keys().map(String::as_str).collect();
                let meant = candor_check::settings::nearest(table, &known);
                let meant = meant.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                format!("the table `{table}` of {} is not in `tables`{meant}", self.path)
            })?;
        }
        Ok(self)
    }
}

fn field_rule(members: FieldMembers) -> Result<FieldRule, String> {
    let path = members.path.0;
    let at = path.to_string();
    if at.len() == 3 {
        return Err(format!("`{at}` names a segment; its rules belong in `segments`"));
    }
    if members.values.as_ref().is_some_and(Vec::is_empty) {
        return Err(format!("`values` of {at} is empty: no value would be allowed; write usage X instead"));
    }
    let values = match (members.values, members.table) {
        (Some(_), Some(_)) => return Err(format!("{at} has both `values` and `table`")),
        (Some(values), None) => Some(Values { table: None, values: texts(values) }),
        (None, Some(table)) => Some(Values { table: Some(table), values: Vec::new() }),
        (None, None) => None,
    };
    let repeats = (members.min, members.max);
    let rule = rule(&at, members.usage, repeats, members.when, members.severity, members.message)?;
    let (pattern, max_length) = (members.pattern.map(|pattern| pattern.0), members.max_length);
    let of_value = values.is_some() || pattern.is_some() || max_length.is_some();
    if rule.usage == Some(Usage::X) && of_value {
        return Err(format!("{at} has usage X and a rule about its value"));
    }
    if rule.usage.is_none() && repeats == (None, None) && !of_value {
        return Err(format!(
            "the rule of {at} says nothing; give `usage`, `values`, `table`, `pattern`, `max_length`, `min` or `max`"
        ));
    }
    Ok(FieldRule { path, rule, values, pattern, max_length })
}

fn rule(
    at: &str,
    usage: Option<Usage>,
    (min, max): (Option<usize>, Option<usize>),
    when: Option<Condition>,
    severity: Severity,
    message: Option<String>,
) -> Result<Rule, String> {
    if min.zip(max).is_some_and(|(min, max)| min > max) {
        return Err(format!("`min` of {at} is more than `max`"));
    }
    if usage == Some(Usage::R) && (min == Some(0) || max == Some(0)) {
        return Err(format!("{at} has usage R, and `min` or `max` say that it may be missing"));
    }
    if usage == Some(Usage::X) && (min.is_some_and(|min| min > 0) || max.is_some_and(|max| max > 0)) {
        return Err(format!("{at} has usage X, and `min` or `max` allow it"));
    }
    Ok(Rule { usage, min, max, when, severity, message })
}
