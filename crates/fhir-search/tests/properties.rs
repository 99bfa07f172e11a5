//! Laws of search.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_fhir_search::moment::Moment;
use candor_fhir_search::{Names, Search, Subject};
use proptest::prelude::*;
use serde_json::{Value, json};

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
    #![proptest_config(ProptestConfig::with_cases(300))]

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
        code in prop::sample::select(vec!["identifier", "name", "birthdate", "organization", "_profile", "deceased", "_sort"]),
        modifier in prop::sample::select(vec!["", ":missing", ":exact", ":not", ":text", ":Patient", ":identifier", ":x"]),
        value in any::<String>(),
    ) {
        if let Ok(search) = Search::compile("Patient", [(format!("{code}{modifier}").as_str(), [value.as_str()])]) {
            let patient = json!({"resourceType": "Patient", "identifier": [{"value": value}], "name": [{"text": value}], "birthDate": value});
            let _ = search.matches(&Subject { value: &patient, base: None, container: 0, names: &NoNames });
        }
    }
}
