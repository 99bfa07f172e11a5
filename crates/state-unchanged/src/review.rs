//! Weaknesses that the settings alone show.

use candor_check::review::{Review, Unchanged, Weakness, WeaknessKind};

use crate::except::Exception;
use crate::settings::Settings;

pub(crate) fn review(settings: &Settings) -> Review {
    let mut weaknesses = Vec::new();
    // An exception of a part that is not compared excepts nothing.
    let stray = settings
        .parts
        .as_ref()
        .and_then(|parts| settings.except.iter().find(|one| !parts.iter().any(|part| part == one.part())));
    if let Some(stray) = stray {
        let message = format!("an exception is about the part `{}`, which `parts` leaves out", stray.part());
        weaknesses.push(Weakness::new(WeaknessKind::AssertsNothing, "except", message));
    }
    let open = settings.except.iter().filter_map(Exception::opens).collect();
    let unchanged = Some(Unchanged { parts: settings.parts.clone(), open });
    Review { weaknesses, passes_on_nothing: true, unchanged, ..Review::default() }
}

#[cfg(test)]
mod tests {
    use candor_json::json;

    use super::*;

    fn reviewed(settings: candor_json::Value) -> Vec<String> {
        let review = review(&candor_json::from_value(settings).unwrap());
        assert!(review.passes_on_nothing);
        review.weaknesses.into_iter().map(|weakness| weakness.message).collect()
    }

    #[test]
    fn new_records_are_seen_where_no_exception_allows_any_number() {
        let sees = |settings: candor_json::Value| {
            let unchanged = review(&candor_json::from_value(settings).unwrap()).unchanged.unwrap();
            unchanged.sees_new("fhir", "MedicationRequest")
        };
        for seen in [
            json!({}),
            json!({"parts": ["fhir"]}),
            json!({"except": ["fhir:Task/*", "fhir:MedicationRequest/m1", "fhir:MedicationRequest/*.status"]}),
            json!({"except": [{"added": "fhir:MedicationRequest", "max": 1}, {"added": "portal"}]}),
        ] {
            assert!(sees(seen.clone()), "{seen}");
        }
        for unseen in [
            json!({"parts": ["portal"]}),
            json!({"except": ["fhir:MedicationRequest/*"]}),
            json!({"except": ["fhir:MedicationRequest/**"]}),
            json!({"except": [{"added": "fhir:MedicationRequest"}]}),
            json!({"except": [{"added": "fhir:MedicationRequest/*"}]}),
            json!({"except": [{"added": "fhir"}]}),
        ] {
            assert!(!sees(unseen.clone()), "{unseen}");
        }
    }

    #[test]
    fn what_compares_nothing_is_named() {
        assert!(reviewed(json!({})).is_empty());
        assert!(reviewed(json!({"parts": ["fhir"], "except": ["fhir:Task/*"]})).is_empty());
        let nothing = candor_json::from_value::<Settings>(json!({"parts": []})).unwrap_err();
        assert!(nothing.to_string().contains("nothing is compared"));
        let stray = reviewed(json!({"parts": ["fhir"], "except": ["portal:orders/*"]}));
        assert!(stray[0].contains("about the part `portal`, which `parts` leaves out"), "{stray:?}");
    }
}
