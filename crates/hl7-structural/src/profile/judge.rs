//! A message against a profile.

use candor_check::field::{FieldReason, FieldResult, Location};
use candor_hl7v2::{Message, Path, Segment, Value as Found};
use candor_json::{Value, json};

use super::model::{FieldRule, Profile, Rule, SegmentRule, Severity, Usage};
use crate::correlation::first;

/// The most violations that become results of one message.
const MOST: usize = 200;

#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// Rules that hold, and violations of severity `error`.
    pub(crate) results: Vec<FieldResult>,
    /// Violations of severity `warning`.
    pub(crate) warnings: Vec<Value>,
    pub(crate) more: usize,
}

struct Violation {
    path: String,
    /// HL7 table 0357.
    code: &'static str,
    expected: String,
    actual: Value,
    /// In the message's own bytes.
    span: (usize, usize),
}

struct Judging<'a> {
    profile: &'a Profile,
    place: &'a Location,
    offset: Option<u64>,
    judged: Judged,
}

impl Profile {
    /// Judges a message. `offset` is where its bytes begin in the file; without it only the message has a place.
    pub(crate) fn judge(&self, message: &Message<'_>, place: &Location, offset: Option<u64>) -> Judged {
        let mut judging = Judging { profile: self, place, offset, judged: Judged::default() };
        judging.kind(message);
        for rule in &self.segments {
            judging.segment(rule, message);
        }
        for rule in &self.fields {
            judging.field(rule, message);
        }
        let Judging { mut judged, .. } = judging;
        if judged.results.is_empty() {
            let named = |actual: String, passed| {
                FieldResult::constraint("$profile", json!(self.name), json!(actual), passed).at(place.clone())
            };
            judged.results.push(match judged.warnings.len() {
                0 => named("none of its rules applies".to_owned(), false).because(FieldReason::Undecidable),
                warnings => named(format!("{warnings} warnings"), true),
            });
        }
        if judged.more > 0 {
            let actual = json!(format!("{} more violations", judged.more));
            judged.results.push(FieldResult::constraint("$profile", json!(self.name), actual, false).at(place.clone()));
        }
        judged
    }
}

