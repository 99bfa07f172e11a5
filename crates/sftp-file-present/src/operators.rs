//! The changes of an audit to dropped files, and why each is a harm or none.

use std::io::Write as _;
use std::ops::Range;

use candor_check::operators::{Change, Operator, Target};
use candor_check::strict_json::{self, Edit, leaves, reversed_members};
use candor_json::Value;
use flate2::Compression;
use flate2::write::GzEncoder;

/// The operators of dropped files.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::harm("files/empty", empty,
        "A file of no bytes says nothing."),
    Operator::harm("files/delivered-twice", delivered_twice,
        "The same file under another name is worked on a second time."),
    Operator::harm("files/truncated", truncated,
        "A file that was cut off is not the one that was to be delivered."),
    Operator::harm("files/temporary-name", temporary_name,
        "Uploads bear a temporary name until they are complete: no reader picks the file up under it."),
    Operator::harm("files/other-member-inside", other_member_inside,
        "The file is of the right name, and about somebody else."),
    Operator::harm("files/declared-total-off", declared_total_off,
        "A number of records or a total that the file itself does not bear out: the receiver rejects it."),
    Operator::equivalent("files/line-ends", line_ends,
        "Text files come with the line ends of the system that wrote them (RFC 4180 has CR LF)."),
    Operator::equivalent("files/byte-order-mark", byte_order_mark,
        "U+FEFF at the start is a signature of the encoding and no part of the text (Unicode, 23.8)."),
    Operator::equivalent("files/indentation", indentation,
        "\"Insignificant whitespace is allowed before or after any of the six structural characters\" (RFC 8259, 2)."),
    Operator::equivalent("files/member-order", member_order,
        "\"An object is an unordered collection\" of members (RFC 8259, 1)."),
    Operator::equivalent("files/gzipped", gzipped,
        "gzip gives back every byte (RFC 1952): the same file, where the name that comes of it is asked for."),
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
    if target.has(&locator) {
        return Vec::new();
    }
    let sentence = format!("{} was dropped a second time, as {locator}.", target.place.locator);
    vec![Change::new(locator, edits, sentence)]
}

/// The file, where it is sound JSON.
fn json<'a>(target: &Target<'a>) -> Option<&'a str> {
    target.file().filter(|file| target.place.locator.ends_with(".json") && strict_json::check(file.trim()).is_ok())
}

fn delimiter(target: &Target<'_>) -> char {
    if target.place.locator.ends_with(".tsv") { '\t' } else { ',' }
}

/// The last line of a file that holds anything, with its place.
fn last_line(file: &str) -> Option<(Range<usize>, &str)> {
    let end = file.trim_end().len();
    let start = file.get(..end)?.rfind('\n').map_or(0, |at| at + 1);
    Some((start..end, file.get(start..end)?))
}

/// JSON without its last bracket; of a table the last row ends behind its first cell, of another text in its middle.
fn truncated(target: &Target<'_>) -> Vec<Change> {
    let cut = || {
        let file = target.file().filter(|file| !file.trim().is_empty())?;
        let end = file.trim_end().len();
        let from = if json(target).is_some() {
            end.checked_sub(1)?
        } else {
            let (line, text) = last_line(file)?;
            let middle = || text.char_indices().nth(text.chars().count() / 2).map(|(at, _)| at);
            line.start + if is_table(target) { text.find(delimiter(target)).or_else(middle)? } else { middle()? }
        };
        let edit = Edit { span: from..file.len(), with: String::new() };
        Some(target.change_file([edit], format!("{} was cut off at byte {from}.", target.place.locator)))
    };
    cut().into_iter().collect()
}

fn temporary_name(target: &Target<'_>) -> Vec<Change> {
    let Some(bytes) = target.bytes() else { return Vec::new() };
    let to = format!("{}.part", target.place.locator);
    target.renamed(&to, bytes, format!("{} is still called {to}.", target.place.locator))
}

/// Names of members and columns that say who a file is about.
const WHO: [&str; 6] = ["member_id", "patient_id", "mrn", "subscriber_id", "member", "patient"];

