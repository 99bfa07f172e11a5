//! Fields of one list, each next to the others: what contradicts, and what two different items may meet.

use super::{Claim, Shape, Weakness, WeaknessKind};
use crate::settings::Cardinality;

/// An entry of a list of fields, without the grammar of its paths.
#[derive(Clone, Debug)]
pub enum Said {
    /// A field.
    Field(Box<Claim>),
    /// An item group.
    Group {
        /// The path of the items.
        item: String,
        /// How many there must be.
        count: Option<Cardinality>,
        /// `where` and `fields`: all of them are about one item.
        entries: Vec<Said>,
    },
}

/// Says what shape a path has: the items in which it begins, the outermost first, and the path.
pub(super) type Shapes<'a> = &'a dyn Fn(&[&str], &str) -> Shape;

/// Weaknesses of a list of entries that are all about one thing; `inside` are the items in which their paths begin.
pub(super) fn weaknesses(entries: &[Said], inside: &[&str], shapes: Shapes<'_>) -> Vec<Weakness> {
    let mut found = Vec::new();
    let claims: Vec<(Claim, Shape)> = entries.iter().filter_map(|entry| shaped(entry, inside, shapes)).collect();
    for (at, (claim, shape)) in claims.iter().enumerate() {
        let before = claims.get(..at).unwrap_or_default();
        found.extend(before.iter().find_map(|(other, _)| of_pair(other, claim)));
        found.extend(first_counted(claim, shape));
    }
    found.extend(two_items(&claims));
    found.extend(first_of_several(entries, &claims, inside, shapes));
    for entry in entries {
        if let Said::Group { item, entries, .. } = entry {
            let inside: Vec<&str> = inside.iter().copied().chain([item.as_str()]).collect();
            found.extend(weaknesses(entries, &inside, shapes));
        }
    }
    found
}

/// Fields that contradict what selects: `search`, `correlate_by`.
pub(super) fn against(conditions: &[Claim], entries: &[Said], shapes: Shapes<'_>) -> Vec<Weakness> {
    let claims: Vec<(Claim, Shape)> = entries.iter().filter_map(|entry| shaped(entry, &[], shapes)).collect();
    let contradicted = |(claim, shape): &(Claim, Shape)| {
        conditions
            .iter()
            .filter(|condition| condition.path == claim.path && shape.single)
            .find_map(|condition| condition.excludes(claim).then(|| contradiction(condition, claim)))
    };
    claims.iter().filter_map(contradicted).collect()
}

fn contradiction(one: &Claim, other: &Claim) -> Weakness {
    let message = format!(
        "no value of `{}` satisfies both this and {}, so the criterion never passes; leave one of them out",
        other.path, one.place
    );
    Weakness::new(WeaknessKind::Contradiction, &other.place, message)
}

fn shaped(entry: &Said, inside: &[&str], shapes: Shapes<'_>) -> Option<(Claim, Shape)> {
    let Said::Field(claim) = entry else { return None };
    let shape = shapes(inside, &claim.path);
    Some((claim.as_ref().clone().known(shape.single), shape))
}

fn of_pair(one: &Claim, other: &Claim) -> Option<Weakness> {
    (one.path == other.path && one.single && one.excludes(other)).then(|| contradiction(one, other))
}

/// A count of what the path takes only the first of.
fn first_counted(claim: &Claim, shape: &Shape) -> Option<Weakness> {
    let count = claim.count().filter(|count| !count.is_none())?;
    let first = shape.first_of.as_ref()?;
    let path = &claim.path;
    let every = match path.strip_prefix(first.as_str()) {
        Some("") | None => format!("`{first}[*]`"),
        Some(rest) => format!("`{first}[*]{rest}`"),
    };
    let message = format!(
        "`{path}` takes only the first {first}, so its count is 0 or 1, and {} is not the number of all; write {every} to count all of them",
        count.to_value()
    );
    Some(Weakness::new(WeaknessKind::FirstOnly, format!("{}.path", claim.place), message))
}

/// Fields that name values of the items of one array, each of any item.
fn two_items(claims: &[(Claim, Shape)]) -> Vec<Weakness> {
    let mut found = Vec::new();
    let mut told: Vec<&str> = Vec::new();
    let naming = || claims.iter().filter(|(claim, _)| claim.names_a_value());
    for (claim, shape) in naming() {
        for every in shape.every.iter().filter(|_| !shape.every.iter().any(|every| told.contains(&every.as_str()))) {
            let others: Vec<&Claim> =
                naming().filter(|(_, shape)| shape.every.contains(every)).map(|(claim, _)| claim).collect();
            // Two assertions of one path are about two items: `name.given` has both.
            let Some(other) = others.iter().find(|other| other.path != claim.path) else { continue };
            told.push(every);
            let message = format!(
                "{} and {} may be satisfied by two different items of `{every}`; bind them in one item group: {}",
                quoted(&claim.path),
                quoted(&other.path),
                written(every, &[claim, other])
            );
            found.push(Weakness::new(WeaknessKind::TwoItems, &other.place, message));
            break;
        }
    }
    found
}

fn quoted(path: &str) -> String {
    format!("`{path}`")
}

fn written(item: &str, claims: &[&Claim]) -> String {
    let inside = |claim: &&Claim| {
        let path = claim.path.strip_prefix(item).unwrap_or(&claim.path);
        // In an item that is a segment the path keeps the segment's name.
        let path = path
            .strip_prefix("[*]")
            .map_or_else(|| path.trim_start_matches('.').to_owned(), |rest| format!("{item}{rest}"));
        format!("{{path: {path}, …}}")
    };
    format!("`{{item: {item}, fields: [{}]}}`", claims.iter().map(inside).collect::<Vec<_>>().join(", "))
}

/// Fields that read the first of something of which the same list asserts several.
fn first_of_several(entries: &[Said], claims: &[(Claim, Shape)], inside: &[&str], shapes: Shapes<'_>) -> Vec<Weakness> {
    let several = |count: Cardinality| !count.reached_by(1) && !count.is_none();
    let groups = entries.iter().filter_map(|entry| match entry {
        Said::Group { item, count: Some(count), .. } if several(*count) => Some((item.clone(), *count)),
        _ => None,
    });
    let fields = claims.iter().filter_map(|(claim, shape)| {
        let count = claim.count().filter(|count| several(*count))?;
        Some((shape.every.first()?.clone(), count))
    });
    let counted: Vec<(String, Cardinality)> = groups.chain(fields).collect();
    let first = |(claim, _): &(Claim, Shape)| {
        let first = shapes(inside, &claim.path).first_of?;
        let (name, count) = counted.iter().find(|(name, _)| *name == first)?;
        let message = format!(
            "`{}` reads only the first {name}, but another field asserts {} of them; write `{{item: {name}, …}}` for the one that is meant, or `{name}[*]` for any",
            claim.path,
            count.to_value()
        );
        claim.names_a_value().then(|| Weakness::new(WeaknessKind::FirstOnly, format!("{}.path", claim.place), message))
    };
    claims.iter().filter_map(first).collect()
}
