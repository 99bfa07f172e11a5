//! JSON files.

use std::collections::HashSet;

use candor_json::Value;
use candor_json::text::{items, span, unquoted, written_members};

use super::SyntaxError;
use super::places::Places;

pub(super) fn read(text: &str) -> Result<(Value, Places), SyntaxError> {
    let value = candor_json::from_str(text).map_err(|e| {
        let message = e.to_string();
        // The error shows the position once, in front.
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        (Some((e.line().max(1), e.column().max(1))), format!("it is not JSON: {message}"))
    })?;
    let mut walk = Walk { text, lines: Lines::new(text), steps: Vec::new(), places: Places::default() };
    walk.inside(text.trim())?;
    Ok((value, walk.places))
}

/// Notes the place of every name and item of a text that is known to be JSON.
struct Walk<'a> {
    text: &'a str,
    lines: Lines<'a>,
    steps: Vec<String>,
    places: Places,
}

impl Walk<'_> {
    fn inside(&mut self, value: &str) -> Result<(), SyntaxError> {
        let mut names = HashSet::new();
        for (written, value) in written_members(value) {
            let name = unquoted(written).unwrap_or_default().into_owned();
            let position = self.lines.at(span(self.text, written).start);
            if !names.insert(name.clone()) {
                return Err((Some(position), format!("the member `{name}` occurs twice in one object")));
            }
            self.below(name, position, value)?;
        }
        for (index, item) in items(value).enumerate() {
            let position = self.lines.at(span(self.text, item).start);
            self.below(index.to_string(), position, item)?;
        }
        Ok(())
    }

    fn below(&mut self, step: String, position: (usize, usize), value: &str) -> Result<(), SyntaxError> {
        self.steps.push(step);
        self.places.set(&self.steps, position);
        self.inside(value)?;
        self.steps.pop();
        Ok(())
    }
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
