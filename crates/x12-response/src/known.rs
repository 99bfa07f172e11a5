//! Paths that no transaction set can hold: loops that the guides, and segments and elements that X12 does not have.

use candor_check::settings::nearest;
use candor_x12_guides::{Guide as Tables, Loop, SegmentRule, UnknownKind, unknown_part};

use crate::path::SetPath;
use crate::selection::{Guide, Transaction};

/// The versions that the segment directory holds begin with these; a guide of a later version may have more.
const VERSIONS: [&str; 3] = ["003", "004", "005"];

/// Refuses a path that can never select anything.
pub(crate) fn check(
    path: &SetPath,
    text: &str,
    transaction: Option<Transaction>,
    guide: Option<&Guide>,
) -> Result<(), String> {
    let tables = tables(transaction, guide);
    loops(path, text, transaction, guide, &tables)?;
    let is_later = guide.is_some_and(|Guide(id)| id.len() >= 3 && !VERSIONS.iter().any(|known| id.starts_with(known)));
    let Some(own) = path.path() else { return Ok(()) };
    let Some(unknown) = unknown_part(own).filter(|_| !is_later) else { return Ok(()) };
    let meant = match unknown.kind {
        UnknownKind::Segment => {
            let segments = tables.guides.iter().flat_map(|guide| guide.loops()).flat_map(Loop::segments);
            only_near(own.segment().as_str(), segments.map(SegmentRule::id))
        }
        UnknownKind::Element { .. } | UnknownKind::Component { .. } => None,
    };
    let meant = meant.map(|id| {
        let (before, after) = text.split_at_checked(unknown.at).unwrap_or_default();
        let after = after.strip_prefix(own.segment().as_str()).unwrap_or_default();
        format!("; did you mean `{before}{id}{after}`?")
    });
    let place = unknown.at + 1;
    let meant = meant.unwrap_or_default();
    Err(format!("path `{text}`, at character {place}: {unknown}{meant}"))
}

struct Known {
    guides: Vec<&'static Tables>,
    is_asked: bool,
}

fn tables(transaction: Option<Transaction>, guide: Option<&Guide>) -> Known {
    let of = |transaction: &str| Tables::all().filter(|known| known.transaction() == transaction).collect::<Vec<_>>();
    match (transaction, guide) {
        (Some(Transaction::Set(transaction)), Some(Guide(id))) => match Tables::of(transaction, id) {
            Some(asked) => Known { guides: vec![asked], is_asked: true },
            // Nothing is known of a guide without tables, but that loops are named alike in all of them.
            None if id.len() >= 10 => Known { guides: Tables::all().collect(), is_asked: false },
            None => Known { guides: of(transaction), is_asked: false },
        },
        (Some(Transaction::Set(transaction)), None) => Known { guides: of(transaction), is_asked: false },
        _ => Known { guides: Tables::all().collect(), is_asked: false },
    }
}

/// A loop that no guide has can never select; nor can one that the guide which is asked for does not have.
fn loops(
    path: &SetPath,
    text: &str,
    transaction: Option<Transaction>,
    guide: Option<&Guide>,
    tables: &Known,
) -> Result<(), String> {
    let loops = || tables.guides.iter().flat_map(|guide| guide.loops()).filter(|known| !known.id().is_empty());
    for step in path.loops() {
        for (inner, _) in step.inner() {
            check(&SetPath::Values(inner.clone()), inner.as_str(), transaction, guide)
                .map_err(|problem| format!("path `{text}`: {problem}"))?;
        }
        if loops().any(|known| known.id() == step.id()) {
            continue;
        }
        if loops().next().is_none() {
            return Err(format!("path `{text}`: the loops of this transaction are not known"));
        }
        let whose = match (tables.guides.as_slice(), transaction) {
            ([guide], _) if tables.is_asked => format!("guide {} does not have", guide.id()),
            (_, Some(Transaction::Set(transaction))) => format!("no guide of {transaction} has"),
            _ => "no guide has".to_owned(),
        };
        // Suggest only loops that may contain the segment.
        let segment = path.segment();
        let holds = |known: &&Loop| segment.is_none_or(|segment| known.segments().any(|rule| segment.is(rule.id())));
        let last = path.loops().last().is_some_and(|last| last.id() == step.id());
        let meant = only_near(step.id(), loops().filter(|known| !last || holds(known)).map(Loop::id));
        let meant = meant.map(|id| format!("; did you mean `{}`?", text.replacen(step.id(), id, 1)));
        let place = text.find(step.id()).unwrap_or_default() + 1;
        let (id, meant) = (step.id(), meant.unwrap_or_default());
        return Err(format!("path `{text}`, at character {place}: {whose} a loop {id}{meant}"));
    }
    Ok(())
}

/// The name that is nearest to what was written; nothing where several are, as any of them may be meant.
fn only_near<'k>(written: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    known.dedup();
    let near = nearest(written, &known)?;
    known.retain(|other| *other != near);
    // Of equals the first is the nearest.
    let is_rival = nearest(written, &known).is_some_and(|next| nearest(written, &[next, near]) == Some(next));
    (!is_rival).then_some(near)
}
