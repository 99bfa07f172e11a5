//! A JSON object, a resource or a row, folded around the elements that were asserted.

use candor_json::Value;
use candor_json::value::RawValue;

use super::{Row, Wanted, around};

/// The members that say which object it is. They are shown whatever was asserted.
const NAMES: [&str; 2] = ["resourceType", "id"];
const NEIGHBOURS: usize = 2;
const MOST_OBJECTS: usize = 3;
const DEEPEST: usize = 40;
/// The most characters of a row that is shown in a line.
const LINE: usize = 200;

/// Nothing where the places that decided are not JSON objects. With `is_table` they are rows, and the rows next to each
/// are shown in a line.
pub(super) fn rows(wanted: &Wanted<'_>, is_table: bool) -> Option<Vec<Row>> {
    let all = if is_table { spans(wanted.bytes) } else { Vec::new() };
    let paths: Vec<(Vec<Step>, bool)> =
        wanted.fields.iter().map(|field| (steps(&field.path), field.is_nothing)).collect();
    let mut out = Vec::new();
    for (start, end) in wanted.spans.iter().take(MOST_OBJECTS) {
        let value: Value = candor_json::from_slice(wanted.bytes.get(*start..*end)?).ok()?;
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
    if let Ok(items) = candor_json::from_slice::<Vec<RawValue<'_>>>(bytes) {
        let start = |item: &RawValue<'_>| item.get().as_ptr().addr().saturating_sub(bytes.as_ptr().addr());
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

/// A name of a path, and which item of it where the path says so.
type Step = (String, Option<usize>);

/// The steps of a path without conditions and functions: of `component[0].value.first()` they are the first `component`,
/// and `value`.
fn steps(path: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for step in split(path) {
        let end = step.find(['[', '(']).unwrap_or(step.len());
        let (name, rest) = step.split_at(end);
        if rest.starts_with('(') || name == "$" {
            continue;
        }
        let number = |text: &str| text.parse::<usize>().ok();
        match (number(name), steps.last_mut()) {
            (Some(item), Some(last)) => last.1 = Some(item),
            (None, _) if !name.is_empty() => steps.push((name.to_owned(), None)),
            _ => {}
        }
        let bracket = rest.strip_prefix('[').and_then(|rest| number(rest.split(']').next()?));
        if let (Some(item), Some(last)) = (bracket, steps.last_mut()) {
            last.1 = Some(item);
        }
    }
    steps
}

/// The parts of a path between the dots that are not within brackets.
fn split(path: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let at_dot = |c: char| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '.' && depth == 0
    };
    path.split(at_dot).collect()
}

/// Paths that were asserted, and whether nothing was found there.
type Paths = [(Vec<Step>, bool)];

/// Compares the beginning of a path with these steps. A path without an item leads to all of them.
fn begins(path: &[Step], at: &[Step]) -> bool {
    let same = |(a, b): (&Step, &Step)| a.0 == b.0 && (a.1.is_none() || b.1.is_none() || a.1 == b.1);
    path.len() >= at.len() && path.iter().zip(at).all(same)
}

/// The members of an object, a row each. A member on the way to an asserted element is unfolded, any other is one row. An
/// asserted member that is not there has a row that says so.
fn object(value: &Value, at: &mut Vec<Step>, paths: &Paths, rows: &mut Vec<Row>) {
    let Value::Object(members) = value else { return };
    let depth = at.len();
    for (name, member) in members {
        at.push((name.clone(), None));
        let leads = |(path, _): &&(Vec<Step>, bool)| begins(path, at);
        let is_end = |path: &[Step]| path.len() == depth + 1 && !(member.is_array() && ends_in_item(path));
        let asserted = paths.iter().filter(leads).any(|(path, _)| is_end(path));
        let on_the_way = depth < DEEPEST && paths.iter().filter(leads).any(|(path, _)| !is_end(path));
        if !on_the_way || !(member.is_object() || member.is_array()) {
            let named = depth == 0 && NAMES.contains(&name.as_str());
            rows.push(member_row(name, member, depth, asserted, named));
        } else {
            unfolded(name, member, at, paths, rows);
        }
        at.pop();
    }
    let missing = paths.iter().filter(|(path, is_nothing)| *is_nothing && begins(path, at));
    for (name, _) in missing.filter_map(|(path, _)| path.get(depth)) {
        // `value` may be there as `valueQuantity`.
        if !members.keys().any(|member| member.starts_with(name.as_str())) {
            let pieces = vec![(format!("{name}: "), false), ("nothing".to_owned(), true)];
            rows.push(Row { depth, pieces, ..Row::default() });
        }
    }
}

fn ends_in_item(path: &[Step]) -> bool {
    path.last().is_some_and(|(_, item)| item.is_some())
}

fn unfolded(name: &str, member: &Value, at: &mut Vec<Step>, paths: &Paths, rows: &mut Vec<Row>) {
    let depth = at.len() - 1;
    let items = match member {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    for (number, item) in items.iter().enumerate() {
        let heading = if member.is_array() { format!("{name}[{number}]") } else { name.to_owned() };
        if let Some(last) = at.last_mut().filter(|_| member.is_array()) {
            last.1 = Some(number);
        }
        let leads = |(path, _): &&(Vec<Step>, bool)| begins(path, at);
        let asserted = paths.iter().filter(leads).any(|(path, _)| path.len() == at.len() && ends_in_item(path));
        let is_on_the_way = paths.iter().filter(leads).any(|(path, _)| path.len() > at.len());
        match item.is_object() && is_on_the_way && !asserted {
            true => {
                rows.push(Row { depth, pieces: vec![(heading, false)], ..Row::default() });
                object(item, at, paths, rows);
            }
            false => rows.push(member_row(&heading, item, depth, asserted, false)),
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
