//! An X12 transaction set as a tree of loops, with what its codes say.

use candor_x12::{Item, Segment, SetView, Walk};
use candor_x12_guides::{Guide, Loops, meaning, segment_name};

use super::{Row, Wanted, around};

const NEIGHBOURS: usize = 4;
const MOST_SETS: usize = 2;

pub(super) fn rows(wanted: &Wanted<'_>) -> Option<Vec<Row>> {
    let mut walk = Walk::from_slice(wanted.bytes);
    let mut out = Vec::new();
    let mut shown = 0;
    while shown < MOST_SETS {
        let Ok(Some(item)) = walk.next_item(&mut |_| true) else { break };
        let Item::Set(set) = item else { continue };
        let view = set.view();
        let ends = |segment: Segment<'_>| span(&segment);
        let all: Vec<(usize, usize)> = view.segments().map(ends).collect();
        let (Some(first), Some(last)) = (all.first(), all.last()) else { continue };
        if !wanted.touches(first.0, last.1) {
            continue;
        }
        shown += 1;
        let ids: Vec<String> = view.segments().map(|segment| segment.id().as_str().to_owned()).collect();
        let named = wanted.with_named(&all, |number, id, _| {
            let start = all.get(number).filter(|_| ids.get(number).is_some_and(|this| this == id))?.0;
            Some(((start, start + id.len()), None))
        });
        out.extend(around(tree(&view, &named), NEIGHBOURS, "segment"));
    }
    (!out.is_empty()).then_some(out)
}

fn span(segment: &Segment<'_>) -> (usize, usize) {
    let start = usize::try_from(segment.offset()).unwrap_or(usize::MAX);
    (start, start.saturating_add(segment.raw().len()))
}

fn tree(view: &SetView<'_>, wanted: &Wanted<'_>) -> Vec<Row> {
    let text = |id: &str, element| view.segment(id).map(|s| s.text(element).into_owned()).unwrap_or_default();
    let guide = match text("ST", 3) {
        guide if guide.is_empty() => text("GS", 8),
        guide => guide,
    };
    let loops = Guide::of(&text("ST", 1), &guide).map(|guide| Loops::of(guide, view));
    let mut rows = Vec::new();
    let mut last = None;
    for (number, segment) in view.segments().enumerate() {
        let occurrence = loops.as_ref().and_then(|loops| loops.of_segment(number));
        let mut depth = 0;
        if let (Some(loops), Some(occurrence)) = (&loops, occurrence) {
            let up = |&at: &usize| loops.occurrences().get(at)?.parent;
            depth = std::iter::successors(Some(occurrence), up).count().saturating_sub(1);
            let opens = loops.occurrences().get(occurrence).is_some_and(|this| this.first == number);
            if let (true, Some(known)) = (depth > 0 && opens && last != Some(occurrence), loops.definition(occurrence))
            {
                let heading = format!("Loop {} {}", known.id(), known.name());
                let depth = depth.saturating_sub(1);
                rows.push(Row { depth, pieces: vec![(heading, false)], aside: true, ..Row::default() });
            }
            last = Some(occurrence);
        }
        let (start, end) = span(&segment);
        let id = segment.id().as_str().to_owned();
        let note = match (segment_name(&id), codes(&segment)) {
            (name, codes) if codes.is_empty() => name.unwrap_or_default().to_owned(),
            (name, codes) => format!("{}: {codes}", name.unwrap_or_default()),
        };
        rows.push(Row { gutter: id, depth, pieces: wanted.decoded(start, end, decode), note, ..Row::default() });
    }
    rows
}

/// UTF-8, or ISO 8859-1 where the bytes are not valid in it, as the parser reads them.
fn decode(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| bytes.iter().copied().map(char::from).collect())
}

fn codes(segment: &Segment<'_>) -> String {
    let (id, delimiters) = (segment.id(), segment.delimiters());
    let meanings = (1..).zip(segment.elements()).filter_map(|(element, piece)| {
        let first = piece.components(delimiters).next()?;
        meaning(id.as_str(), element, &first.text())
    });
    meanings.collect::<Vec<_>>().join("; ")
}
