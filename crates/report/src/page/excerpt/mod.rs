//! The content of a source around the place that decided, in the source's own format.

mod hl7;
mod json;
mod lines;
mod voice;
mod x12;

use std::collections::BTreeMap;

use candor_check::Status;
use maud::{Markup, html};

use super::Context;
use super::text::{escaped, text};
use crate::model::{CriterionRun, Entry};

/// The most figures of one criterion.
const MOST_FIGURES: usize = 4;
/// The most rows of one figure.
const MOST_ROWS: usize = 60;
/// The most characters of one row.
const LONGEST_ROW: usize = 600;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    /// The text before it: a line's number, a segment's name, a speaker.
    pub(super) gutter: String,
    pub(super) depth: usize,
    /// Its text in pieces, and whether each was asserted.
    pub(super) pieces: Vec<(String, bool)>,
    pub(super) note: String,
    pub(super) aside: bool,
    /// Says which thing it is: shown wherever the marks are.
    pub(super) names: bool,
}

impl Row {
    pub(super) fn gap(count: usize, what: &str) -> Self {
        let text = match count {
            1 => format!("1 more {what}"),
            count => format!("{count} more {what}s"),
        };
        Self { pieces: vec![(text, false)], aside: true, ..Self::default() }
    }

    pub(super) fn is_hit(&self) -> bool {
        self.pieces.iter().any(|(_, hit)| *hit)
    }
}

/// Where bytes of a source begin and end.
type Bytes = (usize, usize);

#[derive(Clone)]
pub(super) struct Asserted {
    pub(super) path: String,
    pub(super) is_nothing: bool,
    /// Bytes: of the field where it is there, else of what should hold it.
    pub(super) span: Option<(usize, usize)>,
}

/// The makeup of a figure: a source, and the part of it that decided.
#[derive(Clone)]
pub(super) struct Wanted<'s> {
    pub(super) bytes: &'s [u8],
    /// Byte spans, sorted.
    pub(super) spans: Vec<(usize, usize)>,
    pub(super) fields: Vec<Asserted>,
    /// The phrases that match, if the source is a call.
    pub(super) quotes: Vec<String>,
}

/// Figures for the sources of what decided; empty for a criterion that passed.
pub(super) fn figures(run: &CriterionRun, context: &Context<'_>) -> Markup {
    if run.status == Status::Passed {
        return html! {};
    }
    let hashes: BTreeMap<String, String> =
        run.sources().into_iter().filter_map(|(place, hash)| Some((place.locator, hash?))).collect();
    let wanted = places(run);
    html! {
        @for (locator, marks) in wanted.iter().take(MOST_FIGURES) {
            @if let Some(bytes) = context.ground.source_of(run, locator, hashes.get(locator).map(String::as_str)) {
                @let wanted = Wanted::of(&bytes, marks);
                (figure(locator, &rows(locator, &wanted), bytes.len()))
            }
        }
    }
}

/// By locator, the results that lead there. What did not pass first; without it everything that was compared.
fn places(run: &CriterionRun) -> Vec<(String, Vec<Entry>)> {
    let entries = run.entries();
    let wrong: Vec<&Entry> = entries.iter().filter(|entry| !entry.passed() && entry.source().is_some()).collect();
    let mut chosen: Vec<Entry> = wrong.into_iter().cloned().collect();
    if chosen.is_empty()
        && let Some(nearest) = run.nearest()
    {
        let mismatch = nearest.first_mismatch.map(|field| crate::model::FieldEntry {
            source: field.source.clone().or_else(|| Some(nearest.place.clone())),
            ..field
        });
        chosen.extend(mismatch.map(Entry::Field));
    }
    // Too many records, each as asserted: all of them are shown.
    if chosen.is_empty() {
        chosen.extend(entries.iter().filter(|entry| entry.source().is_some()).cloned());
    }
    let mut found: Vec<(String, Vec<Entry>)> = Vec::new();
    for entry in chosen {
        let Some(place) = entry.source() else { continue };
        match found.iter_mut().find(|(locator, _)| *locator == place.locator) {
            Some((_, entries)) => entries.push(entry),
            None => found.push((place.locator.clone(), vec![entry])),
        }
    }
    found
}

