//! Weaknesses that are visible from the settings alone.

use candor_check::review::{Claim, RecordReview, Review, Shape, Weakness, WeaknessKind};

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
