//! Identities of rows: the values of some columns, by which two rows are recognized as alike.

use std::borrow::Cow;
use std::collections::HashSet;

use candor_check::compare::{Datum, Decimal, Rule, normalized};

use crate::path::ColumnPath;
use crate::rows::Content;

/// The values of columns; `None` where one is null. Numbers represent their value, and like truth values are the same as
/// the text they are written as: so `correlate_by` compares, too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity(pub(crate) Vec<Option<String>>);

impl Identity {
    /// The identity, unless one of its columns is null.
    pub(crate) fn whole(self) -> Option<Self> {
        self.0.iter().all(Option::is_some).then_some(self)
    }
}

/// Tells which rows are alike in some columns.
///
/// A text is the number that it is written as where some row has that number there as a number: `"120.50"` is 120.5 then,
/// and `"120.5"`, too. Among texts alone `"1.0"` and `"1"` are two, as two versions or two ids may be.
pub(crate) struct Identities<'c> {
    columns: &'c [ColumnPath],
    rules: &'c [Rule],
    /// By column: the numbers there, as text.
    numbers: Vec<HashSet<String>>,
}

impl<'c> Identities<'c> {
    pub(crate) fn new<'r>(
        columns: &'c [ColumnPath],
        rules: &'c [Rule],
        rows: impl Iterator<Item = &'r Content> + Clone,
    ) -> Self {
        let of_row =
            |column: &ColumnPath, row: &Content| column.values(row).iter().filter_map(number).collect::<Vec<_>>();
        let of_column = |column| rows.clone().flat_map(|row| of_row(column, row)).collect();
        Self { columns, rules, numbers: columns.iter().map(of_column).collect() }
    }

    pub(crate) fn of(&self, row: &Content) -> Identity {
        let columns = self.columns.iter().zip(&self.numbers);
        Identity(columns.map(|(column, numbers)| self.text(&column.values(row), numbers)).collect())
    }

    fn text(&self, values: &[Datum<'_>], numbers: &HashSet<String>) -> Option<String> {
        match values {
            [] => None,
            [one] => Some(self.one_text(one, numbers)),
            // An array is not the text that it is written as.
            several => {
                let texts = several.iter().map(|one| self.one_text(one, numbers) + "\0");
                Some(format!("\0{}", texts.collect::<String>()))
            }
        }
    }

    fn one_text(&self, datum: &Datum<'_>, numbers: &HashSet<String>) -> String {
        match (number(datum), datum.string()) {
            (Some(number), _) => number,
            (None, Some(text)) => {
                let as_number = written_number(text).and_then(|decimal| decimal.to_plain());
                let known = as_number.filter(|number| numbers.contains(number));
                known.unwrap_or_else(|| normalized(self.rules, text).into_owned())
            }
            (None, None) => datum.scalar().map_or_else(|| format!("\0{}", datum.to_value()), Cow::into_owned),
        }
    }
}

fn number(datum: &Datum<'_>) -> Option<String> {
    let Datum::Json(value) = datum else { return None };
    let written = value.as_number()?.as_str();
    Some(Decimal::json(written).and_then(|decimal| decimal.to_plain()).unwrap_or_else(|| written.to_owned()))
}

/// The number that a text is, as numbers are written: `007` is an id, and no 7.
fn written_number(text: &str) -> Option<Decimal> {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let as_numbers_are = match digits {
        [b'0', rest @ ..] => rest.first().is_none_or(|next| *next == b'.'),
        [b'1'..=b'9', ..] => true,
        _ => false,
    };
    as_numbers_are.then(|| Decimal::plain(text)).flatten()
}
