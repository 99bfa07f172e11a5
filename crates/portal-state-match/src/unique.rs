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

/// The member `unique`, validated.
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

enum Alike<'a> {
    Surely(Vec<&'a Candidate<Content>>),
    /// They have the same values where both have one.
    Perhaps(Vec<&'a Candidate<Content>>),
    No,
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
        let alike = match among(&rows) {
            Alike::No if !open.is_empty() && lasts.len() > 1 => Alike::Perhaps(open),
            alike => alike,
        };
        let columns: Vec<&str> = self.columns.iter().map(ColumnPath::as_str).collect();
        let result = |rows: &[&Candidate<Content>], passed| {
            let labels: Vec<&str> = rows.iter().take(20).map(|row| row.label.as_str()).collect();
            let actual = json!({"alike": labels, "of": lasts.len()});
            let result = FieldResult::constraint("$unique", json!(columns), actual, passed);
            match rows.first().or(lasts.first().and_then(|last| last.first())) {
                Some(row) => result.at(row.source.place()),
                None => result,
            }
        };
        let result = match alike {
            Alike::No => result(&[], true),
            Alike::Surely(rows) => {
                let plain = Identities::new(&self.columns, &[], contents);
                let plain: Vec<Identity> = rows.iter().map(|row| plain.of(&row.content)).collect();
                let mut result = result(&rows, false);
                if plain.windows(2).any(|two| !matches!(two, [a, b] if a == b)) {
                    result.rules.clone_from(&self.rules);
                }
                result
            }
            Alike::Perhaps(rows) => result(&rows, false).because(FieldReason::Undecidable),
        };
        (Failure::CountMismatch, result)
    }
}

type Row<'a> = (&'a Candidate<Content>, Identity);

/// The first rows that are alike. Which columns are null splits the rows into classes, and rows of two classes are held
/// against each other by the columns that both have.
fn among<'a>(rows: &[Row<'a>]) -> Alike<'a> {
    let mut classes: Vec<(Vec<bool>, Vec<&Row<'a>>)> = Vec::new();
    for row in rows {
        let class: Vec<bool> = row.1.0.iter().map(Option::is_some).collect();
        match classes.iter_mut().find(|(known, _)| *known == class) {
            Some((_, rows)) => rows.push(row),
            None => classes.push((class, vec![row])),
        }
    }
    let whole = classes.iter().find(|(class, _)| class.iter().all(|there| *there));
    if let Some(rows) = whole.and_then(|(class, rows)| twice(class, rows, &[])) {
        return Alike::Surely(rows);
    }
    for (at, (class, rows)) in classes.iter().enumerate() {
        if class.iter().any(|there| !there)
            && let Some(alike) = twice(class, rows, &[])
        {
            return Alike::Perhaps(alike);
        }
        for (other, others) in classes.iter().skip(at + 1) {
            let both: Vec<bool> = class.iter().zip(other).map(|(a, b)| *a && *b).collect();
            if let Some(alike) = twice(&both, rows, others) {
                return Alike::Perhaps(alike);
            }
        }
    }
    Alike::No
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
        let alike = |row: &&&Row<'a>| groups.get(&key(row, columns)).is_some_and(|group| group.len() > 1);
        let first = key(rows.iter().find(alike)?, columns);
        return groups.remove(&first);
    }
    let pair = |row: &&Row<'a>| groups.get(&key(row, columns))?.first().map(|one| vec![*one, row.0]);
    others.iter().find_map(pair)
}
