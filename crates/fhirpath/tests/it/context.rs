//! The context of an evaluation: references, value sets, variables, the time, limits; and the notes of an evaluation.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_fhirpath::{
    Collection, Context, EvaluationError, Expression, Limits, OpenComparison, Problem, Release, Resolver, System,
    Temporal, ValueSets,
};
use candor_json::{Value, json};

fn evaluate<'a>(text: &str, document: &'a Value, context: &Context<'a>) -> Result<Collection<'a>, EvaluationError> {
    Expression::parse(text).unwrap().evaluate(document, context)
}

fn texts(collection: &Collection<'_>) -> Vec<String> {
    collection.iter().map(|item| item.json().to_string()).collect()
}

/// Resources by reference, and in which resource each was asked for.
struct Folder(Vec<(&'static str, &'static str, Value)>);

impl Resolver for Folder {
    fn resolve<'s>(&'s self, reference: &str, from: &Value) -> Option<&'s Value> {
        let id = from["id"].as_str()?;
        self.0.iter().find(|(known, asked_in, _)| *known == reference && *asked_in == id).map(|(_, _, value)| value)
    }
}

#[test]
fn an_expression_is_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>(_: &T) {}
    let expression = Expression::parse("name.matches('a')").unwrap();
    shared(&expression);
    shared(&Context::new());
    assert_eq!(expression.text(), "name.matches('a')");
    assert_eq!(expression.clone().to_string(), format!("{expression}"));
}

#[test]
fn references_lead_on_from_the_resource_they_stand_in() {
    let role = json!({"resourceType": "PractitionerRole", "id": "r", "practitioner": {"reference": "Practitioner/d"},
        "contained": [{"resourceType": "Location", "id": "x", "name": "of the role"}], "location": [{"reference": "#x"}]});
    let doctor = json!({"resourceType": "Practitioner", "id": "d", "name": [{"family": "Rivera"}]});
    let folder = Folder(vec![("PractitionerRole/r", "a", role), ("Practitioner/d", "r", doctor)]);
    let appointment = json!({"resourceType": "Appointment", "id": "a",
        "participant": [{"actor": {"reference": "PractitionerRole/r"}}, {"actor": {"reference": "Patient/p"}}],
        "contained": [{"resourceType": "Location", "id": "x", "name": "of the appointment", "partOf": {"reference": "#"}}]});
    let context = Context::new().with_resolver(&folder);
    let found = |text: &str| texts(&evaluate(text, &appointment, &context).unwrap());
    assert_eq!(found("participant.actor.resolve().practitioner.resolve().name.family"), ["\"Rivera\""]);
    assert_eq!(found("participant.actor.resolve().location.resolve().name"), ["\"of the role\""]);
    assert_eq!(found("contained.partOf.resolve().id"), ["\"a\""]);
    assert_eq!(found("participant.actor.where(resolve() is Patient).count()"), ["0"]);
    let typed = context.with_typed_references();
    let text = "participant.actor.where(resolve() is Patient).reference";
    assert_eq!(texts(&evaluate(text, &appointment, &typed).unwrap()), ["\"Patient/p\""]);
    let error = evaluate("participant.actor.resolve()", &appointment, &Context::new()).unwrap_err();
    assert_eq!(error.position, 18);
    assert!(matches!(error.problem, Problem::Refused(_)), "{error}");
}

#[test]
fn references_within_a_bundle_need_no_resolver() {
    let bundle = json!({"resourceType": "Bundle", "entry": [
        {"fullUrl": "urn:uuid:1", "resource": {"resourceType": "Patient", "id": "p", "contained": [{"resourceType": "Organization", "id": "o", "name": "inner"}],
            "managingOrganization": {"reference": "#o"}}},
        {"fullUrl": "urn:uuid:2", "resource": {"resourceType": "Observation", "id": "b", "subject": {"reference": "urn:uuid:1"}, "focus": [{"reference": "Patient/p"}]}}]});
    let found = |text: &str| texts(&evaluate(text, &bundle, &Context::new()).unwrap());
    assert_eq!(found("entry.resource.ofType(Observation).subject.resolve().id"), ["\"p\""]);
    assert_eq!(found("entry.resource.focus.resolve().managingOrganization.resolve().name"), ["\"inner\""]);
    assert_eq!(found("entry.resource.subject.where(reference = 'x').resolve().id"), Vec::<String>::new());
}

struct Genders;

impl ValueSets for Genders {
    fn contains(&self, value_set: &str, system: Option<&str>, code: &str) -> Option<bool> {
        let known = value_set == "http://hl7.org/fhir/ValueSet/administrative-gender";
        known.then(|| system.is_none_or(|s| s == "urn:g") && ["male", "female", "other", "unknown"].contains(&code))
    }
}

#[test]
fn member_of_needs_the_value_set() {
    let patient = json!({"resourceType": "Patient", "gender": "male",
        "maritalStatus": {"coding": [{"system": "urn:x", "code": "male"}, {"system": "urn:g", "code": "other"}]}});
    let context = Context::new().with_value_sets(&Genders);
    let holds = |text: &str| evaluate(text, &patient, &context).map(|result| result.boolean());
    assert_eq!(holds("gender.memberOf(%`vs-administrative-gender`)"), Ok(Some(true)));
    assert_eq!(holds("maritalStatus.memberOf(%`vs-administrative-gender`)"), Ok(Some(true)));
    assert_eq!(holds("maritalStatus.coding.first().memberOf(%`vs-administrative-gender`)"), Ok(Some(false)));
    assert!(holds("gender.memberOf('http://example.org/other')").is_err());
    assert!(evaluate("gender.memberOf(%`vs-administrative-gender`)", &patient, &Context::new()).is_err());
}

