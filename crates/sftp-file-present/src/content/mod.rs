//! The content of a file, by format, and the paths into it.

mod blanks;
mod json;
mod leaves;
mod malformed;
mod messages;
mod path;
mod pdf;
mod rows;
mod text;
mod xml;

use std::borrow::Cow;
use std::ops::Range;

use candor_check::Obstacle;
use candor_check::compare::DateForm;
use candor_check::field::Selection;
use candor_check::records::{Completeness, Reading};
use candor_json::Value;

use crate::encoding::{Charset, Decoded, of_xml, undeclared, unmarked_utf16};
use crate::format::Format;

pub use self::malformed::Malformed;
use self::malformed::{span, uncut};
pub use self::rows::{Align, Column, Shape, Table};
use self::text::TextPath;
pub(crate) use self::xml::Element;
pub use self::xml::Xml;
pub(crate) use messages::{FileMessage, read_hl7, read_x12, x12_values};
pub(crate) use path::{ContentPath, ROWS, X12Path};
pub(crate) use pdf::Pages;
pub use pdf::text as pdf_text;
pub(crate) use rows::rows_shape;

/// The most rows and lines that values are selected from: each costs about 64 bytes.
const MOST_VALUES: usize = 10_000_000;

/// A file's content, parsed as its format says.
#[derive(Debug)]
pub enum Content<'a> {
    /// JSON, FHIR, or the array of an NDJSON file's lines.
    Json(Value),
    /// The rows of a CSV file, or of one of fixed width.
    Rows(Table<'a>),
    /// An XML document.
    Xml(Xml<'a>),
    /// The text of a file.
    Text(&'a str),
    /// HL7 v2 messages, as bytes that are known to parse.
    Hl7(&'a [u8]),
    /// X12 interchanges, as bytes that are known to parse.
    X12(&'a [u8]),
    /// Nothing that paths could select from.
    Bytes,
}

/// A file's bytes, decoded where its format is one of text.
#[derive(Debug)]
pub(crate) struct Input<'a>(Body<'a>);

#[derive(Debug)]
enum Body<'a> {
    Bytes(&'a [u8]),
    Text(Decoded<'a>),
}

impl<'a> Input<'a> {
    /// The bytes in the encoding that the author gives; else in that of the format. HL7 v2 and X12 bring their own.
    ///
    /// # Errors
    /// Where no encoding is given: the first byte that is not in the format's. The first NUL of a file that only NULs fill
    /// up.
    pub(crate) fn new(
        bytes: &'a [u8],
        format: Format,
        charset: Option<Charset>,
        shape: &Shape,
    ) -> Result<Self, Malformed> {
        let input = Self::decoded(bytes, format, charset)?;
        let filled_up = match (&input.0, format) {
            (_, Format::Bytes) => Completeness::Unknown,
            (Body::Bytes(bytes), _) => blanks::of_bytes(bytes),
            (Body::Text(decoded), _) => blanks::of_text(decoded, shape.width()),
        };
        if let Some(malformed) = Malformed::of(filled_up) {
            return Err(malformed);
        }
        Ok(match format {
            // Their grammars know no padding; the readers of the others do.
            Format::Json | Format::Ndjson | Format::Fhir | Format::Xml => {
                let length = blanks::without_padding(input.text());
                input.cut(length)
            }
            _ => input,
        })
    }

    fn decoded(bytes: &'a [u8], format: Format, charset: Option<Charset>) -> Result<Self, Malformed> {
        let is_marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        let decoded = match (format, charset) {
            (Format::Bytes | Format::Pdf, _) | (Format::Hl7 | Format::X12, None) => {
                return Ok(Self(Body::Bytes(bytes)));
            }
            (_, Some(charset)) => match unmarked_utf16(bytes).filter(|_| !charset.is_utf16() && !is_marked) {
                Some(wide) => Err(wide),
                None => Ok(charset.decode(bytes)),
            },
            (Format::Xml, None) => of_xml(bytes),
            (_, None) => undeclared(bytes),
        };
        match decoded {
            Ok(decoded) => Ok(Self(Body::Text(decoded))),
            Err((offset, what)) => Err(Malformed::at(offset, what)),
        }
    }

    /// The decoded text; nothing of messages and bytes.
    pub(crate) fn text(&self) -> &str {
        match &self.0 {
            Body::Bytes(_) => "",
            Body::Text(decoded) => &decoded.text,
        }
    }

    /// The same without what is behind a byte of the text.
    pub(crate) fn cut(mut self, length: usize) -> Self {
        if let Body::Text(decoded) = &mut self.0 {
            match &mut decoded.text {
                Cow::Borrowed(text) => *text = text.get(..length).unwrap_or(text),
                Cow::Owned(text) => text.truncate(length),
            }
        }
        self
    }

    /// Parses what the file holds.
    ///
    /// # Errors
    /// The first place that is not in the format, as a byte of the file.
    pub(crate) fn parse<'s>(&'s self, format: Format, shape: &'s Shape) -> Result<Content<'s>, Malformed> {
        match &self.0 {
            Body::Bytes(bytes) => match format {
                Format::Hl7 => uncut(messages::hl7(bytes)?.map(Content::Hl7)),
                Format::X12 => uncut(messages::x12(bytes)?.map(Content::X12)),
                _ => Ok(Content::Bytes),
            },
            Body::Text(decoded) => {
                parse(&decoded.text, format, shape).and_then(uncut).map_err(|wrong| self.located(wrong))
            }
        }
    }

    pub(crate) fn located(&self, malformed: Malformed) -> Malformed {
        match &self.0 {
            Body::Bytes(_) => malformed,
            Body::Text(decoded) => Malformed { offset: decoded.offset(malformed.offset), ..malformed },
        }
    }

    /// Moves the place of the first value, which is the one that evidence shows, from the text to the file.
    pub(crate) fn locate<'s>(&self, mut selection: Selection<'s>) -> Selection<'s> {
        if let Some(span) = selection.values.first_mut().and_then(|first| first.span.as_mut()) {
            *span = self.place(span.clone());
        }
        selection
    }

    /// The bytes of the file that bytes of the text were decoded from.
    pub(crate) fn place(&self, span: Range<u64>) -> Range<u64> {
        match &self.0 {
            Body::Bytes(_) => span,
            Body::Text(decoded) => {
                let of_file = |at: u64| decoded.offset(usize::try_from(at).unwrap_or(usize::MAX)) as u64;
                of_file(span.start)..of_file(span.end)
            }
        }
    }
}

/// Decodes a file's bytes as its format says, parses them, and hands on what they hold.
///
/// ```
/// use candor_sftp_file_present::{Format, Shape, read_content};
/// let total = read_content(b"<?xml version='1.0' encoding='ISO-8859-1'?><a><b>\xE9</b></a>", Format::Xml, &Shape::default(), |xml| {
///     xml.select_written("a/b").values.first().and_then(|found| found.datum.string().map(str::to_owned))
/// });
/// assert_eq!(total.unwrap().as_deref(), Some("\u{e9}"));
/// ```
///
/// # Errors
/// The first place that is not in the format, as a byte of the file.
pub fn read<T>(
    bytes: &[u8],
    format: Format,
    shape: &Shape,
    then: impl FnOnce(&Content<'_>) -> T,
) -> Result<T, Malformed> {
    let input = Input::new(bytes, format, None, shape)?;
    let content = input.parse(format, shape)?;
    Ok(then(&content))
}

/// Parses text as a format. Every format answers whether the text reaches its end.
///
/// # Errors
/// The first place that is not in the format.
pub fn parse<'a>(text: &'a str, format: Format, shape: &'a Shape) -> Result<Reading<Content<'a>>, Malformed> {
    Ok(match format {
        Format::Json => json::one(text)?.map(Content::Json),
        Format::Fhir => json::resource(text)?.map(Content::Json),
        Format::Ndjson => json::lines(text)?.map(Content::Json),
        // Nothing closes a file of rows or of lines. Rows that are too short show by the columns that are asked for.
        Format::Csv => Reading::unknown(Content::Rows(Table::delimited(text, shape)?)),
        Format::Fixed => Reading::unknown(Content::Rows(Table::fixed(text, shape)?)),
        Format::Text => Reading::unknown(Content::Text(text)),
        // The root element closes.
        Format::Xml => Reading::whole(Content::Xml(Xml::read(text)?)),
        Format::Hl7 => messages::hl7(text.as_bytes())?.map(Content::Hl7),
        Format::X12 => messages::x12(text.as_bytes())?.map(Content::X12),
        // A PDF is not text before it is extracted, and its reader answers for its end.
        Format::Pdf | Format::Bytes => Reading::unknown(Content::Bytes),
    })
}

impl Content<'_> {
    pub(crate) fn select<'s>(&'s self, path: &'s ContentPath) -> Selection<'s> {
        match self {
            Self::Json(value) => path.json.as_ref().map(|path| path.select(value)).unwrap_or_default(),
            Self::Rows(table) => path.rows.as_ref().map(|path| table.select(path)).unwrap_or_default(),
            Self::Xml(xml) => path.xml.as_ref().map(|path| xml.select(path)).unwrap_or_default(),
            Self::Text(text) => path.text.map(|path| text::select(text, path)).unwrap_or_default(),
            Self::Hl7(bytes) => path.hl7.as_ref().map(|path| messages::select_hl7(bytes, path)).unwrap_or_default(),
            Self::X12(bytes) => path.x12.as_ref().map(|path| messages::select_x12(bytes, path)).unwrap_or_default(),
            Self::Bytes => Selection::default(),
        }
    }

    /// The values that a path, as an assertion writes it, selects; empty if it is not a path of the format.
    #[must_use]
    pub fn select_written(&self, path: &str) -> Selection<'static> {
        let Ok(path) = <ContentPath as candor_check::field::FieldPath>::parse(path) else {
            return Selection::default();
        };
        self.select(&path).into_owned()
    }

    /// How many records there are: elements of an array, rows, lines, messages, transaction sets. `None` for a format
    /// without records.
    pub(crate) fn records(&self) -> Option<u64> {
        match self {
            Self::Json(Value::Array(items)) => Some(items.len() as u64),
            Self::Rows(table) => Some(table.len() as u64),
            Self::Text(text) => Some(text::lines(text).count() as u64),
            Self::Hl7(bytes) => Some(messages::count_hl7(bytes)),
            Self::X12(bytes) => Some(messages::count_x12(bytes)),
            _ => None,
        }
    }

    /// Why a path cannot be answered within the limits.
    pub(crate) fn refuses(&self, path: &ContentPath) -> Option<Malformed> {
        match self {
            Self::Xml(xml) if path.xml.as_ref().is_ok_and(|path| xml.is_too_much(path)) => {
                Some(Malformed::beyond(0, "a document of which the path selects far more text than there is"))
            }
            Self::Json(value) if path.json.as_ref().is_some_and(|path| path.is_too_much(value)) => {
                Some(Malformed::beyond(0, "a document in which the path can lead to far more values than Candor reads"))
            }
            Self::Text(text) if path.text == Some(TextPath::Lines) && text::lines(text).nth(MOST_VALUES).is_some() => {
                Some(Malformed::beyond(0, format!("a text of more than {MOST_VALUES} lines")))
            }
            Self::Rows(table) if table.len() > MOST_VALUES => {
                Some(Malformed::beyond(0, format!("a file of more than {MOST_VALUES} rows")))
            }
            _ => None,
        }
    }

    /// The first row that may be meant by a path and ends before a column that the path reads.
    pub(crate) fn ends_before(&self, path: &ContentPath) -> Completeness {
        match self {
            Self::Rows(table) => path.rows.as_ref().map_or(Completeness::Unknown, |path| table.ends_before(path)),
            // Paths read nothing outside of messages, so that none asks for the trailer of a batch.
            Self::Json(_) | Self::Xml(_) | Self::Text(_) | Self::Hl7(_) | Self::X12(_) | Self::Bytes => {
                Completeness::Unknown
            }
        }
    }

    /// A last row that has fewer cells than the header and no line end, so that rows after it may be lost.
    pub(crate) fn breaks_off(&self) -> Option<Malformed> {
        let Self::Rows(table) = self else { return None };
        table.breaks_off().map(|at| Malformed::at(at, "a last row of fewer cells than the header, without a line end"))
    }

    /// The missing header of a CSV file without any line.
    pub(crate) fn lacks_header(&self) -> Option<Malformed> {
        let Self::Rows(table) = self else { return None };
        table.lacks_header().then(|| Malformed::at(0, "no header, which would name the columns: the file has no line"))
    }

    /// An error of a server in place of the rows that a path is about.
    pub(crate) fn error_text(&self, path: &ContentPath) -> Option<Malformed> {
        let Self::Rows(table) = self else { return None };
        let is_error = path.rows.as_ref().is_some_and(|path| table.is_error_text(path));
        let obstacle = Some(Obstacle::SourceMalformed);
        let what = "the text of an error, which names no column";
        is_error.then(|| Malformed { obstacle, ..Malformed::at(0, what) })
    }

    /// Why a path selects nothing, where the content shows it: the end of a sentence about the file.
    pub(crate) fn hint(&self, path: &ContentPath) -> Option<String> {
        match self {
            Self::Rows(table) => table.hint(path.rows.as_ref()?),
            Self::Xml(xml) => xml.hint(path.xml.as_ref().ok()?),
            Self::Hl7(bytes) => messages::hint_hl7(bytes, path.hl7.as_ref().ok()?),
            Self::X12(bytes) => messages::hint_x12(bytes, path.x12.as_ref().ok()?),
            _ => None,
        }
    }

    pub(crate) fn dates(&self) -> &'static [DateForm] {
        match self {
            Self::Hl7(_) => &[DateForm::Hl7],
            Self::X12(_) => &[DateForm::X12],
            // Text files come from anywhere; CDA writes dates as HL7 v2 does.
            Self::Rows(_) | Self::Text(_) | Self::Xml(_) => &[DateForm::Iso, DateForm::Hl7],
            Self::Json(_) | Self::Bytes => &[DateForm::Iso],
        }
    }
}
