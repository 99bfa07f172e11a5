//! Lines of a text, with their numbers and neighbours.

use super::{Row, Wanted, around};

const NEIGHBOURS: usize = 2;

pub(super) fn rows(wanted: &Wanted<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut start = 0;
    for (number, line) in wanted.bytes.split(|byte| *byte == b'\n').enumerate() {
        let end = start + line.len();
        let near = wanted.spans.is_empty() || wanted.touches(start.saturating_sub(4000), end + 4000);
        if near {
            let mut pieces = wanted.pieces(start, end);
            let all = wanted.spans.iter().any(|(from, to)| *from <= start && *to >= end && !line.is_empty());
            if all {
                pieces.iter_mut().for_each(|(_, hit)| *hit = true);
            }
            rows.push(Row { gutter: (number + 1).to_string(), pieces, ..Row::default() });
        }
        start = end + 1;
    }
    around(rows, NEIGHBOURS, "line")
}
