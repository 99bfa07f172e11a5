//! `structure`: the message fits the abstract message structure of its version.

use candor_check::field::{FieldReason, FieldResult, Location};
use candor_check::settings::nearest;
use candor_hl7v2::Message;
use candor_hl7v2_structure::{Fit, Version, Violation, Wanted, check, is_structure};
use candor_json::{Value, json};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Structure {
    ByMessage,
    Named(String),
}

impl<'de> Deserialize<'de> for Structure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Bool(true) => Ok(Self::ByMessage),
            Value::String(name) if is_structure(&name) => Ok(Self::Named(name)),
            Value::String(name) => {
                let mut known: Vec<&str> = Version::all().flat_map(Version::structures).collect();
                // The tables have no order, and of two names that are as near the first is offered.
                known.sort_unstable();
                let meant = nearest(&name, &known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                Err(D::Error::custom(format!("`structure` is {name:?}, which no version has{meant}")))
            }
            other => Err(D::Error::custom(format!(
                "`structure` is {other}; expected true or the name of a message structure such as \"ADT_A01\""
            ))),
        }
    }
}

pub(crate) struct Judged {
    pub(crate) results: Vec<FieldResult>,
    pub(crate) violations: Vec<Value>,
}

impl Structure {
    /// Checks a message. `offset` is where its bytes begin in the file; without it only the message has a place.
    pub(crate) fn judge(&self, message: &Message<'_>, place: &Location, offset: Option<u64>) -> Judged {
        let wanted = match self {
            Self::ByMessage => Wanted::ByMessage,
            Self::Named(name) => Wanted::Named(name),
        };
        let whole = |expected: Value, actual: Value, passed: bool| {
            FieldResult::constraint("$structure", expected, actual, passed).at(place.clone())
        };
        let asked = match self {
            Self::ByMessage => Value::Null,
            Self::Named(name) => json!(name),
        };
        let alone = |result: FieldResult| Judged { results: vec![result], violations: Vec::new() };
        let missing = |path: &str, what: &str| {
            let result = FieldResult::constraint(path, json!(format!("{what} (required)")), Value::Null, false);
            alone(result.because(FieldReason::Code(code(101))).at(place.clone()))
        };
        match check(message, wanted) {
            Fit::UnknownVersion(version) if version.is_empty() => missing("MSH.12", "Version ID"),
            Fit::UnknownStructure { name, .. } if name.is_empty() => missing("MSH.9", "Message Type"),
            Fit::UnknownVersion(version) => {
                let actual = json!(format!("version {version:?}, of which no tables are known"));
                alone(whole(asked, actual, false).because(FieldReason::Undecidable))
            }
            Fit::UnknownStructure { version, name } => {
                let actual = json!(format!("{name}, of which version {version} has no structure"));
                alone(whole(asked, actual, false).because(FieldReason::Undecidable))
            }
            Fit::Checked(checked) if checked.violations.is_empty() => {
                alone(whole(json!(checked.structure), json!(checked.structure), true))
            }
            Fit::Checked(checked) => {
                let at = |violation: &Violation| match offset {
                    Some(offset) => {
                        let (start, end) = (violation.span.start as u64, violation.span.end as u64);
                        Location::bytes(place.locator.as_str(), offset + start..offset + end)
                    }
                    None => place.clone(),
                };
                let mut results: Vec<FieldResult> =
                    checked.violations.iter().map(|v| result(v, at(v), checked.structure)).collect();
                if checked.more > 0 {
                    let total = checked.violations.len() + checked.more;
                    results.push(whole(json!(checked.structure), json!(format!("{total} violations")), false));
                }
                let shown = |v: &Violation| {
                    json!({
                        "path": v.path, "group": v.group, "line": v.line, "code": v.code, "expected": v.expected,
                        "actual": v.actual, "source": at(v), "structure": checked.structure, "version": checked.version,
                    })
                };
                Judged { results, violations: checked.violations.iter().map(shown).collect() }
            }
        }
    }
}

fn result(violation: &Violation, place: Location, structure: &str) -> FieldResult {
    let group = match violation.group.as_str() {
        "" => String::new(),
        group => format!(" in {group}"),
    };
    let expected = format!("{} ({structure}, line {}{group})", violation.expected, violation.line);
    FieldResult::constraint(violation.path.clone(), json!(expected), json!(violation.actual), false)
        .because(FieldReason::Code(code(violation.code)))
        .at(place)
}

/// The codes of HL7 table 0357 that violations have.
fn code(code: u16) -> &'static str {
    match code {
        100 => "100",
        101 => "101",
        102 => "102",
        103 => "103",
        198 => "198",
        _ => "207",
    }
}
