//! The text of a PDF: read by `lopdf`, laid out here in the order in which it is drawn.
//!
//! A page may show more than its text: pictures, and glyphs whose characters the file does not name. The text records
//! that in [`Pages::hidden`], and then its silence about something proves nothing. Text is read when a file is
//! observed, and not again when it is judged.

#[cfg(feature = "pdf")]
mod extract;
#[cfg(feature = "pdf")]
mod font;
#[cfg(feature = "pdf")]
mod matrix;
#[cfg(feature = "pdf")]
mod page;
#[cfg(feature = "pdf")]
mod shapes;
#[cfg(feature = "pdf")]
mod whole;

use std::sync::mpsc;
use std::time::Duration;

use candor_check::Obstacle;
use candor_check::compare::{DateForm, Datum, Operator};
use candor_check::field::{Field, FieldReason, FieldResult, Found, Quantifier, ReadFrom, Selection};
use serde::{Deserialize, Serialize};

use super::text::{TextPath, select};
use super::{ContentPath, Malformed, uncut};
#[cfg(feature = "pdf")]
use extract::extract;

/// The largest PDF of which the text is read.
const LARGEST: usize = 64 << 20;
/// The stack of the thread that reads, which follows structures to the depths that `lopdf` allows.
const STACK: usize = 16 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pages {
    pub(crate) pages: Vec<String>,
    /// The content that a page shows and that cannot be read as text: the end of a sentence about the file.
    pub(crate) hidden: Option<String>,
    #[serde(skip)]
    whole: String,
}

impl Pages {
    /// Reads the text of a PDF within a time. `lopdf` runs on a thread of its own, which ends by itself within the
    /// limits if the time is over first. A file on which it panics is one that cannot be read.
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
            Ok(read) => uncut(read?),
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

    /// Judges a field. Where something shows that is not text, only what was found in the text is known.
    pub(crate) fn evaluate(&self, field: &Field<ContentPath>, reading: ReadFrom<'_>) -> FieldResult {
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
/// When it is not a PDF, or one that cannot be read within the limits and the time.
pub fn text(bytes: &[u8], time: Duration) -> Result<Vec<String>, Malformed> {
    Pages::read(bytes, time).map(|read| read.pages)
}

#[cfg(not(feature = "pdf"))]
fn extract(_: &[u8]) -> Result<candor_check::records::Reading<Pages>, Malformed> {
    let what = format!("a PDF, and {}", candor_check::feature::missing_feature("read PDF files", "pdf"));
    Err(Malformed { offset: 0, what, obstacle: Some(Obstacle::NoSource) })
}