#[test]
fn variables_the_time_and_the_release_are_given() {
    let document = json!({"resourceType": "Patient", "birthDate": "2000-02-29"});
    let now = Temporal::date_time("2026-11-20T12:00:00+01:00").unwrap();
    let limit = Collection::of_system(System::Integer(3));
    let context = Context::new().with_now(now).with_variable("limit", limit);
    let shown = |text: &str, context: &Context<'_>| {
        evaluate(text, &document, context).unwrap().iter().map(|item| item.json().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown("now()", &context), [json!("2026-11-20T12:00:00+01:00")]);
    assert_eq!(shown("today()", &context), [json!("2026-11-20")]);
    assert_eq!(shown("timeOfDay()", &context), [json!("12:00:00")]);
    assert_eq!(shown("birthDate + 1 year", &context), [json!("2001-02-28")]);
    assert_eq!(shown("%limit + 1", &context), [json!(4)]);
    assert_eq!(shown("%rootResource.birthDate", &context), [json!("2000-02-29")]);
    let earlier = context.clone().with_release(Release::R4);
    let text = "@2026-01-01T00:00:00.000Z + 0.5 's'";
    assert_eq!(shown(text, &context), [json!("2026-01-01T00:00:00.500Z")]);
    assert_eq!(shown(text, &earlier), [json!("2026-01-01T00:00:00.000Z")]);
    assert!(evaluate("now()", &document, &Context::new()).is_err());
    assert!(evaluate("defineVariable('limit', 1)", &document, &context).is_err());
    assert_eq!(Expression::parse("%a + %limit.where(%resource.x = %b)").unwrap().undefined_variables().len(), 3);
    assert!(Expression::parse("defineVariable('a').select(%a)").unwrap().undefined_variables().is_empty());
}

#[test]
fn what_dates_leave_open_is_told() {
    let document = json!({"resourceType": "Patient", "birthDate": "1974-12"});
    for (text, open) in [
        ("birthDate > @1974-12-10", true),
        ("birthDate = @1974-12-10", true),
        ("@1974-12-10 in birthDate", true),
        ("birthDate > @1974-11-10", false),
        ("birthDate = @1975-12-10", false),
        ("birthDate > @1974-12-10 or true", true),
        ("true or birthDate > @1974-12-10", false),
    ] {
        assert_eq!(evaluate(text, &document, &Context::new()).unwrap().is_undecided(), open, "{text}");
    }
    let given = |open| Context::new().with_open_comparisons(open);
    let holds = |text: &str, open| evaluate(text, &document, &given(open)).unwrap().boolean();
    assert_eq!(holds("birthDate > @1974-12-10", OpenComparison::Empty), None);
    assert_eq!(holds("birthDate > @1974-12-10", OpenComparison::True), Some(true));
    assert_eq!(holds("birthDate > @1974-12-10", OpenComparison::False), Some(false));
}

#[test]
fn what_was_looked_at_is_noted() {
    let document = json!({"resourceType": "Patient", "active": true, "name": [{"use": "usual", "family": "A"}, {"use": "old", "family": "B"}]});
    let context = Context::new().with_notes();
    let result = evaluate("active and name.exists(use = 'old')", &document, &context).unwrap();
    let at = |value: &Value| result.looked_at().iter().any(|seen| std::ptr::eq(*seen, value));
    assert!(at(&document["active"]) && at(&document["name"][1]["use"]));
    assert!(!at(&document["name"][0]["family"]));
    assert!(evaluate("active", &document, &Context::new()).unwrap().looked_at().is_empty());
}

#[test]
fn strict_mode_finds_elements_that_r4_does_not_have() {
    let document = json!({"resourceType": "Patient", "nmae": 1, "name": [{"given": ["a"]}]});
    let strict = Context::new().with_strict_elements();
    for text in ["nmae", "name.givn", "(name as HumanName).x", "Observation.value", "name.ofType(Period).begin"] {
        let error = evaluate(text, &document, &strict).unwrap_err();
        assert!(matches!(error.problem, Problem::UnknownElement { .. }), "{text}: {error}");
    }
    assert_eq!(texts(&evaluate("nmae", &document, &Context::new()).unwrap()), ["1"]);
    assert_eq!(texts(&evaluate("name.given", &document, &strict).unwrap()), ["\"a\""]);
    let ordered = Context::new().with_strict_order();
    assert!(evaluate("children()[0]", &document, &ordered).is_err());
    assert!(evaluate("name[0]", &document, &ordered).is_ok());
}

#[test]
fn limits_are_the_callers() {
    let document = json!({"resourceType": "Patient", "name": [{"given": ["a", "b", "c"]}]});
    let limited = |steps, items, text| Context::new().with_limits(Limits { steps, items, text });
    assert!(evaluate("name.given", &document, &limited(100, 3, 10)).is_ok());
    assert!(evaluate("name.given", &document, &limited(100, 2, 10)).unwrap_err().is_limit());
    assert!(evaluate("name.given", &document, &limited(3, 3, 10)).unwrap_err().is_limit());
    assert!(evaluate("'123456' & '123456'", &document, &limited(100, 3, 10)).unwrap_err().is_limit());
}

#[test]
fn what_is_refused_is_named() {
    let document = json!({"resourceType": "Patient"});
    for text in
        ["elementDefinition()", "slice('a', 'b')", "subsumes('a')", "weight()", "conformsTo('http://example.org/x')"]
    {
        let expression = Expression::parse(text).unwrap();
        let name = text.split('(').next().unwrap();
        assert_eq!(expression.refused_functions().len(), 1, "{text}");
        let error = expression.evaluate(&document, &Context::new()).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    assert!(Expression::parse("frobnicate()").unwrap_err().to_string().contains("frobnicate"));
}