impl<'s> Wanted<'s> {
    fn of(bytes: &'s [u8], entries: &[Entry]) -> Self {
        let within = |span: &(u64, u64)| {
            let (start, end) = (usize::try_from(span.0).ok()?, usize::try_from(span.1).ok()?);
            (start <= end && end <= bytes.len()).then_some((start, end))
        };
        let mut spans: Vec<(usize, usize)> =
            entries.iter().filter_map(|entry| within(&entry.source()?.span?)).collect();
        spans.sort_unstable();
        spans.dedup();
        let field = |entry: &Entry| match entry {
            Entry::Field(field) => Some(Asserted {
                path: field.path.clone(),
                is_nothing: field.actual.is_null() && !field.passed,
                span: field.source.as_ref().and_then(|place| within(&place.span?)),
            }),
            Entry::Phrase(_) => None,
        };
        let quote = |entry: &Entry| match entry {
            Entry::Phrase(phrase) => phrase.quote.clone(),
            Entry::Field(_) => None,
        };
        let (fields, quotes) = (entries.iter().filter_map(field).collect(), entries.iter().filter_map(quote).collect());
        Self { bytes, spans, fields, quotes }
    }

    /// The pieces of a part of the source, with what was asserted marked. A span that is larger than the part marks
    /// nothing in it.
    pub(super) fn pieces(&self, start: usize, end: usize) -> Vec<(String, bool)> {
        self.decoded(start, end, |bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// The same of a source that is not in UTF-8.
    pub(super) fn decoded(&self, start: usize, end: usize, decode: impl Fn(&[u8]) -> String) -> Vec<(String, bool)> {
        let mut out = Vec::new();
        let mut at = start;
        let mut push = |from: usize, to: usize, hit: bool| {
            let text = self.bytes.get(from..to).map(&decode).unwrap_or_default();
            if !text.is_empty() {
                out.push((text, hit));
            }
        };
        for (from, to) in self.spans.iter().filter(|(from, to)| *from >= start && *to <= end && from < to) {
            if *from < at {
                continue;
            }
            push(at, *from, false);
            push(*from, *to, true);
            at = *to;
        }
        push(at, end, false);
        out
    }

    /// The same, where what was asserted of a whole record is marked in those of its segments that it names, if they are few:
    /// a field, or the name of a segment whose field is missing. `find` gives the bytes of both.
    pub(super) fn with_named(
        &self,
        segments: &[(usize, usize)],
        find: impl Fn(usize, &str, &[u32]) -> Option<(Bytes, Option<Bytes>)>,
    ) -> Self {
        const MOST: usize = 3;
        let mut wanted = self.clone();
        let is_record = |span: (usize, usize)| !segments.iter().any(|(start, end)| *start <= span.0 && span.1 <= *end);
        for field in self.fields.iter().filter(|field| field.span.is_some_and(is_record)) {
            let Some((id, numbers)) = super::names::segment(&field.path) else { continue };
            let found: Vec<_> = (0..segments.len()).filter_map(|number| find(number, id, &numbers)).collect();
            let marks = found.iter().filter(|_| found.len() <= MOST);
            wanted.spans.extend(marks.filter_map(|(name, value)| if field.is_nothing { Some(*name) } else { *value }));
        }
        wanted.spans.sort_unstable();
        wanted.spans.dedup();
        wanted
    }

    /// Returns `true` if something that was asserted is within these bytes, or around them.
    pub(super) fn touches(&self, start: usize, end: usize) -> bool {
        self.spans.iter().any(|(from, to)| *from < end && *to > start)
    }
}

fn rows(locator: &str, wanted: &Wanted<'_>) -> Vec<Row> {
    let part = locator.split('/').next().unwrap_or_default();
    let special = match part {
        "hl7" => hl7::rows(wanted),
        "x12" => x12::rows(wanted),
        "voice" => voice::rows(wanted),
        part => json::rows(wanted, part == "portal"),
    };
    special.filter(|rows| !rows.is_empty()).unwrap_or_else(|| lines::rows(wanted))
}

pub(super) fn around(rows: Vec<Row>, neighbours: usize, what: &str) -> Vec<Row> {
    let hits: Vec<usize> = rows.iter().enumerate().filter(|(_, row)| row.is_hit()).map(|(at, _)| at).collect();
    let total = rows.len();
    let above = ancestors(&rows, &hits);
    let kept = |at: usize| match hits.is_empty() {
        true => at < MOST_ROWS.min(12),
        false => {
            above.contains(&at)
                || rows.get(at).is_some_and(|row| row.names)
                || hits.iter().any(|hit| at.abs_diff(*hit) <= neighbours)
        }
    };
    let shown: Vec<bool> = (0..total).map(|at| total <= 12 || kept(at)).collect();
    let mut out = Vec::new();
    let mut left_out = 0;
    for (row, shown) in rows.into_iter().zip(shown) {
        if shown && out.len() < MOST_ROWS {
            if left_out > 0 {
                out.push(Row { depth: row.depth, ..Row::gap(left_out, what) });
                left_out = 0;
            }
            out.push(row);
        } else if !row.aside {
            left_out += 1;
        }
    }
    if left_out > 0 {
        out.push(Row::gap(left_out, what));
    }
    out
}

fn ancestors(rows: &[Row], hits: &[usize]) -> Vec<usize> {
    let mut above = Vec::new();
    for hit in hits {
        let mut depth = rows.get(*hit).map_or(0, |row| row.depth);
        for (at, row) in rows.iter().enumerate().take(*hit).rev() {
            if depth == 0 {
                break;
            }
            if row.depth < depth {
                above.push(at);
                depth = row.depth;
            }
        }
    }
    above
}

fn figure(locator: &str, rows: &[Row], size: usize) -> Markup {
    if rows.is_empty() {
        return html! {};
    }
    let told = match rows.iter().any(Row::is_hit) {
        true => "what decided is marked",
        false => "it decided as a whole, or by what it lacks",
    };
    html! {
        figure.source {
            figcaption { code { (text(locator)) } span.of { " " (size) " bytes; " (told) } }
            div.rows.bare[rows.iter().all(|row| row.gutter.is_empty())] tabindex="0" role="group" aria-label=(super::text::attribute(&format!("Excerpt of {locator}"))) {
                @for row in rows {
                    div.row.hit[row.is_hit()].aside[row.aside] {
                        span.gutter { (text(&row.gutter)) }
                        span.line.(format!("d{}", row.depth.min(9))) { (line(&row.pieces)) }
                        @if !row.note.is_empty() { span.note { (text(&row.note)) } }
                    }
                }
            }
        }
    }
}

/// The pieces of a row, shortened around what is marked; the cut is named.
fn line(pieces: &[(String, bool)]) -> Markup {
    let length: usize = pieces.iter().map(|(text, _)| text.chars().count()).sum();
    let is_long = length > LONGEST_ROW;
    html! {
        bdi {
            @for (at, (piece, hit)) in pieces.iter().enumerate() {
                @let shown = if is_long { shortened(piece, *hit, at == 0, at + 1 == pieces.len()) } else { piece.clone() };
                @if *hit { mark { (escaped(&shown)) } } @else { (escaped(&shown)) }
            }
        }
        @if is_long { span.cut { " (" (length) " characters, shown in part)" } }
    }
}

fn shortened(piece: &str, hit: bool, first: bool, last: bool) -> String {
    const KEPT: usize = 80;
    let count = piece.chars().count();
    let kept = if hit { KEPT * 3 } else { KEPT * 2 };
    if count <= kept {
        return piece.to_owned();
    }
    let head = |n: usize| piece.chars().take(n).collect::<String>();
    let tail = |n: usize| piece.chars().skip(count - n).collect::<String>();
    match (hit, first, last) {
        (true, _, _) | (false, false, true) | (false, true, true) => format!("{}…", head(kept)),
        (false, true, false) => format!("…{}", tail(KEPT)),
        (false, false, false) => format!("{}…{}", head(KEPT), tail(KEPT)),
    }
}
