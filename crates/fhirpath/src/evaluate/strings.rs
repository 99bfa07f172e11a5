//! Functions of strings. Positions count characters.

use smallvec::smallvec;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};

use super::{Evaluator, Items, Outcome};
use crate::ast::Call;
use crate::error::EvaluationError;
use crate::functions::Function;
use crate::item::{Item, System};
use crate::pattern;

impl<'a> Evaluator<'_, 'a> {
    pub(super) fn of_string(&self, call: &Call, item: &Item<'a>, arguments: &[Items<'a>]) -> Outcome<Items<'a>> {
        use Function as F;
        let at = call.at;
        let Some(text) = item.text() else { return Err(EvaluationError::mismatch(at, item.kind(), "a string")) };
        self.count(at, text.len() / 64)?;
        let argument = |index: usize| arguments.get(index).map(|items| items.as_slice()).unwrap_or_default();
        let boolean = |value: bool| Ok(smallvec![Item::boolean(value)]);
        let position = |found: Option<usize>| {
            let characters = found.and_then(|byte| text.get(..byte)).map(|before| before.chars().count());
            Ok(smallvec![integer(characters.and_then(|count| i32::try_from(count).ok()).unwrap_or(-1))])
        };
        let string = |text: String| Ok(smallvec![Item::string(text)]);
        match call.function {
            F::Length => Ok(smallvec![integer(i32::try_from(text.chars().count()).unwrap_or(i32::MAX))]),
            F::Upper => string(text.to_uppercase()),
            F::Lower => string(text.to_lowercase()),
            F::Trim => string(text.trim().to_owned()),
            F::ToChars => {
                self.check_size(at, text.len())?;
                Ok(text.chars().map(|c| Item::string(c.to_string())).collect())
            }
            F::Substring => {
                let Some(start) = self.integer(argument(0), at)? else { return Ok(Items::new()) };
                let length = if call.arguments.len() > 1 {
                    match self.integer(argument(1), at)? {
                        Some(length) => usize::try_from(length.max(0)).unwrap_or(usize::MAX),
                        None => usize::MAX,
                    }
                } else {
                    usize::MAX
                };
                let Some(start) = usize::try_from(start).ok().filter(|start| *start < text.chars().count()) else {
                    return Ok(Items::new());
                };
                string(text.chars().skip(start).take(length).collect())
            }
            F::Matches | F::MatchesFull | F::ReplaceMatches => self.of_pattern(call, text, arguments),
            _ => {
                let Some(first) = self.text(argument(0), at)? else { return Ok(Items::new()) };
                match call.function {
                    F::IndexOf => position(text.find(first)),
                    F::LastIndexOf => position(text.rfind(first)),
                    F::StartsWith => boolean(text.starts_with(first)),
                    F::EndsWith => boolean(text.ends_with(first)),
                    F::Contains => boolean(text.contains(first)),
                    F::Replace => {
                        let Some(by) = self.text(argument(1), at)? else { return Ok(Items::new()) };
                        let matches = if first.is_empty() { text.len() + 1 } else { text.matches(first).count() };
                        self.check_text(at, text.len().saturating_add(matches.saturating_mul(by.len())))?;
                        string(text.replace(first, by))
                    }
                    F::Split if first.is_empty() => {
                        self.check_size(at, text.len())?;
                        Ok(text.chars().map(|c| Item::string(c.to_string())).collect())
                    }
                    F::Split => {
                        self.check_size(at, text.matches(first).count())?;
                        Ok(text.split(first).map(|part| Item::string(part.to_owned())).collect())
                    }
                    _ => self.coded(call, text, first),
                }
            }
        }
    }

    /// `encode`, `decode`, `escape`, `unescape`.
    fn coded(&self, call: &Call, text: &str, form: &str) -> Outcome<Items<'a>> {
        use Function as F;
        let coded = match (call.function, form) {
            (F::Encode, "base64") => Some(BASE64_STANDARD.encode(text)),
            (F::Encode, "urlbase64") => Some(BASE64_URL_SAFE.encode(text)),
            (F::Encode, "hex") => Some(text.bytes().map(|byte| format!("{byte:02x}")).collect()),
            (F::Decode, "base64") => BASE64_STANDARD.decode(text).ok().and_then(|bytes| String::from_utf8(bytes).ok()),
            (F::Decode, "urlbase64") => {
                BASE64_URL_SAFE.decode(text).ok().and_then(|bytes| String::from_utf8(bytes).ok())
            }
            (F::Decode, "hex") => from_hex(text),
            (F::Escape, "html") => Some(escaped_html(text)),
            (F::Escape, "json") => {
                let quoted = candor_json::Value::from(text).to_string();
                quoted.get(1..quoted.len() - 1).map(str::to_owned)
            }
            (F::Unescape, "html") => Some(unescaped_html(text)),
            (F::Unescape, "json") => unescaped_json(text),
            _ => {
                let expected = match call.function {
                    F::Encode | F::Decode => "one of base64, urlbase64 and hex",
                    _ => "html or json",
                };
                return Err(EvaluationError::mismatch(call.at, "another form", expected));
            }
        };
        if let Some(coded) = &coded {
            self.check_text(call.at, coded.len())?;
        }
        Ok(coded.map(Item::string).into_iter().collect())
    }

    fn of_pattern(&self, call: &Call, text: &str, arguments: &[Items<'a>]) -> Outcome<Items<'a>> {
        let at = call.at;
        let argument = |index: usize| arguments.get(index).map(|items| items.as_slice()).unwrap_or_default();
        let replaces = call.function == Function::ReplaceMatches;
        let Some(expression) = self.text(argument(0), at)? else { return Ok(Items::new()) };
        let by = if replaces {
            let Some(by) = self.text(argument(1), at)? else { return Ok(Items::new()) };
            by
        } else {
            ""
        };
        let made;
        let pattern = match &call.pattern {
            Some(pattern) => pattern,
            None => {
                self.count(at, 1000 + expression.len() * 10)?;
                let flags = self.text(argument(if replaces { 2 } else { 1 }), at)?.unwrap_or("");
                made = pattern::compile(expression, flags, call.function == Function::MatchesFull)
                    .map_err(|why| EvaluationError::mismatch(at, why, "a regular expression"))?;
                &made
            }
        };
        if !replaces {
            return Ok(smallvec![Item::boolean(pattern.is_match(text))]);
        }
        if expression.is_empty() {
            return Ok(smallvec![Item::string(text.to_owned())]);
        }
        let (mut replaced, mut from) = (String::new(), 0);
        for captures in pattern.captures_iter(text) {
            let Some(whole) = captures.get(0) else { continue };
            replaced.push_str(text.get(from..whole.start()).unwrap_or_default());
            // A group in `by` inserts at most the whole match, each time that `by` names it.
            let most = by.len().saturating_add(by.matches('$').count().saturating_mul(whole.len()));
            self.check_text(at, replaced.len().saturating_add(most))?;
            captures.expand(by, &mut replaced);
            from = whole.end();
        }
        replaced.push_str(text.get(from..).unwrap_or_default());
        self.check_text(at, replaced.len())?;
        Ok(smallvec![Item::string(replaced)])
    }

    pub(super) fn join(&self, call: &Call, input: &[Item<'a>], arguments: &[Items<'a>]) -> Outcome<Items<'a>> {
        let separator = match arguments.first() {
            Some(separator) => self.text(separator, call.at)?.unwrap_or(""),
            None => "",
        };
        if input.is_empty() {
            return Ok(Items::new());
        }
        let mut joined = String::new();
        for (index, item) in input.iter().enumerate() {
            let Some(text) = item.text() else {
                return Err(EvaluationError::mismatch(call.at, item.kind(), "strings"));
            };
            self.check_text(call.at, joined.len() + separator.len() + text.len())?;
            if index > 0 {
                joined.push_str(separator);
            }
            joined.push_str(text);
        }
        Ok(smallvec![Item::string(joined)])
    }
}

