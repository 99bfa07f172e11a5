//! The task file.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use candor_check::compare::Zone;
use candor_check::sandbox::duration;
use candor_check::settings::nearest;
use candor_json::Value;
use candor_scoring::{PassRule, Weight};

use crate::document::{Comment, Document, FileError};
use crate::keys::{CRITERION_KEYS, TASK_KEYS};
use crate::members::{Members, kind};
use crate::placeholder::{Missing, Scope, replaced};

/// The work to be done, and the criteria that decide whether it was done.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// The name of the task.
    pub name: Option<String>,
    /// The text that the delegate gets, its placeholders replaced.
    pub prompt: Option<String>,
    /// The rule by which its verdict is `pass`.
    pub pass: PassRule,
    /// Its criteria, in the order of the file.
    pub criteria: Vec<Criterion>,
    pub(crate) accepted: Vec<Accepted>,
    document: Document,
    /// Files that assertions name, where they are not read from the task's folder.
    companions: Option<BTreeMap<String, Result<Document, FileError>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    /// Its code.
    pub code: String,
    /// The criterion that it is about; nothing where it may be any, or the task.
    pub criterion: Option<String>,
}

/// A typed assertion with a label, a weight and, optionally, an axis.
#[derive(Clone, Debug)]
pub struct Criterion {
    /// Its id, unique within the task.
    pub id: String,
    /// A person's name for it; its id if the file does not give a label.
    pub label: String,
    /// Its weight in the score.
    pub weight: Weight,
    /// The axis it counts on.
    pub axis: Option<String>,
    /// True if the verdict is `fail` unless it passes.
    pub gate: bool,
    /// True if its score is the share of its results that passed, instead of 1 or 0.
    pub partial_credit: bool,
    /// True if work that the system under test wrote too vaguely to decide counts as failed.
    pub vague_fails: bool,
    /// The zone in which days are days: the criterion's, else the task's.
    pub zone: Option<Zone>,
    /// The assertion, its placeholders replaced.
    pub assertion: Value,
}

/// The members of `loop`. Their values are read by whoever runs the loop.
pub const LOOP_KEYS: &[&str] = &[
    "max_verify_retries",
    "disclose",
    "retry_unverifiable",
    "protect",
    "overlay",
    "grant",
    "services",
    "script",
    "hooks",
    "test_suite",
    "evaluator",
];

impl Task {
    /// Reads a task file.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place.
    pub fn read(file: &Path) -> Result<Self, Vec<FileError>> {
        Self::from_document(Document::read(file).map_err(|e| vec![e])?)
    }

    /// Reads a task out of a document.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place.
    pub fn from_document(document: Document) -> Result<Self, Vec<FileError>> {
        match Self::readable(document) {
            (Some(task), errors) if errors.is_empty() => Ok(task),
            (_, errors) => Err(errors),
        }
    }

    /// Reads what can be read of a task out of a document, and everything that is wrong with it, each with its place. With
    /// an error, the task is good for nothing but to look for more of them.
    #[must_use]
    pub fn readable(document: Document) -> (Option<Self>, Vec<FileError>) {
        let mut errors = Vec::new();
        let parsed = parse(&document, &mut errors);
        errors.sort_by_key(|e| e.position);
        let task = parsed.map(|(id, name, prompt, pass, criteria, accepted)| Self {
            id,
            name,
            prompt,
            pass,
            criteria,
            accepted,
            document,
            companions: None,
        });
        (task, errors)
    }

    /// The document that it was read from.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The same task with the files that its assertions name, by the names that they give them. No folder is looked in.
    #[must_use]
    pub fn with_companions(self, companions: BTreeMap<String, Result<Document, FileError>>) -> Self {
        Self { companions: Some(companions), ..self }
    }

