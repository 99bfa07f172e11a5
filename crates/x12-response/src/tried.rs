//! The values that a path selects in the transaction sets of a file, as the check would read them.

use candor_check::field::{FieldPath as _, PathProblem};
use candor_check::tried::{Selected, Tried, distinct, unselected};
use candor_x12::path::{ItemPath, LoopStep};
use candor_x12::{Item, Walk};
use candor_x12_guides::{Part, PartItem};

use crate::path::{ReadSet, SetPath};

/// The values, loops or segments that a path or a selector selects in each transaction set of a file.
///
/// # Errors
/// The error in the path, with its place.
pub fn path(text: &str, file: &str, bytes: &[u8]) -> Result<Vec<Tried>, PathProblem> {
    // A text that is not a path to values may be a selector of items. If it is neither, the error is the path's.
    let path = SetPath::parse(text).or_else(|problem| SetPath::parse_item(text, &[]).map_err(|_| problem))?;
    let mut all = Vec::new();
    let mut walk = Walk::from_slice(bytes);
    loop {
        match walk.next_item(&mut |_| true) {
            Ok(None) => break,
            Ok(Some(Item::Set(set))) => all.push(of_set(&path, &ReadSet::new(set.view(), true), file)),
            Ok(Some(Item::Ta1(ta1))) => all.push(of_set(&path, &ReadSet::new(ta1.view(), true), file)),
            Ok(Some(Item::GroupEnd { .. } | Item::InterchangeEnd { .. })) => {}
            Ok(Some(Item::Fault(error))) => {
                all.push(Tried::unread(file, format!("byte {}", error.offset), error.to_string()));
            }
            Err(error) => {
                all.push(Tried::unread(file, "", error.to_string()));
                break;
            }
        }
    }
    if all.is_empty() {
        all.push(Tried::unread(file, "", "there is no X12 interchange in it"));
    }
    Ok(all)
}

fn of_set(path: &SetPath, set: &ReadSet<'_>, file: &str) -> Tried {
    let control = control(set).map(|control| format!(" {control}")).unwrap_or_default();
    let key = key(set).map(|key| format!(" ({key})")).unwrap_or_default();
    let tried = Tried::new(file, format!("{}{control}{key}", set.transaction()));
    if !path.loops().is_empty() && set.loops().is_none() {
        let guide = set.guide();
        let why = format!("the loops of this set are not known: there are no tables for the guide {guide:?}");
        return tried.undecided(why);
    }
    let selected = match path {
        SetPath::Values(path) => {
            let values = set.values(path).unwrap_or_default();
            values.into_iter().map(|value| Selected::new(place(set, value.offset), value.text)).collect()
        }
        SetPath::Items(item) => items(item, set).iter().map(|item| shown(set, item)).collect(),
    };
    let tried = tried.with(selected, || why(path, set));
    let among = path.path().filter(|_| tried.selected.len() == 1).and_then(|path| set.among(Part::Set, path));
    Tried { why: tried.why.or(among.map(|among| format!("this is {among}"))), ..tried }
}

/// The control number of a set, ST02.
fn control(set: &ReadSet<'_>) -> Option<String> {
    set.view().segment("ST").map(|st| st.text(2).into_owned())
}

/// By what people know a set: `ST02 4321, TRN02 93175-012547`.
pub(crate) fn record(set: &ReadSet<'_>) -> Option<String> {
    let control = control(set).filter(|control| !control.is_empty()).map(|control| format!("ST02 {control}"));
    let all: Vec<String> = control.into_iter().chain(key(set)).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// The trace of a set, else its claim.
fn key(set: &ReadSet<'_>) -> Option<String> {
    [("TRN", 2), ("CLM", 1), ("CLP", 1)].into_iter().find_map(|(id, element)| {
        let of = set.segments().iter().filter(|segment| segment.id().as_str() == id);
        let mut all = of.map(|segment| segment.text(element).into_owned()).filter(|text| !text.is_empty());
        let first = all.next()?;
        let more = all.count();
        let among = if more > 0 { format!(", the first of {}", more + 1) } else { String::new() };
        Some(format!("{id}{element:02} {first}{among}"))
    })
}

fn items(item: &ItemPath, set: &ReadSet<'_>) -> Vec<PartItem> {
    set.read.items(Part::Set, item).unwrap_or_default()
}

/// An item by its segment, or the first one of its loop.
fn shown(set: &ReadSet<'_>, item: &PartItem) -> Selected {
    let number = match item.part {
        Part::Set => Some(0),
        Part::Segment(number) => Some(number),
        Part::Loop(at) => {
            (0..set.segments().len()).find(|&number| set.loops().and_then(|loops| loops.of_segment(number)) == Some(at))
        }
    };
    let segment = number.and_then(|number| set.segments().get(number));
    let text = segment.map(|segment| segment.whole().text().into_owned()).unwrap_or_default();
    Selected::new(&item.place, text)
}

/// The place of a byte: `NM1, segment 7 of the set, byte 310`.
fn place(set: &ReadSet<'_>, offset: u64) -> String {
    let starts = set.segments().iter().enumerate();
    match starts.take_while(|(_, segment)| segment.whole().offset() <= offset).last() {
        Some((number, segment)) if offset >= set.view().body.offset => {
            format!("{}, segment {} of the set, byte {offset}", segment.id(), number + 1)
        }
        _ => format!("byte {offset}"),
    }
}

fn why(path: &SetPath, set: &ReadSet<'_>) -> String {
    let steps = path.loops();
    for end in 1..=steps.len() {
        let Some((last, before)) = steps.get(..end).and_then(<[LoopStep]>::split_last) else { continue };
        if items(&ItemPath::Loops(steps.get(..end).unwrap_or_default().to_vec()), set).is_empty() {
            let within = before.iter().map(LoopStep::id).collect::<Vec<_>>().join(".");
            let within = if within.is_empty() { "the set".to_owned() } else { format!("the selected {within}") };
            let loops = set.loops();
            let there = (0..loops.map_or(0, |loops| loops.occurrences().len())).filter_map(|at| loops?.definition(at));
            let there = distinct(there.map(|one| one.id()).filter(|id| !id.is_empty()), ", ");
            let id = last.id();
            return format!("no loop {id} that the path means is in {within}; the loops of the set are {there}");
        }
    }
    let Some(id) = path.segment() else { return "no loop is selected".to_owned() };
    unselected(id, set.view().segments_with(id).map(|segment| segment.whole().text())).unwrap_or_else(|| {
        let there = distinct(set.segments().iter().map(|segment| segment.id().to_string()), " ");
        format!("the set has no {id} segment; it has {there}")
    })
}
