//! Files of rows and columns: delimited (CSV) and fixed width. Rows are found once and split when a path asks for them,
//! so that a file of a million cells costs no more than its text and a number a row.

mod delimited;
mod fixed;
mod path;
mod short;

use std::borrow::Cow;
use std::ops::Range;

use candor_check::compare::Datum;
use candor_check::delimited::cell;
use candor_check::field::{Found, Selection};
use candor_check::records::Completeness;
use candor_check::sandbox::reads_like_an_error;
use candor_check::settings::nearest;

use self::path::Rows;
use super::{Malformed, span};

use self::fixed::LONGEST_RECORD;
pub use self::fixed::{Align, Column};
pub(crate) use self::path::RowPath;

/// How a file of rows is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The character between two cells, where the author gives one; else a comma.
    pub delimiter: Option<char>,
    /// True if the first row names the columns.
    pub header: bool,
    /// The columns of fixed width.
    pub columns: Vec<Column>,
    /// The characters of a record of fixed width, where no line ends divide them.
    pub record_length: Option<usize>,
    /// True if a cell without a character is null.
    pub empty_is_null: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self { delimiter: None, header: true, columns: Vec::new(), record_length: None, empty_is_null: false }
    }
}

impl Shape {
    /// The characters of a record of fixed width; 0 for rows without a fixed width.
    pub(super) fn width(&self) -> usize {
        let columns = self.columns.iter().map(|column| column.start - 1 + column.length);
        columns.chain(self.record_length).max().unwrap_or_default()
    }
}

/// The character between two cells where no one says otherwise.
const COMMA: char = ',';
/// The other usual separators of two cells.
const USUAL: [char; 4] = [',', ';', '\t', '|'];

/// First words of a last row that says how many rows came before it.
const TOTALS: [&str; 7] = ["total", "totals", "trailer", "trl", "count", "records", "rows"];

/// The rows of a file.
#[derive(Debug)]
pub struct Table<'a> {
    text: &'a str,
    /// Where each row is, without its line end.
    rows: Vec<Range<usize>>,
    /// The rows with fewer cells than the header, and how many they have.
    short: Vec<(usize, usize)>,
    layout: Layout<'a>,
    empty_is_null: bool,
}

#[derive(Debug)]
enum Layout<'a> {
    /// Columns are named by the header, else numbered from 1 on.
    Delimited {
        delimiter: char,
        given: bool,
        header: Option<Vec<String>>,
    },
    Fixed(&'a [Column]),
}

impl<'a> Table<'a> {
    pub(super) fn delimited(text: &'a str, shape: &'a Shape) -> Result<Self, Malformed> {
        let text = without_padding(text);
        let delimiter = shape.delimiter.unwrap_or(COMMA);
        let delimited::Read { rows, short, header } = delimited::rows(text, delimiter, shape.header)?;
        Ok(Self {
            text,
            rows,
            short,
            layout: Layout::Delimited { delimiter, given: shape.delimiter.is_some(), header },
            empty_is_null: shape.empty_is_null,
        })
    }

    pub(super) fn fixed(text: &'a str, shape: &'a Shape) -> Result<Self, Malformed> {
        let rows = match shape.record_length {
            Some(length) => fixed::records(text, length)?,
            None => fixed::lines(without_padding(text)),
        };
        let layout = Layout::Fixed(&shape.columns);
        Ok(Self { text, rows, short: Vec::new(), layout, empty_is_null: shape.empty_is_null })
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    fn column(&self, name: &str) -> Option<usize> {
        match &self.layout {
            Layout::Delimited { header: Some(names), .. } => names.iter().position(|column| column == name),
            Layout::Delimited { header: None, .. } => name.parse::<usize>().ok().and_then(|n| n.checked_sub(1)),
            Layout::Fixed(columns) => columns.iter().position(|column| column.name == name),
        }
    }

    fn cell(&self, row: &Range<usize>, column: usize) -> Option<(Cow<'a, str>, Range<usize>)> {
        match &self.layout {
            Layout::Delimited { delimiter, .. } => cell(self.text.as_bytes(), row.start, *delimiter, column),
            Layout::Fixed(columns) => fixed::cell(self.text, row, columns.get(column)?),
        }
    }

    pub(super) fn select(&self, path: &RowPath) -> Selection<'a> {
        let found = |row: &Range<usize>, column| {
            let (cell, range) = self.cell(row, column)?;
            Some(Found { datum: self.datum(cell), span: span(range) })
        };
        // A column may be called as a path to another one is written.
        if let Some(column) = self.column(path.whole()) {
            return Selection::texts(self.rows.iter().filter_map(|row| found(row, column)).collect());
        }
        let Some((rows, name)) = path.rows() else { return Selection::default() };
        let Some(column) = self.column(name) else { return Selection::default() };
        Selection::texts(self.chosen(rows).into_iter().filter_map(|row| found(row, column)).collect())
    }

    pub(crate) fn header(&self) -> &[String] {
        match &self.layout {
            Layout::Delimited { header: Some(names), .. } => names,
            Layout::Delimited { header: None, .. } | Layout::Fixed(_) => &[],
        }
    }

