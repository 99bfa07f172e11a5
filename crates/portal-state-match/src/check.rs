//! Observing and judging.

use candor_check::{
    Candidate, Candidates, Cardinality, Check, Evidence, EvidenceSource, Failure, FieldResult, Judgement, Judging,
    Meta, NearMiss, Observation, Operator, Place, Reading, RecordRules, References, Sandbox, Share, Status,
    Unverifiable, Wording, conclude, nearest,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rows::{Content, Row};
use crate::selection::{Condition, CorrelateBy, Met, Wanted};
use crate::settings::Settings;
use crate::source::{PART, PortalSource, Resource, ResourceFile};

/// Asserts what the rows behind a portal hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct PortalStateMatch {
    settings: Settings,
}

/// What was seen of a portal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The rows that were selected, and what came closest.
    pub rows: Observation<Content>,
    /// What the selection names that is not there, when it selected nothing because of it.
    pub missing: Option<Missing>,
}

/// Something that a selection names and that is not there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The resource; these there are.
    Resource(Vec<String>),
    /// A column, in no row of the resource; these there are.
    Column(String, Vec<String>),
}

/// The most names that a sentence lists.
const MOST_NAMES: usize = 12;

impl Check for PortalStateMatch {
    const META: Meta = Meta {
        assert: "portal-state-match",
        about: "Rows behind a portal, found by a key, hold what was asserted",
        part: PART,
        files: &[],
        evidence_key: "assertionResults",
        schema: include_str!("../schema.json"),
    };
    type Seen = Seen;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
        let source = sandbox.source::<PortalSource>().await?;
        let correlate_by = self.settings.correlate_by.clone();
        sandbox.blocking("portal/", move || Ok(observed(&source, &correlate_by))).await
    }

    fn judge(&self, seen: &Seen) -> Evidence {
        let resource = &self.settings.correlate_by.resource;
        let wording = Wording {
            one: format!("{resource} row"),
            several: format!("{resource} rows"),
            selected_by: self.settings.correlate_by.described(),
            place: "portal/".to_owned(),
            field: "assertion",
        };
        let judging = Judging {
            rules: RecordRules { matching: self.settings.matching, count: self.settings.count },
            asserts_content: !self.settings.assertions.is_empty(),
            wording: &wording,
            whole: Vec::new(),
            hangs_on_all: false,
        };
        let evidence = conclude(&judging, &seen.rows, |candidate| self.judge_one(candidate));
        match &seen.missing {
            // What could not be read may hold what is missing.
            Some(missing) if evidence.status() != Status::Unverifiable => self.without(missing, &wording, &seen.rows),
            _ => evidence,
        }
    }
}

impl PortalStateMatch {
    fn judge_one(&self, row: &Candidate<Content>) -> Judgement {
        let references = References::default();
        let reading = Reading { locator: &row.source.locator, span: row.source.span, references: &references };
        let judged = self.settings.assertions.iter().map(|field| {
            let selection = field.path.select(&row.content);
            field.evaluate(selection, reading)
        });
        Judgement { fields: judged.collect(), ..Judgement::default() }
    }

    /// A resource or a column that is not there has no candidates, and not even their absence was observed.
    fn without(&self, missing: &Missing, wording: &Wording, rows: &Observation<Content>) -> Evidence {
        let (result, why) = match missing {
            Missing::Resource(known) => {
                let name = &self.settings.correlate_by.resource;
                let why = format!("there is no resource `{name}`{}", instead(name, known, "resources"));
                (FieldResult::constraint("$resource", json!(name), Value::Null, false), why)
            }
            Missing::Column(name, known) => {
                let why = format!("no row has a column `{name}`{}", instead(name, known, "columns"));
                (FieldResult::constraint("$column", json!(name), Value::Null, false), why)
            }
        };
        let asked = self.settings.count.unwrap_or(Cardinality::SOME);
        let count = FieldResult::constraint("$count", asked.to_value(), json!(0), asked.allows(0));
        let results = vec![count.with_operator(Operator::Count).into(), result.into()];
        let selected = if wording.selected_by.is_empty() { String::new() } else { format!(" {}", wording.selected_by) };
        let details = format!("no {}{selected} in {}: {why}.", wording.one, wording.place);
        let details = rows.notes.iter().take(3).fold(details, |details, note| format!("{details} {note}"));
        let candidates = Candidates { considered: rows.considered, matched: 0, nearest: None };
        Evidence::failed(Failure::NoCandidate, Share::default(), results, details).over(candidates, Vec::new())
    }
}

fn instead(name: &str, known: &[String], what: &str) -> String {
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let meant = nearest(name, &names).map(|near| format!("; did you mean `{near}`?"));
    let listed = || match names.as_slice() {
        [] => String::new(),
        names => {
            let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
            let more = if names.len() > MOST_NAMES { " and others" } else { "" };
            format!("; the {what} are {}{more}", shown.join(", "))
        }
    };
    meant.unwrap_or_else(listed)
}

