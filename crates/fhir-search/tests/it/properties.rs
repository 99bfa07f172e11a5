//! Laws of search.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_fhir_search::moment::Moment;
use candor_fhir_search::{Index, Names, Search, Subject};
use candor_json::{Value, json};
use proptest::prelude::*;

use crate::common;

struct NoNames;

impl Names for NoNames {
    fn named(&self, _: &str, _: Option<usize>) -> Option<&str> {
        None
    }
}

fn found(resource: &Value, search: &[(&str, Vec<&str>)]) -> bool {
    let search = Search::compile(resource["resourceType"].as_str().unwrap(), search.to_vec()).unwrap();
    search.matches(&Subject { value: resource, base: None, container: 0, names: &NoNames })
}

fn date() -> impl Strategy<Value = String> {
    let zone = prop_oneof![Just("Z"), Just("+05:30"), Just("-08:00"), Just("")];
    (1990..2030_i32, 1..=12_u8, 1..=28_u8, 0..24_u8, 0..60_u8, 0..60_u8, 0..5_u8, zone).prop_map(
        |(year, month, day, hour, minute, second, precision, zone)| match precision {
            0 => format!("{year}"),
            1 => format!("{year}-{month:02}"),
            2 => format!("{year}-{month:02}-{day:02}"),
            3 => format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}"),
            _ => format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.25{zone}"),
        },
    )
}