/// The first and the last of those that a file is about became another one of them; where it is about one alone, somebody whom
/// it does not know.
fn other_member_inside(target: &Target<'_>) -> Vec<Change> {
    let found = match json(target) {
        Some(file) => {
            let of = |leaf: &strict_json::Leaf| leaf.path.last().is_some_and(|name| WHO.contains(&name.as_str()));
            let leaves = leaves(file).into_iter().filter(of);
            leaves.filter_map(|leaf| Some((leaf.span.clone(), file.get(leaf.span)?))).collect()
        }
        None => members_of_table(target).unwrap_or_default(),
    };
    let change = |(span, was): &(Range<usize>, &str)| {
        let other = found.iter().map(|(_, other)| *other).find(|other| other != was && !other.is_empty());
        let unheard_of = || was.strip_suffix('"').map_or_else(|| format!("{was}1"), |text| format!("{text}1\""));
        let with = other.map_or_else(unheard_of, str::to_owned);
        let sentence = format!("{was} in {} became {with}.", target.place.locator);
        target.change_file([Edit { span: span.clone(), with }], sentence)
    };
    let last = found.last().filter(|_| found.len() > 1);
    found.first().into_iter().chain(last).map(change).collect()
}

/// The cells of a table that say who a row is about. A trailer is not a row.
fn members_of_table<'t>(target: &Target<'t>) -> Option<Vec<(Range<usize>, &'t str)>> {
    let file = target.file().filter(|file| is_table(target) && !file.contains('"'))?;
    let by = delimiter(target);
    let header = file.lines().next()?;
    let column = header.split(by).position(|name| WHO.contains(&name.trim_start_matches('\u{feff}')))?;
    let mut found = Vec::new();
    let mut end = 0;
    for line in file.split_inclusive('\n') {
        let start = end;
        end += line.len();
        let line = line.trim_end_matches(['\r', '\n']);
        if start == 0 || is_trailer(line) {
            continue;
        }
        let before: usize = line.split(by).take(column).map(|cell| cell.len() + 1).sum();
        let cell = line.split(by).nth(column).filter(|cell| !cell.is_empty());
        found.extend(cell.map(|cell| (start + before..start + before + cell.len(), cell)));
    }
    Some(found)
}

/// Returns `true` if a line sums the others up (`TRL,2`).
fn is_trailer(line: &str) -> bool {
    ["TRL", "TRAILER", "TR", "T", "99"]
        .iter()
        .any(|name| line.strip_prefix(name).is_some_and(|rest| rest.starts_with([',', '|', ';', '\t', '*'])))
}

/// Names of members that declare how much a file holds.
const TOTALS: [&str; 8] =
    ["total", "record_count", "records", "number_of_records", "count", "claim_count", "row_count", "control_total"];

/// The declared number, in a member of JSON or in the last number of a trailer (`TRL,2`), is one more.
fn declared_total_off(target: &Target<'_>) -> Vec<Change> {
    let changed = |span: Range<usize>, was: &str| {
        let more = was.parse::<u64>().ok()?.checked_add(1)?;
        let sentence = format!("The number that {} declares became {more} (it was {was}).", target.place.locator);
        Some(target.change_file([Edit { span, with: more.to_string() }], sentence))
    };
    let change = || {
        if let Some(file) = json(target) {
            let of = |leaf: &strict_json::Leaf| leaf.path.last().is_some_and(|name| TOTALS.contains(&name.as_str()));
            let number = |leaf: strict_json::Leaf| changed(leaf.span.clone(), file.get(leaf.span)?);
            return leaves(file).into_iter().filter(of).find_map(number);
        }
        let file = target.file()?;
        let (line, text) = last_line(file).filter(|(line, _)| line.start > 0)?;
        let last = text.rfind([',', '|', ';', '\t', '*']).filter(|_| is_trailer(text))? + 1;
        changed(line.start + last..line.end, text.get(last..)?)
    };
    change().into_iter().collect()
}

fn member_order(target: &Target<'_>) -> Vec<Change> {
    let Some(file) = json(target) else { return Vec::new() };
    let edit = reversed_members(file.trim());
    let lead = file.len() - file.trim_start().len();
    let change = |edit: Edit| {
        let sentence = format!("The members of {} are in the other order.", target.place.locator);
        target.change_file([edit.shifted(lead)], sentence)
    };
    edit.map(change).into_iter().collect()
}

fn gzipped(target: &Target<'_>) -> Vec<Change> {
    let Some(bytes) = target.bytes().filter(|_| !target.place.locator.ends_with(".gz")) else { return Vec::new() };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let Ok(packed) = encoder.write_all(bytes).and_then(|()| encoder.finish()) else { return Vec::new() };
    let to = format!("{}.gz", target.place.locator);
    target.renamed(&to, packed, format!("{} is {to}.", target.place.locator))
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
    vec![Change::new(locator, vec![Edit { span: 0..0, with: "zz\n".to_owned() }], sentence)]
}
