//! What an audit changes of a resource. Each row says why it is a harm, or none, with the standard's own words (FHIR R4).

mod equivalents;
mod harms;

use candor_check::operators::{Change, Operator, Target};
use candor_check::strict_json::{Edit, get};

use equivalents as same;

/// The operators of FHIR resources.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::harm("fhir/other-patient", harms::other_patient,
        "The subject is another patient of the sandbox: the work was done for the wrong person."),
    Operator::harm("fhir/entered-in-error", harms::entered_in_error,
        "`entered-in-error`: \"This electronic record should never have existed\" (request-status, and each status value set)."),
    Operator::harm("fhir/do-not-perform", harms::do_not_perform,
        "doNotPerform is a modifier element: \"True if the request is to stop or not to start\" the act."),
    Operator::harm("fhir/status-cancelled", harms::status_cancelled,
        "`cancelled`, `revoked`: the act is not to happen."),
    Operator::harm("fhir/status-draft", harms::status_draft,
        "`draft`: \"The request has been created but is not yet complete or ready for action\"."),
    Operator::harm("fhir/intent-proposal", harms::intent_proposal,
        "`proposal`: \"a suggestion … without an intention to ensure it occurs and without providing an authorization to act\"."),
    Operator::harm("fhir/modifier-extension", harms::modifier_extension,
        "modifierExtension: \"may … change the interpretation of the element\"; who does not know it SHALL NOT process it."),
    Operator::harm("fhir/second-dose", harms::second_dose,
        "Another dosageInstruction without a sequence is \"to be followed concurrently\": more is given than was asked for."),
    Operator::harm("fhir/dose-tenfold", harms::dose_tenfold,
        "Ten times the quantity is another quantity."),
    Operator::harm("fhir/same-number-other-unit", harms::other_unit,
        "A quantity is its number with its unit."),
    Operator::harm("fhir/competing-coding", harms::competing_coding,
        "Codings of one concept are translations of each other: one that says something else makes it undecided what was meant."),
    Operator::harm("fhir/duplicate-resource", harms::duplicate_resource,
        "The same request with another id is a second request."),
    Operator::harm("fhir/component-contradicts", harms::component_contradicts,
        "A second component of one code has another value: \"Some observations have multiple component observations\", one a code."),
    Operator::harm("fhir/day-shifted", harms::day_shifted,
        "Another day is another day."),

    Operator::equivalent("fhir/offset-as-z", same::offset_as_z,
        "An instant is the same in every offset (dateTime: \"a date, date-time or partial date … timezone offset\")."),
    Operator::equivalent("fhir/decimal-form", same::decimal_form,
        "5 and 5.0 are equal numbers; precision says how exactly it was measured."),
    Operator::equivalent("fhir/member-order", same::member_order,
        "\"Property names SHALL be unique\"; their order has no meaning (JSON: an object is an unordered collection)."),
    Operator::equivalent("fhir/extra-coding", same::extra_coding,
        "\"A reference to a code defined by a terminology system\" may be given in several systems for one concept."),
    Operator::equivalent("fhir/display-text", same::display_text,
        "display: \"A representation of the meaning of the code in the system, following the rules of the system\"; the code decides."),
    Operator::equivalent("fhir/absolute-reference", same::absolute_reference,
        "A relative reference is resolved against the base of the entry's fullUrl (Bundle, resolving references)."),
    Operator::equivalent("fhir/versioned-reference", same::versioned_reference,
        "`[type]/[id]/_history/[vid]` refers to a version of the same resource."),
    Operator::equivalent("fhir/reference-display", same::reference_display,
        "Reference.display: \"Plain text narrative that identifies the resource in addition to the resource reference\"."),
    Operator::equivalent("fhir/meta-and-text", same::meta_and_text,
        "meta is maintained by the infrastructure, text is the human-readable summary; neither is the work."),
    Operator::equivalent("fhir/extra-note", same::extra_note,
        "note: extra information \"that could not be represented by the other attributes\"."),
    Operator::order("fhir/entry-order", same::entry_order,
        "The entries of a collection, and the resources of a folder, have no order."),
];

/// The text of a member that is a string, without its quotes.
fn text<'r>(resource: &'r str, steps: &[&str]) -> Option<&'r str> {
    get(resource, steps)?.strip_prefix('"')?.strip_suffix('"')
}

fn kind_of(resource: &str) -> &str {
    text(resource, &["resourceType"]).unwrap_or_default()
}

fn one(target: &Target<'_>, edit: Option<Edit>, sentence: impl Into<String>) -> Vec<Change> {
    edit.map(|edit| target.change([edit], sentence)).into_iter().collect()
}

/// The resource as sentences name it.
fn named(target: &Target<'_>) -> String {
    let resource = target.record().unwrap_or_default();
    match text(resource, &["id"]) {
        Some(id) => format!("{}/{id}", kind_of(resource)),
        None => format!("the {} in {}", kind_of(resource), target.place.locator),
    }
}
