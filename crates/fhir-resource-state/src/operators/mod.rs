//! The changes that an audit makes to a resource. Each row says why it is a harm or not (FHIR R4; texts in quotation
//! marks are in conformance/audit/quotations.tsv).

mod breaches;
mod equivalents;
mod forms;
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
        "`entered-in-error`: \"This electronic record should never have existed\" (event-status; request-status says so of a request)."),
    Operator::harm("fhir/do-not-perform", harms::do_not_perform,
        "doNotPerform is a modifier element: \"asking for the medication request not to occur\", \"should NOT be performed\" (MedicationRequest, ServiceRequest)."),
    Operator::harm("fhir/status-cancelled", harms::status_cancelled,
        "`revoked`: \"No further activity should occur\" (request-status); `cancelled`: \"withdrawn before any administrations have occurred\" (MedicationRequest)."),
    Operator::harm("fhir/status-draft", harms::status_draft,
        "`draft`: \"The request has been created but is not yet complete or ready for action\" (request-status)."),
    Operator::harm("fhir/intent-proposal", harms::intent_proposal,
        "`proposal`: \"a suggestion made by someone/something that does not have an intention to ensure it occurs\" (request-intent)."),
    Operator::harm("fhir/modifier-extension", harms::modifier_extension,
        "modifierExtension \"modifies the understanding of the element that contains it\"; \"Applications processing a resource are required to check for modifier extensions\"."),
    Operator::harm("fhir/second-dose", harms::second_dose,
        "Of several dosages with one sequence number \"the instructions are to be treated as concurrent\" (Dosage.sequence): more is given than was asked for."),
    Operator::harm("fhir/dose-tenfold", harms::dose_tenfold,
        "Ten times the quantity is another quantity."),
    Operator::harm("fhir/same-number-other-unit", harms::other_unit,
        "A quantity is its number with its unit."),
    Operator::harm("fhir/competing-coding", harms::competing_coding,
        "Codings of one concept are translations of each other: one that says something else makes it undecided what was meant."),
    Operator::harm("fhir/duplicate-resource", harms::duplicate_resource,
        "The same request with another id is a second request."),
    Operator::harm("fhir/component-contradicts", harms::component_contradicts,
        "\"component observations are expressed as separate code value pairs\": two of one code with two values contradict each other."),
    Operator::harm("fhir/day-shifted", harms::day_shifted,
        "Another day is another day."),
    Operator::harm("fhir/sibling-order", harms::sibling_order,
        "Every order that is active is carried out (request-status, `active`: \"The request is in force and ready to be acted upon\"): one more than was asked for is one too many."),
    Operator::harm("fhir/also-other-patient", harms::also_other_patient,
        "Somebody for whom nothing was asked has an order."),
    Operator::harm("fhir/other-record-cancelled", harms::other_record_cancelled,
        "Another order of the patient, which the task does not ask to end, is not carried out any more."),
    Operator::harm("fhir/as-needed", harms::as_needed,
        "asNeeded[x]: \"the Medication is only taken when needed\" (Dosage): it may never be given."),
    Operator::harm("fhir/sig-contradicts", harms::sig_contradicts,
        "Dosage.text is what a person reads (\"Free text dosage instructions\"): where it names another dose, it is undecided which is given."),
    Operator::harm("fhir/second-dose-and-rate", harms::second_dose_and_rate,
        "doseAndRate is \"The amount of medication administered\" (Dosage): two amounts contradict each other."),
    Operator::remark("fhir/retracting-note", harms::retracting_note,
        "The text of an annotation is prose: what it means for the act is for a person to say."),

    Operator::equivalent("fhir/offset-as-z", same::offset_as_z,
        "A time with an offset is an instant, and the same one in every offset."),
    Operator::equivalent("fhir/other-offset-same-instant", same::other_offset,
        "\"If hours and minutes are specified, a time zone SHALL be populated\" (dateTime): the same instant in another zone, on the same local day."),
    Operator::equivalent("fhir/array-order", same::array_order,
        "\"Ordering of codings is undefined and SHALL NOT be used to infer meaning\" (CodeableConcept); identifiers, categories, reasons and participants do not have an order either."),
    Operator::equivalent("fhir/as-bundle", same::as_bundle,
        "A Bundle of type collection is \"a set of resources collected into a single package for ease of distribution\" (bundle-type)."),
    Operator::equivalent("fhir/as-ndjson", same::as_ndjson,
        "Newline-delimited JSON holds a resource a line (Bulk Data Access: application/fhir+ndjson)."),
    Operator::equivalent("fhir/decimal-form", same::decimal_form,
        "5 and 5.0 are equal numbers; precision says how exactly it was measured."),
    Operator::equivalent("fhir/member-order", same::member_order,
        "\"An object is an unordered collection\" of members (RFC 8259, 1)."),
    Operator::equivalent("fhir/extra-coding", same::extra_coding,
        "Several codings allow for \"translations to other code systems\" (CodeableConcept.coding): one more for the same concept says nothing else."),
    Operator::equivalent("fhir/display-text", same::display_text,
        "\"A representation of the meaning of the code in the system\" (Coding.display): the code decides."),
    Operator::equivalent("fhir/absolute-reference", same::absolute_reference,
        "A relative reference is resolved against the base of the entry's fullUrl (Bundle, resolving references)."),
    Operator::equivalent("fhir/versioned-reference", same::versioned_reference,
        "`[type]/[id]/_history/[vid]` refers to a version of the same resource."),
    Operator::equivalent("fhir/reference-display", same::reference_display,
        "\"Plain text narrative that identifies the resource in addition to the resource reference\" (Reference.display)."),
    Operator::equivalent("fhir/meta-and-text", same::meta_and_text,
        "meta is maintained by the infrastructure, text is the human-readable summary; neither is the work."),
    Operator::equivalent("fhir/extra-note", same::extra_note,
        "\"Extra information about the prescription that could not be conveyed by the other attributes\" (MedicationRequest.note): the other attributes stay."),
    Operator::equivalent("fhir/text-only", forms::text_only,
        "\"A human language representation of the concept as seen/selected/entered by the user\" (CodeableConcept.text): the text of the concept says what its codes said."),
    Operator::equivalent("fhir/code-only", forms::code_only,
        "The codes say the same without the text and the displays."),
    Operator::equivalent("fhir/timing-coded", forms::timing_coded,
        "\"A code for the timing schedule (or just text in code.text)\" (Timing.code): its abbreviation says what the parts of `repeat` said."),
    Operator::equivalent("fhir/timing-repeat", forms::timing_repeat,
        "\"BID, etc. are defined as 'at institutionally specified times'\" (Timing.code): by frequency and period they are what `repeat` says."),
    Operator::equivalent("fhir/route-text", forms::route_text,
        "A route has a name and a code; either says which it is (CodeableConcept.text)."),
    Operator::equivalent("fhir/sig-agrees", forms::sig_agrees,
        "Dosage.text is \"Free text dosage instructions\": words that repeat the dose of the elements say nothing else."),
    Operator::equivalent("fhir/medication-reference", forms::medication_reference,
        "medication[x] is \"a link to a resource that represents the medication\" or \"simply an attribute carrying a code\" (MedicationRequest)."),
    Operator::order("fhir/entry-order", same::entry_order,
        "The entries of a collection, and the resources of a folder, have no order."),
    Operator::breach("fhir/forbidden-resource", breaches::forbidden_resource,
        "A resource of the type and the search that the criterion forbids."),
];

const CONCEPTS: [&str; 3] = ["medicationCodeableConcept", "code", "vaccineCode"];

/// Types that have `note`.
const NOTED: [&str; 8] = [
    "MedicationRequest",
    "ServiceRequest",
    "Observation",
    "Procedure",
    "Task",
    "CarePlan",
    "DeviceRequest",
    "Immunization",
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

fn named(target: &Target<'_>) -> String {
    let resource = target.record().unwrap_or_default();
    match text(resource, &["id"]) {
        Some(id) => format!("{}/{id}", kind_of(resource)),
        None => format!("the {} in {}", kind_of(resource), target.place.locator),
    }
}
