//! The values that made a criterion pass, at their places in the source. The content of a place decides its format: in
//! a place that holds JSON, the path of the evidence leads to the leaf; a place that holds the value itself is the
//! leaf.

use std::collections::BTreeSet;
use std::ops::Range;

use candor_check::Evidence;
use candor_check::compare::Operator;
use candor_check::evidence::Entry;
use candor_check::field::Location;
use candor_check::meaning::words_of;
use candor_check::operators::Change;
use candor_check::strict_json::{self, Edit, Leaf, leaves};
use candor_json::Value;

use crate::ground::Ground;
use crate::values::others;

/// Values of one path that are changed together: of several that are the same, one alone would hold the criterion up.
pub(crate) struct Asserted {
    pub(crate) path: String,
    pub(crate) locator: String,
    pub(crate) spans: Vec<(Range<usize>, String)>,
    /// The edits that take each away; `None` if removing the value would not test the assertion.
    removals: Option<Vec<Edit>>,
    replaced: bool,
}

/// Changes at a leaf: several values for the same question, of which the first that the assertion does not accept
/// decides.
pub(crate) struct LeafMutant {
    pub(crate) path: String,
    pub(crate) operator: &'static str,
    /// A change, and the new value as evidence would show it; nothing where the value is gone.
    pub(crate) tries: Vec<(Change, Option<String>)>,
}

/// The values that the evidence of a pass rests on. What the assertion selected by comes from `selection`.
pub(crate) fn asserted(evidence: &Evidence, selection: &[Vec<String>], ground: &Ground) -> Vec<Asserted> {
    let mut found: Vec<Asserted> = Vec::new();
    for entry in &evidence.results {
        let one = match entry {
            Entry::Field(field) if field.passed && !field.path.contains('$') || is_json_path(entry) => {
                of_field(entry, ground)
            }
            Entry::Phrase(phrase) if phrase.passed && !phrase.forbidden => of_phrase(entry, ground),
            _ => None,
        };
        found.extend(one);
    }
    let mut places: Vec<Location> = evidence.sources.iter().map(|source| source.place()).collect();
    places.dedup();
    for place in &places {
        for forms in selection {
            found.extend(of_selection(forms, place, ground, false));
        }
    }
    // Two fields of one assertion may rest on one value.
    let mut seen = BTreeSet::new();
    found.retain(|one| {
        let spans: Vec<(usize, usize)> = one.spans.iter().map(|(span, _)| (span.start, span.end)).collect();
        seen.insert((one.locator.clone(), spans))
    });
    found
}

/// `$.a.b`, and no constraint such as `$count`.
fn is_json_path(entry: &Entry) -> bool {
    matches!(entry, Entry::Field(field) if field.passed && (field.path.starts_with("$.") || field.path.starts_with("$[")))
}

fn rests_on_the_value(operator: Operator) -> bool {
    use Operator::{Count, Empty, NotContains, NotEquals, NotIn};
    !matches!(operator, NotEquals | NotIn | NotContains | Empty | Count)
}