    pub(super) fn lacks_header(&self) -> bool {
        matches!(&self.layout, Layout::Delimited { header: Some(names), .. } if names.is_empty())
    }

    pub(crate) fn leaves(&self) -> Vec<Vec<(String, String)>> {
        let name = |column: usize| match &self.layout {
            Layout::Delimited { header: Some(names), .. } => names.get(column).cloned(),
            Layout::Fixed(columns) => columns.get(column).map(|column| column.name.clone()),
            Layout::Delimited { header: None, .. } => None,
        };
        let named = |column: usize| name(column).unwrap_or_else(|| (column + 1).to_string());
        let row = |row: &Range<usize>| {
            let cells = (0..).map_while(|column| self.cell(row, column));
            cells.enumerate().map(|(column, (cell, _))| (named(column), cell.into_owned())).collect()
        };
        self.rows.iter().map(row).collect()
    }

    /// The cell of one row, by its number from 0.
    pub(crate) fn select_in(&self, row: usize, column: &str) -> Selection<'a> {
        let cell = self.column(column).zip(self.rows.get(row)).and_then(|(column, row)| self.cell(row, column));
        let found = cell.map(|(cell, range)| Found { datum: self.datum(cell), span: span(range) });
        Selection::texts(found.into_iter().collect())
    }

    fn datum(&self, cell: Cow<'a, str>) -> Datum<'a> {
        match self.empty_is_null && cell.is_empty() {
            true => Datum::Json(Cow::Owned(candor_json::Value::Null)),
            false => Datum::Text(cell),
        }
    }

    pub(crate) fn has_column(&self, name: &str) -> bool {
        match &self.layout {
            Layout::Delimited { header: None, .. } => self.column(name).is_some(),
            _ => self.column(name).is_some() || self.rows.is_empty(),
        }
    }

    /// Where a last row begins that has fewer cells than the header and no line end. A total of the rows before it is
    /// the end of a file.
    pub(super) fn breaks_off(&self) -> Option<usize> {
        let (before, _) = *self.short.last()?;
        let row = self.rows.get(before)?;
        let cell = |column| self.cell(row, column).map(|(cell, _)| cell.trim().to_lowercase()).unwrap_or_default();
        let is_total = TOTALS.contains(&cell(0).as_str()) && cell(1) == before.to_string();
        (row.end == self.text.len() && !is_total).then_some(row.start)
    }

    /// Returns `true` if the file seems to hold an error that a server sent, and not the columns of a path.
    pub(super) fn is_error_text(&self, path: &RowPath) -> bool {
        let Layout::Delimited { delimiter, header, .. } = &self.layout else { return false };
        // Without a header every line has a first column.
        let is_there = |name: &str| self.column(name).is_some_and(|at| header.is_some() || at == 0);
        let text = self.text.trim();
        if is_there(path.whole())
            || path.rows().is_some_and(|(_, name)| is_there(name))
            || header.is_none() && text.contains(*delimiter)
        {
            return false;
        }
        let is_said = !text.contains(['\n', '\r']) && reads_like_an_error(text);
        is_said || header.is_some() && text.starts_with(['<', '{'])
    }

    /// The rows that meet every condition; of these the one of the number, where one is given.
    fn chosen(&self, rows: &Rows) -> Vec<&Range<usize>> {
        let conditions: Option<Vec<(usize, &str)>> =
            rows.conditions.iter().map(|(name, value)| Some((self.column(name)?, value.as_str()))).collect();
        let Some(conditions) = conditions else { return Vec::new() };
        let meets = |row: &&Range<usize>| {
            conditions.iter().all(|(column, value)| self.cell(row, *column).is_some_and(|(cell, _)| cell == *value))
        };
        let meeting = self.rows.iter().filter(meets);
        match rows.number {
            Some(number) => meeting.skip(number - 1).take(1).collect(),
            None => meeting.collect(),
        }
    }

    /// Says if a row that a path may mean ends before a column that it reads.
    pub(super) fn ends_before(&self, path: &RowPath) -> Completeness {
        short::ends_before(self, path)
    }

    /// The row that comes nearest to the one that is missing: the end of a sentence about the file.
    fn nearest_row(&self, path: &RowPath) -> Option<String> {
        let (rows, _) = path.rows()?;
        let [(name, value)] = rows.conditions.as_slice() else { return None };
        if !self.chosen(rows).is_empty() {
            return None;
        }
        let column = self.column(name)?;
        // As many as are held against each other letter by letter.
        let cells: Vec<Cow<'_, str>> =
            self.rows.iter().take(1000).filter_map(|row| Some(self.cell(row, column)?.0)).collect();
        let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
        let near = nearest(value, &cells)?;
        let number = cells.iter().position(|cell| *cell == near)? + 1;
        Some(format!("has no row whose `{name}` is {:?}; row {number} has {:?}", cut(value), cut(near)))
    }

    /// Why a path selects nothing, where the table shows it: the end of a sentence about the file.
    pub(super) fn hint(&self, path: &RowPath) -> Option<String> {
        match self.has(path.whole()) {
            true => None,
            false => self.missing(path).or_else(|| self.nearest_row(path)),
        }
    }

    /// The missing column because of which a path that selects nothing proves nothing. A path that is a column alone may
    /// assert that there is no such column, unless the cells seem to be divided otherwise.
    pub(crate) fn unproven(&self, path: &RowPath) -> Option<String> {
        let missing = self.missing(path).filter(|_| !self.has(path.whole()))?;
        (path.rows().is_some() || self.misread().is_some()).then_some(missing)
    }

    fn missing(&self, path: &RowPath) -> Option<String> {
        match path.rows() {
            Some((rows, name)) => {
                let mut names = rows.conditions.iter().map(|(name, _)| name.as_str()).chain([name]);
                names.find_map(|name| self.lacks(name))
            }
            None => self.lacks(path.whole()),
        }
    }

    /// Rows without a header may have any number of cells, unless all of them seem to be divided otherwise.
    fn has(&self, name: &str) -> bool {
        let is_numbered = matches!(self.layout, Layout::Delimited { header: None, .. });
        self.column(name).is_some_and(|at| at == 0 || !is_numbered || self.misread().is_none())
    }

    /// Says that a column is not there, and which one may be meant: the end of a sentence about the file.
    pub(crate) fn lacks(&self, name: &str) -> Option<String> {
        if self.has(name) {
            return None;
        }
        let near = || {
            // As many as are held against each other letter by letter.
            let names: Vec<&str> = match &self.layout {
                Layout::Delimited { header, .. } => header.iter().flatten().map(String::as_str).take(1000).collect(),
                Layout::Fixed(columns) => columns.iter().map(|column| column.name.as_str()).take(1000).collect(),
            };
            let meant = nearest(name, &names).map(|near| format!("; did you mean `{}`?", cut(near)));
            format!("has no column `{name}`{}", meant.unwrap_or_default())
        };
        Some(self.misread().unwrap_or_else(near))
    }

    /// Why the columns are not those that were written: the end of a sentence about the file.
    pub(crate) fn misread(&self) -> Option<String> {
        let Layout::Delimited { delimiter, given, header } = &self.layout else { return None };
        let (only, what) = match header.as_deref() {
            Some([only]) => (Cow::Borrowed(only.as_str()), format!("the one column {:?}", cut(only))),
            None if self.rows.iter().all(|row| self.cell(row, 1).is_none()) => {
                (self.cell(self.rows.first()?, 0)?.0, "one cell in every row".to_owned())
            }
            _ => (Cow::Borrowed(""), String::new()),
        };
        if let Some(other) = USUAL.iter().find(|other| *other != delimiter && only.contains(**other)) {
            let because = if *given { "is the `delimiter` given" } else { "is taken where no `delimiter` is given" };
            return Some(format!("has {what}: {delimiter:?} {because}; its cells seem to be divided by {other:?}"));
        }
        let first = header.as_ref()?.first()?.strip_prefix('\u{feff}')?;
        Some(format!(
            "begins with two byte order marks, of which the second is part of its first column `{}`",
            cut(first)
        ))
    }
}

