//! The expressions of search parameters select what FHIRPath says they do.

use crate::common;

use candor_fhir_search::path::Path;
use candor_fhir_search::table::parameters;
use candor_fhir_search::types::resources;
use candor_fhir_search::{Resources, Subject};
use candor_fhirpath::{Context, Expression};
use candor_json::Value;

#[test]
fn every_expression_is_fhirpath() {
    for resource_type in resources() {
        for parameter in parameters(resource_type).filter(|parameter| !parameter.expression.is_empty()) {
            let parsed = Expression::parse(parameter.expression);
            assert!(parsed.is_ok(), "{}: {}", parameter.expression, parsed.unwrap_err());
        }
    }
}

#[test]
fn the_compiled_expressions_select_what_fhirpath_selects() {
    let shelf = common::fixtures();
    let (mut compared, mut selected) = (0, 0);
    for resource_type in shelf.types() {
        for parameter in parameters(resource_type).filter(|parameter| !parameter.expression.is_empty()) {
            let path = Path::compile(parameter.expression).unwrap();
            let expression = Expression::parse(parameter.expression).unwrap();
            for position in shelf.of_type(resource_type) {
                let subject: Subject<'_> = shelf.subject(*position).unwrap();
                let own: Vec<&Value> = path.select(&subject).iter().map(|item| item.value).collect();
                let context = Context::new().with_resource(subject.value).with_typed_references();
                let evaluated = expression.evaluate(subject.value, &context);
                let theirs = evaluated.unwrap_or_else(|error| panic!("{}: {error}", parameter.expression));
                let theirs: Vec<_> = theirs.iter().map(|item| item.json()).collect();
                // A union leaves out duplicates.
                let own_in_theirs = own.iter().all(|value| theirs.iter().any(|other| **other == **value));
                let theirs_in_own = theirs.iter().all(|value| own.iter().any(|other| **other == **value));
                assert!(
                    own_in_theirs && theirs_in_own,
                    "{resource_type}/{:?}?{}: {}\n{own:?}\n{theirs:?}",
                    subject.value["id"],
                    parameter.code,
                    parameter.expression
                );
                compared += 1;
                selected += own.len();
            }
        }
    }
    assert!(compared > 5_000 && selected > 2_000, "{compared} {selected}");
}
