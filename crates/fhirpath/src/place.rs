//! The path to an element of a document.

use candor_json::Value;

/// The path to `wanted`, which is found by its address; `None` if it is not a part of `document`.
pub(crate) fn path(document: &Value, wanted: &Value) -> Option<String> {
    if std::ptr::eq(document, wanted) {
        return Some(String::new());
    }
    // What is open: its place in `parents`, so that the path is written for one element only.
    let mut open = vec![(document, 0usize)];
    let mut parents: Vec<(usize, Link<'_>)> = vec![(0, Link::Root)];
    while let Some((value, at)) = open.pop() {
        let mut children: Vec<(&Value, Link<'_>)> = Vec::new();
        match value {
            Value::Object(members) => children.extend(members.iter().map(|(name, value)| (value, Link::Member(name)))),
            Value::Array(items) => {
                children.extend(items.iter().enumerate().map(|(index, value)| (value, Link::Index(index))));
            }
            _ => {}
        }
        for (child, link) in children {
            parents.push((at, link));
            let child_at = parents.len() - 1;
            if std::ptr::eq(child, wanted) {
                return Some(written(&parents, child_at));
            }
            if child.is_object() || child.is_array() {
                open.push((child, child_at));
            }
        }
    }
    None
}

#[derive(Clone, Copy)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use candor_json::json;

    #[test]
    fn finds_elements_by_address() {
        let document = json!({"name": [{"given": ["A", "B"]}, {"given": ["A", "B"]}], "_birthDate": {"id": "x"}});
        let find = |pointer: &str| path(&document, document.pointer(pointer).unwrap());
        assert_eq!(find("/name/1/given/1").unwrap(), "name[1].given[1]");
        assert_eq!(find("/_birthDate").unwrap(), "birthDate");
        assert_eq!(find("").unwrap(), "");
        assert_eq!(path(&document, &json!("A")), None);
    }
}
