//! JSON files.

use std::collections::HashSet;

use candor_json::Value;

use super::SyntaxError;
use super::places::Places;

pub(super) fn read(text: &str) -> Result<(Value, Places), SyntaxError> {
    let value = candor_json::from_str(text).map_err(|e| {
        let message = e.to_string();
        // The error shows the position once, in front.
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        (Some((e.line().max(1), e.column().max(1))), format!("it is not JSON: {message}"))
    })?;
    Ok((value, walk(text)?))
}

/// A collection around the scanner: an object with its keys so far, or an array with the index of its next item.
enum Open {
    Object(HashSet<String>),
    Array(usize),
}

/// Goes once over a text that is known to be JSON, and notes the place of every key and item.
fn walk(text: &str) -> Result<Places, SyntaxError> {
    let mut places = Places::default();
    let mut steps: Vec<String> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut rest = text;
    let mut lines = Lines::new(text);
    while let Some(first) = rest.chars().next() {
        let offset = text.len() - rest.len();
        let after = |n: usize| rest.get(n..).unwrap_or_default();
        match first {
            '{' | '[' => {
                item(&mut open, &mut steps, &mut places, || lines.at(offset));
                open.push(if first == '{' { Open::Object(HashSet::new()) } else { Open::Array(0) });
                rest = after(1);
            }
            '}' | ']' => {
                open.pop();
                leave(&open, &mut steps);
                rest = after(1);
            }
            '"' => {
                let length = string_length(rest);
                let token = rest.get(..length).unwrap_or_default();
                rest = after(length);
                let is_key = rest.trim_start().starts_with(':');
                match open.last_mut() {
                    Some(Open::Object(keys)) if is_key => {
                        let key: String = candor_json::from_str(token).unwrap_or_default();
                        if !keys.insert(key.clone()) {
                            return Err((
                                Some(lines.at(offset)),
                                format!("the member `{key}` occurs twice in one object"),
                            ));
                        }
                        steps.push(key);
                        places.set(&steps, lines.at(offset));
                    }
                    _ => {
                        item(&mut open, &mut steps, &mut places, || lines.at(offset));
                        leave(&open, &mut steps);
                    }
                }
            }
            ',' | ':' => rest = after(1),
            c if c.is_ascii_whitespace() => rest = after(1),
            _ => {
                let length = rest.find([',', '}', ']', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
                item(&mut open, &mut steps, &mut places, || lines.at(offset));
                leave(&open, &mut steps);
                rest = after(length);
            }
        }
    }
    Ok(places)
}

/// A value begins: in an array it is an item of its own.
fn item(open: &mut [Open], steps: &mut Vec<String>, places: &mut Places, position: impl FnOnce() -> (usize, usize)) {
    if let Some(Open::Array(index)) = open.last_mut() {
        steps.push(index.to_string());
        *index += 1;
        places.set(steps, position());
    }
}

/// A value ended: the step that led to it is left.
fn leave(open: &[Open], steps: &mut Vec<String>) {
    if !open.is_empty() {
        steps.pop();
    }
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

struct Lines<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
    column: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, offset: 0, line: 1, column: 1 }
    }

    fn at(&mut self, offset: usize) -> (usize, usize) {
        for c in self.text.get(self.offset..offset).unwrap_or_default().chars() {
            if c == '\n' {
                (self.line, self.column) = (self.line + 1, 1);
            } else {
                self.column += 1;
            }
        }
        self.offset = offset;
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_member_has_its_place() {
        let text = "{\n  \"a\": [1, {\"b\\\"}\": \"x,]\"},\n    \"y\"],\n  \"é\": {}, \"z\": null\n}";
        let (_, places) = read(text).unwrap();
        for (steps, position) in [
            (&["a"][..], (2, 3)),
            (&["a", "0"], (2, 9)),
            (&["a", "1"], (2, 12)),
            (&["a", "1", "b\"}"], (2, 13)),
            (&["a", "2"], (3, 5)),
            (&["é"], (4, 3)),
            (&["z"], (4, 12)),
            (&["z", "nothing"], (4, 12)),
        ] {
            assert_eq!(places.of(steps), Some(position), "{steps:?}");
        }
    }

    #[test]
    fn a_member_that_stands_twice_is_refused() {
        let error = read("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2}}").unwrap_err();
        assert_eq!(error.0, Some((2, 16)));
        assert!(error.1.contains("`c` occurs twice"), "{}", error.1);
        assert!(read("[{\"a\": 1}, {\"a\": 1}]").is_ok());
        assert_eq!(read("{\"a\": }").unwrap_err().0, Some((1, 7)));
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[\\PC\"\\\\]{0,6}".prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c\"\\\\{:,]{1,3}", inner, 0..4)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    fn all_steps(value: &Value, steps: &mut Vec<String>, out: &mut Vec<Vec<String>>) {
        let mut each = |step: String, value: &Value| {
            steps.push(step);
            out.push(steps.clone());
            all_steps(value, steps, out);
            steps.pop();
        };
        match value {
            Value::Array(items) => items.iter().enumerate().for_each(|(i, v)| each(i.to_string(), v)),
            Value::Object(members) => members.iter().for_each(|(k, v)| each(k.clone(), v)),
            _ => {}
        }
    }

    proptest! {
        #[test]
        fn every_step_of_any_document_has_a_place_of_its_own(value in json(), pretty in any::<bool>()) {
            let text = if pretty { candor_json::to_string_pretty(&value) } else { candor_json::to_string(&value) }.unwrap();
            let (read, places) = read(&text).unwrap();
            prop_assert_eq!(&read, &value);
            let mut steps = Vec::new();
            all_steps(&value, &mut Vec::new(), &mut steps);
            let mut positions = HashSet::new();
            for step in &steps {
                let place = places.of(&step.iter().map(String::as_str).collect::<Vec<_>>());
                prop_assert!(positions.insert(place.unwrap()), "{:?}", step);
            }
        }

        #[test]
        fn never_panics(text in "[\\[\\]{}\",:a0\\\\ \n]{0,40}") {
            let _ = read(&text);
        }
    }
}
