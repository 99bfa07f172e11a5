//! A JSON object, a resource or a row, folded around the elements that were asserted.

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Row, Wanted, around};

/// The members that say which object it is. They are shown whatever was asserted.
const NAMES: [&str; 2] = ["resourceType", "id"];
const NEIGHBOURS: usize = 2;
/// So many objects are shown.
const MOST_OBJECTS: usize = 3;
const DEEPEST: usize = 40;
/// The most characters of a row that is shown in a line.
const LINE: usize = 200;

/// Nothing where the places that decided are not JSON objects. With `is_table` they are rows, and the rows next to each
/// are shown in a line.
pub(super) fn rows(wanted: &Wanted<'_>, is_table: bool) -> Option<Vec<Row>> {
    let all = if is_table { spans(wanted.bytes) } else { Vec::new() };
    let paths: Vec<Vec<String>> = wanted.paths.iter().map(|path| steps(path)).collect();
    let mut out = Vec::new();
    for (start, end) in wanted.spans.iter().take(MOST_OBJECTS) {
        let value: Value = serde_json::from_slice(wanted.bytes.get(*start..*end)?).ok()?;
        if !value.is_object() {
            return None;
        }
        if !out.is_empty() {
            out.push(Row {
                pieces: vec![("another place of the same source".to_owned(), false)],
                aside: true,
                ..Row::default()
            });
        }
        let at = all.iter().position(|(from, to)| from <= start && to >= end);
        let neighbour = |at: Option<usize>, what: &str| {
            let (from, to) = at.and_then(|at| all.get(at))?;
            if wanted.spans.iter().any(|span| span.0 >= *from && span.1 <= *to) {
                return None;
            }
            let text = String::from_utf8_lossy(wanted.bytes.get(*from..*to)?).into_owned();
            let short: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LINE).collect();
            Some(Row { pieces: vec![(format!("{what}: {short}"), false)], aside: true, ..Row::default() })
        };
        out.extend(neighbour(at.and_then(|at| at.checked_sub(1)), "the row before"));
        let mut rows = Vec::new();
        object(&value, &mut Vec::new(), &paths, &mut rows);
        let shown = around(rows, NEIGHBOURS, "line");
        out.extend(shown);
        out.extend(neighbour(at.map(|at| at + 1), "the row after"));
    }
    (!out.is_empty()).then_some(out)
}

/// Where each row of a table begins and ends: the items of an array, or lines.
fn spans(bytes: &[u8]) -> Vec<(usize, usize)> {
    if let Ok(items) = serde_json::from_slice::<Vec<&RawValue>>(bytes) {
        let start = |item: &RawValue| item.get().as_ptr().addr().saturating_sub(bytes.as_ptr().addr());
        return items.iter().map(|item| (start(item), start(item) + item.get().len())).collect();
    }
    let mut at = 0;
    let line = |line: &[u8]| {
        let from = at;
        at = from + line.len() + 1;
        (from, from + line.len())
    };
    bytes.split(|byte| *byte == b'\n').map(line).filter(|(from, to)| from < to).collect()
}

/// The names of a path, without indices, conditions and functions: `component[0].value` is `component`, `value`.
fn steps(path: &str) -> Vec<String> {
    let (mut depth, mut clean) = (0_usize, String::new());
    for c in path.chars() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => clean.push(c),
            _ => {}
        }
    }
    clean
        .split('.')
        .map(str::to_owned)
        .filter(|step| !step.is_empty() && step != "$" && step.parse::<usize>().is_err())
        .collect()
}

/// The members of an object, a row each. A member on the way to an asserted element is unfolded, any other is one row.
fn object(value: &Value, at: &mut Vec<String>, paths: &[Vec<String>], rows: &mut Vec<Row>) {
    let Value::Object(members) = value else { return };
    let depth = at.len();
    for (name, member) in members {
        at.push(name.clone());
        let asserted = paths.iter().any(|path| path == at);
        let on_the_way = depth < DEEPEST && paths.iter().any(|path| path.len() > at.len() && path.starts_with(at));
        if !on_the_way || !(member.is_object() || member.is_array()) {
            let named = depth == 0 && NAMES.contains(&name.as_str());
            rows.push(member_row(name, member, depth, asserted, named));
        } else {
            unfolded(name, member, at, paths, rows);
        }
        at.pop();
    }
}

fn unfolded(name: &str, member: &Value, at: &mut Vec<String>, paths: &[Vec<String>], rows: &mut Vec<Row>) {
    let depth = at.len() - 1;
    let items = match member {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    for (number, item) in items.iter().enumerate() {
        let heading = if member.is_array() { format!("{name}[{number}]") } else { name.to_owned() };
        match item.is_object() {
            true => {
                rows.push(Row { depth, pieces: vec![(heading, false)], ..Row::default() });
                object(item, at, paths, rows);
            }
            false => rows.push(member_row(&heading, item, depth, false, false)),
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn member_row(name: &str, member: &Value, depth: usize, asserted: bool, named: bool) -> Row {
    let value = match member {
        Value::Object(members) if !asserted => format!("{{ {} }}", counted(members.len(), "member")),
        Value::Array(items) if !asserted => format!("[ {} ]", counted(items.len(), "item")),
        other => other.to_string(),
    };
    Row { depth, pieces: vec![(format!("{name}: "), false), (value, asserted)], names: named, ..Row::default() }
}
