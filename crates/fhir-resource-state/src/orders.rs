//! Weak spots of a list of fields over an order: siblings, codes, doses, notes.

use candor_check::field::{Expected, Field, FieldEntry};
use candor_check::review::{Statuses, Weakness, WeaknessKind};
use candor_json::Value;

use crate::path::FhirPath;
use crate::settings::Settings;

/// Types of orders, with the search parameter of the day on which one was written.
const DAY: [(&str, &str); 4] = [
    ("MedicationRequest", "authoredon"),
    ("ServiceRequest", "authored"),
    ("DeviceRequest", "authored-on"),
    ("NutritionOrder", "datetime"),
];
/// Search parameters that select one record, whatever else there is.
const IDENTIFIES: [&str; 2] = ["_id", "identifier"];

/// Adds siblings, codes, doses and notes to the elements that the criterion asserts, or leaves open.
pub(crate) fn review(settings: &Settings, statuses: &mut Statuses) {
    let kind = settings.search.resource_type();
    let Some((_, day)) = DAY.iter().find(|(name, _)| *name == kind) else { return };
    let order = Order { settings, day };
    for (element, is_said, weakness) in [
        ("siblings", order.counts(), order.sibling()),
        ("concept", order.has_meaning("concept"), order.code()),
        ("dosage", order.has_meaning("dosage"), order.dose()),
        ("note", order.reads("note"), order.note()),
    ] {
        match weakness {
            _ if is_said => statuses.asserted.push(element),
            Some(weakness) => statuses.open.push((element, weakness)),
            None => {}
        }
    }
}

struct Order<'s> {
    settings: &'s Settings,
    day: &'static str,
}

impl<'s> Order<'s> {
    fn fields(&self) -> impl Iterator<Item = &'s Field<FhirPath>> {
        self.settings.fields.iter().flat_map(FieldEntry::fields)
    }

    fn searched(&self, names: &[&str]) -> Option<&'s str> {
        self.settings.search.conditions().find(|(name, _)| names.contains(name)).map(|(_, value)| value)
    }

    fn asserted(&self, path: &str) -> Option<&'s str> {
        self.fields().find(|field| field.path_text == path).and_then(|field| field.expected_value.as_str())
    }

    fn counts(&self) -> bool {
        self.settings.count.is_some_and(|count| !count.allows(u64::MAX)) && self.searched(&IDENTIFIES).is_none()
    }

    fn has_meaning(&self, member: &str) -> bool {
        let is_it =
            |field: &Field<FhirPath>| matches!(&field.expected, Expected::Meaning(own) if own.member() == member);
        self.fields().any(is_it) || member == "concept" && !self.settings.concepts.is_empty()
    }

    fn reads(&self, element: &str) -> bool {
        let names = |path: &str| path.split(|c: char| !c.is_alphanumeric()).any(|word| word == element);
        self.settings.fields.iter().any(|entry| names(entry.path_text()))
            || self.fields().any(|field| names(&field.path_text))
    }

    fn sibling(&self) -> Option<Weakness> {
        let is_one = self.settings.read.is_some() || self.searched(&IDENTIFIES).is_some();
        if is_one || self.settings.fields.is_empty() {
            return None;
        }
        let patient = self.searched(&["patient", "subject"]).or_else(|| self.asserted("subject.reference"));
        let written = self.searched(&[self.day]).or_else(|| self.asserted("authoredOn"));
        let message = format!(
            "an order that fails the fields is not counted, so a second one, of another dose or kind, changes nothing; count those of the patient and day in a criterion of its own: `search: {{patient: {}, {}: {}}}` with `count: 1`",
            patient.unwrap_or("Patient/…"),
            self.day,
            written.and_then(|day| day.get(..10)).unwrap_or("…"),
        );
        Some(Weakness::new(WeaknessKind::SiblingUnseen, "", message))
    }

    /// The weakness of a code in the search or a field, without names.
    fn code(&self) -> Option<Weakness> {
        let (path, system) = match self.settings.search.resource_type() {
            "MedicationRequest" => ("medication", "http://hl7.org/fhir/sid/ndc"),
            _ => ("code", "http://loinc.org"),
        };
        let field = self.fields().find(|field| {
            let mut words = field.path_text.split('.');
            words.next().is_some_and(|first| matches!(first, "code" | "medicationCodeableConcept"))
                && words.next_back() == Some("code")
        });
        let of_field = field.and_then(|field| field.expected_value.as_str());
        let code = self.searched(&["code"]).or(of_field)?;
        let any = if code.contains('|') { code.to_owned() } else { format!("{system}|{code}") };
        let message = format!(
            "only the code `{code}` is accepted: an order that says the same by its text, by a code of another system or, of a drug, in a Medication fails; write `{{path: {path}, concept: {{any: [\"{any}\"], names: [\"…\"]}}}}`"
        );
        Some(Weakness::new(WeaknessKind::CodeWithoutNames, "", message))
    }

    fn dose(&self) -> Option<Weakness> {
        let field = self.fields().find(|field| field.path_text.contains("doseQuantity"))?;
        let part = |name: &str| {
            field.expected_value.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        let number = match &field.expected_value {
            Value::Number(number) => Some(number.to_string()),
            _ => part("value"),
        };
        let unit = part("unit").or_else(|| part("code")).unwrap_or_else(|| "…".to_owned());
        let message = format!(
            "the dose is read from one element: an order that says it in its text or by another unit fails, and one whose text names another dose passes; write `{{dosage: {{dose: {} {unit}, frequency: …, route: …}}}}`",
            number.unwrap_or_else(|| "…".to_owned()),
        );
        Some(Weakness::new(WeaknessKind::DoseByElement, "", message))
    }

    fn note(&self) -> Option<Weakness> {
        if self.settings.fields.is_empty() {
            return None;
        }
        let message = "nothing reads `note`, so an order whose note takes it back passes; write `{path: note.text, op: matches, expected: \"(?i).*(disregard|in error|do not|cancel).*\", quantifier: none, absent: pass}`";
        Some(Weakness::new(WeaknessKind::NoteUnread, "", message))
    }
}
