//! An HL7 v2 message, segment by segment, with the names of what was asserted.

use candor_hl7v2::{Message, Segment, messages};
use candor_hl7v2_structure::{field_name, segment_name};

use super::{Row, Wanted, around};

const MOST_MESSAGES: usize = 3;
const NEIGHBOURS: usize = 2;

pub(super) fn rows(wanted: &Wanted<'_>) -> Option<Vec<Row>> {
    let mut out = Vec::new();
    let mut shown = 0;
    for message in messages(wanted.bytes).flatten() {
        let span = message.span();
        if !wanted.touches(span.start, span.end) || shown == MOST_MESSAGES {
            continue;
        }
        shown += 1;
        if shown > 1 {
            out.push(Row { pieces: vec![("next message".to_owned(), false)], aside: true, ..Row::default() });
        }
        out.extend(around(segments(&message, &named(&message, wanted)), NEIGHBOURS, "segment"));
    }
    (!out.is_empty()).then_some(out)
}

fn named<'s>(message: &Message<'_>, wanted: &Wanted<'s>) -> Wanted<'s> {
    let segments: Vec<Segment<'_>> = message.segments().collect();
    let bounds = |span: std::ops::Range<usize>| (span.start, span.end);
    let spans: Vec<(usize, usize)> = segments.iter().map(|segment| bounds(segment.piece().span())).collect();
    wanted.with_named(&spans, |number, id, numbers| {
        let segment = segments.get(number).filter(|segment| segment.id() == id.as_bytes())?;
        let start = segment.piece().span().start;
        let field = numbers.first().and_then(|field| segment.field(*field)).map(|field| bounds(field.piece().span()));
        Some(((start, start + id.len()), field))
    })
}

fn segments(message: &Message<'_>, wanted: &Wanted<'_>) -> Vec<Row> {
    message
        .segments()
        .map(|segment| {
            let span = segment.piece().span();
            let id = String::from_utf8_lossy(&segment.id()).into_owned();
            let decode = |bytes: &[u8]| message.charset().charset().decode(bytes).text.into_owned();
            let pieces = wanted.decoded(span.start, span.end, decode);
            let hit = pieces.iter().any(|(_, hit)| *hit);
            let name = segment_name(&id).unwrap_or_default();
            let note = match hit.then(|| fields(&segment, &id, wanted)).filter(|fields| !fields.is_empty()) {
                Some(fields) => format!("{name}: {fields}"),
                None => name.to_owned(),
            };
            Row { gutter: id, pieces, note, ..Row::default() }
        })
        .collect()
}

fn fields(segment: &Segment<'_>, id: &str, wanted: &Wanted<'_>) -> String {
    let marked = segment.filled().filter(|(_, field)| {
        let span = field.piece().span();
        wanted.spans.iter().any(|(from, to)| *from >= span.start && *to <= span.end)
    });
    let name = |number: u32| match field_name(id, number) {
        Some(name) => format!("{id}-{number} {name}"),
        None => format!("{id}-{number}"),
    };
    marked.map(|(number, _)| name(number)).collect::<Vec<_>>().join(", ")
}
