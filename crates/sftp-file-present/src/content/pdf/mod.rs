//! The text of a PDF: read by `lopdf`, laid out here in the order in which it is drawn.
//!
//! What a reader of a PDF sees may be more than its text: pictures, and glyphs that nobody said the characters of. Where
//! a page shows such, that is kept with the text ([`Pages::hidden`]), and what is not found in the text is then no
//! answer. Text is read when a file is observed, and not again when it is judged.

mod font;
mod matrix;
mod page;
mod shapes;

use std::sync::mpsc;
use std::time::Duration;

use candor_check::{
    DateForm, Datum, Field, FieldReason, FieldResult, Found, Obstacle, Operator, Quantifier, Reading, Selection,
};
use lopdf::{DecompressError, Document, Error, LoadOptions};
use serde::{Deserialize, Serialize};

use super::text::{TextPath, select};
use super::{ContentPath, Malformed};

/// The largest PDF of which the text is read.
const LARGEST: usize = 64 << 20;
/// The most that one stream of it may hold when it is decompressed.
const LARGEST_STREAM: usize = 16 << 20;
/// The most pages.
const MOST_PAGES: usize = 5_000;
/// The stack of the thread that reads, which follows structures to the depths that `lopdf` allows.
const STACK: usize = 16 << 20;

/// The text of a PDF.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pages {
    /// Of every page, in order.
    pub(crate) pages: Vec<String>,
    /// What shows on a page and is no text that can be read: the end of a sentence about the file.
    #[serde(default)]
    pub(crate) hidden: Option<String>,
    /// All pages, a line feed between two.
    #[serde(skip)]
    whole: String,
}

impl Pages {
    /// Reads the text of a PDF within a time. What `lopdf` panics on is told as what cannot be read: it runs on a thread
    /// of its own, which ends by itself within the limits where the time is over first.
    pub(crate) fn read(bytes: &[u8], time: Duration) -> Result<Self, Malformed> {
        if bytes.len() > LARGEST {
            return Err(Malformed::beyond(0, format!("a PDF of more than {LARGEST} bytes")));
        }
        let (sender, receiver) = mpsc::channel();
        let bytes = bytes.to_vec();
        let work = move || drop(sender.send(extract(&bytes)));
        let undecided =
            |what: &str| Malformed { offset: 0, what: what.to_owned(), obstacle: Some(Obstacle::Undecidable) };
        let thread = std::thread::Builder::new().name("pdf".to_owned()).stack_size(STACK).spawn(work);
        if thread.is_err() {
            return Err(undecided("a PDF, for which there is no thread"));
        }
        match receiver.recv_timeout(time) {
            Ok(read) => read,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let what = "a PDF that takes longer to read than the limit timeout allows".to_owned();
                Err(Malformed { offset: 0, what, obstacle: Some(Obstacle::Timeout) })
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(undecided("a PDF that the reader of PDFs broke off at")),
        }
    }

    /// How many bytes of text are kept.
    pub(crate) fn held(&self) -> u64 {
        self.pages.iter().map(|page| page.len() as u64).sum()
    }

    /// The same with its pages put together, which are not stored twice.
    pub(crate) fn joined(mut self) -> Self {
        self.whole = self.pages.join("\n");
        self
    }

    /// Judges a field. Where something shows that is no text, only what was found in the text is known.
    pub(crate) fn evaluate(&self, field: &Field<ContentPath>, reading: Reading<'_>) -> FieldResult {
        const DATES: &[DateForm] = &[DateForm::Iso, DateForm::Hl7];
        let selection = field.path.text.map(|path| self.select(path)).unwrap_or_default();
        let result = field.evaluate_dated(selection, reading, DATES);
        let counts_pages = field.operator == Operator::Count && field.path.text == Some(TextPath::Pages);
        let found = field.operator == Operator::Contains && field.quantifier == Quantifier::Any && result.passed;
        if self.hidden.is_none() || counts_pages || found {
            return result;
        }
        FieldResult { passed: false, ..result }.because(FieldReason::Undecidable)
    }

    fn select(&self, path: TextPath) -> Selection<'_> {
        let place_less = |mut selection: Selection<'_>| {
            selection.values.iter_mut().for_each(|found| found.span = None);
            Selection::texts(selection.values.into_iter().map(Found::into_owned).collect())
        };
        match path {
            TextPath::Pages => {
                let page = |page: &String| Found { datum: Datum::Text(page.clone().into()), span: None };
                Selection::texts(self.pages.iter().map(page).collect())
            }
            path => place_less(select(&self.whole, path)),
        }
    }
}

/// The text of every page of a PDF, in order.
///
/// # Errors
/// When it is no PDF, or one that cannot be read within the limits and the time.
pub fn text(bytes: &[u8], time: Duration) -> Result<Vec<String>, Malformed> {
    Pages::read(bytes, time).map(|read| read.pages)
}

/// What is wrong with a PDF: it is none, or one beyond what is read.
fn flawed(error: &Error) -> Malformed {
    match error {
        Error::Decompress(DecompressError::MemoryLimitExceeded { .. }) => {
            Malformed::beyond(0, format!("a PDF with a stream of more than {LARGEST_STREAM} bytes"))
        }
        Error::InvalidPassword | Error::Decryption(_) | Error::UnsupportedSecurityHandler(_) => locked(),
        error => Malformed::at(0, format!("what is no PDF ({error})")),
    }
}

fn locked() -> Malformed {
    let what = "an encrypted PDF, of which nobody gave the password".to_owned();
    Malformed { offset: 0, what, obstacle: Some(Obstacle::Undecidable) }
}

fn extract(bytes: &[u8]) -> Result<Pages, Malformed> {
    // White space and the like may stand before the header (ISO 32000-1, annex H, note 13).
    const HEADER_WITHIN: usize = 1024;
    let head = bytes.get(..HEADER_WITHIN.min(bytes.len())).unwrap_or_default();
    let Some(start) = head.windows(5).position(|five| five == b"%PDF-") else {
        return Err(Malformed::at(0, "what is no PDF (it has no header)"));
    };
    let options = LoadOptions { max_decompressed_size: Some(LARGEST_STREAM), ..LoadOptions::default() };
    let document = Document::load_mem_with_options(bytes.get(start..).unwrap_or_default(), options)
        .map_err(|error| flawed(&error))?;
    if document.is_encrypted() || document.trailer.has(b"Encrypt") {
        return Err(locked());
    }
    let ids: Vec<_> = document.page_iter().take(MOST_PAGES + 1).collect();
    match ids.len() {
        0 => return Err(Malformed::at(0, "a PDF without pages")),
        n if n > MOST_PAGES => return Err(Malformed::beyond(0, format!("a PDF of more than {MOST_PAGES} pages"))),
        _ => {}
    }
    let mut budget = page::Budget::default();
    let mut read = Pages::default();
    for (number, id) in (1..).zip(ids) {
        let page = page::read(&document, id, &mut budget).map_err(|error| flawed(&error))?;
        if budget.is_spent() {
            return Err(Malformed::beyond(0, "a PDF that draws more than is read"));
        }
        if let (None, Some(what)) = (&read.hidden, page.hidden) {
            read.hidden = Some(format!("shows {what} on page {number}, which is not read as text"));
        }
        read.pages.push(page.text);
    }
    Ok(read)
}

#[cfg(test)]
mod tests;
