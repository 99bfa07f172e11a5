//! Laws of a server's answers.

use candor_fhir_resource_state::live::read_answer;
use candor_json::json;
use proptest::prelude::*;

const BASE: &str = "https://fhir.example.org/r4";

/// Percent-encodes every byte, which any server may do.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(300)))]

    #[test]
    fn any_bytes_are_a_page_or_named(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(what) = read_answer(&bytes, BASE, "Patient", "name=x") {
            prop_assert!(!what.is_empty());
        }
    }

    #[test]
    fn a_cut_page_is_never_a_smaller_page(cut in 1..600_usize) {
        let entries = (0..10).map(|id| json!({"resource": {"resourceType": "Task", "id": id.to_string()}}));
        let page = json!({"resourceType": "Bundle", "type": "searchset", "entry": entries.collect::<Vec<_>>()}).to_string();
        prop_assert_eq!(read_answer(page.as_bytes(), BASE, "Task", "").unwrap().resources.len(), 10);
        prop_assert!(read_answer(&page.as_bytes()[..page.len() - cut.min(page.len())], BASE, "Task", "").is_err());
    }

    #[test]
    fn what_the_self_link_lacks_is_named(values in prop::collection::vec("[a-z é|&=+]{1,6}", 1..5), lost in any::<prop::sample::Index>(), some in any::<bool>()) {
        let names: Vec<String> = (0..values.len()).map(|number| format!("p{number}")).collect();
        let pairs: Vec<String> = names.iter().zip(&values).map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let lost = lost.index(pairs.len());
        let mut applied = pairs.clone();
        // The order of parameters means nothing.
        applied.reverse();
        if some {
            applied.retain(|pair| *pair != pairs[lost]);
        }
        let own = format!("{BASE}/Task?{}", applied.join("&"));
        let page = json!({"resourceType": "Bundle", "type": "searchset", "link": [{"relation": "self", "url": own}]}).to_string();
        let answered = read_answer(page.as_bytes(), BASE, "Task", &pairs.join("&")).unwrap();
        prop_assert_eq!(answered.ignored, some.then(|| names[lost].clone()));
    }
}
