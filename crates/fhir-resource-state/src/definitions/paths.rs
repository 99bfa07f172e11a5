//! Paths by the definitions: their steps, and where they repeat.

use candor_check::review::Shape;
use candor_fhirpath::definitions::Position;

/// The shape of a path by the definitions; `inside` are the items in which it begins.
pub(crate) fn shape(resource_type: &str, inside: &[&str], path: &str) -> Shape {
    let unknown = Shape { defined: true, ..Shape::default() };
    // Nothing is known of the items of expressions.
    let plain = |text: &str| !text.contains(|c: char| !c.is_alphanumeric() && !"._".contains(c));
    if path.starts_with('$') {
        return Shape { defined: true, ..Shape::of_json_path(path) };
    }
    if !inside.iter().chain([&path]).all(|text| plain(text)) {
        return unknown;
    }
    let outer = inside.iter().flat_map(|item| item.split('.')).count();
    let mut at = Position::of(resource_type);
    let mut shape = Shape { single: true, ..unknown };
    let steps: Vec<&str> = inside.iter().flat_map(|item| item.split('.')).chain(path.split('.')).collect();
    let is_index = |step: &&str| step.bytes().all(|byte| byte.is_ascii_digit());
    for (number, step) in steps.iter().enumerate().filter(|(_, step)| !is_index(step)) {
        let Ok(next) = at.member(step) else { return Shape { single: false, ..shape } };
        at = next;
        let chosen = steps.get(number + 1).is_some_and(is_index);
        if number < outer || !at.repeats() || chosen {
            continue;
        }
        shape.single = false;
        let known = at.types().is_some() || step.ends_with("xtension");
        if known && number + 1 < steps.len() {
            shape.every.push(steps.get(outer..=number).unwrap_or_default().join("."));
        }
    }
    shape
}

/// The member steps of a path, each with its place; a step without a name ends what is known of the path.
pub(super) fn steps(text: &str) -> Vec<(usize, Option<&str>)> {
    if text.starts_with('$') {
        return json_path(text);
    }
    let mut at = 0;
    let mut steps = Vec::new();
    for name in text.split('.') {
        // A bare number is an index.
        if !name.bytes().all(|byte| byte.is_ascii_digit()) {
            steps.push((at, Some(name)));
        }
        at += name.len() + 1;
    }
    steps
}

/// Those of a JSONPath, up to the first step that is not a plain member or the index of an array.
fn json_path(text: &str) -> Vec<(usize, Option<&str>)> {
    let mut steps = Vec::new();
    let mut at = 1;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let step = rest.strip_prefix('.').map(|rest| {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            (at + 1, rest.get(..end).unwrap_or_default(), end + 1)
        });
        let (start, name, length) = match step.or_else(|| bracket(rest, at)) {
            Some((start, name, length)) if !name.is_empty() && name != "*" => (start, name, length),
            // An index, which changes nothing of the types.
            Some((_, "*", length)) if rest.starts_with('[') => {
                at += length;
                continue;
            }
            _ => {
                steps.push((at, None));
                return steps;
            }
        };
        let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        steps.push((start, Some(name).filter(|_| plain)));
        at += length;
    }
    steps
}

/// `['name']`, or `[0]` and `[*]`, which come as `*`; with the place of the name and the length of all.
fn bracket(rest: &str, at: usize) -> Option<(usize, &str, usize)> {
    let (inner, _) = rest.strip_prefix('[')?.split_once(']')?;
    let length = inner.len() + 2;
    let quoted = |quote: char| inner.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(name) = quoted('\'').or_else(|| quoted('"')) {
        return Some((at + 2, name, length));
    }
    let index = inner == "*" || inner.strip_prefix('-').unwrap_or(inner).bytes().all(|byte| byte.is_ascii_digit());
    Some((at + 1, if index { "*" } else { "" }, length))
}
