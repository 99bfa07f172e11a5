//! Adds a set that a criterion forbids: one that it selects.

use std::collections::BTreeMap;

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{Edit, edited};
use candor_json::Value;
use candor_x12::{Item, Path, SetView, Walk};

use crate::path::ReadSet;

/// The header of an interchange for a part that does not have its own.
const ISA: &[u8] =
    b"ISA*00*          *00*          *ZZ*AUDIT          *ZZ*AUDIT          *991231*1200*^*00501*000000999*0*P*:";

/// A set of the transaction with the values that the criterion selects by: an existing set, else a new one that holds
/// only these values. Empty if the criterion's words are not enough to write such a set.
pub(super) fn forbidden_set(target: &Target<'_>) -> Vec<Change> {
    // Once, and not for each file that is there.
    if target.place.locator != "x12/" {
        return Vec::new();
    }
    let Some(assertion) = target.forbidden else { return Vec::new() };
    let Some(kind) =
        assertion.get("transaction").and_then(Value::as_str).filter(|kind| kind.len() == 3 && *kind != "TA1")
    else {
        return Vec::new();
    };
    let by: Option<Vec<(String, String)>> = assertion
        .get("correlate_by")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(path, value)| match value {
            Value::String(value) => Some((path.clone(), value.clone())),
            Value::Number(value) => Some((path.clone(), value.to_string())),
            _ => None,
        })
        .collect();
    let guide = assertion.get("guide").and_then(Value::as_str);
    let Some(by) = by else { return Vec::new() };
    let copied = target.files.iter().find_map(|(_, bytes)| copied(bytes, kind, guide, &by));
    let Some(bytes) = copied.or_else(|| made(kind, guide, &by)) else { return Vec::new() };
    let locator = "x12/zz-audit.edi";
    let change = Change::new(locator, Vec::new(), format!("A {kind} as the criterion forbids it came in."));
    vec![change.with_file(locator, Some(bytes.into()))]
}

/// A set of the transaction that a file holds, with other values where the paths lead, in an interchange of its own.
fn copied(bytes: &[u8], kind: &str, guide: Option<&str>, by: &[(String, String)]) -> Option<Vec<u8>> {
    let mut walk = Walk::from_slice(bytes);
    loop {
        // Reading bytes of memory does not fail.
        let item = walk.next_item(&mut |head| head.st.text(1) == kind).ok()??;
        let Item::Set(set) = item else { continue };
        if guide.is_some_and(|guide| !set.view().segment("ST").is_some_and(|st| st.text(3).starts_with(guide))) {
            continue;
        }
        let read = ReadSet::new(set.view(), true);
        let edit = |(path, value): &(String, String)| {
            let path = Path::parse(path).ok().filter(|path| !matches!(path.segment().as_str(), "ISA" | "GS" | "ST"))?;
            let first = read.values(&path)?.into_iter().next()?;
            let from = usize::try_from(first.offset.checked_sub(set.view().body.offset)?).ok()?;
            Some(Edit { span: from..from + first.len, with: value.clone() })
        };
        let Some(edits) = by.iter().map(edit).collect::<Option<Vec<Edit>>>() else { continue };
        let body = edited(set.view().body.bytes, &edits);
        return Some(enclosed(&set.view(), &body));
    }
}

fn enclosed(view: &SetView<'_>, body: &[u8]) -> Vec<u8> {
    let terminator = view.delimiters.terminator();
    let star = view.isa.bytes.get(3..4).unwrap_or(b"*");
    let number =
        |header: &[u8], at: usize| header.split(|byte| star.contains(byte)).nth(at).unwrap_or_default().to_vec();
    let gs = view.gs.map(|gs| gs.bytes).unwrap_or_default();
    let body = body.strip_suffix(terminator).unwrap_or(body);
    let trailer = |id: &[u8], number: &[u8]| [id, star, b"1", star, number].concat();
    let segments = [
        view.isa.bytes.to_vec(),
        gs.to_vec(),
        body.to_vec(),
        trailer(b"GE", &number(gs, 6)),
        trailer(b"IEA", &number(view.isa.bytes, 13)),
    ];
    segments.iter().flat_map(|segment| [segment.as_slice(), terminator].concat()).collect()
}

/// A set of nothing but the segments that the paths name, where each is one of a segment: `TRN.2`, `NM1[1=IL].9`.
fn made(kind: &str, guide: Option<&str>, by: &[(String, String)]) -> Option<Vec<u8>> {
    let mut segments: BTreeMap<String, BTreeMap<usize, String>> = BTreeMap::new();
    for (path, value) in by {
        let (segment, element) = path.rsplit_once('.')?;
        let element: usize = element.parse().ok().filter(|element| *element < 40)?;
        let (id, condition) = segment.split_once('[').unwrap_or((segment, ""));
        let is_plain = |text: &str| !text.contains(['*', '~', ':', '^', '\n', '\r']);
        if !matches!(id.len(), 2 | 3)
            || matches!(id, "ISA" | "GS" | "ST" | "SE")
            || id.contains('.')
            || !is_plain(value)
        {
            return None;
        }
        let elements = segments.entry(segment.to_owned()).or_default();
        if let Some((at, wanted)) = condition.strip_suffix(']').and_then(|condition| condition.split_once('=')) {
            elements.insert(at.parse().ok().filter(|at| *at < 40)?, wanted.to_owned());
        } else if !condition.is_empty() {
            return None;
        }
        elements.insert(element, value.clone());
    }
    let mut text = format!("ST*{kind}*0001{}~", guide.map(|guide| format!("*{guide}")).unwrap_or_default());
    for (segment, elements) in &segments {
        let id = segment.split('[').next().unwrap_or_default();
        let last = elements.keys().next_back().copied().unwrap_or_default();
        let all: Vec<&str> = (1..=last).map(|at| elements.get(&at).map_or("", String::as_str)).collect();
        text += &format!("{id}*{}~", all.join("*"));
    }
    text += &format!("SE*{}*0001~", segments.len() + 2);
    let header = String::from_utf8_lossy(ISA);
    let version = guide.unwrap_or("005010");
    Some(
        format!("{header}~GS*ZZ*AUDIT*AUDIT*20991231*1200*999*X*{version}~{text}GE*1*999~IEA*1*000000999~")
            .into_bytes(),
    )
}
