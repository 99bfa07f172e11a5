//! Expressions, searches, concepts and dosages that are tried on files.

use candor_fhir_resource_state::tried::{concept, dosage, fhirpath, search, store};
use candor_json::{Value, json};

#[test]
fn an_empty_result_names_the_step_that_leaves_nothing() {
    let patient = json!({"resourceType": "Patient", "id": "1", "name": [{"use": "usual", "family": "Roe"}]});
    let store = store([("p.json".to_owned(), patient.to_string().into_bytes())]);
    let tried = fhirpath("name.where(use = 'official').family", &store).unwrap();
    assert_eq!(
        tried[0].why.as_deref(),
        Some("`name` selects 1, of which `where(use = 'official')` leaves none; the first has `use`, `family`")
    );
    let found = search("Patient?family=Doe", &store).unwrap();
    assert!(found[0].why.as_ref().unwrap().contains("Patient/1 of p.json comes closest of 1"), "{found:?}");
    assert!(search("Patient?family", &store).unwrap_err().contains("`family` has no value"));
    assert!(search("Patiant?family=x", &store).unwrap_err().contains("Patient"));
}

#[test]
fn each_of_many_values_has_its_place() {
    let list = json!({"resourceType": "Basic", "a": (0..50_000).collect::<Vec<u32>>()});
    let store = store([("a.json".to_owned(), list.to_string().into_bytes())]);
    let tried = fhirpath("descendants()", &store).unwrap();
    let places: Vec<&str> = tried[0].selected.iter().map(|one| one.place.as_str()).collect();
    assert_eq!((places.len(), places[0], places[49_999]), (50_000, "a[0]", "a[49999]"));
}

#[test]
fn a_meaning_is_shown_by_its_forms() {
    let order = |id: &str, code: Value, text: &str| {
        json!({"resourceType": "MedicationRequest", "id": id, "medicationCodeableConcept": code,
            "dosageInstruction": [{"text": text}]})
    };
    let drug = json!({"coding": [{"system": "http://www.nlm.nih.gov/research/umls/rxnorm", "code": "67108"}], "text": "Enoxaparin"});
    let mut other = drug.clone();
    other["text"] = json!("Heparin");
    let lines = [
        order("1", drug, "40 mg SQ daily"),
        order("2", other, "80 mg SQ daily"),
        order("3", json!({"text": "Aspirin"}), "as told"),
        json!({"resourceType": "Patient", "id": "p"}),
    ];
    let file = lines.map(|line| line.to_string()).join("\n");
    let store = store([("o.ndjson".to_owned(), file.into_bytes())]);
    let asserted = json!({"any": ["http://www.nlm.nih.gov/research/umls/rxnorm|67108"], "names": ["enoxaparin"], "not_words": ["heparin"]});
    let tried = concept(&asserted, None, &store).unwrap();
    assert_eq!(tried.len(), 3);
    assert_eq!(tried[0].selected[0].kind.as_deref(), Some("by the code 67108 and the text \"Enoxaparin\""));
    assert!(tried[1].unreadable && tried[1].why.as_ref().unwrap().contains("contradicts itself"), "{:?}", tried[1]);
    assert_eq!(tried[2].why.as_deref(), Some("`medication` means something else: \"Aspirin\""));
    let tried = dosage(&json!({"dose": "40 mg", "frequency": "once daily"}), &store).unwrap();
    assert_eq!(tried.iter().map(|one| one.selected.len()).collect::<Vec<_>>(), [1, 0, 0]);
    assert!(tried[2].why.as_ref().unwrap().ends_with("has \"told\", which Candor does not read"), "{:?}", tried[2]);
    assert!(dosage(&json!({"dose": "40 smurfs"}), &store).unwrap_err().contains("smurfs"));
    assert!(concept(&asserted, Some("category"), &store).unwrap()[0].why.as_ref().unwrap().contains("`category`"));
}

proptest::proptest! {
    #[test]
    fn nothing_panics(text in "[ -~]{0,24}", bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let files = [("a.json".to_owned(), bytes.clone()), ("b.json".to_owned(), br#"{"resourceType": "Patient", "id": "1"}"#.to_vec())];
        let store = store(files);
        let _ = fhirpath(&text, &store);
        let _ = search(&text, &store);
    }
}
