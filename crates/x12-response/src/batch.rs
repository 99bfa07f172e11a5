//! Sets about several persons or claims, in which two paths that nothing binds may read two of them.

use candor_check::field::{Expected, Field};
use candor_check::review::{Weakness, WeaknessKind};

use crate::path::SetPath;
use crate::selection::Transaction;
use crate::settings::Settings;

const TABLE: &str = include_str!("../data/batches.tsv");

struct Batch {
    /// The loop of one of them.
    one: &'static str,
    segments: Vec<&'static str>,
}

impl Batch {
    fn of(transaction: &str) -> Option<Self> {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
        let row =
            rows.map(|line| line.split('\t').collect::<Vec<_>>()).find(|row| row.first() == Some(&transaction))?;
        let segments = row.get(2)?.split(' ').collect();
        Some(Self { one: row.get(1)?, segments })
    }

    /// True if a path reads one person or claim, and not the header of the set.
    fn is_about_one(&self, path: &SetPath) -> bool {
        let in_loop = path.loops().first().is_some_and(|step| step.id().starts_with('2'));
        let segment = path.segment();
        in_loop || segment.is_some_and(|id| self.segments.contains(&id.as_str()))
    }
}

/// Finds two paths that may be about different persons or claims: a field and a `correlate_by` path, or two fields.
pub(crate) fn unbound(settings: &Settings) -> Option<Weakness> {
    let Some(Transaction::Set(transaction)) = settings.selection.transaction else { return None };
    let batch = Batch::of(transaction)?;
    let fields: Vec<(usize, &Field<SetPath>)> = settings
        .fields
        .iter()
        .enumerate()
        .filter_map(|(at, entry)| Some((at, entry.as_field()?)))
        .filter(|(_, field)| names_a_value(field) && batch.is_about_one(&field.path))
        .collect();
    fields.iter().find_map(|(at, field)| {
        let selects = settings.selection.correlation.0.iter().filter(|other| batch.is_about_one(&other.path));
        let selected = selects.map(|other| ("`correlate_by`", other));
        let beside = fields.iter().filter(|(before, other)| before < at && chooses(field, other));
        let mut others = selected.chain(beside.map(|(_, other)| ("another field", *other)));
        let (whose, other) = others.find(|(_, other)| !bound(field, other))?;
        let one = batch.one;
        let message = format!(
            "`{}` ({whose}) and `{}` may be about two of the set's {one} loops; bind them: `{{item: \"{one}\", where: [{{path: …, expected: …}}], fields: [{{path: …, …}}]}}`",
            other.path_text, field.path_text
        );
        Some(Weakness::new(WeaknessKind::TwoItems, format!("fields[{at}].path"), message))
    })
}

fn names_a_value(field: &Field<SetPath>) -> bool {
    matches!(
        field.expected,
        Expected::Equals(_)
            | Expected::In(_)
            | Expected::Ordered(..)
            | Expected::Between(..)
            | Expected::Contains(_)
            | Expected::Matches(_)
    )
}

/// True if one of two paths chooses among several by a value. Two that choose nothing read the first of each.
fn chooses(one: &Field<SetPath>, other: &Field<SetPath>) -> bool {
    one.path_text.contains('=') || other.path_text.contains('=')
}

/// True if a value binds two paths: one chooses by the value that the other is equal to, or both by the same.
fn bound(one: &Field<SetPath>, other: &Field<SetPath>) -> bool {
    let (ones, others) = (values(one), values(other));
    ones.iter().any(|value| others.contains(value))
}

/// The values that a field's path chooses by, and the one that it must equal.
fn values(field: &Field<SetPath>) -> Vec<&str> {
    let text = field.path_text.as_str();
    let chosen = text.match_indices('=').filter_map(|(at, _)| {
        let (before, after) = (text.get(..at)?, text.get(at + 1..)?);
        let qualifies = before.strip_suffix("[1").is_some_and(|before| QUALIFIED.iter().any(|id| before.ends_with(id)));
        after.split(']').next().filter(|_| !qualifies)
    });
    let equal = match &field.expected {
        Expected::Equals(value) => value.as_str(),
        _ => None,
    };
    chosen.chain(equal).collect()
}

/// Segments whose first element says what they hold, and names no person and no claim.
const QUALIFIED: [&str; 8] = ["NM1", "N1", "REF", "DTP", "DTM", "AMT", "QTY", "PER"];