fn of_field(entry: &Entry, ground: &Ground) -> Option<Asserted> {
    let Entry::Field(field) = entry else { return None };
    let place = field.source.as_ref()?;
    if !rests_on_the_value(field.operator) || field.actual.is_null() {
        return None;
    }
    let replaced = field.operator != Operator::NotEmpty;
    let bytes = ground.file(&place.locator)?;
    let (start, text) = within(bytes, place)?;
    let locator = place.locator.clone();
    let path = field.path.clone();
    let is_json = text.trim_start().starts_with(['{', '[']) && strict_json::check(text.trim()).is_ok();
    if is_json {
        let all = leaves(text);
        let wanted = scalars(&field.expected);
        let actual = scalars(&field.actual);
        let among = |leaf: &&Leaf, values: &[String]| {
            text.get(leaf.span.clone()).is_some_and(|text| values.iter().any(|value| same(text, value)))
        };
        let by_path: Vec<&Leaf> = all.iter().filter(|leaf| leads_to(&path, &leaf.path)).collect();
        let by_path_is_empty = by_path.is_empty();
        let candidates: Vec<&Leaf> = if by_path.is_empty() { all.iter().collect() } else { by_path };
        // One form of a meaning holds up another, so that all of them are taken away.
        let is_meaning = ["concept", "dosage"].iter().any(|member| field.expected.get(*member).is_some());
        let is_of_choice = |leaf: &&Leaf| {
            let rest = leaf.path.first().and_then(|name| name.strip_prefix(path.as_str()));
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        };
        let mut chosen: Vec<&Leaf> = match (is_meaning, by_path_is_empty) {
            (true, false) => candidates.clone(),
            (true, true) => candidates.iter().copied().filter(is_of_choice).collect(),
            (false, _) => candidates.iter().copied().filter(|leaf| among(leaf, &wanted)).collect(),
        };
        if chosen.is_empty() {
            chosen = candidates.iter().copied().filter(|leaf| among(leaf, &actual)).collect();
        }
        if chosen.is_empty() {
            return None;
        }
        // Of a whole (a quantity) the first value is replaced, and all are taken away.
        let spans = match field.expected.is_object() && !is_meaning {
            true => chosen.iter().take(1).map(|leaf| leaf.span.clone()).collect::<Vec<_>>(),
            false => chosen.iter().map(|leaf| leaf.span.clone()).collect(),
        };
        let removals: Option<Vec<Edit>> = chosen
            .iter()
            .map(|leaf| strict_json::remove(text, &leaf.path.iter().map(String::as_str).collect::<Vec<_>>()))
            .collect();
        let removals = removals.filter(|edits| disjoint(edits)).map(|edits| shifted(edits, start));
        let placed = |span: Range<usize>| Some((span.start + start..span.end + start, text.get(span)?.to_owned()));
        let spans = spans.into_iter().filter_map(placed).collect();
        return Some(Asserted { path, locator, spans, removals, replaced });
    }
    let actual = scalars(&field.actual);
    let longest = actual.iter().map(String::len).max()?;
    // A place that holds the value, and not the record around it; of several values it holds the first.
    let span = match place.span {
        Some(_) if actual.len() == 1 && text.len() <= longest.saturating_mul(2) + 8 && !is_row(&locator, text) => {
            start..start + text.len()
        }
        _ => {
            let (start, text) = if actual.len() > 1 { (0, std::str::from_utf8(bytes).ok()?) } else { (start, text) };
            let value =
                scalars(&field.expected).into_iter().chain(actual).find(|value| only_once(text, value).is_some())?;
            let at = only_once(text, &value)? + start;
            at..at + value.len()
        }
    };
    let value = std::str::from_utf8(bytes.get(span.clone())?).ok()?.to_owned();
    let removals = Some(vec![Edit { span: span.clone(), with: String::new() }]);
    Some(Asserted { path, locator, spans: vec![(span, value)], removals, replaced })
}

/// A row of a CSV file holds the delimiter; a cell seldom does.
fn is_row(locator: &str, text: &str) -> bool {
    (locator.ends_with(".csv") || locator.ends_with(".tsv")) && text.contains([',', ';', '\t', '|'])
}

fn of_phrase(entry: &Entry, ground: &Ground) -> Option<Asserted> {
    let Entry::Phrase(phrase) = entry else { return None };
    let place = phrase.source.as_ref()?;
    let bytes = ground.file(&place.locator)?;
    let (start, text) = within(bytes, place)?;
    let quote = phrase.quote.as_deref().filter(|quote| !quote.is_empty())?;
    let at = text.find(quote)? + start;
    let span = at..at + quote.len();
    Some(Asserted {
        path: phrase.phrase.clone(),
        locator: place.locator.clone(),
        removals: Some(vec![Edit { span: span.clone(), with: "Well".to_owned() }]),
        spans: vec![(span, quote.to_owned())],
        replaced: true,
    })
}

/// A value that selection went by: one that the record holds once, or every form of a concept. With `in_references`, `p1` is
/// also in `Patient/p1`.
pub(crate) fn of_selection(
    forms: &[String],
    place: &Location,
    ground: &Ground,
    in_references: bool,
) -> Option<Asserted> {
    let bytes = ground.file(&place.locator)?;
    let (start, record) = within(bytes, place)?;
    let text = forms.first()?;
    let found: Vec<Range<usize>> =
        match record.trim_start().starts_with(['{', '[']) && strict_json::check(record.trim()).is_ok() {
            true => {
                let is_one = |leaf: &Leaf| {
                    let own = record.get(leaf.span.clone()).unwrap_or_default();
                    let refers = |form: &str| {
                        let before = own.strip_suffix('"').and_then(|own| own.strip_suffix(form));
                        in_references && before.is_some_and(|before| before.ends_with('/'))
                    };
                    let is_form = |form: &String| same(own, form) || forms.len() > 1 && same_words(own, form);
                    forms.iter().any(|form| is_form(form) || refers(form))
                };
                let all: Vec<Range<usize>> = leaves(record).into_iter().filter(is_one).map(|leaf| leaf.span).collect();
                if all.is_empty() || forms.len() == 1 && all.len() > 1 {
                    return None;
                }
                all
            }
            false => {
                let at = only_once(record, text)?;
                std::iter::once(at..at + text.len()).collect()
            }
        };
    let placed = |span: Range<usize>| {
        let span = span.start + start..span.end + start;
        let value = std::str::from_utf8(bytes.get(span.clone())?).ok()?.to_owned();
        Some((span, value))
    };
    Some(Asserted {
        path: format!("selection by {text:?}"),
        locator: place.locator.clone(),
        spans: found.into_iter().filter_map(placed).collect(),
        removals: None,
        replaced: true,
    })
}

