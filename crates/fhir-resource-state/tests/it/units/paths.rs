//! Paths by the definitions of FHIR.

use crate::paths::{shape, steps};

fn names(path: &str) -> Vec<Option<&str>> {
    steps(path).into_iter().map(|(_, name)| name).collect()
}

#[test]
fn shapes_of_paths() {
    let of = |inside: &[&str], path: &str| {
        let shape = shape("MedicationRequest", inside, path);
        (shape.single, shape.every)
    };
    let every = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    assert_eq!(of(&[], "status"), (true, every(&[])));
    assert_eq!(of(&[], "subject.reference"), (true, every(&[])));
    assert_eq!(of(&[], "medicationCodeableConcept.coding.code"), (false, every(&["medicationCodeableConcept.coding"])));
    assert_eq!(of(&[], "medicationCodeableConcept.coding.0.code"), (true, every(&[])));
    let nested = every(&["dosageInstruction", "dosageInstruction.doseAndRate"]);
    assert_eq!(of(&[], "dosageInstruction.doseAndRate.doseQuantity.value"), (false, nested));
    assert_eq!(of(&["dosageInstruction"], "doseAndRate.doseQuantity.value"), (false, every(&["doseAndRate"])));
    assert_eq!(of(&["dosageInstruction"], "route.text"), (true, every(&[])));
    assert_eq!(of(&["dosageInstruction.where(text = 'x')"], "route.text"), (false, every(&[])));
    assert_eq!(of(&[], "extension.valueString"), (false, every(&["extension"])));
    assert_eq!(of(&[], "$.dosageInstruction[*].text"), (false, every(&["$.dosageInstruction[*]"])));
    assert_eq!(of(&[], "contained.name.family"), (false, every(&[])));
}

#[test]
fn steps_of_paths() {
    assert_eq!(steps("name.0.family"), [(0, Some("name")), (7, Some("family"))]);
    assert_eq!(steps("$.name[0]['family']"), [(2, Some("name")), (11, Some("family"))]);
    assert_eq!(names("$[\"name\"][-1].given[*]"), [Some("name"), Some("given")]);
    for open in
        ["$.name[?@.use == 'usual'].family", "$.name[0:2].family", "$.name['a','b']", "$.name..family", "$.name.*"]
    {
        assert_eq!(names(open), [Some("name"), None], "{open}");
    }
    assert_eq!(names("$"), []);
    assert_eq!(names("$..id"), [None]);
}
