//! Changes of task files, and the lines that they leave alone.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::path::Path;

use candor_engine::Document;
use candor_engine::edit::{Edit, Style, edited};
use candor_json::{Value, json};
use proptest::prelude::*;

fn steps(path: &str) -> Vec<String> {
    path.split('.').filter(|step| !step.is_empty()).map(str::to_owned).collect()
}

fn append(path: &str, value: Value) -> Edit {
    Edit::Append { steps: steps(path), value }
}

fn put(path: &str, name: &str, value: Value) -> Edit {
    Edit::Put { steps: steps(path), name: name.to_owned(), value }
}

fn yaml(text: &str, edit: Edit) -> String {
    edited(Path::new("t.yaml"), text, &[edit]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn lists_grow_where_they_are() {
    let field = || json!({"path": "status", "expected": "active"});
    for (before, after) in [
        ("a:\n  - x # note\n# end\n", "a:\n  - x # note\n  - { path: status, expected: active }\n# end\n"),
        ("a:\n- x\nb: 1\n", "a:\n- x\n- { path: status, expected: active }\nb: 1\n"),
        ("a: [x]\n", "a: [x, { path: status, expected: active }]\n"),
        ("a: []", "a: [{ path: status, expected: active }]"),
        ("a: [ {x: 1} ] # c\n", "a: [ {x: 1}, {path: status, expected: active} ] # c\n"),
        ("a: [\n    x,\n    y\n  ]\n", "a: [\n    x,\n    y,\n    { path: status, expected: active }\n  ]\n"),
        ("a:\r\n  - x\r\nb: 1", "a:\r\n  - x\r\n  - { path: status, expected: active }\r\nb: 1"),
        (
            "a:\n  - k: v\n    m:\n      - deep\n\n\nb: 1\n",
            "a:\n  - k: v\n    m:\n      - deep\n  - { path: status, expected: active }\n\n\nb: 1\n",
        ),
        (
            "a:\n  - |\n    text\n    more\n\nb: 1\n",
            "a:\n  - |\n    text\n    more\n  - { path: status, expected: active }\n\nb: 1\n",
        ),
        ("a:\n  - x", "a:\n  - x\n  - { path: status, expected: active }"),
        (
            "é: [ü]\na:\n  - 'x\n    y' # z\n",
            "é: [ü]\na:\n  - 'x\n    y' # z\n  - { path: status, expected: active }\n",
        ),
    ] {
        assert_eq!(yaml(before, append("a", field())), after, "{before}");
    }
}

#[test]
fn members_come_and_change() {
    for (before, edit, after) in [
        ("a:\n  - x # one\n  - { b: 1 }\n", put("a", "1", json!({"c": 2})), "a:\n  - x # one\n  - { c: 2 }\n"),
        ("a:\n  - b: 1\n    c: 2\n  - x\n", put("a", "0", json!("z")), "a:\n  - z\n  - x\n"),
        ("a:\n  b: 1 # one\nc: 2\n", put("a", "match", json!("all")), "a:\n  b: 1 # one\n  match: all\nc: 2\n"),
        ("a: { b: 1 }\n", put("a", "count", json!({"max": 1})), "a: { b: 1, count: { max: 1 } }\n"),
        ("a: {b: 1}\n", put("a", "b", json!("2026-01-01")), "a: {b: \"2026-01-01\"}\n"),
        ("a:\n  b: any # why\n  c: 1\n", put("a", "b", json!("exactly_one")), "a:\n  b: exactly_one # why\n  c: 1\n"),
        ("a:\n  b:\n    min: 1\n  c: 1\n", put("a", "b", json!(2)), "a:\n  b:\n    2\n  c: 1\n"),
        ("a: {}\n", put("a", "b", json!([1])), "a: { b: [1] }\n".replace("{ b: [1] }", "{b: [1]}").as_str()),
        (
            "l:\n  - id: x\n    n: 1\n  - id: y\n",
            put("l.0", "m", json!(["v"])),
            "l:\n  - id: x\n    n: 1\n    m:\n      - v\n  - id: y\n",
        ),
        ("a:\n  b:\nc: 1\n", put("a", "d", json!(true)), "a:\n  b:\n  d: true\nc: 1\n"),
        ("a:\n  b:\nc: 1\n", put("a", "b", json!("x")), "a:\n  b: x\nc: 1\n"),
    ] {
        assert_eq!(yaml(before, edit), after, "{before}");
    }
}

#[test]
fn json_keeps_its_layout() {
    let text = "{\n\t\"a\": [\n\t\t{\"b\": 1},\n\t\t{\"b\": 2}\n\t],\n\t\"c\": {\n\t\t\"d\": \"x\"\n\t}\n}\n";
    let edits = [append("a", json!({"b": 3})), put("c", "e", json!("y")), put("c", "d", json!(null))];
    let after = "{\n\t\"a\": [\n\t\t{\"b\": 1},\n\t\t{\"b\": 2},\n\t\t{\"b\": 3}\n\t],\n\t\"c\": {\n\t\t\"d\": null,\n\t\t\"e\": \"y\"\n\t}\n}\n";
    assert_eq!(edited(Path::new("t.json"), text, &edits).unwrap(), after);
    assert_eq!(edited(Path::new("t.json"), text, &[]).unwrap(), text);
}

#[test]
fn what_cannot_be_changed_is_said() {
    let error = |text: &str, edit| edited(Path::new("t.yaml"), text, &[edit]).unwrap_err().to_string();
    let message = "nothing can be added at b: an alias or a placeholder is written there";
    assert_eq!(error("a: &x [1]\nb: *x\n", append("b", json!(2))), message);
    assert_eq!(error("b: ${inputs.fields}\n", append("b", json!(2))), message);
    // The other place that repeats it would change, too.
    let message = "the layout around a does not allow a change; add it by hand";
    assert_eq!(error("a: &x [1]\nb: *x\n", append("a", json!(2))), message);
    // The comment within the item would be lost.
    assert!(error("a:\n  - b: 1 # one\n    c: 2\n", put("a", "0", json!(2))).contains("at a"));
}

/// A text of YAML for a value, laid out by turns in blocks and flows, with comments.
fn laid_out(value: &Value, depth: usize, turns: &mut impl FnMut() -> u8, out: &mut String) {
    let pad = "  ".repeat(depth);
    let block = depth < 3 && !turns().is_multiple_of(3);
    match value {
        Value::Array(items) if block && !items.is_empty() => {
            for item in items {
                out.push_str(&format!("\n{pad}- "));
                nested(item, depth, turns, out);
            }
        }
        Value::Object(members) if block && !members.is_empty() => {
            for (name, item) in members {
                if turns().is_multiple_of(4) {
                    out.push_str(&format!("\n{pad}# about {name}"));
                }
                out.push_str(&format!("\n{pad}{name}: "));
                nested(item, depth, turns, out);
            }
        }
        other => {
            let style = if turns().is_multiple_of(2) { Style::Yaml } else { Style::Spaced };
            out.push_str(&style.on_one_line(other));
            if turns().is_multiple_of(4) {
                out.push_str(" # so");
            }
        }
    }
}

fn nested(item: &Value, depth: usize, turns: &mut impl FnMut() -> u8, out: &mut String) {
    laid_out(item, depth + 1, turns, out);
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(|n| json!(n)),
        "[a-zé\"':#, ]{0,6}".prop_map(|s| json!(s)),
        any::<bool>().prop_map(|b| json!(b)),
        Just(json!(null)),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map("[a-d]", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

fn collections(value: &Value, at: &mut Vec<String>, found: &mut Vec<(Vec<String>, bool)>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect(),
        Value::Object(members) => members.iter().map(|(name, item)| (name.clone(), item)).collect(),
        _ => return,
    };
    found.push((at.clone(), value.is_array()));
    for (step, item) in below {
        at.push(step);
        collections(item, at, found);
        at.pop();
    }
}

/// Makes a change in a value.
fn apply(document: &mut Value, edit: &Edit) {
    let (Edit::Append { steps, .. } | Edit::Put { steps, .. }) = edit;
    let target = steps.iter().fold(document, |value, step| match value {
        Value::Array(items) => items.get_mut(step.parse::<usize>().unwrap()).unwrap(),
        other => other.as_object_mut().unwrap().get_mut(step).unwrap(),
    });
    match edit {
        Edit::Append { value, .. } => target.as_array_mut().unwrap().push(value.clone()),
        Edit::Put { name, value, .. } => match target {
            Value::Array(items) => *items.get_mut(name.parse::<usize>().unwrap()).unwrap() = value.clone(),
            other => drop(other.as_object_mut().unwrap().insert(name.clone(), value.clone())),
        },
    }
}

proptest! {
    /// The new document has the value that was meant, and every line but the changed one is still there, in its order.
    #[test]
    fn other_lines_stay(
        top in prop::collection::btree_map("[a-d]", value(), 1..4), added in value(), turns in prop::collection::vec(any::<u8>(), 64),
        which in any::<prop::sample::Index>(), name in "[a-f]", windows in any::<bool>(),
    ) {
        let top = json!(top);
        let mut next = turns.iter().copied().cycle();
        let mut text = String::from("# head");
        laid_out(&top, 0, &mut || next.next().unwrap_or_default(), &mut text);
        // A document may not be a mapping without lines of its own behind a comment.
        let mut text = if text.starts_with("# head\n") { format!("{text}\n# end\n") } else { text.replacen("# head", "", 1) };
        if windows {
            text = text.replace('\n', "\r\n");
        }
        let file = Path::new("t.yaml");
        let read = |text: &str| Document::parse(file, text.as_bytes()).map(|document| document.value().clone());
        prop_assert_eq!(read(&text), Ok(top.clone()), "{}", text);
        let mut places = Vec::new();
        collections(&top, &mut Vec::new(), &mut places);
        let (steps, is_list) = which.get(&places).clone();
        let edit = match is_list {
            true => Edit::Append { steps, value: added },
            false => Edit::Put { steps, name, value: added },
        };
        let mut meant = top;
        apply(&mut meant, &edit);
        let written = edited(file, &text, std::slice::from_ref(&edit));
        let written = match written {
            Ok(written) => written,
            Err(error) => return Err(TestCaseError::fail(format!("{error}: {edit:?} in\n{text}"))),
        };
        prop_assert_eq!(read(&written), Ok(meant), "{}", written);
        let replaced = matches!(&edit, Edit::Put { .. }) ;
        let (old, new): (Vec<&str>, Vec<&str>) = (text.split('\n').collect(), written.split('\n').collect());
        let front = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
        let back = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
        let lost = old.len() - front - back.min(old.len() - front);
        prop_assert!(lost <= 1 || replaced, "{lost} lines of\n{text}\nare not in\n{written}");
    }

    #[test]
    fn no_text_makes_it_panic(text in "[-a:\\[\\]{}\"'&*!|>#é0.,\r\n ]{0,40}", path in "(a|0|1)?(\\.(a|0|1))?", json in any::<bool>()) {
        let file = Path::new(if json { "t.json" } else { "t.yaml" });
        let _ = edited(file, &text, &[append(&path, json!("x"))]);
        let _ = edited(file, &text, &[put(&path, "a", json!("x"))]);
    }
}
