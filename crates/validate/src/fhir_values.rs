//! Values of FHIR's data types: their kind in JSON and their form, by <https://hl7.org/fhir/R4/datatypes.html>.

use candor_fhirpath::definitions::Type;
use candor_json::Value;

/// How far a value is from a type. The nearest comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    Right,
    /// The standard advises against it.
    Doubtful,
    /// The JSON is of the right kind, and the type does not have the value.
    WrongForm,
    /// JSON writes values of the type in another way.
    WrongType,
}

/// How well a value fits the types, of which one is enough, and what that type expects.
pub(crate) fn fit(types: &[Type], value: &Value) -> (Fit, String) {
    let each = types.iter().map(|of| (of_type(*of, value), *of));
    match each.min_by_key(|(fit, _)| *fit) {
        Some((fit @ Fit::WrongType, of)) => (fit, written(of)),
        Some((Fit::Doubtful, _)) => (Fit::Doubtful, "text that is not only white space".to_owned()),
        Some((fit @ Fit::WrongForm, of)) => (fit, form(of.name()).to_owned()),
        Some((Fit::Right, _)) | None => (Fit::Right, String::new()),
    }
}

pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn written(of: Type) -> String {
    let name = of.name();
    match name {
        "boolean" => "true or false without quotation marks".to_owned(),
        "integer" | "unsignedInt" | "positiveInt" | "decimal" => format!("a number without quotation marks ({name})"),
        _ if of.is_primitive() => format!("a string ({name})"),
        _ => format!("an object ({name})"),
    }
}

fn form(name: &str) -> &'static str {
    match name {
        "integer" => "a whole number from -2147483648 to 2147483647",
        "unsignedInt" => "a whole number from 0 to 2147483647",
        "positiveInt" => "a whole number from 1 to 2147483647",
        "integer64" => "a whole number of 64 bits",
        "date" => "a date of the calendar: YYYY, YYYY-MM or YYYY-MM-DD",
        "dateTime" => "a date of the calendar, alone or with Thh:mm:ss and Z or an offset such as +02:00",
        "instant" => "YYYY-MM-DDThh:mm:ss with Z or an offset such as +02:00",
        "time" => "a time of day hh:mm:ss",
        "id" => "1 to 64 letters, digits, - and .",
        "code" => "a code without white space at its ends and with no more than one space in a row",
        "oid" => "an OID such as urn:oid:1.2.3",
        "uuid" => "urn:uuid: and a UUID in lower case",
        "uri" | "url" | "canonical" => "a URI without white space",
        "base64Binary" => "base64",
        _ => "text without control characters",
    }
}

fn of_type(of: Type, value: &Value) -> Fit {
    let form = |is_right: bool| if is_right { Fit::Right } else { Fit::WrongForm };
    let within = |least: i64| {
        let number = value.as_i64();
        form(number.is_some_and(|number| (least..=i64::from(i32::MAX)).contains(&number)))
    };
    match (of.name(), value) {
        ("boolean", Value::Bool(_)) | ("decimal", Value::Number(_)) => Fit::Right,
        ("integer", Value::Number(_)) => within(i64::from(i32::MIN)),
        ("unsignedInt", Value::Number(_)) => within(0),
        ("positiveInt", Value::Number(_)) => within(1),
        ("boolean" | "decimal" | "integer" | "unsignedInt" | "positiveInt", _) => Fit::WrongType,
        ("string" | "markdown" | "xhtml", Value::String(text)) => match text {
            _ if text.contains(|c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r')) => Fit::WrongForm,
            // R4 says that strings should always contain something else, and that what is left may be nothing.
            _ if text.trim_ascii().is_empty() => Fit::Doubtful,
            _ => Fit::Right,
        },
        (name, Value::String(text)) if of.is_primitive() => form(is_form(name, text)),
        (_, Value::Object(_)) if !of.is_primitive() => Fit::Right,
        _ => Fit::WrongType,
    }
}

fn is_form(name: &str, text: &str) -> bool {
    match name {
        "date" => is_date(text),
        "dateTime" => is_date(text) || is_instant(text),
        "instant" => is_instant(text),
        "time" => is_time(text),
        "id" => {
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
            (1..=64).contains(&text.len()) && text.bytes().all(is_part)
        }
        "code" => text.split(|c: char| c.is_ascii_whitespace()).all(|part| !part.is_empty()),
        "oid" => text.strip_prefix("urn:oid:").is_some_and(is_oid),
        "uuid" => text.strip_prefix("urn:uuid:").is_some_and(is_uuid),
        "uri" | "url" | "canonical" => !text.contains(|c: char| c.is_ascii_whitespace()),
        "base64Binary" => is_base64(text),
        "integer64" => text.parse::<i64>().is_ok(),
        _ => true,
    }
}

fn digits(text: &str, count: usize) -> Option<u32> {
    let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let Some(year) = parts.next().and_then(|year| digits(year, 4)).filter(|year| *year > 0) else { return false };
    let Some(month) = parts.next() else { return true };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match digits(month, 2) {
        Some(2) => 28 + u32::from(is_leap),
        Some(4 | 6 | 9 | 11) => 30,
        Some(1..=12) => 31,
        _ => return false,
    };
    parts.next().is_none_or(|day| digits(day, 2).is_some_and(|day| (1..=days).contains(&day)))
}

fn is_instant(text: &str) -> bool {
    let Some((date, time)) = text.split_once('T') else { return false };
    if date.len() != "YYYY-MM-DD".len() || !is_date(date) {
        return false;
    }
    if let Some(time) = time.strip_suffix('Z') {
        return is_time(time);
    }
    let Some((time, offset)) = time.rsplit_once(['+', '-']) else { return false };
    let Some((hours, minutes)) = offset.split_once(':') else { return false };
    let is_offset = match (digits(hours, 2), digits(minutes, 2)) {
        (Some(hours), Some(minutes)) => hours < 14 && minutes < 60 || (hours, minutes) == (14, 0),
        _ => false,
    };
    is_offset && is_time(time)
}

/// `hh:mm:ss`, with any number of decimals. A leap second is 60.
fn is_time(text: &str) -> bool {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<Option<u32>> = whole.splitn(4, ':').map(|part| digits(part, 2)).collect();
    let is_whole = matches!(parts.as_slice(), [Some(0..=23), Some(0..=59), Some(0..=60)]);
    is_whole && !decimals.is_empty() && decimals.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_oid(text: &str) -> bool {
    let mut arcs = text.split('.');
    let is_arc = |arc: &str| {
        let is_number = !arc.is_empty() && arc.bytes().all(|byte| byte.is_ascii_digit());
        is_number && (arc == "0" || !arc.starts_with('0'))
    };
    matches!(arcs.next(), Some("0" | "1" | "2")) && text.contains('.') && arcs.all(is_arc)
}

fn is_uuid(text: &str) -> bool {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let lengths = text.splitn(6, '-').map(|part| if part.bytes().all(is_hex) { part.len() } else { 0 });
    lengths.eq([8, 4, 4, 4, 12])
}

/// Groups of four characters, of which the last may end with one or two `=`. White space may be anywhere.
fn is_base64(text: &str) -> bool {
    let (mut count, mut padding) = (0_usize, 0_usize);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        count += 1;
        match byte {
            b'=' => padding += 1,
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' if padding == 0 => {}
            _ => return false,
        }
    }
    count > 0 && count.is_multiple_of(4) && padding <= 2
}
