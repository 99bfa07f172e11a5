//! The assertion, read into settings that cannot be invalid.

use candor_check::field::Field;
use candor_check::records::{Match, RecordRules};
use candor_check::settings::{Cardinality, NotYet, nearest};
use candor_x12_guides as guides;
use serde::{Deserialize, Deserializer};

use crate::answer::Answer;
use crate::path::SetPath;
use crate::request::Answers;
use crate::selection::{Correlation, Guide, Selection, Transaction};
use crate::validate::Validate;

/// `envelope`: which disagreements of the envelope count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Envelope {
    /// None.
    Off,
    /// Those that may make text be read wrongly.
    #[default]
    Lenient,
    /// All.
    Strict,
}

/// The members as they are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Members {
    #[serde(default, deserialize_with = "given")]
    transaction: Option<Transaction>,
    #[serde(default, deserialize_with = "given")]
    guide: Option<Guide>,
    #[serde(default)]
    correlate_by: Correlation,
    #[serde(default)]
    fields: Vec<Field<SetPath>>,
    #[serde(default)]
    envelope: Envelope,
    #[serde(default, rename = "match")]
    matching: Match,
    #[serde(default, deserialize_with = "given")]
    count: Option<Cardinality>,
    /// Asserted meaning instead of paths.
    #[serde(default, deserialize_with = "given")]
    answer: Option<Answer>,
    /// Structure and balancing by SNIP type.
    #[serde(default, deserialize_with = "given")]
    validate: Option<Validate>,
    /// Correlation with a request of the sandbox.
    #[serde(default, deserialize_with = "given")]
    answers: Option<Answers>,
    /// Waiting for live sources.
    #[serde(default, rename = "within")]
    _within: NotYet,
}

/// A member that is there has a value: `null` is none.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// What is asserted.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) selection: Selection,
    pub(crate) fields: Vec<Field<SetPath>>,
    pub(crate) answer: Option<Answer>,
    pub(crate) validate: Option<Validate>,
    pub(crate) answers: Option<Answers>,
    pub(crate) envelope: Envelope,
    pub(crate) rules: RecordRules,
}

impl TryFrom<Members> for Settings {
    type Error = String;

    fn try_from(members: Members) -> Result<Self, String> {
        let ta1 = members.transaction == Some(Transaction::Ta1);
        if ta1 && members.guide.is_some() {
            return Err("`guide` is read from ST03 or GS08, and a TA1 segment has neither; leave it out".to_owned());
        }
        for field in members.correlate_by.0.iter().chain(&members.fields) {
            loops_are_known(&field.path, &field.path_text, members.transaction, members.guide.as_ref())?;
            let segment = field.path.segment();
            let never = match segment.as_str() {
                "ISA" => false,
                "TA1" => !ta1,
                _ => ta1,
            };
            if never {
                let seen = if ta1 { "a TA1 segment is seen with its ISA only" } else { "TA1 stands outside any set" };
                let advice = if ta1 { "" } else { "; ask for `transaction: TA1`" };
                return Err(format!("path `{}` can never select anything: {seen}{advice}", field.path_text));
            }
        }
        let transaction = match members.transaction {
            Some(Transaction::Set(transaction)) => Some(transaction),
            Some(Transaction::Ta1) => Some("TA1"),
            None => None,
        };
        if let Some(problem) = members.answer.as_ref().and_then(|answer| answer.problem(transaction)) {
            return Err(problem);
        }
        if let Some(problem) = members.answers.as_ref().and_then(|answers| answers.problem(transaction)) {
            return Err(problem);
        }
        if let Some(problem) = members.validate.as_ref().and_then(|validate| validate.problem(transaction)) {
            return Err(problem);
        }
        Ok(Self {
            selection: Selection {
                transaction: members.transaction,
                guide: members.guide,
                correlation: members.correlate_by,
            },
            fields: members.fields.into_iter().map(Field::where_empty_is_nothing).collect(),
            answer: members.answer,
            validate: members.validate,
            answers: members.answers,
            envelope: members.envelope,
            rules: RecordRules { matching: members.matching, count: members.count },
        })
    }
}

/// A loop that no guide has can never select; nor can one that the guide which is asked for does not have.
fn loops_are_known(
    path: &SetPath,
    text: &str,
    transaction: Option<Transaction>,
    guide: Option<&Guide>,
) -> Result<(), String> {
    let asked = match (transaction, guide) {
        (Some(Transaction::Set(transaction)), Some(Guide(guide))) => guides::Guide::of(transaction, guide),
        _ => None,
    };
    let of_transaction = |known: &&guides::Guide| match (asked, transaction) {
        (Some(asked), _) => known.id() == asked.id() && known.transaction() == asked.transaction(),
        (None, Some(Transaction::Set(transaction))) => known.transaction() == transaction,
        (None, _) => true,
    };
    for step in path.loops() {
        let ids = || guides::Guide::all().filter(of_transaction).flat_map(|guide| guide.loops().iter().map(|l| l.id()));
        if ids().any(|id| id == step.id()) {
            continue;
        }
        let known: Vec<&str> = ids().filter(|id| !id.is_empty()).collect();
        let whose = match (asked, transaction) {
            (Some(guide), _) => format!("guide {}", guide.id()),
            (None, Some(Transaction::Set(transaction))) => format!("guide of {transaction}"),
            (None, _) => "guide".to_owned(),
        };
        let meant = nearest(step.id(), &known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(match known.is_empty() {
            true => format!("path `{text}`: the loops of this transaction are not known"),
            false => format!("path `{text}` can never select anything: no {whose} has a loop {}{meant}", step.id()),
        });
    }
    Ok(())
}
