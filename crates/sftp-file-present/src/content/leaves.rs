//! Every value of a file by a path of its own: what a difference of two files names.

use candor_check::difference::leaves;
use candor_json::{Value, json};

use super::{Content, messages, text};

impl Content<'_> {
    pub(crate) fn json(&self) -> Option<&Value> {
        if let Self::Json(value) = self { Some(value) } else { None }
    }

    /// The values in their order; nothing of a file that is not looked into. Paths are those of fields, with the number of
    /// the row, line, message or set: `$rows.2.amount`, `$lines.3`, `$messages.1.PID.5.1`. What is around these is a value,
    /// too: `$header.2`, `$envelope.BHS.3`.
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
            Self::Rows(table) => {
                let header = (1..).zip(table.header()).map(|(number, name)| (format!("$header.{number}"), json!(name)));
                Some(header.chain(numbered("$rows", table.leaves())).collect())
            }
            Self::Xml(xml) => Some(xml.leaves().into_iter().map(|(path, text)| (path, json!(text))).collect()),
            Self::Text(text) => {
                let line = |(number, (_, line)): (usize, (std::ops::Range<usize>, &str))| {
                    (format!("$lines.{number}"), json!(line))
                };
                Some((1..).zip(text::lines(text)).map(line).collect())
            }
            Self::Hl7(bytes) => {
                Some(framed(messages::frame_hl7(bytes), numbered("$messages", messages::leaves_hl7(bytes))))
            }
            Self::X12(bytes) => {
                Some(framed(messages::frame_x12(bytes), numbered("$sets", messages::leaves_x12(bytes)?)))
            }
            Self::Bytes => None,
        }
    }
}

/// With the elements of header and trailer segments, which belong to no message.
fn framed(frame: Vec<(String, String)>, messages: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let frame = frame.into_iter().map(|(path, text)| (format!("$envelope.{path}"), json!(text)));
    frame.chain(messages).collect()
}
