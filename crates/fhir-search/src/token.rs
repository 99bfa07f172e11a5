//! Token parameters. Source: FHIR R4, Search, 3.1.1.4.10.

use std::borrow::Cow;

use candor_json::Value;

use crate::literal::is_id;
use crate::text;

#[derive(Clone, Debug)]
pub(crate) struct Token {
    wanted: Wanted,
    /// Codes of elements that FHIR itself makes case-sensitive: `code`, `id`, `uri`.
    sensitive: bool,
    /// The namespace of the element is not one of codes (a ContactPoint's `system` is `phone`).
    without_system: bool,
}

#[derive(Clone, Debug)]
enum Wanted {
    /// `code`
    Code(String),
    /// `system|code`
    SystemCode(String, String),
    /// `|code`
    NoSystem(String),
    /// `system|`
    System(String),
}

/// Elements of these types have no namespace of their own, and the standard allows only the form without `|` for them.
const WITHOUT_SYSTEM: &[&str] = &["code", "id", "uri", "boolean", "string", "ContactPoint"];

/// Namespaces whose codes are known to be case-sensitive: FHIR's and HL7's own, and UCUM. Where that is not known the
/// standard compares without case.
const SENSITIVE: &[&str] =
    &["http://hl7.org/fhir/", "http://terminology.hl7.org/CodeSystem/", "http://unitsofmeasure.org"];

/// The identifiers that HL7 gave to code systems of others (ICD, NDC, …) say nothing about their case.
fn is_sensitive(system: &str) -> bool {
    SENSITIVE.iter().any(|known| system.starts_with(known)) && !system.starts_with("http://hl7.org/fhir/sid/")
}

/// True if `:text` has something to search in elements of these types.
pub(crate) fn has_text(types: &[&str]) -> bool {
    types.iter().any(|name| matches!(*name, "CodeableConcept" | "Coding" | "Identifier"))
}

impl Token {
    pub(crate) fn parse(escaped: &str, types: &[&'static str]) -> Result<Self, Cow<'static, str>> {
        let all = |known: &[&str]| !types.is_empty() && types.iter().all(|name| known.contains(name));
        let mut parts = text::split(escaped, '|').map(|part| text::unescape(part).into_owned());
        let wanted = match (parts.next(), parts.next(), parts.next()) {
            (Some(code), None, _) => Wanted::Code(code),
            (Some(system), Some(code), None) => match (system.is_empty(), code.is_empty()) {
                (true, true) => return Err("it names neither a system nor a code".into()),
                (true, false) => Wanted::NoSystem(code),
                (false, true) => Wanted::System(system),
                (false, false) => Wanted::SystemCode(system, code),
            },
            _ => return Err("it has more than one `|`; one inside a code is written `\\|`".into()),
        };
        if without_system(types) && !matches!(wanted, Wanted::Code(_)) {
            return Err(
                format!("the element is a {}, which has no system: leave out the `|`", types.join(" or ")).into()
            );
        }
        if all(&["id"]) && !matches!(&wanted, Wanted::Code(code) if is_id(code)) {
            return Err("it is not an id; write the id without the resource type".into());
        }
        if all(&["boolean"]) && !matches!(&wanted, Wanted::Code(code) if code == "true" || code == "false") {
            return Err("the element is a boolean: `true` or `false`".into());
        }
        Ok(Self { wanted, sensitive: all(&["code", "id", "uri", "boolean"]), without_system: without_system(types) })
    }

    pub(crate) fn matches(&self, value: &Value) -> bool {
        let mut found = false;
        codes(value, self.without_system, &mut |system, code| found |= self.finds(system, code));
        found
    }

    pub(crate) fn finds(&self, system: Option<&str>, code: Option<&str>) -> bool {
        let same = |wanted: &str| {
            code.is_some_and(|code| {
                let sensitive = self.sensitive || system.is_some_and(is_sensitive);
                code == wanted || (!sensitive && code.to_lowercase() == wanted.to_lowercase())
            })
        };
        match &self.wanted {
            Wanted::Code(code) => same(code),
            Wanted::SystemCode(wanted, code) => system == Some(wanted) && same(code),
            Wanted::NoSystem(code) => system.is_none_or(str::is_empty) && same(code),
            Wanted::System(wanted) => system == Some(wanted),
        }
    }

    /// The code it asks for, where a binding of FHIR's may be meant: one of another system is not FHIR's to know.
    pub(crate) fn bound_code(&self) -> Option<&str> {
        match &self.wanted {
            Wanted::Code(code) | Wanted::NoSystem(code) => Some(code),
            Wanted::SystemCode(system, code) if is_sensitive(system) => Some(code),
            Wanted::SystemCode(..) | Wanted::System(_) => None,
        }
    }

    /// The code it asks for, where that is all and its case counts.
    pub(crate) fn exact_code(&self) -> Option<&str> {
        match &self.wanted {
            Wanted::Code(code) if self.sensitive => Some(code),
            _ => None,
        }
    }

    /// The code it asks for, in lower case; `None` when it asks for any code of a system.
    pub(crate) fn code(&self) -> Option<String> {
        match &self.wanted {
            Wanted::Code(code) | Wanted::SystemCode(_, code) | Wanted::NoSystem(code) => Some(code.to_lowercase()),
            Wanted::System(_) => None,
        }
    }
}

/// True if the elements of a parameter have no namespace of their own.
pub(crate) fn without_system(types: &[&str]) -> bool {
    !types.is_empty() && types.iter().all(|name| WITHOUT_SYSTEM.contains(name))
}

/// Hands over what an element says: of a Coding, of each coding of a CodeableConcept, of an Identifier, a ContactPoint or a
/// primitive the system and the code.
pub(crate) fn codes<'a>(
    value: &'a Value,
    without_system: bool,
    each: &mut impl FnMut(Option<&'a str>, Option<&'a str>),
) {
    let mut one = |value: &'a Value| {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let system = if without_system { None } else { text("system") };
        each(system, text("code").or_else(|| text("value")));
    };
    match value {
        Value::String(code) => each(None, Some(code)),
        Value::Bool(yes) => each(None, Some(if *yes { "true" } else { "false" })),
        Value::Object(members) => {
            let concept = members.get("concept").and_then(Value::as_object).unwrap_or(members);
            match concept.get("coding") {
                Some(Value::Array(codings)) => codings.iter().for_each(one),
                Some(_) => {}
                None => one(value),
            }
        }
        _ => {}
    }
}

/// An alternative of `:of-type`: `system|code|value`, the type of an Identifier and its value.
#[derive(Clone, Debug)]
pub(crate) struct OfType {
    system: String,
    code: String,
    value: String,
}

impl OfType {
    pub(crate) fn parse(escaped: &str) -> Result<Self, Cow<'static, str>> {
        let parts: Vec<String> = text::split(escaped, '|').map(|part| text::unescape(part).into_owned()).collect();
        match parts.as_slice() {
            [system, code, value] if parts.iter().all(|part| !part.is_empty()) => {
                Ok(Self { system: system.clone(), code: code.clone(), value: value.clone() })
            }
            _ => Err("`:of-type` takes `system|code|value`: the type of the identifier and its value".into()),
        }
    }

    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    pub(crate) fn matches(&self, identifier: &Value) -> bool {
        let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
        let codings = identifier.pointer("/type/coding").and_then(Value::as_array);
        let typed = codings.into_iter().flatten().any(|coding| {
            text(coding, "system").as_deref() == Some(&self.system)
                && text(coding, "code").as_deref() == Some(&self.code)
        });
        typed && text(identifier, "value").is_some_and(|value| value.to_lowercase() == self.value.to_lowercase())
    }
}