fn observed(source: &PortalSource, correlate_by: &CorrelateBy) -> Seen {
    let name = correlate_by.resource.as_str();
    let seen = source.resource(name, |resource| selected(resource, correlate_by));
    let found = seen.is_some();
    let mut seen = seen.unwrap_or_default();
    if !found && !source.has_no_rows() {
        seen.missing = Some(Missing::Resource(source.names().into_iter().collect()));
    } else if !found {
        seen.rows.notes.push(format!("There is no resource `{name}`, and no rows of any other."));
    }
    seen.rows.unreadable.extend(source.unreadable_beside(name, found));
    seen.rows.unreadable.sort_by(|a, b| (&a.place.locator, a.place.span).cmp(&(&b.place.locator, b.place.span)));
    if !source.outside_links.is_empty() {
        seen.rows.notes.push(links(&source.outside_links));
    }
    seen
}

fn links(outside: &[String]) -> String {
    let shown: Vec<&str> = outside.iter().take(3).map(String::as_str).collect();
    let more = if outside.len() > shown.len() { " and others" } else { "" };
    format!("Symbolic links that lead out of portal/ were not followed: {}{more}.", shown.join(", "))
}

fn selected(resource: &Resource, correlate_by: &CorrelateBy) -> Seen {
    let conditions = correlate_by.conditions.as_slice();
    let mut rows = Observation { unreadable: resource.unreadable.clone(), ..Observation::default() };
    let mut as_text: Vec<bool> = vec![false; conditions.len()];
    for (file, row) in all(resource) {
        rows.considered += 1;
        let met: Vec<Met> =
            conditions.iter().map(|c| c.met_by(&row.content)).take_while(|met| *met != Met::No).collect();
        if met.len() == conditions.len() {
            as_text.iter_mut().zip(&met).for_each(|(seen, met)| *seen |= *met == Met::AsText);
            rows.candidates.push(candidate(file, row));
        }
    }
    let compared = conditions.iter().zip(&as_text).filter(|(_, as_text)| **as_text);
    let compared: Vec<String> = compared.map(|(condition, _)| format!("`{}`", condition.path.as_str())).collect();
    if !compared.is_empty() {
        let columns = compared.join(" and ");
        rows.notes.push(format!("{columns} was compared as text, as its type differs from the assertion's value."));
    }
    let mut seen = Seen { rows, missing: None };
    if seen.rows.considered == 0 && resource.files.iter().all(|file| file.rows.header.is_empty()) {
        return seen;
    }
    // In rows that lack a column altogether nothing says that it is null there, and not that its name is another.
    let nulls = || conditions.iter().filter(|condition| matches!(condition.wanted, Wanted::Value(Value::Null)));
    seen.missing = match seen.rows.candidates.is_empty() {
        true => conditions.iter().find_map(|condition| missing(resource, condition)),
        false => nulls().find_map(|condition| missing(resource, condition)),
    };
    if seen.missing.is_some() {
        seen.rows.candidates.clear();
    }
    if seen.rows.candidates.is_empty() {
        seen.rows.near = near(resource, conditions);
    }
    seen
}

fn all(resource: &Resource) -> impl Iterator<Item = (&ResourceFile, &Row)> {
    resource.files.iter().flat_map(|file| file.rows.rows.iter().map(move |row| (file, row)))
}

fn missing(resource: &Resource, condition: &Condition) -> Option<Missing> {
    let name = condition.path.as_str();
    let in_header = resource.files.iter().any(|file| file.rows.header.iter().any(|column| column == name));
    if in_header || all(resource).any(|(_, row)| condition.path.is_in(&row.content)) {
        return None;
    }
    let mut known: Vec<String> = Vec::new();
    let headers = resource.files.iter().flat_map(|file| &file.rows.header);
    let columns = all(resource).take(1000).filter_map(|(_, row)| {
        let (Content::Typed(columns) | Content::Text(columns)) = &row.content;
        columns.as_object()
    });
    for column in headers.chain(columns.flat_map(|columns| columns.keys())) {
        if known.len() < 200 && column.chars().count() <= 60 && !known.contains(column) {
            known.push(column.clone());
        }
    }
    Some(Missing::Column(name.to_owned(), known))
}

/// Of the rows the one that meets most conditions; of equals the one whose value differs in its form only, then the
/// first.
fn near(resource: &Resource, conditions: &[Condition]) -> Option<NearMiss> {
    let mut best: Option<((usize, bool), &ResourceFile, &Row, &Condition)> = None;
    for (file, row) in all(resource) {
        let unmet: Vec<&Condition> = conditions.iter().filter(|c| c.met_by(&row.content) == Met::No).collect();
        let Some(first) = unmet.first() else { continue };
        let rank = (conditions.len() - unmet.len(), first.nearly_met_by(&row.content));
        if best.as_ref().is_none_or(|(so_far, ..)| rank > *so_far) {
            best = Some((rank, file, row, first));
        }
    }
    let ((met, _), file, row, condition) = best?;
    Some(NearMiss {
        place: Place { locator: file.locator.clone(), span: Some(row.span) },
        label: label(file, row),
        path: condition.path.as_str().to_owned(),
        expected: condition.expected(),
        actual: condition.actual(&row.content),
        matched: (met, conditions.len()),
    })
}

fn candidate(file: &ResourceFile, row: &Row) -> Candidate<Content> {
    Candidate {
        source: EvidenceSource {
            locator: file.locator.clone(),
            sha256: Some(file.sha256.clone()),
            span: Some(row.span),
        },
        label: label(file, row),
        content: row.content.clone(),
    }
}

fn label(file: &ResourceFile, row: &Row) -> String {
    format!("row {} of {}", row.number, file.locator)
}
