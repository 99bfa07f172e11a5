//! Values as a person would write them into a task file.

use candor_json::Value;

/// How the values of a file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As JSON.
    Json,
    /// As YAML on one line, `{path: status}`.
    Yaml,
    /// The same with blanks inside of braces, `{ path: status }`.
    Spaced,
}

impl Style {
    /// The style of a YAML text: whether its author puts blanks inside of braces.
    pub(super) fn of_yaml(text: &str) -> Self {
        let (spaced, all) = (text.matches("{ ").count(), text.matches('{').count());
        if spaced * 2 >= all { Self::Spaced } else { Self::Yaml }
    }

    /// A value on one line.
    ///
    /// ```
    /// use candor_engine::edit::Style;
    /// use candor_json::json;
    /// let field = json!({"path": "status", "expected": "2026-11-20"});
    /// assert_eq!(Style::Spaced.on_one_line(&field), r#"{ path: status, expected: "2026-11-20" }"#);
    /// ```
    #[must_use]
    pub fn on_one_line(self, value: &Value) -> String {
        match value {
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.on_one_line(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(members) if members.is_empty() => "{}".to_owned(),
            Value::Object(members) => {
                let members: Vec<String> = members.iter().map(|(name, value)| self.member(name, value)).collect();
                let blank = if self == Self::Spaced { " " } else { "" };
                format!("{{{blank}{}{blank}}}", members.join(", "))
            }
            Value::String(text) if self != Self::Json => scalar(text),
            other => other.to_string(),
        }
    }

    /// A member on one line.
    #[must_use]
    pub fn member(self, name: &str, value: &Value) -> String {
        format!("{}: {}", self.name(name), self.on_one_line(value))
    }

    /// The name of a member.
    #[must_use]
    pub fn name(self, name: &str) -> String {
        match self {
            Self::Json => Value::String(name.to_owned()).to_string(),
            Self::Yaml | Self::Spaced => scalar(name),
        }
    }
}

/// Words that some reader of YAML takes for something else than a text.
const NOT_TEXT: [&str; 10] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"];

/// A text as YAML, in quotation marks where it has to be.
fn scalar(text: &str) -> String {
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '^' | '+' | '(' | ')' | '=' | '$' | ' ');
    let begins = text.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '/' | '$'));
    let plain = begins
        && text.chars().all(is_plain)
        && !text.ends_with(' ')
        && !NOT_TEXT.contains(&text.to_lowercase().as_str());
    if plain { text.to_owned() } else { Value::String(text.to_owned()).to_string() }
}