    /// A file that an assertion names; `None` if there is no folder to look in.
    pub(crate) fn companion(&self, name: &str) -> Option<Result<Document, FileError>> {
        if let Some(companions) = &self.companions {
            let missing = || {
                let message = "the file is not kept with the task".to_owned();
                FileError { file: PathBuf::from(name), position: None, message }
            };
            return Some(companions.get(name).cloned().unwrap_or_else(|| Err(missing())));
        }
        Some(Document::read(&self.document.file().parent()?.join(name)))
    }

    /// An error at a place within a criterion: `steps` lead from the criterion on.
    #[must_use]
    pub fn error_in(&self, criterion: usize, steps: &[&str], message: impl Into<String>) -> FileError {
        let index = criterion.to_string();
        let steps: Vec<&str> = ["criteria", index.as_str()].into_iter().chain(steps.iter().copied()).collect();
        self.document.error(&steps, message)
    }

    /// The member `loop`: how a loop over the task is run. Only the names of its members were looked at.
    #[must_use]
    pub fn loop_settings(&self) -> Option<&Value> {
        self.document.value().get("loop")
    }

    /// An error at a place within `loop`.
    #[must_use]
    pub fn error_in_loop(&self, steps: &[&str], message: impl Into<String>) -> FileError {
        let steps: Vec<&str> = ["loop"].into_iter().chain(steps.iter().copied()).collect();
        self.document.error(&steps, message)
    }

    /// The member `audit`: survivors of an audit that the author accepts. Whoever audits reads its values.
    #[must_use]
    pub fn audit_settings(&self) -> Option<&Value> {
        self.document.value().get("audit")
    }

    /// An error at a place within `audit`.
    #[must_use]
    pub fn error_in_audit(&self, steps: &[&str], message: impl Into<String>) -> FileError {
        let steps: Vec<&str> = ["audit"].into_iter().chain(steps.iter().copied()).collect();
        self.document.error(&steps, message)
    }

    pub(crate) fn error_of(&self, member: &str, message: impl Into<String>) -> FileError {
        self.document.error(&[member], message)
    }

    pub(crate) fn error_of_input(&self, name: &str, message: impl Into<String>) -> FileError {
        self.document.error(&["inputs", name], message)
    }

    /// An error at one of the findings that `lint.ignore` accepts.
    pub(crate) fn error_in_ignored(&self, index: usize, message: impl Into<String>) -> FileError {
        self.document.error(&["lint", "ignore", &index.to_string()], message)
    }

    pub(crate) fn error_at(&self, position: (usize, usize), message: impl Into<String>) -> FileError {
        FileError { file: self.document.file().to_owned(), position: Some(position), message: message.into() }
    }

    pub(crate) fn comments(&self) -> &[Comment] {
        self.document.comments()
    }

    pub(crate) fn value(&self) -> &Value {
        self.document.value()
    }

    /// The file that it was read from; empty if a program made it.
    #[must_use]
    pub fn file(&self) -> &Path {
        self.document.file()
    }

    /// An error about the task as a whole.
    #[must_use]
    pub fn error(&self, message: impl Into<String>) -> FileError {
        self.document.error(&["criteria"], message)
    }
}

type Parsed = (String, Option<String>, Option<String>, PassRule, Vec<Criterion>, Vec<Accepted>);

fn parse(document: &Document, errors: &mut Vec<FileError>) -> Option<Parsed> {
    let task = Members::of(document, &[], document.value(), "the task", TASK_KEYS, errors)?;
    let id = task.required_text("id", "the task", errors);
    let name = task.text("name", errors);
    let prompt = prompt(&task, errors);
    for_the_service(&task, errors);
    let pass = pass(&task, errors);
    if let Some(value) = task.get("loop") {
        // Its values are read by whoever runs the loop.
        Members::of(document, &["loop"], value, "`loop`", LOOP_KEYS, errors);
    }
    // Read here for its errors; each criterion reads it for its value.
    zone(&task, errors);
    if let Some(other) = task.get("entities").filter(|v| !v.is_object()) {
        errors.push(task.error("entities", format!("`entities` is {}; expected an object of records", kind(other))));
    }
    let criteria = match task.get("criteria") {
        None | Some(Value::Null) => &Vec::new(),
        Some(Value::Array(criteria)) => criteria,
        Some(other) => {
            errors.push(task.error("criteria", format!("`criteria` is {}; expected a list", kind(other))));
            return None;
        }
    };
    let mut ids = HashSet::new();
    let parsed: Vec<Criterion> = criteria
        .iter()
        .enumerate()
        .filter_map(|(index, value)| criterion(document, index, value, &task, &mut ids, errors))
        .collect();
    let accepted = accepted(document, &task, &ids, errors);
    Some((id.unwrap_or_default(), name, prompt, pass, parsed, accepted))
}

