//! Search over a store, which parses only what is asked for, finds what looking at each whole resource finds.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::borrow::Cow;
use std::path::Path;

use candor_fhir_resource_state::store::{Builder, Resource, Store};
use candor_fhir_search::table::{Kind, parameters};
use candor_fhir_search::types::resources;
use candor_fhir_search::{Resources, Search};

fn fixtures() -> Store {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut builder = Builder::default();
    for folder in ["fhir-r4-official", "fhir-synthea-smart", "fhir-us-core"] {
        let mut files: Vec<_> =
            std::fs::read_dir(root.join(folder)).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "json")) {
            builder.file(&file.to_string_lossy(), std::fs::read(file).unwrap());
        }
    }
    builder.finish()
}

fn alone<'s>(store: &'s Store, search: &Search) -> Vec<&'s Resource> {
    let all = store.of_type(search.resource_type());
    all.filter(|resource| search.matches(&store.subject(resource))).collect()
}

#[test]
fn every_parameter() {
    let (store, whole) = (fixtures(), fixtures());
    let (mut asked, mut found) = (0, 0);
    for resource_type in resources().filter(|name| !Resources::of_type(&store, name).is_empty()) {
        for parameter in parameters(resource_type) {
            let values: &[(&str, &str)] = match parameter.kind {
                Kind::Token => &[("", "final"), ("", "active"), (":not", "finished")],
                Kind::String => &[("", "a"), (":contains", "e")],
                Kind::Date => &[("", "ge2010"), ("", "lt2012-06")],
                Kind::Number | Kind::Quantity => &[("", "gt10"), ("", "lt100||kg")],
                Kind::Uri => &[(":below", "http://hl7.org/fhir")],
                Kind::Reference => &[("", "example"), ("", "Patient/example"), (":identifier", "a")],
                Kind::Composite | Kind::Special => &[],
            };
            for (modifier, value) in values.iter().chain(&[(":missing", "true")]) {
                let name = format!("{}{modifier}", parameter.code);
                let Ok(search) = Search::compile(resource_type, [(name.as_str(), [*value])]) else { continue };
                let spans = |found: Vec<&Resource>| {
                    found.into_iter().map(|resource| (resource.file.clone(), resource.span())).collect::<Vec<_>>()
                };
                let expected = spans(alone(&whole, &search));
                found += expected.len();
                assert_eq!(spans(store.find(&search)), expected, "{resource_type}?{name}={value}");
                asked += 1;
            }
        }
    }
    assert!(asked > 4_000 && found > 7_000, "{asked} {found}");
}

#[test]
fn text_that_is_passed_over_is_read_all_the_same() {
    let mut builder = Builder::default();
    builder.file("a.ndjson", br#"{"resourceType":"Patient","id":"1","birthDate":"2000","name":[{"family":"\ud800"}]}"#);
    builder.file(
        "b.ndjson",
        br#"{"resourceType":"Patient","id":"2","birthDate":"2000","name":[{"family":"\ud83d\ude00 \u00e9"}]}"#,
    );
    builder
        .file("c.ndjson", br#"{"resourceType":"Patient","id":"3","birthDate":"2000","multipleBirthInteger":1e99999}"#);
    let store = builder.finish();
    assert_eq!((store.resources().len(), store.unreadable().len()), (2, 1));
    let search = Search::compile("Patient", [("name:contains", ["é"])]).unwrap();
    assert_eq!(store.find(&search).iter().map(|resource| resource.id.as_deref()).collect::<Vec<_>>(), [Some("2")]);
    assert_eq!(store.resources()[0].value()["name"][0]["family"], "\u{1f600} é");
    assert!(store.resources()[1].value()["multipleBirthInteger"].is_number());
}

#[test]
fn an_id_is_found_where_its_resource_writes_it() {
    let mut builder = Builder::default();
    let lines = [
        r#"{"resourceType":"Patient","id":"1"}"#,
        r#"{"resourceType":"Patient","meta":{"versionId":"2"},"id":"\u0032"}"#,
        r#"{"id":"3","resourceType":"Patient","contained":[{"resourceType":"Patient","id":"4","meta":{"versionId":"9"}}]}"#,
        r#"{"resourceType":"Patient","id":"5","active":true,"meta":{"versionId":"7"}}"#,
        r#"{"resourceType":"Patient","id":"6","m\u0065ta":{"versionId":"8"}}"#,
        r#"{"resourceType":"Observation","id":"1"}"#,
    ];
    builder.file("a.ndjson", lines.join("\n"));
    // The id in its URL is not an element of the resource.
    builder.file("b.json", br#"{"resourceType":"Bundle","type":"collection","entry":[{"fullUrl":"https://a.example/Observation/2","resource":{"resourceType":"Observation"}}]}"#);
    let store = builder.finish();
    let versions: Vec<_> = store.of_type("Patient").map(Resource::version_id).collect();
    assert_eq!(versions, [None, Some("2"), None, Some("7"), Some("8")].map(|text| text.map(Cow::Borrowed)));
    for resource_type in ["Patient", "Observation"] {
        for ids in ["1", "2", "3", "4", "5", "6", "1,3,9", "2,1"] {
            let search = Search::compile(resource_type, [("_id", [ids])]).unwrap();
            let places = |found: Vec<&Resource>| found.into_iter().map(|one| one.span()).collect::<Vec<_>>();
            assert_eq!(places(store.find(&search)), places(alone(&store, &search)), "{resource_type}?_id={ids}");
        }
    }
    assert_eq!(store.find(&Search::compile("Patient", [("_id", ["1,2"])]).unwrap()).len(), 2);
}
