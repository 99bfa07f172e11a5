//! Lists: pages with opaque cursors.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use candor_json::{Value, json};

use crate::call::Call;
use crate::error::ApiError;
use crate::token::digest;

const USUAL: usize = 20;
const MOST: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub limit: usize,
    /// The item that the page is next to; empty for the first page.
    pub at: String,
    /// True if the page follows the item, false if it precedes it.
    pub forward: bool,
    /// Which list it is a page of: cursors of other lists are refused.
    list: String,
}

impl Page {
    /// Reads `limit` and `cursor`.
    ///
    /// # Errors
    /// 400 for a limit out of 1 to 100, and for a cursor that this service did not give for this list.
    pub(crate) fn of(call: &Call) -> Result<Self, ApiError> {
        let limit = match call.query("limit") {
            None => USUAL,
            Some(text) => text.parse().ok().filter(|limit| (1..=MOST).contains(limit)).ok_or_else(|| {
                ApiError::bad_request("invalid_limit", "`limit`: expected a whole number from 1 to 100.")
            })?,
        };
        let list = format!("{} {}", call.path, call.query("task_run_id").unwrap_or_default());
        let list: String = digest(list).chars().take(16).collect();
        let Some(cursor) = call.query("cursor") else {
            return Ok(Self { limit, at: String::new(), forward: true, list });
        };
        let wrong = || ApiError::bad_request("invalid_cursor", "`cursor`: expected one out of `_meta` of this list.");
        let text = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let text = text.ok_or_else(wrong)?;
        let text = text.strip_prefix(&list).ok_or_else(wrong)?;
        let (direction, at) = text.split_once(':').ok_or_else(wrong)?;
        let forward = match direction {
            "n" => true,
            "p" => false,
            _ => return Err(wrong()),
        };
        Ok(Self { limit, at: at.to_owned(), forward, list })
    }

    /// A page of items, each with its place: `next` and `prev` are `null` where there is no further page. `items` is one longer
    /// than the page if there are more in its direction.
    pub(crate) fn answer(&self, mut items: Vec<(String, Value)>) -> Value {
        let cursors = self.cursors(items.iter().map(|(at, _)| at.clone()).collect());
        items.truncate(self.limit);
        if !self.forward {
            items.reverse();
        }
        let data: Vec<Value> = items.into_iter().map(|(_, item)| item).collect();
        json!({"data": data, "_meta": {"next": cursors.next, "prev": cursors.prev, "limit": self.limit}})
    }

    /// The cursors of the neighbours of a page, by the places of its items as [`Page::answer`] takes them.
    pub(crate) fn cursors(&self, mut places: Vec<String>) -> Cursors {
        let more = places.len() > self.limit;
        places.truncate(self.limit);
        if !self.forward {
            places.reverse();
        }
        let cursor = |direction: &str, at: Option<&String>| {
            at.map(|at| URL_SAFE_NO_PAD.encode(format!("{}{direction}:{at}", self.list)))
        };
        let (has_next, has_prev) = match (self.forward, self.at.is_empty()) {
            (true, first) => (more, !first),
            (false, _) => (true, more),
        };
        Cursors {
            next: cursor("n", places.last().filter(|_| has_next)),
            prev: cursor("p", places.first().filter(|_| has_prev)),
        }
    }
}

pub(crate) struct Cursors {
    pub next: Option<String>,
    pub prev: Option<String>,
}
