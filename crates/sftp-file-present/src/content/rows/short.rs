//! Rows with fewer cells than the header. RFC 4180, 2.4: each line should contain the same number of fields.

use std::ops::Range;

use candor_check::records::{Completeness, Cut};

use super::path::{RowPath, Rows};
use super::{Layout, Table, cut};

struct Short<'r> {
    /// From 1 on.
    number: usize,
    cells: usize,
    bytes: &'r Range<usize>,
    /// True if nothing follows the row, not even a line end, so that its last cell may go on.
    is_last: bool,
}

/// Says if a row that a path may mean lacks a column that the path reads. Rows that conditions rule out do not matter.
pub(super) fn ends_before(table: &Table<'_>, path: &RowPath) -> Completeness {
    let Layout::Delimited { header: Some(names), .. } = &table.layout else { return Completeness::Unknown };
    let every = Rows::default();
    let (rows, name) = match (table.column(path.whole()), path.rows()) {
        (Some(_), _) => (&every, path.whole()),
        (None, Some(selected)) => selected,
        (None, None) => return Completeness::Unknown,
    };
    let Some(target) = table.column(name) else { return Completeness::Unknown };
    let short = table.short.iter().filter_map(|&(index, cells)| {
        let bytes = table.rows.get(index)?;
        Some(Short { number: index + 1, cells, bytes, is_last: bytes.end == table.text.len() })
    });
    for row in short {
        let Some(missing) = missing(table, rows, target, &row).and_then(|column| names.get(column)) else { continue };
        let cells = if row.cells == 1 { "cell" } else { "cells" };
        let what = format!(
            "a row of {} {cells}, where the header has {}: it ends before `{}`",
            row.cells,
            names.len(),
            cut(missing)
        );
        return Completeness::Cut(Cut::new(row.bytes.start as u64, what));
    }
    Completeness::Unknown
}

/// The first column that is missing in a row, where the row may be one of those that are meant.
fn missing(table: &Table<'_>, rows: &Rows, target: usize, row: &Short<'_>) -> Option<usize> {
    if rows.conditions.is_empty() && rows.number.is_some_and(|number| number != row.number) {
        return None;
    }
    let mut missing = (target >= row.cells).then_some(target);
    for (name, value) in &rows.conditions {
        let column = table.column(name)?;
        let Some((cell, _)) = table.cell(row.bytes, column) else {
            missing = Some(missing.map_or(column, |so_far| so_far.min(column)));
            continue;
        };
        let may_go_on = row.is_last && column + 1 == row.cells && value.starts_with(cell.as_ref());
        if cell != *value && !may_go_on {
            return None;
        }
    }
    missing
}