impl Asserted {
    pub(crate) fn mutants(&self) -> Vec<LeafMutant> {
        let change = |edits: Vec<Edit>, sentence: String| Change::new(self.locator.as_str(), edits, sentence);
        let mut mutants = Vec::new();
        if let Some(removals) = &self.removals {
            let sentence = format!("{} was taken away from {}.", self.path, self.locator);
            let tries = vec![(change(removals.clone(), sentence), None)];
            mutants.push(LeafMutant { path: self.path.clone(), operator: "leaf/deleted", tries });
        }
        if let (true, Some((_, first))) = (self.replaced, self.spans.first()) {
            let tries = others(first).into_iter().map(|other| {
                let sentence = format!("{} in {} became {other} (it was {first}).", self.path, self.locator);
                let edits: Vec<Edit> =
                    self.spans.iter().map(|(span, _)| Edit { span: span.clone(), with: other.clone() }).collect();
                let shown = candor_json::from_str::<String>(&other).unwrap_or(other);
                (change(edits, sentence), Some(shown))
            });
            mutants.push(LeafMutant { path: self.path.clone(), operator: "leaf/replaced", tries: tries.collect() });
        }
        mutants
    }
}

/// The text of a place, and where it begins in its file.
fn within<'b>(bytes: &'b [u8], place: &Location) -> Option<(usize, &'b str)> {
    let (start, end) = match place.span {
        Some((start, end)) => (usize::try_from(start).ok()?, usize::try_from(end).ok()?),
        None => (0, bytes.len()),
    };
    Some((start, std::str::from_utf8(bytes.get(start..end)?).ok()?))
}

/// True if the steps of a leaf are those of a path, or below it. Places in arrays may be left out of the path.
fn leads_to(path: &str, steps: &[String]) -> bool {
    let path = path.strip_prefix("$.").unwrap_or(path);
    let mut wanted = path.split(['.', '[', ']']).filter(|step| !step.is_empty() && *step != "*").peekable();
    for step in steps {
        match wanted.peek() {
            None => return true,
            Some(next) if *next == step => {
                wanted.next();
            }
            Some(_) if step.bytes().all(|byte| byte.is_ascii_digit()) => {}
            Some(_) => return false,
        }
    }
    wanted.peek().is_none()
}

pub(crate) fn scalars(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(scalars).collect(),
        Value::Object(members) => members.values().flat_map(scalars).collect(),
        other => vec![other.to_string()],
    }
}

fn same(leaf: &str, value: &str) -> bool {
    leaf == value || leaf.starts_with('"') && candor_json::from_str::<String>(leaf).is_ok_and(|leaf| leaf == value)
}

/// Compares the words of a JSON text with those of a name, in whatever order.
fn same_words(leaf: &str, name: &str) -> bool {
    let sorted = |text: &str| {
        let mut words = words_of(text);
        words.sort();
        words
    };
    leaf.starts_with('"') && candor_json::from_str::<String>(leaf).is_ok_and(|leaf| sorted(&leaf) == sorted(name))
}

/// The place of a value that occurs in a text exactly once, as a word of its own.
fn only_once(text: &str, value: &str) -> Option<usize> {
    let mut found = alone(text, value);
    let first = found.next().filter(|_| !value.is_empty())?;
    found.next().is_none().then_some(first)
}

/// The places where a text is by itself: `M1`, and not in `AM12`; `7`, and not in `7.5`.
pub(crate) fn alone<'t>(text: &'t str, value: &'t str) -> impl Iterator<Item = usize> + use<'t> {
    fn joins(own: Option<char>, mut outward: impl Iterator<Item = char>) -> bool {
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        match outward.next() {
            Some('.') => is_digit(own) && is_digit(outward.next()),
            near => near.is_some_and(char::is_alphanumeric),
        }
    }
    text.match_indices(value).map(|(at, _)| at).filter(move |at| {
        let before = text.get(..*at).unwrap_or_default().chars().rev();
        let after = text.get(at + value.len()..).unwrap_or_default().chars();
        !joins(value.chars().next(), before) && !joins(value.chars().next_back(), after)
    })
}

fn disjoint(edits: &[Edit]) -> bool {
    let mut spans: Vec<&Range<usize>> = edits.iter().map(|edit| &edit.span).collect();
    spans.sort_by_key(|span| span.start);
    spans.windows(2).all(|pair| matches!(pair, [a, b] if a.end <= b.start))
}

fn shifted(edits: Vec<Edit>, start: usize) -> Vec<Edit> {
    edits.into_iter().map(|edit| edit.shifted(start)).collect()
}
