//! Which of the specification's search parameters are answered, and that the others are refused by name.

use candor_fhir_search::path::Path;
use candor_fhir_search::table::{Kind, Parameter, components, parameters};
use candor_fhir_search::types::resources;
use candor_fhir_search::{Search, SearchError};

/// A value that every parameter of a kind accepts.
fn a_value(resource_type: &str, parameter: &Parameter) -> String {
    match parameter.kind {
        Kind::Token => "true".to_owned(),
        Kind::Date => "2026".to_owned(),
        Kind::Number | Kind::Quantity => "5".to_owned(),
        Kind::Composite => components(resource_type, parameter.code)
            .iter()
            .map(|(component, _)| a_value(resource_type, component))
            .collect::<Vec<_>>()
            .join("$"),
        _ => "x".to_owned(),
    }
}

#[test]
fn every_parameter_is_answered_but_those_that_only_a_server_can_answer() {
    let (mut answered, mut bound, mut refused) = (0, 0, Vec::new());
    for resource_type in resources() {
        for parameter in parameters(resource_type) {
            let code = parameter.code;
            match Search::compile(resource_type, [(code, [a_value(resource_type, &parameter).as_str()])]) {
                Ok(_) => answered += 1,
                // The parameter takes the codes of a required binding, and `true` is not among them.
                Err(SearchError::UnknownCode { .. }) => bound += 1,
                Err(SearchError::Unsupported { .. }) => refused.push(code),
                Err(error) => panic!("{resource_type}?{code}: {error}"),
            }
            if parameter.kind != Kind::Special {
                let missing = format!("{code}:missing");
                let with_missing = Search::compile(resource_type, [(missing.as_str(), ["true"])]);
                assert!(
                    with_missing.is_ok() || ["phonetic", "_query", "_text", "_content"].contains(&code),
                    "{resource_type}?{missing}"
                );
            }
        }
    }
    refused.sort_unstable();
    refused.dedup();
    assert_eq!(refused, ["_query", "near", "phonetic"]);
    assert!(answered > 2_500, "{answered}");
    assert_eq!(bound, 142);
}

#[test]
fn every_expression_compiles() {
    for resource_type in resources() {
        // Three parameters have rules of their own and no expression.
        for parameter in parameters(resource_type).filter(|parameter| !parameter.expression.is_empty()) {
            let path = Path::compile(parameter.expression);
            assert!(path.is_ok(), "{resource_type}?{}: {}", parameter.code, parameter.expression);
            for (_, expression) in components(resource_type, parameter.code) {
                assert!(Path::compile(expression).is_ok(), "{resource_type}?{}: {expression}", parameter.code);
            }
        }
    }
}

#[test]
fn an_unknown_parameter_is_refused_for_every_type() {
    for resource_type in resources() {
        let error = Search::compile(resource_type, [("surprise", ["x"])]).unwrap_err();
        assert!(
            error.to_string().starts_with(&format!("{resource_type} has no search parameter `surprise`")),
            "{error}"
        );
    }
}

#[test]
fn chains_and_filters_without_end_are_refused() {
    let refused = |resource_type: &str, name: &str, value: &str| {
        Search::compile(resource_type, [(name, [value])]).unwrap_err().to_string()
    };
    let long = format!("{}_id", "subject.".repeat(16));
    assert!(refused("QuestionnaireResponse", &long, "x").contains("too many kinds"));
    assert!(
        refused("Observation", &format!("{}_id", "has-member:Observation.".repeat(17)), "x").contains("references")
    );
    let brackets = format!("{}_id eq x", "subject[_id pr true].".repeat(12));
    assert!(refused("QuestionnaireResponse", "_filter", &brackets).contains("too many kinds"));
    let turns = vec!["_id eq x"; 200].join(" and _id eq y or ");
    assert!(refused("Patient", "_filter", &turns).contains("take turns"));
    assert!(Search::compile("Patient", [("_filter", [vec!["_id eq x"; 2_000].join(" or ").as_str()])]).is_ok());
    assert!(refused("Patient", "_filter", &"(".repeat(100_000)).contains("nested"));
    for name in ["_text:missing", "_filter:not", "_list:missing"] {
        assert!(refused("Patient", name, "true").contains("no modifiers"), "{name}");
    }
}
