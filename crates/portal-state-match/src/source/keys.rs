//! The columns that may be the key of a table.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use candor_check::compare::Decimal;
use candor_check::difference::canonical_digest;
use candor_check::sandbox::RecordKey;
use candor_json::{Map, Value};

type Digests = HashSet<[u8; 32]>;

/// The columns of a table that may be its key, with the digests of their values so far.
pub(super) struct Keys<'a> {
    pub(super) table: &'a str,
    /// By rank and name; `None` before the first row.
    pub(super) columns: Option<BTreeMap<(u8, String), Digests>>,
}

impl Keys<'_> {
    /// Takes a row. Breaks where no other row can change what is best.
    pub(super) fn take(&mut self, row: &Value) -> ControlFlow<()> {
        let table = self.table;
        let columns = self.columns.get_or_insert_with(|| {
            let names = row.as_object().into_iter().flat_map(Map::keys);
            names.filter_map(|name| Some(((rank(table, name)?, name.clone()), Digests::new()))).collect()
        });
        columns.retain(|(rank, name), values| {
            let value = row.get(name).and_then(text);
            *rank == ID || value.is_some_and(|value| values.insert(canonical_digest(&Value::from(value))))
        });
        match columns.is_empty() || columns.keys().any(|(rank, _)| *rank == ID) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    pub(super) fn all(self) -> Option<Vec<RecordKey>> {
        let key = |(rank, name): (u8, String)| RecordKey { rank, fields: vec![name] };
        Some(self.columns?.into_keys().map(key).collect())
    }
}

/// The rank of the column `id`; 0 is the rank of a key that the settings name.
const ID: u8 = 1;

/// How much a column is named like the key of a table, [`ID`] the most; `None` for other names.
fn rank(table: &str, name: &str) -> Option<u8> {
    let plain =
        |name: &str| name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect::<String>();
    let (bare, table) = (plain(name), plain(table));
    let one = table.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let one = one.or_else(|| table.strip_suffix('s').map(str::to_owned)).unwrap_or_else(|| table.clone());
    match bare.as_str() {
        _ if name == "id" => Some(ID),
        "id" => Some(2),
        "uuid" | "guid" | "key" | "pk" => Some(3),
        _ if bare == format!("{table}id") || bare == format!("{one}id") => Some(4),
        _ if name.ends_with("_id") || name.ends_with("_ID") || name.ends_with("Id") || name.ends_with("ID") => Some(5),
        _ => None,
    }
}

/// A value as a part of a name, the same for 1 and 1.0.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => {
            let text = number.to_string();
            Some(Decimal::json(&text).and_then(|number| number.to_plain()).unwrap_or(text))
        }
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
