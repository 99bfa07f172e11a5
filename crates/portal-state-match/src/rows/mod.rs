//! Bytes to rows, each with its span. What cannot be read is a [`RowFault`], never a row less in silence.

mod csv;
mod delimiter;
mod held;
mod json;

pub(crate) use delimiter::{CsvForm, delimiter, separates};
pub(crate) use held::{Held, Sought, mark};

use candor_check::Obstacle;
use candor_check::records::Completeness;
use candor_check::work::cancelled;
use candor_json::Value;
use serde::{Deserialize, Serialize};

/// How rows are written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An array of objects.
    Json,
    /// An object a line.
    Ndjson,
    /// RFC 4180, the first record naming the columns; other delimiters than commas where nothing speaks against them.
    Csv,
}

const FORMATS: &[(&str, Format)] = &[
    ("json", Format::Json),
    ("ndjson", Format::Ndjson),
    ("jsonl", Format::Ndjson),
    ("csv", Format::Csv),
    ("tsv", Format::Csv),
];

impl Format {
    /// The format that an extension represents, in any case.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        FORMATS.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known)).map(|&(_, format)| format)
    }
}

/// The columns of a row, as an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Of JSON: values have types.
    Typed(Value),
    /// Of CSV: every value is text.
    Text(Value),
    /// Of a database without truth values (SQLite, MySQL): 0 and 1 equal `false` and `true`.
    ZeroOne(Value),
}

impl Content {
    /// The columns, whatever their values are.
    #[must_use]
    pub fn columns(&self) -> &Value {
        let (Self::Typed(columns) | Self::Text(columns) | Self::ZeroOne(columns)) = self;
        columns
    }

    /// Reads 0 and 1 as a database without truth values means them.
    pub(crate) fn make_zero_one(&mut self) {
        let Self::Typed(columns) = self else { return };
        *self = Self::ZeroOne(std::mem::take(columns));
    }

    pub(crate) fn cost(&self) -> u64 {
        let mut cost = 0u64;
        let mut open = vec![self.columns()];
        while let Some(value) = open.pop() {
            cost = cost.saturating_add(VALUE_COST);
            match value {
                Value::String(text) => cost = cost.saturating_add(text.len() as u64),
                Value::Array(items) => open.extend(items),
                Value::Object(members) => {
                    for (name, value) in members {
                        cost = cost.saturating_add(name.len() as u64);
                        open.push(value);
                    }
                }
                _ => {}
            }
        }
        cost
    }
}

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its place among the rows of the file, those that cannot be read included; 1-based.
    pub number: u64,
    /// First byte in the file, and the byte after the last one.
    pub span: (u64, u64),
    /// Its columns.
    pub content: Content,
    /// Set where it has fewer cells than the header.
    pub short: Option<Short>,
}

/// A row of CSV with fewer cells than the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Short {
    /// How many cells it has.
    pub cells: usize,
    /// True if nothing follows it, not even a line end, so that its last cell may go on.
    pub may_go_on: bool,
}

/// A place in a file that holds no row that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFault {
    /// The bytes that are lost by it.
    pub span: (u64, u64),
    /// The fault, as the end of a sentence. It holds names and places, no values.
    pub what: String,
    /// Set where not the bytes are at fault but something kept them from being read.
    pub obstacle: Option<Obstacle>,
}

/// The content of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// The rows, in order.
    pub rows: Vec<Row>,
    /// The columns that the file names apart from its rows: a CSV header. A column may have no name.
    pub header: Vec<String>,
    /// The places that cannot be read, in order.
    pub faults: Vec<RowFault>,
    /// How many rows there are up to the last one that was read, those that cannot be read included.
    pub number: u64,
    /// True if the budget was spent before the end.
    pub cut_off: bool,
}

/// The most faults of a file that are listed one by one.
const MOST_FAULTS: usize = 100;

/// The least that a value takes in memory, in addition to its text.
const VALUE_COST: u64 = 96;

/// Reads the rows of a file. At most about `budget` bytes of memory are taken for them, and as much is taken off it;
/// rows beyond that are a fault with [`Obstacle::LimitExceeded`].
///
/// ```
/// use candor_portal_state_match::rows::{Format, read};
/// let rows = read(Format::Csv, b"id,status\n1,open\n2,\"on\nhold\"\n", &mut 4096);
/// assert_eq!(rows.rows.len(), 2);
/// assert_eq!(rows.rows[1].span, (17, 28));
/// ```
#[must_use]
pub fn read(format: Format, bytes: &[u8], budget: &mut u64) -> Rows {
    read_as(format, &CsvForm::default(), bytes, budget)
}

pub(crate) fn read_as(format: Format, csv: &CsvForm, bytes: &[u8], budget: &mut u64) -> Rows {
    read_into(None, format, csv, bytes, budget).0
}

