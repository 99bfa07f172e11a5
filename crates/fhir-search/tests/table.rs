//! Which of the specification's search parameters are answered, and that the others are refused by name.

use candor_fhir_search::table::{Kind, parameters};
use candor_fhir_search::types::resources;
use candor_fhir_search::{Search, SearchError};

/// A value that every parameter of a kind accepts.
fn a_value(kind: Kind) -> &'static str {
    match kind {
        Kind::Token => "true",
        Kind::Date => "2026",
        _ => "x",
    }
}

#[test]
fn every_token_string_reference_and_date_parameter_is_answered() {
    let mut answered = 0;
    for resource_type in resources() {
        for parameter in parameters(resource_type) {
            let code = parameter.code;
            let result = Search::compile(resource_type, [(code, [a_value(parameter.kind)])]);
            let later = matches!(parameter.kind, Kind::Number | Kind::Quantity | Kind::Composite | Kind::Special)
                || (parameter.kind == Kind::Uri && code != "_profile")
                || ["phonetic", "_text", "_content", "_query"].contains(&code)
                // These select whole resources or attachments, and serve chained search only.
                || parameter.types.iter().any(|name| ["Resource", "Attachment"].contains(name));
            match result {
                Ok(_) => {
                    assert!(!later, "{resource_type}?{code} is answered");
                    answered += 1;
                }
                Err(SearchError::Unsupported { .. }) => assert!(later, "{resource_type}?{code} is refused"),
                Err(error) => panic!("{resource_type}?{code}: {error}"),
            }
        }
    }
    assert!(answered > 1_500, "{answered}");
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
