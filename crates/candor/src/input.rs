//! Input of a sandbox in memory.

use std::sync::Arc;

use candor_json::Value;
use serde::de::IgnoredAny;

/// The contents of one file: bytes, or text.
#[derive(Clone, Debug)]
pub struct Contents(pub(crate) Arc<[u8]>);

/// FHIR resources or rows: JSON values, or the bytes of a JSON document or of NDJSON.
///
/// A value of another crate, such as `serde_json`, becomes one of [`json`](mod@crate::json) first:
///
/// ```
/// use candor::{Sandbox, json};
///
/// // Anything that is `Serialize`.
/// let rows = vec![std::collections::BTreeMap::from([("status", "sent")])];
/// let sandbox = Sandbox::builder().portal("orders", json::to_value(&rows)?).build()?;
/// # let _ = sandbox;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Records(Form);

#[derive(Clone, Debug)]
enum Form {
    Values(Vec<Value>),
    Bytes(Contents),
}

impl Records {
    /// The records as a file: its extension and its contents. Values become a line each.
    pub(crate) fn into_file(self) -> (&'static str, Contents) {
        match self.0 {
            Form::Bytes(bytes) => (extension(&bytes.0), bytes),
            Form::Values(values) => {
                let lines: String = values.iter().map(|value| format!("{value}\n")).collect();
                ("ndjson", lines.into())
            }
        }
    }
}

/// `ndjson` if the first line is a JSON object by itself, `json` otherwise: a document over many lines, an array, or what
/// is not JSON, which the reader reports.
fn extension(bytes: &[u8]) -> &'static str {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_object = first.starts_with(b"{") && candor_json::from_slice::<IgnoredAny>(first).is_ok();
    if is_object { "ndjson" } else { "json" }
}

impl From<Arc<[u8]>> for Contents {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self(bytes)
    }
}

impl From<Value> for Records {
    fn from(value: Value) -> Self {
        match value {
            Value::Array(values) => values.into(),
            value => vec![value].into(),
        }
    }
}

impl From<Vec<Value>> for Records {
    fn from(values: Vec<Value>) -> Self {
        Self(Form::Values(values))
    }
}

impl From<&[Value]> for Records {
    fn from(values: &[Value]) -> Self {
        values.to_vec().into()
    }
}

impl From<Contents> for Records {
    fn from(bytes: Contents) -> Self {
        Self(Form::Bytes(bytes))
    }
}

/// Both take bytes and text in every common form.
macro_rules! from_bytes {
    ($($form:ty => |$bytes:ident| $slice:expr),* $(,)?) => {$(
        impl From<$form> for Contents {
            fn from($bytes: $form) -> Self {
                Self($slice.into())
            }
        }

        impl From<$form> for Records {
            fn from(bytes: $form) -> Self {
                Contents::from(bytes).into()
            }
        }
    )*};
}

from_bytes! {
    Vec<u8> => |bytes| bytes,
    &[u8] => |bytes| bytes,
    String => |text| text.into_bytes(),
    &str => |text| text.as_bytes(),
}

impl<const N: usize> From<&[u8; N]> for Contents {
    fn from(bytes: &[u8; N]) -> Self {
        bytes.as_slice().into()
    }
}

impl<const N: usize> From<&[u8; N]> for Records {
    fn from(bytes: &[u8; N]) -> Self {
        Contents::from(bytes).into()
    }
}
