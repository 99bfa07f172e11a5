//! Changes that a criterion `state-unchanged` forbids: a record changed, added, or gone. Of parts that it compares, and
//! in which it excepts nothing but a number of new records.

use std::sync::Arc;

use candor_check::operators::{Change, Operator, Target};
use candor_check::strict_json::{self, Edit, leaves};
use candor_json::Value;

/// The operators of `state-unchanged`, over the files of any part.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::breach("baseline/record-changed", changed,
        "One value of a record is another one than before."),
    Operator::breach("baseline/record-added", added,
        "Files are there that were not there before, and what they hold with them: more than may come."),
    Operator::breach("baseline/records-gone", gone,
        "A file is gone, and what it held with it."),
];

/// The most bytes of files that are added.
const MOST_BYTES: usize = 1 << 20;

/// The exceptions of a part that an assertion compares.
fn exceptions<'a>(assertion: &'a Value, part: &str) -> Option<Vec<&'a Value>> {
    let of_part = |exception: &&Value| {
        let text = exception.as_str().or_else(|| exception.get("added")?.as_str()).unwrap_or_default();
        text.split(':').next() == Some(part)
    };
    let parts = assertion.get("parts").and_then(Value::as_array);
    let is_compared = parts.is_none_or(|parts| parts.iter().any(|one| one.as_str() == Some(part)));
    let all = assertion.get("except").and_then(Value::as_array).into_iter().flatten();
    is_compared.then(|| all.filter(of_part).collect())
}

/// Returns `true` if the criterion compares the part of the target whole, records that came aside.
fn is_compared(target: &Target<'_>) -> bool {
    let place = target.place.locator.split_once('/').filter(|(_, path)| !path.is_empty());
    let excepted = place.and_then(|(part, _)| exceptions(target.forbidden?, part));
    excepted.is_some_and(|all| !all.iter().any(|one| one.is_string()))
}

/// Changes the last text of a JSON file that is not the name of a type or of a record.
fn changed(target: &Target<'_>) -> Vec<Change> {
    let change = || {
        let file = target.file().filter(|file| is_compared(target) && strict_json::check(file.trim()).is_ok())?;
        let is_value = |leaf: &strict_json::Leaf| {
            let name = leaf.path.last().map(String::as_str).unwrap_or_default();
            let is_text = file.get(leaf.span.clone()).is_some_and(|text| text.starts_with('"') && text.len() > 2);
            is_text && !matches!(name, "resourceType" | "id" | "fullUrl" | "type" | "key") && !name.ends_with("_id")
        };
        let leaf = leaves(file).into_iter().rfind(is_value)?;
        let sentence = format!("{} in {} became \"changed\".", leaf.path.join("."), target.place.locator);
        Some(target.change_file([Edit { span: leaf.span, with: "\"changed\"".to_owned() }], sentence))
    };
    change().into_iter().collect()
}

/// Of a part, a copy of each of its files, and one more for each record that may come.
fn added(target: &Target<'_>) -> Vec<Change> {
    let change = || {
        let part = target.place.locator.strip_suffix('/')?;
        let mut copies = 1_usize;
        for exception in exceptions(target.forbidden?, part)? {
            copies = copies.saturating_add(usize::try_from(exception.get("max")?.as_u64()?).ok()?);
        }
        let note = [(String::new(), Arc::from(b"zz\n".as_slice()))];
        let files = if target.files.is_empty() && part == "files" { &note[..] } else { target.files };
        let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        if files.is_empty() || bytes.saturating_mul(copies) > MOST_BYTES {
            return None;
        }
        let sentence = format!("Each file of {part}/ is there {copies} times more, under other names.");
        let change = Change::new(format!("{part}/zz-audit"), Vec::new(), sentence);
        let all = (0..copies).flat_map(|copy| files.iter().enumerate().map(move |file| (copy, file)));
        Some(all.fold(change, |change, (copy, (number, (locator, bytes)))| {
            let name = locator.rsplit('/').next().unwrap_or_default();
            let ending = name.find('.').and_then(|dot| name.get(dot..)).unwrap_or(".txt");
            change.with_file(format!("{part}/zz-audit-{copy}-{number}{ending}"), Some(Arc::clone(bytes)))
        }))
    };
    change().into_iter().collect()
}

fn gone(target: &Target<'_>) -> Vec<Change> {
    if !is_compared(target) || target.bytes().is_none_or(<[u8]>::is_empty) {
        return Vec::new();
    }
    let locator = target.place.locator.as_str();
    vec![Change::new(locator, Vec::new(), format!("{locator} is gone.")).with_file(locator, None)]
}