impl Judging<'_> {
    fn kind(&mut self, message: &Message<'_>) {
        let read = |path: &str| Path::parse(path).ok().and_then(|path| first(&path, message));
        let profile = self.profile;
        let mut hold = |path: &str, wanted: &[String], actual: Option<String>, holds: bool| {
            if !wanted.is_empty() {
                let expected = json!(format!("{} ({})", wanted.join(" or "), profile.name));
                let result = FieldResult::constraint(path, expected, json!(actual), holds).at(self.place.clone());
                self.judged.results.push(result);
            }
        };
        let version = read("MSH.12.1");
        hold("MSH.12.1", &profile.versions, version.clone(), version.is_some_and(|v| profile.versions.contains(&v)));
        let parts = ["MSH.9.1", "MSH.9.2", "MSH.9.3"].map(|path| read(path).unwrap_or_default());
        let is = |wanted: &String| wanted.split('^').zip(&parts).all(|(wanted, part)| wanted == part);
        let shown = parts.join("^").trim_end_matches('^').to_owned();
        hold("MSH.9", &profile.messages, Some(shown), profile.messages.iter().any(is));
    }

    fn segment(&mut self, segment: &SegmentRule, message: &Message<'_>) {
        let SegmentRule { path, rule } = segment;
        if rule.when.as_ref().is_some_and(|when| !when.holds(message, None)) {
            return;
        }
        let id = path.segment_id();
        let there: Vec<Segment<'_>> = message.segments().filter(|s| s.id() == id.as_bytes()).collect();
        let least = rule.min.unwrap_or(usize::from(rule.usage == Some(Usage::R)));
        let most = if rule.usage == Some(Usage::X) { Some(0) } else { rule.max };
        let wrong = there.len() < least || most.is_some_and(|most| there.len() > most);
        let expected = match most {
            Some(0) => format!("no {id}"),
            Some(most) => format!("{least} to {most} {id}"),
            None => format!("{least} or more {id}"),
        };
        let one_too_many = most.and_then(|most| there.get(most));
        let end = message.span().end;
        let span =
            one_too_many.map_or((end, end), |segment| (segment.piece().span().start, segment.piece().span().end));
        let code = if there.len() < least { "100" } else { "198" };
        let violation = Violation { path: id.to_owned(), code, expected, actual: json!(there.len()), span };
        if wrong {
            self.conclude(rule, id, there.len(), vec![violation]);
        } else if most.is_some() || least > 0 {
            let expected = json!(format!("{} ({})", violation.expected, self.profile.name));
            let result = FieldResult::constraint(id, expected, violation.actual, true).at(self.place.clone());
            self.judged.results.push(result);
        }
    }

    fn field(&mut self, field: &FieldRule, message: &Message<'_>) {
        let FieldRule { path, rule, .. } = field;
        let (mut looked, mut wrong) = (0, Vec::new());
        let (once, each) = match &rule.when {
            Some(when) if !when.looks_into(path.segment_id()) => (Some(when), None),
            when => (None, when.as_ref()),
        };
        if once.is_some_and(|when| !when.holds(message, None)) {
            return;
        }
        let mut numbers = message.segments().filter(|s| s.id() == path.segment_id().as_bytes()).enumerate();
        for segment in path.segments(message) {
            let start = segment.piece().span().start;
            let number =
                numbers.find(|(_, other)| other.piece().span().start == start).map_or(1, |(index, _)| index + 1);
            if each.is_some_and(|when| !when.holds(message, Some(segment))) {
                continue;
            }
            looked += 1;
            let at = concrete(path, number);
            let places = path.places_in(segment);
            let valued = places.iter().flatten().count();
            let end = segment.piece().span().end;
            let counted = |expected: String, code| Violation {
                path: at.clone(),
                code,
                expected,
                actual: json!(valued),
                span: (end, end),
            };
            if let Some(min) = rule.min.filter(|&min| valued < min) {
                wrong.push(counted(format!("{min} values or more"), "198"));
            }
            if let Some(max) = rule.max.filter(|&max| valued > max) {
                wrong.push(counted(format!("no more than {max} values"), "198"));
            }
            for place in places {
                match (place, rule.usage) {
                    (None, Some(Usage::R)) => wrong.push(Violation {
                        path: at.clone(),
                        code: "101",
                        expected: "a value (usage R)".to_owned(),
                        actual: Value::Null,
                        span: (end, end),
                    }),
                    (Some(value), Some(Usage::X)) => {
                        wrong.push(of_value(&at, "198", "no value (usage X)".to_owned(), &value))
                    }
                    (Some(value), _) => wrong.extend(field.wrong_value(&at, &value)),
                    (None, _) => {}
                }
            }
        }
        self.conclude(rule, path.as_str(), looked, wrong);
    }

    fn conclude(&mut self, rule: &Rule, path: &str, looked: usize, wrong: Vec<Violation>) {
        let name = &self.profile.name;
        if wrong.is_empty() {
            if looked > 0 {
                let expected = json!(format!("as {name} has it"));
                let result = FieldResult::constraint(path, expected, json!(format!("{looked} looked at")), true);
                self.judged.results.push(result.at(self.place.clone()));
            }
            return;
        }
        for violation in wrong {
            let expected = match &rule.message {
                Some(message) => format!("{}: {message} ({name})", violation.expected),
                None => format!("{} ({name})", violation.expected),
            };
            let place = match self.offset {
                Some(offset) => {
                    let (start, end) = violation.span;
                    Location::bytes(self.place.locator.as_str(), offset + start as u64..offset + end as u64)
                }
                None => self.place.clone(),
            };
            match rule.severity {
                Severity::Warning if self.judged.warnings.len() < MOST => self.judged.warnings.push(json!({
                    "path": violation.path, "expected": expected, "actual": violation.actual,
                    "code": violation.code, "source": place,
                })),
                Severity::Error if self.judged.results.len() < MOST => {
                    let result = FieldResult::constraint(violation.path, json!(expected), violation.actual, false);
                    self.judged.results.push(result.because(FieldReason::Code(violation.code)).at(place));
                }
                Severity::Error => self.judged.more += 1,
                Severity::Warning => {}
            }
        }
    }
}

impl FieldRule {
    /// The fault of a value, if it has a fault. The HL7 null `""` is an absent value, to which no rule applies.
    fn wrong_value(&self, at: &str, value: &Found<'_>) -> Option<Violation> {
        let text = value.text().text;
        if text == "\"\"" {
            return None;
        }
        if let Some(values) = &self.values
            && !values.values.iter().any(|known| *known == text)
        {
            let expected = match &values.table {
                Some(table) => format!("a value of the table {table}"),
                None => format!("one of {}", values.values.join(", ")),
            };
            return Some(of_value(at, "103", expected, value));
        }
        if let Some(pattern) = &self.pattern
            && !pattern.is_match(&text)
        {
            let written = pattern.as_str();
            let written = written.strip_prefix("^(?:").and_then(|rest| rest.strip_suffix(")$")).unwrap_or(written);
            return Some(of_value(at, "102", format!("a value that matches {written}"), value));
        }
        let most = self.max_length.filter(|&most| text.chars().count() > most)?;
        Some(of_value(at, "104", format!("no more than {most} characters"), value))
    }
}

fn of_value(at: &str, code: &'static str, expected: String, value: &Found<'_>) -> Violation {
    let text: String = value.text().text.chars().take(80).collect();
    Violation { path: at.to_owned(), code, expected, actual: json!(text), span: (value.span().start, value.span().end) }
}

/// The path with the segment it was read in: `OBX[3].5`.
fn concrete(path: &Path, number: usize) -> String {
    let text = path.as_str();
    let mut rest = text.get(3..).unwrap_or_default();
    while let Some(inner) = rest.strip_prefix('[') {
        rest = inner.split_once(']').map_or("", |(_, rest)| rest);
    }
    let id = path.segment_id();
    if number == 1 { format!("{id}{rest}") } else { format!("{id}[{number}]{rest}") }
}
