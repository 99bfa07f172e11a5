//! Every value of a file by a path of its own: what a difference of two files names.

use candor_check::difference::leaves;
use serde_json::{Value, json};

use super::{Content, messages, text};

impl Content<'_> {
    /// The value of a file of JSON.
    pub(crate) fn json(&self) -> Option<&Value> {
        if let Self::Json(value) = self { Some(value) } else { None }
    }

    /// The values in their order; nothing of a file that is not looked into. Paths are those of fields, with the number of
    /// the row, line, message or set: `$rows.2.amount`, `$lines.3`, `$messages.1.PID.5.1`.
    pub(crate) fn leaves(&self) -> Option<Vec<(String, Value)>> {
        let numbered = |name: &str, all: Vec<Vec<(String, String)>>| {
            let one = |(number, leaves): (usize, Vec<(String, String)>)| {
                let place = format!("{name}.{number}");
                leaves.into_iter().map(move |(path, text)| (format!("{place}.{path}"), json!(text)))
            };
            (1..).zip(all).flat_map(one).collect()
        };
        match self {
            Self::Json(value) => Some(leaves(value)),
            Self::Rows(table) => Some(numbered("$rows", table.leaves())),
            Self::Xml(xml) => Some(xml.leaves().into_iter().map(|(path, text)| (path, json!(text))).collect()),
            Self::Text(text) => {
                let line = |(number, (_, line)): (usize, (std::ops::Range<usize>, &str))| {
                    (format!("$lines.{number}"), json!(line))
                };
                Some((1..).zip(text::lines(text)).map(line).collect())
            }
            Self::Hl7(bytes) => Some(numbered("$messages", messages::leaves_hl7(bytes))),
            Self::X12(bytes) => Some(numbered("$sets", messages::leaves_x12(bytes)?)),
            Self::Bytes => None,
        }
    }
}
