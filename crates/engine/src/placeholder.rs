//! `${inputs.a.b}` and `${entity.a.b}` in the strings of an assertion.

use candor_check::settings::nearest;
use candor_json::Value;

/// A placeholder that cannot be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The steps to the string that holds it.
    pub steps: Vec<String>,
    /// Which placeholder, and why.
    pub message: String,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scope<'a> {
    pub inputs: Option<&'a Value>,
    pub entity: Option<&'a Value>,
}

/// Replaces every placeholder in every string of a value; a string that is nothing but one placeholder takes the value
/// with its JSON type. Keys are left alone. Depth is bounded by what documents are read to.
pub(crate) fn replaced(value: &Value, scope: Scope<'_>, steps: &mut Vec<String>) -> Result<Value, Missing> {
    let mut within = |step: String, value: &Value| {
        steps.push(step);
        let replaced = replaced(value, scope, steps);
        steps.pop();
        replaced
    };
    match value {
        Value::String(text) => in_text(text, scope).map_err(|message| Missing { steps: steps.clone(), message }),
        Value::Array(items) => {
            let items = items.iter().enumerate().map(|(index, item)| within(index.to_string(), item));
            items.collect::<Result<_, _>>().map(Value::Array)
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| Ok((name.clone(), within(name.clone(), value)?)));
            members.collect::<Result<_, _>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

fn in_text(text: &str, scope: Scope<'_>) -> Result<Value, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        if let Some(literal) = before.strip_suffix('$') {
            out.push_str(literal);
            out.push_str("${");
            rest = from.get(2..).unwrap_or_default();
            continue;
        }
        out.push_str(before);
        let end = from.find('}').ok_or_else(|| {
            format!("the placeholder `{from}` is not closed; write }} at its end, or $${{ for a literal ${{")
        })?;
        let name = from.get(2..end).unwrap_or_default();
        let value = looked_up(name, scope)?;
        if end + 1 == text.len() && at == 0 && out.is_empty() && rest.len() == text.len() {
            return Ok(value.clone());
        }
        match value {
            Value::String(text) => out.push_str(text),
            Value::Number(_) | Value::Bool(_) => out.push_str(&value.to_string()),
            _ => {
                return Err(format!(
                    "the placeholder ${{{name}}} is within a text but is not a text, number or truth value"
                ));
            }
        }
        rest = from.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    Ok(Value::String(out))
}

fn looked_up<'a>(name: &str, scope: Scope<'a>) -> Result<&'a Value, String> {
    let mut steps = name.split('.');
    let mut value = match steps.next() {
        Some("inputs") => {
            scope.inputs.ok_or_else(|| format!("the placeholder ${{{name}}}: the task has no `inputs`"))?
        }
        Some("entity") => scope
            .entity
            .ok_or_else(|| format!("the placeholder ${{{name}}}: no `input_entity_id` names an entity of the task"))?,
        _ => {
            return Err(format!(
                "the placeholder ${{{name}}} begins with neither inputs nor entity; write $${{ for a literal ${{"
            ));
        }
    };
    for step in steps {
        let next = match value {
            Value::Object(members) => members.get(step),
            Value::Array(items) => step.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => None,
        };
        value = next.ok_or_else(|| {
            let known: Vec<&str> =
                value.as_object().map(|m| m.keys().map(String::as_str).collect()).unwrap_or_default();
            let near = nearest(step, &known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            format!("the placeholder ${{{name}}} names nothing: there is no `{step}`{near}")
        })?;
    }
    Ok(value)
}
