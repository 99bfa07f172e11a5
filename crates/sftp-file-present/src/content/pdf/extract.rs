//! From the bytes of a PDF to the text of its pages.

use candor_check::Obstacle;
use candor_check::records::{Completeness, Reading};
use lopdf::{DecompressError, Document, Error, LoadOptions};

use super::font::LARGEST_STREAM;
use super::{Malformed, Pages, page, whole};

const MOST_PAGES: usize = 5_000;

/// The fault of a file that is not a PDF, or is a PDF beyond what is read.
fn flawed(error: &Error) -> Malformed {
    match error {
        Error::Decompress(DecompressError::MemoryLimitExceeded { .. }) => {
            Malformed::beyond(0, format!("a PDF with a stream of more than {LARGEST_STREAM} bytes"))
        }
        Error::InvalidPassword | Error::Decryption(_) | Error::UnsupportedSecurityHandler(_) => locked(),
        error => Malformed::at(0, format!("not a PDF ({error})")),
    }
}

fn locked() -> Malformed {
    let what = "an encrypted PDF, whose password was not given".to_owned();
    Malformed { offset: 0, what, obstacle: Some(Obstacle::Undecidable) }
}

pub(super) fn extract(bytes: &[u8]) -> Result<Reading<Pages>, Malformed> {
    // White space and the like may be before the header (ISO 32000-1, annex H, note 13).
    const HEADER_WITHIN: usize = 1024;
    let head = bytes.get(..HEADER_WITHIN.min(bytes.len())).unwrap_or_default();
    let Some(start) = head.windows(5).position(|five| five == b"%PDF-") else {
        return Err(Malformed::at(0, "not a PDF (it has no header)"));
    };
    let options = LoadOptions { max_decompressed_size: Some(LARGEST_STREAM), ..LoadOptions::default() };
    let document = Document::load_mem_with_options(bytes.get(start..).unwrap_or_default(), options)
        .map_err(|error| flawed(&error))?;
    if let cut @ Completeness::Cut(_) = whole::end(bytes, &document) {
        return Ok(Reading::new(Pages::default(), cut));
    }
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
        if let cut @ Completeness::Cut(_) = whole::page(&document, id, number, bytes.len()) {
            return Ok(Reading::new(read, cut));
        }
        let page = page::read(&document, id, &mut budget).map_err(|error| flawed(&error))?;
        if budget.is_spent() {
            return Err(Malformed::beyond(0, "a PDF that draws more than is read"));
        }
        if let (None, Some(what)) = (&read.hidden, page.hidden) {
            read.hidden = Some(format!("shows {what} on page {number}, which is not read as text"));
        }
        read.pages.push(page.text);
    }
    Ok(Reading::whole(read))
}