fn period() -> impl Strategy<Value = Value> {
    (date(), date(), 0..4_u8).prop_map(|(a, b, ends)| match ends {
        0 => json!({"start": a}),
        1 => json!({"end": a}),
        _ => {
            let (x, y) = (Moment::parse(&a).unwrap(), Moment::parse(&b).unwrap());
            if x.utc_start() <= y.utc_start() { json!({"start": a, "end": b}) } else { json!({"start": b, "end": a}) }
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(300)))]

    #[test]
    fn prefixes_of_dates_keep_their_laws(wanted in date(), period in period()) {
        let encounter = json!({"resourceType": "Encounter", "period": period});
        let holds = |prefix: &str| found(&encounter, &[("date", vec![&format!("{prefix}{wanted}")])]);
        prop_assert_eq!(holds("eq"), holds(""));
        prop_assert_eq!(holds("ne"), !holds("eq"));
        prop_assert_eq!(holds("ge"), holds("gt") || holds("eq"));
        prop_assert_eq!(holds("le"), holds("lt") || holds("eq"));
        // Within is neither before nor after; what starts after reaches beyond, what ends before reaches below.
        prop_assert_eq!(holds("eq"), !holds("gt") && !holds("lt"));
        prop_assert!(!holds("sa") || holds("gt"));
        prop_assert!(!holds("eb") || holds("lt"));
        prop_assert!(!(holds("sa") && holds("eb")));
    }

    #[test]
    fn a_shorter_date_contains_a_longer_one_of_it(text in date()) {
        let moment = Moment::parse(&text).unwrap();
        prop_assert!(moment.contains(&moment));
        for length in [4, 7, 10] {
            if let Some(shorter) = text.get(..length) {
                prop_assert!(Moment::parse(shorter).unwrap().contains(&moment), "{} {}", shorter, text);
            }
        }
    }

    #[test]
    fn no_text_makes_a_date_panic(text in "[0-9T:.Z+-]{0,40}") {
        let _ = Moment::parse(&text);
    }

    #[test]
    fn a_comma_is_or_and_an_array_is_and(codes in prop::collection::vec("[a-c]", 0..4), a in "[a-d]", b in "[a-d]") {
        let codings: Vec<Value> = codes.iter().map(|code| json!({"code": code})).collect();
        let condition = json!({"resourceType": "Condition", "code": {"coding": codings}});
        let holds = |value: &str| found(&condition, &[("code", vec![value])]);
        let both = format!("{a},{b}");
        prop_assert_eq!(holds(&both), holds(&a) || holds(&b));
        prop_assert_eq!(found(&condition, &[("code", vec![&a, &b])]), holds(&a) && holds(&b));
        prop_assert_eq!(found(&condition, &[("code:not", vec![&both])]), !holds(&both));
    }

    #[test]
    fn an_escaped_value_finds_itself(value in "[a,|$\\\\é ]{1,12}") {
        let value = value.trim();
        prop_assume!(!value.is_empty());
        let escaped: String = value.chars().flat_map(|c| [Some('\\').filter(|_| ",|$\\".contains(c)), Some(c)]).flatten().collect();
        let patient = json!({"resourceType": "Patient", "identifier": [{"value": value}], "name": [{"family": value}]});
        prop_assert!(found(&patient, &[("identifier", vec![&escaped])]));
        prop_assert!(found(&patient, &[("family:exact", vec![&escaped])]));
        prop_assert!(found(&patient, &[("family:contains", vec![&escaped])]));
    }

    #[test]
    fn a_value_finds_something_or_is_refused_and_never_panics(
        (resource_type, code) in prop::sample::select(PROBED.to_vec()),
        modifier in prop::sample::select(vec!["", ":missing", ":exact", ":not", ":text", ":of-type", ":Patient", ":identifier", ":below", ":above", ":x", ".name"]),
        value in prop_oneof![any::<String>(), "[a-z0-9|$,.<>=:/ -]{0,24}", "(gt|ap|ne)?[0-9.e-]{1,8}(\\|http://unitsofmeasure.org\\|m?g)?"],
    ) {
        let name = format!("{code}{modifier}");
        if let Ok(search) = Search::compile(resource_type, [(name.as_str(), [value.as_str()])]) {
            let number: Value = candor_json::from_str(&value).ok().filter(Value::is_number).unwrap_or(json!(5));
            let resource = json!({
                "resourceType": resource_type, "id": value, "url": value, "code": {"coding": [{"code": value}], "text": value},
                "identifier": [{"value": value, "type": {"text": value}}], "name": [{"text": value}], "birthDate": value,
                "valueQuantity": {"value": number, "code": "mg", "system": "http://unitsofmeasure.org"},
                "subject": {"reference": value, "identifier": {"value": value}}, "text": {"div": value},
            });
            let shelf = common::Shelf::new([resource]);
            let found = search.find(&shelf, &Index::default());
            if !search.hangs_on_others() {
                prop_assert_eq!(found, shelf.alone(&search));
            }
        }
    }

    #[test]
    fn any_filter_is_compiled_or_refused_with_its_place(filter in "(not ?)?\\(?(name|birthdate|organization(\\.name)?|x) (eq|co|pr|gt|re|is) (\"[a-z]*\"|true|[a-z0-9-]{0,5})\\)?( (and|or) .{0,12})?") {
        match Search::compile("Patient", [("_filter", [filter.as_str()])]) {
            Ok(search) => prop_assert_eq!(search.conditions().len(), 1),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    /// Numbers against a slow reference: everything counted in thousandths, as whole numbers.
    #[test]
    fn numbers_are_as_counted_in_thousandths(wanted in -999..999_i64, places in 0..3_u32, stored in -9_999..9_999_i64, prefix in prop::sample::select(vec!["eq", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap"])) {
        let unit = 10_i64.pow(3 - places);
        let text = match places {
            0 => wanted.to_string(),
            _ => decimal(wanted * unit, places),
        };
        let exact = wanted * unit;
        let expected = match prefix {
            "eq" => exact * 2 - unit <= stored * 2 && stored * 2 < exact * 2 + unit,
            "ne" => exact * 2 - unit > stored * 2 || stored * 2 >= exact * 2 + unit,
            "gt" | "sa" => stored > exact,
            "lt" | "eb" => stored < exact,
            "ge" => stored >= exact,
            "le" => stored <= exact,
            _ if exact == 0 => (stored * 2).abs() <= unit,
            _ => (stored - exact).abs() * 10 <= exact.abs(),
        };
        let number: Value = candor_json::from_str(&decimal(stored, 3)).unwrap();
        let assessment = json!({"resourceType": "RiskAssessment", "prediction": [{"probabilityDecimal": number}]});
        prop_assert_eq!(found(&assessment, &[("probability", vec![&format!("{prefix}{text}")])]), expected);
    }

    /// Tokens against a slow reference: pairs compared one by one.
    #[test]
    fn tokens_are_as_pairs_compared_one_by_one(
        stored in prop::collection::vec((prop::option::of("[st]"), prop::option::of("[abA]")), 0..4),
        system in prop::option::of("[st]?"),
        code in "[abA]?",
    ) {
        let value = match &system {
            Some(system) => format!("{system}|{code}"),
            None => code.clone(),
        };
        prop_assume!(!value.is_empty() && value != "|");
        let codings: Vec<Value> = stored.iter().map(|(system, code)| {
            let members = [("system", system), ("code", code)];
            Value::Object(members.into_iter().filter_map(|(name, text)| Some((name.to_owned(), json!(text.as_ref()?)))).collect())
        }).collect();
        let condition = json!({"resourceType": "Condition", "code": {"coding": codings}});
        let expected = stored.iter().any(|(own_system, own_code)| {
            let same_system = match system.as_deref() {
                None => true,
                Some("") => own_system.is_none(),
                Some(wanted) => own_system.as_deref() == Some(wanted),
            };
            let same_code = code.is_empty() || own_code.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(&code));
            same_system && same_code
        });
        prop_assert_eq!(found(&condition, &[("code", vec![&value])]), expected);
    }

    #[test]
    fn ids_are_found_through_the_index(ids in prop::collection::vec("[ab]{1,2}", 1..30), wanted in "[a-c]{1,2}") {
        let shelf = common::Shelf::new(ids.iter().map(|id| json!({"resourceType": "Patient", "id": id})));
        let search = Search::compile("Patient", [("_id", [wanted.as_str()])]).unwrap();
        prop_assert_eq!(search.find(&shelf, &Index::default()), shelf.alone(&search));
    }

    #[test]
    fn the_index_finds_what_looking_at_each_finds(dates in prop::collection::vec(date(), 1..30), wanted in date(), prefix in prop::sample::select(vec!["eq", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap"])) {
        let shelf = common::Shelf::new(dates.iter().enumerate().map(|(at, date)| json!({"resourceType": "Patient", "id": at.to_string(), "birthDate": date})));
        let mut search = Search::compile("Patient", [("birthdate", [format!("{prefix}{wanted}").as_str()])]).unwrap();
        search.at(&Moment::parse("2026-11-20T10:00:00Z").unwrap());
        prop_assert_eq!(search.find(&shelf, &Index::default()), shelf.alone(&search));
    }
}

/// Parameters of each kind.
const PROBED: &[(&str, &str)] = &[
    ("Patient", "identifier"),
    ("Patient", "name"),
    ("Patient", "birthdate"),
    ("Patient", "organization"),
    ("Patient", "_profile"),
    ("Patient", "_text"),
    ("Patient", "_content"),
    ("Patient", "_list"),
    ("Patient", "_filter"),
    ("Patient", "deceased"),
    ("Patient", "_sort"),
    ("Patient", "_has:Observation:patient:code"),
    ("Observation", "code"),
    ("Observation", "subject"),
    ("Observation", "patient"),
    ("Observation", "value-quantity"),
    ("Observation", "code-value-quantity"),
    ("RiskAssessment", "probability"),
    ("ValueSet", "url"),
];

/// Thousandths as a decimal with some places.
fn decimal(thousandths: i64, places: u32) -> String {
    let sign = if thousandths < 0 { "-" } else { "" };
    let (whole, rest) = (thousandths.abs() / 1_000, thousandths.abs() % 1_000);
    format!("{sign}{whole}.{:0width$}", rest / 10_i64.pow(3 - places), width = places as usize)
}