fn cut(name: &str) -> String {
    const LONGEST: usize = 80;
    let short: String = name.chars().take(LONGEST).collect();
    if short.len() < name.len() { format!("{short}…") } else { short }
}

/// The text without what fills the end of its last block: NUL, and the Ctrl-Z that ends a file on CP/M and DOS.
fn without_padding(text: &str) -> &str {
    text.trim_end_matches(['\0', '\u{1a}'])
}

pub(crate) fn rows_shape(
    delimiter: Option<&str>,
    header: Option<bool>,
    columns: Option<Vec<Column>>,
    record_length: Option<usize>,
    empty_is_null: bool,
) -> Result<Shape, String> {
    let delimiter = delimiter.map(one_character).transpose()?;
    if (delimiter.is_some() || header.is_some()) && columns.is_some() {
        return Err("`delimiter` and `header` go with the format csv, `columns` with fixed".to_owned());
    }
    if let Some(problem) = columns.as_deref().and_then(Column::problem) {
        return Err(problem);
    }
    let columns = columns.unwrap_or_default();
    if let Some(length) = record_length {
        if length == 0 || length > LONGEST_RECORD {
            return Err(format!("`record_length` is {length}; expected 1 to {LONGEST_RECORD}"));
        }
        let beyond = |column: &&Column| column.start - 1 + column.length > length;
        if let Some(column) = columns.iter().find(beyond) {
            return Err(format!("the column `{}` ends behind the `record_length` of {length}", column.name));
        }
    }
    Ok(Shape { delimiter, header: header.unwrap_or(true), columns, record_length, empty_is_null })
}

fn one_character(text: &str) -> Result<char, String> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        // YAML reads `\t` without quotation marks as these two characters.
        _ if text == "\\t" => Ok('\t'),
        (Some(one), None) if !matches!(one, '"' | '\n' | '\r') => Ok(one),
        _ => Err(format!("`delimiter` is {text:?}; expected one character, except a quotation mark or a line end")),
    }
}
