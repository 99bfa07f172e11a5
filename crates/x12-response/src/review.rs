//! What the settings are worth by themselves.

use candor_check::review::{Change, Claim, RecordReview, Review, Shape, Weakness, WeaknessKind};

use crate::batch;
use crate::selection::Transaction;
use crate::settings::{Envelope, Settings};

pub(crate) fn review(settings: &Settings) -> Review {
    let review = RecordReview {
        one: if settings.selection.asks_for_ta1() { "TA1 segment" } else { "readable transaction set" },
        member: "fields",
        fields: &settings.fields,
        rules: settings.rules,
        selected: !settings.selection.correlation.0.is_empty(),
        select_by: "correlate_by",
        beside: settings.answer.is_some()
            || settings.validate.is_some()
            || settings.answers.is_some()
            || settings.envelope == Envelope::Strict,
        whole: false,
    };
    let correlated = settings.selection.correlation.0.iter();
    let conditions: Vec<Claim> = correlated.map(|field| Claim::of(field, "`correlate_by`", false)).collect();
    let mut review = review.review_shaped(&conditions, &|_, path| Shape::of_segments(path));
    review.weaknesses.extend(batch::unbound(settings));
    review.weaknesses.extend(frequency_open(settings));
    review
}

/// A claim is read, and nothing says whether it may be one that replaces another.
fn frequency_open(settings: &Settings) -> Option<Weakness> {
    let is_claim = settings.selection.transaction == Some(Transaction::Set("837")) && settings.asserts_work();
    let mut texts: Vec<&str> = settings.selection.correlation.0.iter().map(|field| field.path_text.as_str()).collect();
    let mut groups: Vec<&str> = Vec::new();
    for entry in &settings.fields {
        entry.visit(&mut |field| texts.push(&field.path_text), &mut |group| groups.push(&group.item_text));
    }
    texts.extend(groups);
    let names_it =
        |text: &&str| ["CLM.5.3", "CLM.05.3", "CLM05-3", "CLM05.3", "[5.3="].iter().any(|way| text.contains(way));
    let message = "a claim that replaces an earlier one passes as well; where an original is meant, write \
        `{path: CLM.5.3, expected: \"1\"}`";
    let is_open = is_claim && !settings.fields.is_empty() && !texts.iter().any(names_it);
    is_open.then(|| Weakness::new(WeaknessKind::FrequencyOpen, "fields", message.to_owned()))
}

/// Transactions with what makes one of their sets unsafe.
const UNSAFE: [(&str, &str); 3] = [
    ("837", "a claim whose CLM05-3 is 8 (void)"),
    ("835", "a claim that a later remittance reverses (CLP02 22)"),
    ("278", "a request whose BHT02 is 01 (cancellation)"),
];

/// What version 0.1 decided otherwise.
pub(crate) fn changes(settings: &Settings) -> Vec<Change> {
    let asked = settings.selection.transaction;
    let concerned = UNSAFE.iter().filter(|(name, _)| asked.is_none_or(|asked| asked == Transaction::Set(name)));
    let safety = concerned.filter(|_| settings.asserts_work()).map(|(_, what)| {
        let message = format!("{what} no longer counts; name the value, or write `allow_modifiers: true`");
        Change::new("", message)
    });
    let order = Change::of_order(settings.rules, "ISA09, ISA10 and ISA13");
    let form = settings.validate.as_ref().map(|_| {
        Change::new("validate", "a file that is cut off or is not X12 fails; version 0.1 ended unverifiable; without `validate` it still does")
    });
    let answers = settings.answers.as_ref().map(|_| {
        Change::new("answers", "an answer about another person, or a claim that was never sent, fails; version 0.1 compared the trace alone")
    });
    let dates = Change::of_dates("fields", &settings.fields);
    safety.chain(order).chain(form).chain(answers).chain(dates).collect()
}
