//! What an audit changes of dropped files, and why each is a harm or none.

use candor_check::operators::{Change, Operator, Target};
use candor_check::strict_json::Edit;
use serde_json::Value;

/// The operators of dropped files.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::harm("files/empty", empty,
        "A file of no bytes says nothing."),
    Operator::harm("files/delivered-twice", delivered_twice,
        "The same file under another name is worked on a second time."),
    Operator::equivalent("files/line-ends", line_ends,
        "Text files come with the line ends of the system that wrote them (RFC 4180 has CR LF)."),
    Operator::equivalent("files/byte-order-mark", byte_order_mark,
        "U+FEFF at the start is a signature of the encoding and no part of the text (Unicode, 23.8)."),
    Operator::equivalent("files/indentation", indentation,
        "\"Insignificant whitespace is allowed before or after\" each token (RFC 8259, 2)."),
    Operator::breach("files/forbidden-file", forbidden_file,
        "A file where the criterion forbids one."),
];

fn is_table(target: &Target<'_>) -> bool {
    [".csv", ".tsv"].iter().any(|ending| target.place.locator.ends_with(ending))
}

fn whole(target: &Target<'_>, with: String, sentence: String) -> Vec<Change> {
    let length = target.file().map_or(0, str::len);
    vec![target.change_file([Edit { span: 0..length, with }], sentence)]
}

fn empty(target: &Target<'_>) -> Vec<Change> {
    match target.file() {
        Some(file) if !file.is_empty() => whole(target, String::new(), format!("{} is empty.", target.place.locator)),
        _ => Vec::new(),
    }
}

fn delivered_twice(target: &Target<'_>) -> Vec<Change> {
    let Some(file) = target.file() else { return Vec::new() };
    let Some((stem, ending)) = target.place.locator.rsplit_once('.') else { return Vec::new() };
    let edits = vec![Edit { span: 0..0, with: file.to_owned() }];
    let locator = format!("{stem}_2.{ending}");
    if target.files.iter().any(|(name, _)| *name == locator) {
        return Vec::new();
    }
    let sentence = format!("{} was dropped a second time, as {locator}.", target.place.locator);
    vec![Change { locator, edits, sentence }]
}

fn line_ends(target: &Target<'_>) -> Vec<Change> {
    match target.file().filter(|file| is_table(target) && !file.contains(['\r', '"'])) {
        Some(file) => {
            whole(target, file.replace('\n', "\r\n"), format!("The lines of {} end in CR LF.", target.place.locator))
        }
        None => Vec::new(),
    }
}

fn byte_order_mark(target: &Target<'_>) -> Vec<Change> {
    if !is_table(target) || target.file().is_none_or(|file| file.starts_with('\u{feff}')) {
        return Vec::new();
    }
    let edit = Edit { span: 0..0, with: "\u{feff}".to_owned() };
    vec![target.change_file([edit], format!("{} begins with a byte order mark.", target.place.locator))]
}

fn indentation(target: &Target<'_>) -> Vec<Change> {
    let Some(file) = target.file().filter(|_| target.place.locator.ends_with(".json")) else { return Vec::new() };
    let trimmed = file.trim_start();
    if !trimmed.starts_with('{') {
        return Vec::new();
    }
    let at = file.len() - trimmed.len() + 1;
    vec![target.change_file(
        [Edit { span: at..at, with: "\n\n    ".to_owned() }],
        format!("{} is laid out differently.", target.place.locator),
    )]
}

/// A file that the path of the criterion matches.
fn forbidden_file(target: &Target<'_>) -> Vec<Change> {
    // Once, and not for each file that is there.
    if target.place.locator != "files/" {
        return Vec::new();
    }
    let Some(path) = target.forbidden.and_then(|assertion| assertion.get("path")).and_then(Value::as_str) else {
        return Vec::new();
    };
    let path = path.replace("**", "zz-audit").replace('*', "zz-audit").replace('?', "z");
    if path.contains(['[', '{', '!']) || path.split('/').any(|step| step == "..") {
        return Vec::new();
    }
    let (locator, sentence) = (format!("files/{path}"), format!("A file was dropped as {path}."));
    vec![Change { locator, edits: vec![Edit { span: 0..0, with: "zz\n".to_owned() }], sentence }]
}
