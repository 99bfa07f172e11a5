//! The settings of `unique`.

use candor_json::Value;

use crate::format::Format;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unique {
    Content,
    Rows(Vec<String>),
}

impl Unique {
    pub(crate) fn of(written: &Value) -> Result<Self, String> {
        let expected = || format!("`unique` is {written}; expected `content`, or `{{rows: [columns]}}`");
        match written {
            Value::String(text) if text == "content" => Ok(Self::Content),
            Value::Object(members) if members.len() == 1 => {
                let columns = members.get("rows").and_then(Value::as_array).ok_or_else(expected)?;
                let columns: Option<Vec<String>> =
                    columns.iter().map(|column| column.as_str().filter(|c| !c.is_empty()).map(str::to_owned)).collect();
                columns.filter(|columns| !columns.is_empty()).map(Self::Rows).ok_or_else(expected)
            }
            _ => Err(expected()),
        }
    }

    /// Why a file of a format has no rows; `None` where it has, or none are asked for.
    pub(crate) fn problem(&self, format: Format) -> Option<String> {
        let has_rows = matches!(format, Format::Csv | Format::Fixed | Format::Ndjson) || *self == Self::Content;
        (!has_rows).then(|| format!("there are no rows in {} files, as `unique` asks for", format.name()))
    }
}
