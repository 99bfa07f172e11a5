//! Delimited rows, by RFC 4180, with any delimiter.

use std::borrow::Cow;
use std::ops::Range;

use super::USUAL;
use crate::content::Malformed;

/// A cell: its text between its quotation marks, if it has such.
struct Cell {
    range: Range<usize>,
    quoted: bool,
}

/// The cells of one row, in order, from a byte of the text on.
struct Cells<'a> {
    text: &'a str,
    delimiter: char,
    at: usize,
    done: bool,
}

impl<'a> Cells<'a> {
    fn new(text: &'a str, at: usize, delimiter: char) -> Self {
        Self { text, delimiter, at, done: false }
    }

    /// Reads on to the next cell; afterwards `at` is behind its delimiter, or at the row's line end.
    fn read(&mut self) -> Result<Cell, Malformed> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let cell = if rest.starts_with('"') {
            let length = quoted(rest, self.at)?;
            self.at += length;
            Cell { range: self.at - length + 1..self.at - 1, quoted: true }
        } else {
            let length = rest.find([self.delimiter, '\n', '\r']).unwrap_or(rest.len());
            self.at += length;
            Cell { range: self.at - length..self.at, quoted: false }
        };
        match self.text.get(self.at..).unwrap_or_default().chars().next() {
            Some(next) if next == self.delimiter => self.at += next.len_utf8(),
            None | Some('\n' | '\r') => self.done = true,
            Some(_) => return Err(Malformed::at(self.at, "text behind a closing quotation mark")),
        }
        Ok(cell)
    }
}

impl Iterator for Cells<'_> {
    type Item = Result<Cell, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let cell = self.read();
        self.done |= cell.is_err();
        Some(cell)
    }
}

fn quoted(text: &str, start: usize) -> Result<usize, Malformed> {
    let mut at = 1;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        match rest.find('"') {
            None => return Err(Malformed::at(start, "a quotation mark that does not close")),
            Some(found) if rest.get(found + 1..).is_some_and(|rest| rest.starts_with('"')) => at += found + 2,
            Some(found) => return Ok(at + found + 1),
        }
    }
}

pub(super) struct Read {
    pub(super) rows: Vec<Range<usize>>,
    /// The rows with fewer cells than the header, and how many they have.
    pub(super) short: Vec<(usize, usize)>,
    /// The names of the header if there is one.
    pub(super) header: Option<Vec<String>>,
}

/// Finds the rows of a text, the header apart. Empty lines do not count as rows.
pub(super) fn rows(text: &str, delimiter: char, has_header: bool) -> Result<Read, Malformed> {
    let mut rows = Vec::new();
    let mut short = Vec::new();
    let mut header: Option<Vec<String>> = None;
    let mut at = 0;
    let mut line = 1;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with(['\n', '\r']) {
            line += usize::from(!rest.starts_with("\r\n"));
            at += 1;
            continue;
        }
        let mut cells = Cells::new(text, at, delimiter);
        let mut number = 0;
        let mut names = Vec::new();
        let mut is_header = true;
        for cell in cells.by_ref() {
            let cell = cell?;
            match &header {
                Some(header) if is_header => {
                    let name = header.get(number);
                    is_header = name.is_some_and(|name| content(text, &cell).eq_ignore_ascii_case(name));
                }
                None if has_header => names.push(content(text, &cell).into_owned()),
                _ => {}
            }
            number += 1;
        }
        let row = at..cells.at;
        match &header {
            _ if !has_header => rows.push(row.clone()),
            None => {
                header = Some(unambiguous(names, at)?);
            }
            Some(names)
                if is_header && number == names.len() && number > 1 && names.iter().any(|name| !name.is_empty()) =>
            {
                let what = format!("line {line}, which is the header again: the file may hold several exports");
                return Err(Malformed::at(at, what));
            }
            Some(names) if number == 1 && names.len() > 1 && is_markup(text.get(row.clone()).unwrap_or_default()) => {
                return Err(Malformed::at(at, format!("line {line}, which is HTML or XML, and no row")));
            }
            Some(names) if number > names.len() => {
                let expected = names.len();
                let other = match names.as_slice() {
                    [only] => USUAL.iter().find(|other| **other != delimiter && only.contains(**other)),
                    _ => None,
                };
                let seem =
                    other.map(|other| format!("; its cells seem to be divided by {other:?}")).unwrap_or_default();
                let what = format!("line {line}, whose row has {number} cells where the header has {expected}{seem}");
                return Err(Malformed::at(at, what));
            }
            Some(names) => {
                if number < names.len() {
                    short.push((rows.len(), number));
                }
                rows.push(row.clone());
            }
        }
        line += line_ends(text.get(row).unwrap_or_default());
        at = cells.at;
    }
    // Without any row there is a header without names.
    Ok(Read { rows, short, header: header.or(has_header.then(Vec::new)) })
}