/// As [`read_as`]; places that are given take those of the rows of JSON, in the place of the rows.
fn read_into(
    places: Option<Vec<Place>>,
    format: Format,
    csv: &CsvForm,
    bytes: &[u8],
    budget: &mut u64,
) -> (Rows, Vec<Place>) {
    let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let start = (bytes.len() - body.len()) as u64;
    let mut sink = Sink { rows: Rows::default(), places, start, number: 0, budget, untold: None };
    let completeness = match format {
        Format::Json => json::array(body, &mut sink),
        Format::Ndjson => json::lines(body, 1, &mut sink),
        Format::Csv => csv::records(body, csv, &mut sink),
    };
    if let Completeness::Cut(cut) = completeness {
        let from = usize::try_from(cut.offset).unwrap_or(body.len()).min(body.len());
        sink.fault((from, body.len()), cut.what);
    }
    let places = sink.places.take().unwrap_or_default();
    (sink.finish(), places)
}

/// Reads one line of a file of lines: its number from 1, the byte that it begins at, and how many rows came before it.
pub(crate) fn read_line(line: &[u8], number: u64, start: u64, rows: u64, mut budget: u64) -> Rows {
    // A byte order mark begins a file.
    let body = line.strip_prefix(b"\xEF\xBB\xBF").filter(|_| number == 1).unwrap_or(line);
    let start = start + (line.len() - body.len()) as u64;
    let mut sink = Sink { rows: Rows::default(), places: None, start, number: rows, budget: &mut budget, untold: None };
    json::lines(body, number, &mut sink);
    sink.finish()
}

/// The number of a row, and its span.
type Place = (u64, (u64, u64));

/// Where rows and faults go. Spans given to it count from the start of the body, after a byte order mark.
struct Sink<'a> {
    rows: Rows,
    /// Set where rows are kept by their places alone.
    places: Option<Vec<Place>>,
    start: u64,
    number: u64,
    budget: &'a mut u64,
    untold: Option<(u64, RowFault)>,
}

/// A row would take more memory than is left, or no one waits for it any more.
struct OverBudget;

impl Sink<'_> {
    /// Counts a row, whether it can be read or not.
    fn next(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    fn placed(&self, span: (usize, usize)) -> (u64, u64) {
        (self.start + span.0 as u64, self.start + span.1 as u64)
    }

    fn values_left(&self) -> u64 {
        *self.budget / VALUE_COST
    }

    /// Takes memory for so many bytes of text in so many values.
    fn take(&mut self, bytes: usize, values: u64) -> Result<(), OverBudget> {
        if cancelled() {
            return Err(OverBudget);
        }
        let cost = (bytes as u64).saturating_add(values.saturating_mul(VALUE_COST));
        *self.budget = self.budget.checked_sub(cost).ok_or(OverBudget)?;
        Ok(())
    }

    fn row(&mut self, number: u64, span: (usize, usize), content: Content) {
        let span = self.placed(span);
        self.rows.rows.push(Row { number, span, content, short: None });
    }

    /// Keeps a row that can be read by its place, where rows are kept so.
    fn keep(&mut self, number: u64, span: (usize, usize)) -> bool {
        let span = self.placed(span);
        self.places.as_mut().map(|places| places.push((number, span))).is_some()
    }

    fn short(&mut self, short: Short) {
        if let Some(row) = self.rows.rows.last_mut() {
            row.short = Some(short);
        }
    }

    fn fault(&mut self, span: (usize, usize), what: String) {
        let span = self.placed(span);
        self.add(RowFault { span, what, obstacle: None });
    }

    /// A row that is where it should be and is more than is read.
    fn beyond(&mut self, span: (usize, usize), what: String) {
        let span = self.placed(span);
        self.add(RowFault { span, what, obstacle: Some(Obstacle::LimitExceeded) });
    }

    /// Says that nothing after this place was read.
    fn over_budget(&mut self, from: usize, end: usize) {
        let at = self.start + from as u64;
        let what = format!("the rows from byte {at} on take more memory than is allowed (limit max_total_bytes)");
        let span = self.placed((from, end));
        self.rows.faults.push(RowFault { span, what, obstacle: Some(Obstacle::LimitExceeded) });
        self.rows.cut_off = true;
    }

    fn add(&mut self, fault: RowFault) {
        if self.rows.faults.len() < MOST_FAULTS {
            self.rows.faults.push(fault);
            return;
        }
        match &mut self.untold {
            None => self.untold = Some((1, fault)),
            Some((number, first)) => {
                *number += 1;
                first.span.1 = fault.span.1;
            }
        }
    }

    fn finish(mut self) -> Rows {
        self.rows.number = self.number;
        if let Some((number, mut fault)) = self.untold {
            if number > 1 {
                fault.what = format!("{number} more rows from byte {} on cannot be read", fault.span.0);
            }
            self.rows.faults.push(fault);
        }
        self.rows
    }
}

/// A name of the data as a sentence holds it: cut short.
pub(crate) fn named(name: &str) -> String {
    const LONGEST: usize = 60;
    match name.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("`{}…`", name.get(..at).unwrap_or_default()),
        None => format!("`{name}`"),
    }
}