/// `lint: {ignore: [{code, because, criterion}]}`.
fn accepted(
    document: &Document,
    task: &Members<'_>,
    ids: &HashSet<String>,
    errors: &mut Vec<FileError>,
) -> Vec<Accepted> {
    let lint = task.get("lint").and_then(|lint| Members::of(document, &["lint"], lint, "`lint`", &["ignore"], errors));
    let ignored = match lint.as_ref().map(|lint| (lint, lint.get("ignore"))) {
        Some((_, Some(Value::Array(ignored)))) => ignored.as_slice(),
        Some((lint, Some(other))) => {
            errors.push(lint.error("ignore", format!("`ignore` is {}; expected a list", kind(other))));
            &[]
        }
        _ => &[],
    };
    let one = |(index, value): (usize, &Value)| {
        let index = index.to_string();
        let keys = ["code", "because", "criterion"];
        let members = Members::of(document, &["lint", "ignore", &index], value, "what is accepted", &keys, errors)?;
        let code = members.required_text("code", "what is accepted", errors);
        members.required_text("because", "what is accepted", errors);
        let criterion = members.text("criterion", errors);
        if let Some(id) = criterion.as_ref().filter(|id| !ids.contains(*id)) {
            errors.push(members.error("criterion", format!("the task has no criterion `{id}`")));
        }
        Some(Accepted { code: code?, criterion })
    };
    ignored.iter().enumerate().filter_map(one).collect()
}

/// The members that only the service uses: `timeout`, `agent_writes` and `sandbox`. The parts of `sandbox` are read there.
fn for_the_service(task: &Members<'_>, errors: &mut Vec<FileError>) {
    if let Some(Err(message)) = task.text("timeout", errors).map(|text| duration(&text)) {
        errors.push(task.error("timeout", format!("`timeout`: {message}")));
    }
    match task.get("agent_writes") {
        None => {}
        Some(Value::Array(names)) if names.iter().all(|name| name.as_str().is_some_and(|name| !name.is_empty())) => {}
        Some(_) => errors.push(task.error("agent_writes", "`agent_writes`: expected a list of names of portal tables")),
    }
    if let Some(other) = task.get("sandbox").filter(|value| !value.is_object() && !value.is_string()) {
        errors.push(task.error("sandbox", format!("`sandbox` is {}; expected an object of parts", kind(other))));
    }
}

/// The prompt: it is one text, whatever the values of its placeholders.
fn prompt(task: &Members<'_>, errors: &mut Vec<FileError>) -> Option<String> {
    let text = Value::String(task.text("prompt", errors)?);
    match replaced(&text, Scope { inputs: task.get("inputs"), entity: None }, &mut Vec::new()) {
        Ok(Value::String(text)) => Some(text),
        Ok(other) => Some(other.to_string()),
        Err(Missing { message, .. }) => {
            errors.push(task.error("prompt", message));
            None
        }
    }
}

/// The rule of a pass: `all`, or a threshold.
fn pass(task: &Members<'_>, errors: &mut Vec<FileError>) -> PassRule {
    let Some(value) = task.get("pass") else { return PassRule::default() };
    let rule = match value {
        Value::String(text) if text == "all" => Some(PassRule::ALL),
        Value::Number(number) => number.to_string().parse().ok(),
        _ => None,
    };
    rule.unwrap_or_else(|| {
        let near = match value {
            Value::String(text) if nearest(text, &["all"]).is_some() => "; did you mean `all`?",
            _ => "",
        };
        let message = format!("`pass` is {}; expected {}{near}", kind(value), PassRule::EXPECTED);
        errors.push(task.error("pass", message));
        PassRule::default()
    })
}

