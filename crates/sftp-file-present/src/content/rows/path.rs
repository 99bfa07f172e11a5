//! Paths into files of rows: `column`, `2.column`, `row[column=value].other`.

use candor_check::field::PathProblem;

/// A path into a file of rows: a column, of every row or of some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowPath {
    whole: String,
    rows: Option<(Rows, String)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    /// Columns with the text they hold; all have to.
    pub(crate) conditions: Vec<(String, String)>,
    /// Which of the rows that do, from 1 on.
    pub(crate) number: Option<usize>,
}

impl RowPath {
    /// Reads a path. In brackets a backslash makes the next character mean itself, and a value may be in quotation
    /// marks.
    pub(crate) fn parse(written: &str) -> Result<Self, PathProblem> {
        let problem = |offset, message: &str| Err(PathProblem { offset, message: message.to_owned() });
        if written.is_empty() {
            return problem(0, "expected `column`, `2.column` or `row[column=value].other`");
        }
        let selected = |rows| Ok(Self { whole: written.to_owned(), rows });
        if written.starts_with("row[") {
            return selected(Some(Scan { text: written, at: "row".len() }.rows()?));
        }
        let Some((row, column)) = written.split_once('.') else { return selected(None) };
        if row.is_empty() || column.is_empty() || !row.bytes().all(|b| b.is_ascii_digit()) {
            return selected(None);
        }
        match row.parse() {
            Ok(0) => problem(0, "expected `row.column` with a row from 1 on"),
            Ok(number) => selected(Some((Rows { conditions: Vec::new(), number: Some(number) }, column.to_owned()))),
            Err(_) => problem(0, "no file has that many rows"),
        }
    }

    /// The path as it is written, which may be a column's name.
    pub(crate) fn whole(&self) -> &str {
        &self.whole
    }

    pub(crate) fn rows(&self) -> Option<(&Rows, &str)> {
        self.rows.as_ref().map(|(rows, column)| (rows, column.as_str()))
    }
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    fn rows(mut self) -> Result<(Rows, String), PathProblem> {
        let mut rows = Rows::default();
        while self.rest().starts_with('[') {
            let start = self.at;
            self.at += 1;
            if rows.number.is_some() {
                return Err(Self::problem(start, "write the number of a row after its conditions"));
            }
            let (name, end) = self.until(&['=', ']'])?;
            if end == '=' {
                let quoted = self.rest().starts_with('"');
                let value = if quoted { self.quoted()? } else { self.until(&[']'])?.0 };
                if name.is_empty() {
                    return Err(Self::problem(start, "expected `[column=value]`"));
                }
                rows.conditions.push((name, value));
            } else {
                match name.parse() {
                    Ok(number) if number > 0 => rows.number = Some(number),
                    _ => return Err(Self::problem(start, "expected `[column=value]`, or a row's number from 1 on")),
                }
            }
        }
        match self.rest().strip_prefix('.') {
            Some(column) if !column.is_empty() => Ok((rows, column.to_owned())),
            _ => Err(Self::problem(self.at, "expected a column behind the rows, as in `row[type=CLM].amount`")),
        }
    }

    fn problem(offset: usize, message: &str) -> PathProblem {
        PathProblem { offset, message: message.to_owned() }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The text up to one of the characters, which is read as well.
    fn until(&mut self, ends: &[char]) -> Result<(String, char), PathProblem> {
        let start = self.at;
        let mut read = String::new();
        let mut escaped = false;
        for (at, character) in self.rest().char_indices() {
            if !escaped && ends.contains(&character) {
                self.at += at + character.len_utf8();
                return Ok((read, character));
            }
            if !escaped && character == '\\' {
                escaped = true;
                continue;
            }
            escaped = false;
            read.push(character);
        }
        Err(Self::problem(start, "a bracket that does not close; write `row[column=value].other`"))
    }

    fn quoted(&mut self) -> Result<String, PathProblem> {
        self.at += 1;
        let (value, _) = self.until(&['"'])?;
        if !self.rest().starts_with(']') {
            return Err(Self::problem(self.at, "expected `]` behind the value"));
        }
        self.at += 1;
        Ok(value)
    }
}
