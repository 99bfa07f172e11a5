//! Which of the specification's search parameters are answered, that the others are refused by name, and the tables of
//! parameters, codes and compartments.

use candor_fhir_search::path::Path;
use candor_fhir_search::table::{Kind, Parameter, compartment, compartments, components, find, parameters};
use candor_fhir_search::types::resources;
use candor_fhir_search::{Search, SearchError};

const TABLE: &str = include_str!("../../data/search-parameters.tsv");
const COMPOSITES: &str = include_str!("../../data/composite-parameters.tsv");
const COMPARTMENTS: &str = include_str!("../../data/compartments.tsv");
const CODES: &str = include_str!("../../data/required-codes.tsv");

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

#[test]
fn every_row_of_codes_is_about_a_token_parameter() {
    assert_eq!(CODES.lines().count(), 142);
    let code = |resource_type: &str, parameter: &str, code: &str| Search::compile(resource_type, [(parameter, [code])]);
    for line in CODES.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(find(cells[0], cells[1]).unwrap().kind, Kind::Token, "{line}");
        assert!(cells.len() == 3 && cells[2].split(' ').all(|code| !code.is_empty()), "{line}");
        assert!(cells[2].split(' ').all(|known| code(cells[0], cells[1], known).is_ok()), "{line}");
        let unknown = code(cells[0], cells[1], "no-such-code").unwrap_err();
        assert!(matches!(unknown, SearchError::UnknownCode { .. }), "{line}: {unknown}");
    }
    assert!(CODES.lines().is_sorted());
    assert!(CODES.lines().any(|line| line == "Patient\tgender\tmale female other unknown"));
    assert!(code("Observation", "code", "no-such-code").is_ok());
    assert!(matches!(code("Patient", "gende", "male"), Err(SearchError::UnknownParameter { .. })));
}

#[test]
fn every_row_is_read() {
    let mut types: Vec<&str> = TABLE.lines().filter_map(|line| line.split('\t').next()).collect();
    types.dedup();
    // Every type has these too. A name that is not a type has nothing else.
    let common = parameters("").count();
    assert_eq!(types.iter().map(|name| parameters(name).count() - common).sum::<usize>(), 1709);
    assert!(types.is_sorted());
    assert!(TABLE.lines().all(|line| line.split('\t').count() == 6));
}

/// The published parameter of `DocumentReference.relationship` has the expressions of its two components exchanged.
#[test]
fn every_component_selects_what_its_parameter_does() {
    for line in COMPOSITES.lines() {
        let mut cells = line.split('\t');
        let (resource_type, code) = (cells.next().unwrap(), cells.next().unwrap());
        for (parameter, selected) in components(resource_type, code) {
            let plain = selected.strip_prefix("%resource.").unwrap_or(selected);
            let plain = plain.split(".as(").next().unwrap_or_default();
            let element = plain.rsplit('.').next().unwrap_or_default();
            let own = format!("{:?}", parameter.expression);
            assert!(own.contains(&format!(".{element}")), "{line}: {} is {own}", parameter.code);
        }
    }
}

#[test]
fn every_composite_has_its_components() {
    let composites = || TABLE.lines().filter(|line| line.split('\t').nth(2) == Some("composite"));
    assert_eq!((composites().count(), COMPOSITES.lines().count()), (72, 72));
    for line in composites() {
        let cells: Vec<&str> = line.split('\t').collect();
        assert!(components(cells[0], cells[1]).len() >= 2, "{line}");
    }
    assert_eq!(components("Observation", "code-value-quantity")[1].1, "value.as(Quantity)");
    assert!(components("Observation", "code-value").is_empty());
}

#[test]
fn compartments_name_reference_parameters() {
    assert_eq!(compartments(), ["Device", "Encounter", "Patient", "Practitioner", "RelatedPerson"]);
    assert_eq!(COMPARTMENTS.lines().count(), 214);
    for line in COMPARTMENTS.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        for code in compartment(cells[0], cells[1]).unwrap() {
            assert_eq!(find(cells[1], code).unwrap().kind, Kind::Reference, "{line}");
        }
    }
    assert_eq!(compartment("Patient", "Appointment").unwrap(), ["actor"]);
    assert_eq!(compartment("Patient", "Organization"), None);
}

#[test]
fn a_parameter_is_the_one_of_its_resource_type() {
    let status = find("Appointment", "status").unwrap();
    assert_eq!((status.kind, status.expression), (Kind::Token, "Appointment.status"));
    assert_eq!(find("Patient", "_id").unwrap().expression, "Resource.id");
    assert_eq!(find("Patient", "status"), None);
    assert_eq!(find("Pat", "ient"), None);
    assert_eq!(find("Condition", "code").unwrap().expression, "Condition.code");
    assert_eq!(find("Account", "patient").unwrap().targets, ["Patient"]);
}