fn criterion(
    document: &Document,
    index: usize,
    value: &Value,
    task: &Members<'_>,
    ids: &mut HashSet<String>,
    errors: &mut Vec<FileError>,
) -> Option<Criterion> {
    let position = index.to_string();
    let what = format!("criterion {}", index + 1);
    let members = Members::of(document, &["criteria", &position], value, &what, CRITERION_KEYS, errors)?;
    let id = members.required_text("id", &what, errors);
    if let Some(id) = &id
        && !ids.insert(id.clone())
    {
        errors.push(members.error("id", format!("the criterion id `{id}` occurs twice; ids are unique within a task")));
    }
    let label = members.text("label", errors);
    let axis = members.text("axis", errors);
    let weight = weight(&members, errors);
    let gate = members.flag("gate", false, errors);
    let partial_credit = members.flag("partial_credit", false, errors);
    let vague_fails = vague_fails(&members, errors);
    let zone = zone(&members, errors).or_else(|| zone(task, &mut Vec::new()));
    let entity = members.text("input_entity_id", errors).and_then(|entity| {
        let found = task.get("entities").and_then(|entities| entities.get(&entity));
        if found.is_none() {
            errors.push(members.error("input_entity_id", format!("the task has no entity `{entity}`")));
        }
        found
    });
    let Some(assertion) = members.get("assertion") else {
        errors.push(members.error("", format!("{what} has no `assertion`")));
        return None;
    };
    let id = id.unwrap_or_else(|| (index + 1).to_string());
    let scope = Scope { inputs: task.get("inputs"), entity };
    let assertion = match replaced(assertion, scope, &mut Vec::new()) {
        Ok(assertion) => assertion,
        Err(Missing { steps, message }) => {
            let path = ["criteria", &position, "assertion"].into_iter().chain(steps.iter().map(String::as_str));
            errors.push(document.error(&path.collect::<Vec<_>>(), format!("criterion `{id}`: {message}")));
            return None;
        }
    };
    let label = label.unwrap_or_else(|| id.clone());
    Some(Criterion { label, id, weight, axis, gate, partial_credit, vague_fails, zone, assertion })
}

/// `zone`: a name of the IANA database, or an offset.
fn zone(members: &Members<'_>, errors: &mut Vec<FileError>) -> Option<Zone> {
    let text = members.text("zone", errors)?;
    match Zone::named(&text) {
        Ok(zone) => Some(zone),
        Err(message) => {
            errors.push(members.error("zone", format!("`zone`: {message}")));
            None
        }
    }
}

/// `undecidable`: `fail` or `unverifiable`, the status of work that the system under test wrote too vaguely.
fn vague_fails(members: &Members<'_>, errors: &mut Vec<FileError>) -> bool {
    match members.text("undecidable", errors).as_deref() {
        None | Some("unverifiable") => false,
        Some("fail") => true,
        Some(other) => {
            let message = format!("`undecidable` is `{other}`; expected `fail` or `unverifiable`");
            errors.push(members.error("undecidable", message));
            false
        }
    }
}

fn weight(members: &Members<'_>, errors: &mut Vec<FileError>) -> Weight {
    match members.get("weight") {
        None => Weight::ONE,
        Some(Value::Number(number)) => number.to_string().parse().unwrap_or_else(|error| {
            errors.push(
                members
                    .error("weight", format!("`weight` is {number}: {error}; expected a finite number of 0 or more")),
            );
            Weight::ONE
        }),
        Some(other) => {
            errors.push(
                members.error("weight", format!("`weight` is {}; expected a finite number of 0 or more", kind(other))),
            );
            Weight::ONE
        }
    }
}