fn integer<'a>(number: i32) -> Item<'a> {
    Item::System(System::Integer(number))
}

fn from_hex(text: &str) -> Option<String> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let byte = |at: usize| text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..text.len()).step_by(2).map(byte).collect();
    String::from_utf8(bytes?).ok()
}

/// Escapes resolved; quotation marks that are not escaped stay. `None` for an escape that JSON does not have.
fn unescaped_json(text: &str) -> Option<String> {
    let (mut quoted, mut escaped) = (String::with_capacity(text.len() + 2), false);
    quoted.push('"');
    for c in text.chars() {
        if !escaped && (c == '"' || c.is_control()) {
            quoted.push_str(candor_json::Value::from(c.to_string()).to_string().trim_matches('"'));
            if c == '"' {
                quoted.push('"');
            }
        } else {
            quoted.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    quoted.push('"');
    candor_json::from_str(&quoted).ok()
}

const HTML: &[(char, &str)] = &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#39;")];

fn escaped_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match HTML.iter().find(|(character, _)| *character == c) {
            Some((_, entity)) => escaped.push_str(entity),
            None => escaped.push(c),
        }
    }
    escaped
}

fn unescaped_html(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        // An entity is short: what is longer is text.
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let entity = end.and_then(|end| rest.get(..=end));
        match entity.and_then(|entity| Some((entity, character_of(entity)?))) {
            Some((entity, character)) => {
                plain.push(character);
                rest = rest.get(entity.len()..).unwrap_or_default();
            }
            None => {
                plain.push('&');
                rest = rest.get(1..).unwrap_or_default();
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn character_of(entity: &str) -> Option<char> {
    if let Some((character, _)) = HTML.iter().find(|(_, known)| *known == entity) {
        return Some(*character);
    }
    if entity == "&apos;" {
        return Some('\'');
    }
    let number = entity.strip_prefix("&#")?.strip_suffix(';')?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code)
}
