//! Laws of reading and of unsafe modifiers.

use candor_fhir_resource_state::store::Builder;
use candor_fhir_resource_state::unsafe_match::{Asserted, find};
use proptest::prelude::*;
use serde_json::{Value, json};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(300)))]

    #[test]
    fn any_bytes_are_read_or_named(bytes in prop::collection::vec(any::<u8>(), 0..200), lines in any::<bool>()) {
        let mut builder = Builder::default();
        builder.file(if lines { "a.ndjson" } else { "a.json" }, bytes.as_slice());
        let store = builder.finish();
        let blank = bytes.trim_ascii().is_empty() && lines;
        prop_assert!(blank || !store.resources().is_empty() || !store.unreadable().is_empty());
        prop_assert!(store.unreadable().iter().all(|place| place.offset <= bytes.len() && place.line >= 1));
    }

    #[test]
    fn a_cut_bundle_is_never_a_smaller_bundle(cut in 1..400_usize) {
        let bundle = json!({"resourceType": "Bundle", "type": "collection", "entry": (0..10).map(|id|
            json!({"resource": {"resourceType": "Task", "id": id.to_string()}})).collect::<Vec<_>>()}).to_string();
        let mut builder = Builder::default();
        builder.file("a.json", &bundle.as_bytes()[..bundle.len() - cut.min(bundle.len())]);
        let store = builder.finish();
        prop_assert_eq!((store.resources().len(), store.unreadable().len()), (0, 1));
    }

    #[test]
    fn the_span_of_a_resource_is_its_text(ids in prop::collection::vec("[a-zé]{1,5}", 1..5), space in "[ \n]{0,3}", bom in any::<bool>()) {
        let entry = |id: &String| format!("{{{space}\"resource\":{space}{{\"resourceType\":\"Task\",\"id\":\"{id}\",\"description\":\"{id}\"}}}}");
        let entries = ids.iter().map(entry).collect::<Vec<_>>().join(",");
        let bom = if bom { "\u{feff}" } else { "" };
        let text = format!("{bom}{space}{{\"resourceType\":\"Bundle\",\"type\":\"searchset\",\"entry\":[{entries}]}}");
        let mut builder = Builder::default();
        builder.file("a.json", text.as_bytes());
        for resource in builder.finish().resources() {
            let read: Value = serde_json::from_str(&text[resource.span.clone()]).unwrap();
            prop_assert_eq!(&read, resource.value());
        }
    }

    #[test]
    fn what_is_asserted_is_never_unsafe(at in 0..3_usize) {
        let mut list = json!({"resourceType": "List", "status": "entered-in-error", "entry": [{}, {}, {}]});
        list["entry"][at]["deleted"] = json!(true);
        let status = &list["status"];
        for other in 0..3_usize {
            let asserted = Asserted { selected: vec![status, &list["entry"][other]], ..Asserted::default() };
            let found = find(&list, &asserted).map(|found| found.path);
            prop_assert_eq!(found, (other == at).then(|| format!("entry.{at}.deleted")));
        }
        let whole = Asserted { selected: vec![status], whole: vec![&list["entry"]], ..Asserted::default() };
        prop_assert!(find(&list, &whole).is_none());
    }
}
