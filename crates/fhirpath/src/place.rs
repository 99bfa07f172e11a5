//! The paths to the elements of a document.

use std::collections::HashMap;

use candor_json::Value;

use crate::item::Item;

/// The paths to the elements of a document, found in one pass.
///
/// ```
/// use candor_fhirpath::{ElementPaths, Item};
/// let patient = candor_json::json!({"resourceType": "Patient", "name": [{"given": ["Ann"]}]});
/// let names = Item::of_element(&patient).children();
/// assert_eq!(ElementPaths::of(&patient).find(&names[0]).unwrap(), "name[0]");
/// ```
#[derive(Debug)]
pub struct ElementPaths<'a> {
    /// By element: the element around it, and the step from there. The document itself is the first.
    links: Vec<(usize, Link<'a>)>,
    by_address: HashMap<*const Value, usize>,
}

impl<'a> ElementPaths<'a> {
    /// Those of a document.
    #[must_use]
    pub fn of(document: &'a Value) -> Self {
        let mut links = vec![(0, Link::Root)];
        let mut by_address = HashMap::from([(std::ptr::from_ref(document), 0)]);
        let mut open = vec![(document, 0)];
        while let Some((value, at)) = open.pop() {
            let mut add = |child: &'a Value, link: Link<'a>| {
                by_address.insert(std::ptr::from_ref(child), links.len());
                open.push((child, links.len()));
                links.push((at, link));
            };
            match value {
                Value::Object(members) => members.iter().for_each(|(name, child)| add(child, Link::Member(name))),
                Value::Array(items) => {
                    items.iter().enumerate().for_each(|(index, child)| add(child, Link::Index(index)));
                }
                _ => {}
            }
        }
        Self { links, by_address }
    }

    /// The path to an item, as [`Item::path`] has it.
    #[must_use]
    pub fn find(&self, item: &Item<'_>) -> Option<String> {
        let Item::Node(node) = item else { return None };
        let address = std::ptr::from_ref(node.value.or(node.beside)?);
        self.by_address.get(&address).map(|&at| written(&self.links, at))
    }
}

#[derive(Clone, Copy, Debug)]
enum Link<'a> {
    Root,
    Member(&'a str),
    Index(usize),
}

fn written(parents: &[(usize, Link<'_>)], mut at: usize) -> String {
    let mut links = Vec::new();
    while let Some((parent, link)) = parents.get(at).filter(|(_, link)| !matches!(link, Link::Root)) {
        links.push(*link);
        at = *parent;
    }
    let mut path = String::new();
    for link in links.iter().rev() {
        match link {
            Link::Root => {}
            Link::Member(name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                // The extensions of a primitive are in the member next to it; the path reaches them through its name.
                path.push_str(name.strip_prefix('_').unwrap_or(name));
            }
            Link::Index(index) => path.push_str(&format!("[{index}]")),
        }
    }
    path
}
