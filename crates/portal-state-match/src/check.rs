//! Observing and judging.

use candor_check::{
    Candidate, Candidates, Cardinality, Check, Entry, Evidence, Failure, FieldResult, Judgement, Judging, Meta,
    Observation, Operator, Reading, RecordReview, RecordRules, References, Review, Sandbox, Share, Status,
    Unverifiable, Within, Wording, conclude, nearest,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::history::{Histories, HistorySettings, agreed, histories};
use crate::rows::Content;
use crate::settings::Settings;
use crate::source::{PART, PortalSource};
use crate::unique::Unique;

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
    /// What was looked at: a folder of the sandbox, a database.
    #[serde(default)]
    pub place: String,
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
        source.look(sandbox, &self.settings.correlate_by, self.within().is_some()).await
    }

    fn within(&self) -> Option<Within> {
        self.settings.within
    }

    fn judge(&self, seen: &Seen) -> Evidence {
        let resource = &self.settings.correlate_by.resource;
        let wording = Wording {
            one: format!("{resource} row"),
            several: format!("{resource} rows"),
            selected_by: self.settings.correlate_by.described(),
            place: if seen.place.is_empty() { "portal/".to_owned() } else { seen.place.clone() },
            field: "assertion",
        };
        let evidence = match &self.settings.history {
            Some(history) if !seen.rows.candidates.is_empty() => self.judge_histories(history, &seen.rows, &wording),
            _ => self.judge_rows(&seen.rows, &wording),
        };
        match &seen.missing {
            // What could not be read may hold what is missing.
            Some(missing) if evidence.status() != Status::Unverifiable => self.without(missing, &wording, &seen.rows),
            _ => evidence,
        }
    }

    fn review(&self) -> Review {
        let settings = &self.settings;
        let states = |history: &HistorySettings| history.sequence.is_some() || history.never.is_some();
        let review = RecordReview {
            one: &format!("{} row", settings.correlate_by.resource),
            member: "assertions",
            fields: &settings.assertions,
            rules: RecordRules { matching: settings.matching, count: settings.count },
            selected: !settings.correlate_by.conditions.is_empty(),
            select_by: "correlate_by",
            beside: settings.history.as_ref().is_some_and(states),
            whole: settings.unique.is_some(),
        };
        review.review()
    }
}

impl PortalStateMatch {
    fn judge_rows(&self, rows: &Observation<Content>, wording: &Wording) -> Evidence {
        let unique = |unique: &Unique| unique.judge(&rows.candidates.iter().map(|row| vec![row]).collect::<Vec<_>>());
        let judging = Judging {
            rules: RecordRules { matching: self.settings.matching, count: self.settings.count },
            asserts_content: !self.settings.assertions.is_empty(),
            wording,
            whole: self.settings.unique.iter().filter(|_| !rows.candidates.is_empty()).map(unique).collect(),
            // Behind what could not be read may stand a further row of a history.
            hangs_on_all: self.settings.history.is_some(),
        };
        conclude(&judging, rows, |row| self.judge_row(row))
    }

    /// The assertions are about the last row of each history.
    fn judge_histories(&self, settings: &HistorySettings, rows: &Observation<Content>, wording: &Wording) -> Evidence {
        let Histories { observation, doubts } = histories(rows, settings);
        let resource = &self.settings.correlate_by.resource;
        let wording =
            Wording { one: format!("{resource} history"), several: format!("{resource} histories"), ..wording.clone() };
        let lasts = || observation.candidates.iter().map(|history| history.content.last()).collect::<Vec<_>>();
        let unique = |unique: &Unique| unique.judge(&lasts());
        let states = settings.sequence.is_some() || settings.never.is_some();
        let judging = Judging {
            rules: RecordRules { matching: self.settings.matching, count: self.settings.count },
            asserts_content: states || !self.settings.assertions.is_empty(),
            wording: &wording,
            whole: self.settings.unique.iter().filter(|_| !observation.candidates.is_empty()).map(unique).collect(),
            hangs_on_all: true,
        };
        let evidence = conclude(&judging, &observation, |candidate| {
            let history = &candidate.content;
            let last = history.last().into_iter().map(|row| self.judge_row(row)).collect();
            Judgement { constraints: history.judge(settings, &self.settings.synonyms), ..agreed(last) }
        });
        let undecided = |entry: &Entry| matches!(entry, Entry::Field(field) if field.is_undecidable());
        match doubts.first().filter(|_| evidence.results.iter().any(undecided)) {
            Some(doubt) => evidence.adding(doubt),
            None => evidence,
        }
    }

    fn judge_row(&self, row: &Candidate<Content>) -> Judgement {
        let references = References::default();
        let reading = Reading { locator: &row.source.locator, span: row.source.span, references: &references };
        let judged = self.settings.assertions.iter().map(|field| {
            let selection = field.path.select_for(&row.content, &field.expected_value);
            let result = self.settings.synonyms.evaluate(field, selection, reading);
            // What stands there is shown, whatever it stands for.
            let stands = || field.evaluate(field.path.select(&row.content), reading).actual;
            match &row.content {
                Content::ZeroOne(_) => FieldResult { actual: stands(), ..result },
                Content::Typed(_) | Content::Text(_) => result,
            }
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
