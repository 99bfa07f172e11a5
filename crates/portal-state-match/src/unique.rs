//! `unique`: no two rows alike in some columns.

use std::collections::HashMap;

use candor_check::Failure;
use candor_check::compare::Rule;
use candor_check::field::{FieldReason, FieldResult};
use candor_check::records::Candidate;
use candor_json::{Value, json};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::history::Columns;
use crate::identity::{Identities, Identity};
use crate::path::ColumnPath;
use crate::rows::Content;

/// The most columns that rows are compared by.
const MOST_COLUMNS: usize = 8;

#[derive(Clone, Debug)]
pub(crate) struct Unique {
    pub(crate) columns: Vec<ColumnPath>,
    rules: Vec<Rule>,
}

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Members {
            columns: Columns,
            #[serde(default)]
            using: Vec<String>,
        }
        let members = match Value::deserialize(deserializer)? {
            members @ Value::Object(_) => Members::deserialize(members),
            columns => Columns::deserialize(columns).map(|columns| Members { columns, using: Vec::new() }),
        };
        let members = members.map_err(D::Error::custom)?;
        if members.columns.0.len() > MOST_COLUMNS {
            return Err(D::Error::custom(format!("rows are compared by at most {MOST_COLUMNS} columns")));
        }
        let rules = crate::selection::text_rules(&members.using).map_err(D::Error::custom)?;
        Ok(Self { columns: members.columns.0, rules })
    }
}

impl Unique {
    /// Judges rows. `lasts` are, for each thing that is to be there once, the rows that may speak for it: one, unless
    /// which one is not known.
    pub(crate) fn judge(&self, lasts: &[Vec<&Candidate<Content>>]) -> (Failure, FieldResult) {
        let (mut rows, mut open) = (Vec::with_capacity(lasts.len()), Vec::new());
        let contents = lasts.iter().flatten().map(|row| &row.content);
        let identities = Identities::new(&self.columns, &self.rules, contents.clone());
        for last in lasts {
            let values: Vec<Identity> = last.iter().map(|row| identities.of(&row.content)).collect();
            match (last.first(), values.split_first()) {
                (Some(row), Some((first, others))) if others.iter().all(|other| other == first) => {
                    rows.push((*row, first.clone()));
                }
                _ => open.extend(last.iter().copied()),
            }
        }
        let found = among(&rows).or_else(|| (!open.is_empty() && lasts.len() > 1).then_some((open, false)));
        let (alike, is_certain) = found.unwrap_or_default();
        let columns: Vec<&str> = self.columns.iter().map(ColumnPath::as_str).collect();
        let labels: Vec<String> = alike.iter().take(20).map(|row| row.label.to_string()).collect();
        let actual = json!({"alike": labels, "of": lasts.len()});
        let mut result = FieldResult::constraint("$unique", json!(columns), actual, alike.is_empty());
        let place = alike.first().or(lasts.first().and_then(|last| last.first()));
        result.source = place.map(|row| row.source.place());
        if is_certain {
            let plain = Identities::new(&self.columns, &[], contents);
            let plain: Vec<Identity> = alike.iter().map(|row| plain.of(&row.content)).collect();
            if plain.windows(2).any(|two| !matches!(two, [a, b] if a == b)) {
                result.rules.clone_from(&self.rules);
            }
        } else if !alike.is_empty() {
            result.reason = Some(FieldReason::Undecidable);
        }
        (Failure::CountMismatch, result)
    }
}

type Row<'a> = (&'a Candidate<Content>, Identity);

/// The first rows that are alike, and whether that is certain, which needs every value. Which columns are null splits the
/// rows into classes, and rows of two classes are held against each other by the columns that both have.
fn among<'a>(rows: &[Row<'a>]) -> Option<(Vec<&'a Candidate<Content>>, bool)> {
    let mut classes: Vec<(Vec<bool>, Vec<&Row<'a>>)> = Vec::new();
    for row in rows {
        let class: Vec<bool> = row.1.0.iter().map(Option::is_some).collect();
        match classes.iter_mut().find(|(known, _)| *known == class) {
            Some((_, rows)) => rows.push(row),
            None => classes.push((class, vec![row])),
        }
    }
    let whole = classes.iter().find(|(class, _)| !class.contains(&false));
    if let Some(rows) = whole.and_then(|(class, rows)| twice(class, rows, &[])) {
        return Some((rows, true));
    }
    for (at, (class, rows)) in classes.iter().enumerate() {
        // The rows of a class without a null were compared with each other before.
        for (other, others) in classes.iter().skip(at + usize::from(!class.contains(&false))) {
            let both: Vec<bool> = class.iter().zip(other).map(|(a, b)| *a && *b).collect();
            let others: &[&Row<'a>] = if class == other { &[] } else { others };
            if let Some(alike) = twice(&both, rows, others) {
                return Some((alike, false));
            }
        }
    }
    None
}

/// The first group of rows with the same values in these columns: within `rows`, or, where there are others, between both.
fn twice<'a>(columns: &[bool], rows: &[&Row<'a>], others: &[&Row<'a>]) -> Option<Vec<&'a Candidate<Content>>> {
    fn key<'b>(row: &'b Row<'_>, columns: &[bool]) -> Vec<Option<&'b str>> {
        row.1.0.iter().zip(columns).map(|(value, there)| value.as_deref().filter(|_| *there)).collect()
    }
    let mut groups: HashMap<Vec<Option<&str>>, Vec<&'a Candidate<Content>>> = HashMap::new();
    for row in rows {
        groups.entry(key(row, columns)).or_default().push(row.0);
    }
    if others.is_empty() {
        return rows.iter().find_map(|row| groups.remove(&key(row, columns)).filter(|group| group.len() > 1));
    }
    let pair = |row: &&Row<'a>| groups.get(&key(row, columns))?.first().map(|one| vec![*one, row.0]);
    others.iter().find_map(pair)
}
