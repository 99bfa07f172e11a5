//! Where the values of a document are, by their address.

use std::collections::HashMap;

use candor_json::Value;

/// The places of all values of a document.
///
/// ```
/// use candor_check::json_path::JsonPlaces;
/// let document = candor_json::json!({"name": [{"family": "Roe"}]});
/// let places = JsonPlaces::of(&document);
/// assert_eq!(places.place(&document["name"][0]["family"]).as_deref(), Some("name.0.family"));
/// assert_eq!(places.place(&candor_json::json!("Roe")), None);
/// ```
#[derive(Debug)]
pub struct JsonPlaces<'a> {
    root: *const Value,
    places: HashMap<*const Value, (*const Value, Step<'a>)>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Member(&'a str),
    Element(usize),
}

impl<'a> JsonPlaces<'a> {
    /// Those of a document.
    #[must_use]
    pub fn of(document: &'a Value) -> Self {
        let mut places = HashMap::new();
        let mut open = vec![document];
        while let Some(value) = open.pop() {
            let parent = std::ptr::from_ref(value);
            let mut add = |child: &'a Value, step| {
                places.insert(std::ptr::from_ref(child), (parent, step));
                open.push(child);
            };
            match value {
                Value::Array(items) => {
                    items.iter().enumerate().for_each(|(index, item)| add(item, Step::Element(index)));
                }
                Value::Object(members) => {
                    members.iter().for_each(|(name, member)| add(member, Step::Member(name)));
                }
                _ => {}
            }
        }
        Self { root: document, places }
    }

    /// Where a value is: `dosageInstruction.0`, empty for the document. Nothing for a value of another document.
    #[must_use]
    pub fn place(&self, value: &Value) -> Option<String> {
        let mut steps = Vec::new();
        let mut at = std::ptr::from_ref(value);
        while at != self.root {
            let (parent, step) = self.places.get(&at)?;
            steps.push(match step {
                Step::Member(name) => (*name).to_owned(),
                Step::Element(index) => index.to_string(),
            });
            at = *parent;
        }
        steps.reverse();
        Some(steps.join("."))
    }
}