/// Returns `true` if a line begins with a tag: what a server wrote after a fault is behind the rows.
fn is_markup(row: &str) -> bool {
    row.trim_start()
        .strip_prefix('<')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || "!?/".contains(c)))
}

fn unambiguous(names: Vec<String>, at: usize) -> Result<Vec<String>, Malformed> {
    let mut seen = std::collections::HashSet::new();
    match names.iter().find(|name| !name.is_empty() && !seen.insert(name.as_str())) {
        Some(name) => Err(Malformed::at(at, format!("a header that names the column `{name}` twice"))),
        None => Ok(names),
    }
}

fn line_ends(row: &str) -> usize {
    let bytes = row.as_bytes();
    let ends = |pair: &[u8]| matches!(pair, [b'\n', _] | [b'\r', _]) && pair != b"\r\n";
    bytes.windows(2).filter(|pair| ends(pair)).count()
}

fn content<'a>(text: &'a str, cell: &Cell) -> Cow<'a, str> {
    let inside = text.get(cell.range.clone()).unwrap_or_default();
    if cell.quoted && inside.contains('"') { Cow::Owned(inside.replace("\"\"", "\"")) } else { Cow::Borrowed(inside) }
}

/// A cell of a row that [`rows`] found.
pub(super) fn cell<'a>(
    text: &'a str,
    row: &Range<usize>,
    delimiter: char,
    column: usize,
) -> Option<(Cow<'a, str>, Range<usize>)> {
    let cell = Cells::new(text, row.start, delimiter).nth(column)?.ok()?;
    Some((content(text, &cell), cell.range))
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use proptest::prelude::*;

    fn values(text: &str, path: &str, shape: &Shape) -> Vec<String> {
        let table = Table::delimited(text, shape).unwrap();
        let path = RowPath::parse(path).unwrap();
        table.select(&path).values.iter().map(|f| f.datum.string().unwrap().to_owned()).collect()
    }

    #[test]
    fn reads_rows_as_rfc_4180_writes_them() {
        let shape = Shape::default();
        let text = "id,name,n.o\r\n1,\"a,\"\"b\"\"\nc\",x\r\n2,,\r\n3\r\n\r\n";
        assert_eq!(values(text, "id", &shape), ["1", "2", "3"]);
        assert_eq!(values(text, "name", &shape), ["a,\"b\"\nc", ""]);
        assert_eq!(values(text, "2.id", &shape), ["2"]);
        assert_eq!(values(text, "n.o", &shape), ["x", ""]);
        assert!(values(text, "9.id", &shape).is_empty());
        assert!(values(text, "nothing", &shape).is_empty());
        assert!(values("", "id", &shape).is_empty());
        let bare = Shape { delimiter: Some('|'), header: false, ..Shape::default() };
        assert_eq!(values("a|b\nc|d", "2", &bare), ["b", "d"]);
        assert_eq!(values("a|b\nc|d", "2.1", &bare), ["c"]);
        assert!(RowPath::parse("0.id").is_err());
    }

    #[test]
    fn any_character_divides_and_any_line_end_ends() {
        for delimiter in ['\t', ';', '|', '\u{1f}', '§', '€'] {
            let shape = Shape { delimiter: Some(delimiter), ..Shape::default() };
            let text = "a,b\rc,\"d,e\"\nf,g\r\n\u{1a}\0\0".replace(',', &delimiter.to_string());
            assert_eq!(values(&text, "b", &shape), [format!("d{delimiter}e"), "g".to_owned()], "{delimiter:?}");
            assert_eq!(values(&text, "a", &shape), ["c", "f"], "{delimiter:?}");
        }
    }

    #[test]
    fn rows_are_selected_by_what_they_hold() {
        let shape = Shape::default();
        let text = "type,id,a=b,amount\nCLM,1,x,10\nHDR,2,x,\nCLM,3,\"y]\",30\n";
        for (path, expected) in [
            ("row[type=CLM].amount", vec!["10", "30"]),
            ("row[type=CLM][2].amount", vec!["30"]),
            ("row[type=CLM][id=3].amount", vec!["30"]),
            (r"row[a\=b=y\]].id", vec!["3"]),
            (r#"row[a\=b="y]"].id"#, vec!["3"]),
            ("row[3].id", vec!["3"]),
            ("row[type=].id", vec![]),
            ("row[amount=].id", vec!["2"]),
            ("row[nothing=1].id", vec![]),
            ("row[type=CLM].nothing", vec![]),
        ] {
            assert_eq!(values(text, path, &shape), expected, "{path}");
        }
        let bare = Shape { header: false, ..Shape::default() };
        assert_eq!(values(text, "row[1=CLM].4", &bare), ["10", "30"]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let shape = Shape::default();
        for (text, offset, what) in [
            ("a,b\n1,2,3\n", 4, "line 2, whose row has 3 cells where the header has 2"),
            ("a,b\n\"x\n\r\ny\",2\n\n1,2,3\n", 15, "line 6, whose"),
            (
                "a;b\n1,5;2\n",
                4,
                "line 2, whose row has 2 cells where the header has 1; its cells seem to be divided by ';'",
            ),
            ("a,b\n1,2\na,b\n3,4\n", 8, "line 3, which is the header again"),
            ("a,b\n1,2\n\"A\",b\n3,4\n", 8, "line 3, which is the header again"),
            ("a,b\n1,2\n<html>error</html>\n", 8, "line 3, which is HTML"),
            ("a,a\n", 0, "column `a` twice"),
            ("a\n\"b", 2, "does not close"),
            ("a\n\"b\"c\n", 5, "behind a closing quotation mark"),
        ] {
            let error = Table::delimited(text, &shape).unwrap_err();
            assert_eq!(error.offset, offset, "{text}: {}", error.what);
            assert!(error.what.contains(what), "{text}: {}", error.what);
        }
    }

    #[test]
    fn a_delimiter_that_was_not_meant_is_seen() {
        let hint = |text, path, delimiter| {
            let shape = Shape { delimiter, ..Shape::default() };
            Table::delimited(text, &shape).unwrap().hint(&RowPath::parse(path).unwrap()).unwrap_or_default()
        };
        let said = hint("a;b;c\n1;2;3\n", "b", None);
        assert!(said.contains("\"a;b;c\"") && said.contains("no `delimiter`") && said.contains("';'"), "{said}");
        let said = hint("a,b\n1,2\n", "2.b", Some('|'));
        assert!(said.contains("'|' is the `delimiter` given") && said.contains("','"), "{said}");
        assert_eq!(hint("total,b\n1,2\n", "row[totl=1].b", None), "has no column `totl`; did you mean `total`?");
        assert_eq!(hint("a,b\n1,2\n", "9.b", None), "");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(rows in prop::collection::vec(prop::collection::vec("[a\"',\n\ré]{0,4}", 2), 1..6)) {
            let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
            let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
            let text: String = rows.iter().map(line).collect();
            let shape = Shape { header: false, ..Shape::default() };
            let expected: Vec<String> = rows.iter().map(|row| row[1].clone()).collect();
            prop_assert_eq!(values(&text, "2", &shape), expected);
        }

        #[test]
        fn never_panics(text in "[a\",\n\r|é\0]{0,40}", header in any::<bool>(), delimiter in "[,é|]") {
            let shape = Shape { delimiter: delimiter.chars().next(), header, ..Shape::default() };
            if let Ok(table) = Table::delimited(&text, &shape) {
                for path in ["a", "1", "2.1", "9.a", "row[a=a].a", "row[1=a][1].2"] {
                    let path = RowPath::parse(path).unwrap();
                    for found in table.select(&path).values {
                        prop_assert!(text.get(found.span.clone().unwrap().start as usize..found.span.unwrap().end as usize).is_some());
                    }
                    let _ = table.hint(&path);
                }
            }
        }
    }
}
