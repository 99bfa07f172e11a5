//! A sentence of `details` that lists findings, as its beginning and a line a finding.

/// The words before a list of field results, and of records that changed.
const BEFORE_A_LIST: [&str; 4] =
    [" fields failed: ", " assertions failed: ", " were before the work: ", " was before the work: "];
/// The end of a value that was cut within its quotes.
const CUT: char = '…';

/// The beginning of the sentence, and its findings, equal ones counted. Nothing where the sentence lists none.
pub(crate) fn listed(details: &str) -> Option<(&str, Vec<String>)> {
    let (at, lead) = outside_quotes(details)
        .find_map(|at| Some((at, BEFORE_A_LIST.iter().find(|lead| rest(details, at).starts_with(**lead))?)))?;
    let list = rest(details, at + lead.len());
    let mut findings: Vec<Finding<'_>> = Vec::new();
    for text in divided(list.strip_suffix('.').unwrap_or(list)) {
        let found = Finding::read(text);
        match findings.iter_mut().find(|other| other.clause == found.clause) {
            Some(other) => other.times += 1,
            None => findings.push(found),
        }
    }
    Some((details.get(..at + lead.len() - 1)?, findings.iter().map(Finding::line).collect()))
}

/// A finding: its clause, the record in parentheses after it, and the number of equal clauses.
struct Finding<'t> {
    clause: &'t str,
    record: Option<&'t str>,
    times: usize,
}

impl<'t> Finding<'t> {
    fn read(text: &'t str) -> Self {
        let named = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
        let (clause, record) = named.map_or((text, None), |(clause, record)| (clause, Some(record)));
        Self { clause, record, times: 1 }
    }

    fn line(&self) -> String {
        let clause = self.clause;
        match (self.record, self.times) {
            (None, 1) => clause.to_owned(),
            (None, times) => format!("{clause} ({times} times)"),
            (Some(record), 1) => format!("{clause} ({record})"),
            (Some(record), times) => format!("{clause} ({record}, and {} more)", times - 1),
        }
    }
}

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// Divides a text at every `; ` outside of quoted values.
fn divided(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for at in outside_quotes(list) {
        if rest(list, at).starts_with("; ") {
            parts.extend(list.get(begin..at));
            begin = at + 2;
        }
    }
    parts.extend(list.get(begin..));
    parts
}

/// The places in a text that are in no quoted value: JSON strings, the last quote of which is missing where they were cut.
fn outside_quotes(text: &str) -> impl Iterator<Item = usize> {
    let (mut inside, mut escaped) = (false, false);
    text.char_indices().filter_map(move |(at, c)| {
        let is_escaped = std::mem::take(&mut escaped);
        let ends_cut = || [", ", " (", "; ", "."].iter().any(|next| rest(text, at + CUT.len_utf8()).starts_with(next));
        match c {
            '\\' if inside => escaped = !is_escaped,
            '"' if !is_escaped => inside = !inside,
            CUT if inside && ends_cut() => inside = false,
            _ => {}
        }
        (!inside).then_some(at)
    })
}
