//! The assertion, read into settings that cannot be invalid.

use candor_check::field::{Field, FieldEntry};
use candor_check::records::{Match, RecordRules};
use candor_check::settings::{Cardinality, NotYet};
use serde::{Deserialize, Deserializer};

use crate::answer::{Answer, Subject};
use crate::known;
use crate::path::SetPath;
use crate::request::Answers;
use crate::selection::{Correlation, Guide, Selection, Transaction};
use crate::validate::Validate;

/// `envelope`: which disagreements of the envelope count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Envelope {
    Off,
    /// Those that may make text be read wrongly.
    #[default]
    Lenient,
    Strict,
}

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
    fields: Vec<FieldEntry<SetPath>>,
    #[serde(default)]
    envelope: Envelope,
    #[serde(default, rename = "match")]
    matching: Match,
    #[serde(default, deserialize_with = "given")]
    count: Option<Cardinality>,
    /// Asserted meaning instead of paths.
    #[serde(default, deserialize_with = "given")]
    answer: Option<Answer>,
    #[serde(default, deserialize_with = "given")]
    validate: Option<Validate>,
    #[serde(default, deserialize_with = "given")]
    answers: Option<Answers>,
    /// Accepts sets that undo the work, and sets whose work another one undoes.
    #[serde(default)]
    allow_modifiers: bool,
    #[serde(default, rename = "within")]
    _within: NotYet,
}

/// Reads a value; `null` is an error, unlike a missing member.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) selection: Selection,
    pub(crate) fields: Vec<FieldEntry<SetPath>>,
    pub(crate) answer: Option<Answer>,
    pub(crate) validate: Option<Validate>,
    pub(crate) answers: Option<Answers>,
    pub(crate) envelope: Envelope,
    pub(crate) allow_modifiers: bool,
    pub(crate) rules: RecordRules,
}

impl Settings {
    pub(crate) fn asserts_form_only(&self) -> bool {
        self.validate.is_some() && self.fields.is_empty() && self.answer.is_none() && self.answers.is_none()
    }

    pub(crate) fn reads_remittances(&self) -> bool {
        let is_remittance = matches!(self.selection.transaction, None | Some(Transaction::Set("835")));
        is_remittance && (self.answer.is_some() || self.asserts_work())
    }

    /// True if work is asserted that the author does not accept when it was undone.
    pub(crate) fn asserts_work(&self) -> bool {
        !self.allow_modifiers && !self.asserts_form_only() && self.rules.matching != Match::All
    }
}

impl TryFrom<Members> for Settings {
    type Error = String;

    fn try_from(members: Members) -> Result<Self, String> {
        let ta1 = members.transaction == Some(Transaction::Ta1);
        if ta1 && members.guide.is_some() {
            return Err("`guide` is read from ST03 or GS08, and a TA1 segment has neither; leave it out".to_owned());
        }
        let of_field = |field: &Field<SetPath>| (field.path.clone(), field.path_text.clone());
        let correlation = members.correlate_by.0.iter().map(|field| ("correlate_by".to_owned(), of_field(field)));
        let fields = members.fields.iter().enumerate().flat_map(|(number, entry)| {
            let paths = std::cell::RefCell::new(Vec::new());
            entry.visit(&mut |field| paths.borrow_mut().push(of_field(field)), &mut |group| {
                paths.borrow_mut().push((group.item.clone(), group.item_text.clone()));
            });
            paths.into_inner().into_iter().map(move |path| (format!("fields[{number}]"), path))
        });
        for (place, (path, text)) in correlation.chain(fields) {
            known::check(&path, &text, members.transaction, members.guide.as_ref())
                .map_err(|problem| format!("{place}: {problem}"))?;
            let Some(segment) = path.segment() else { continue };
            let never = match segment.as_str() {
                "ISA" => false,
                "TA1" => !ta1,
                _ => ta1,
            };
            if never {
                let seen = if ta1 { "a TA1 segment is seen with its ISA only" } else { "TA1 lies outside any set" };
                let advice = if ta1 { "" } else { "; ask for `transaction: TA1`" };
                return Err(format!("path `{}` can never select anything: {seen}{advice}", text));
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
        if members.answers.as_ref().is_some_and(|answers| answers.every.is_some())
            && members.count.is_some_and(|count| count.is_none())
        {
            return Err("`answers.every` asks for answers, and `count` for none; leave one of them out".to_owned());
        }
        if let Some(problem) = members.validate.as_ref().and_then(|validate| validate.problem(transaction)) {
            return Err(problem);
        }
        Ok(Self {
            selection: Selection {
                transaction: members.transaction,
                guide: members.guide,
                correlation: members.correlate_by,
                subject: Subject::of(members.answer.as_ref()),
            },
            fields: members.fields.into_iter().map(FieldEntry::where_empty_is_nothing).collect(),
            answer: members.answer,
            validate: members.validate,
            answers: members.answers,
            envelope: members.envelope,
            allow_modifiers: members.allow_modifiers,
            rules: RecordRules { matching: members.matching, count: members.count },
        })
    }
}
