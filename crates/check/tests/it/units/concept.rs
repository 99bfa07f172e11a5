//! Concepts in any of their forms.

use candor_check::meaning::{Coded, Concept, Meaning as _, Understanding};
use candor_json::json;
use proptest::prelude::*;

fn mri() -> Concept {
    Concept::read(&json!({
        "any": ["http://loinc.org|24587-8", "http://www.ama-assn.org/go/cpt|70553"],
        "names": ["MRI brain with and without contrast"],
        "not_words": ["without contrast only"],
    }))
    .unwrap()
}

#[test]
fn one_form_is_enough_and_another_may_contradict_it() {
    let loinc = |code: &str| json!({"system": "http://loinc.org", "code": code});
    for (value, state, contradicts) in [
        (json!({"coding": [loinc("24587-8")]}), Understanding::Holds, false),
        (json!({"text": "Brain MRI, with and without Contrast"}), Understanding::Holds, false),
        (json!({"coding": [{"display": "MRI BRAIN WITH AND WITHOUT CONTRAST"}]}), Understanding::Holds, false),
        (
            json!({"coding": [{"system": "urn:oid:2.16.840.1.113883.6.1", "code": "24587-8"}]}),
            Understanding::Holds,
            false,
        ),
        (loinc("24587-8"), Understanding::Holds, false),
        (json!({"concept": {"coding": [loinc("24587-8")]}}), Understanding::Holds, false),
        (json!("70553"), Understanding::Holds, false),
        // Another system's code says nothing against it.
        (
            json!({"coding": [loinc("24587-8"), {"system": "http://local.example", "code": "X"}]}),
            Understanding::Holds,
            false,
        ),
        (json!({"coding": [loinc("24587-8"), loinc("24590-2")]}), Understanding::Holds, true),
        (json!({"coding": [loinc("24587-8")], "text": "MRI brain, without contrast only"}), Understanding::Holds, true),
        (json!({"coding": [loinc("24590-2")]}), Understanding::Fails, false),
        (json!({"coding": [{"code": "24587-8"}]}), Understanding::Fails, false),
        (json!({"text": "MRI brain"}), Understanding::Fails, false),
        (json!({"text": ""}), Understanding::Absent, false),
        (json!({"value": 40, "code": "mg"}), Understanding::Mismatch, false),
        (json!(true), Understanding::Mismatch, false),
    ] {
        let understood = mri().understood(std::slice::from_ref(&value));
        assert_eq!((understood.state, understood.contradiction.is_some()), (state, contradicts), "{value}");
    }
}

#[test]
fn what_can_never_pass_is_refused() {
    for (written, expected) in [
        (json!({}), "neither `any`"),
        (json!({"names": ["--"]}), "has no letter"),
        (json!({"any": ["http://lonic.org|1-8"]}), "did you mean `http://loinc.org`?"),
        (json!({"any": ["LOINK|1-8"]}), "did you mean `http://loinc.org`?"),
        (json!({"any": ["hospital codes|7"]}), "is not a URI"),
        (json!({"any": ["http://loinc.org|"]}), "has no code"),
        (json!({"name": ["x"]}), "unknown field `name`"),
        (json!("x"), "`concept`: "),
    ] {
        let error = Concept::read(&written).unwrap_err();
        assert!(error.contains(expected), "{written}: {error}");
    }
    assert!(Concept::read(&json!({"any": ["http://clinic.example/codes|7", "24587-8", "LN|1-8"]})).is_ok());
}

proptest! {
    #[test]
    fn a_name_passes_in_any_order_and_case(words in prop::collection::vec("[a-z]{1,6}", 1..5), seed in any::<u64>()) {
        let concept = Concept::read(&json!({"names": [words.join(" ")]})).unwrap();
        let mut shuffled = words.clone();
        shuffled.rotate_left(usize::try_from(seed % 5).unwrap_or(0) % words.len());
        let text = shuffled.join(" - ").to_uppercase();
        prop_assert_eq!(concept.understood(&[json!({"text": text})]).state, Understanding::Holds);
        let longer = format!("{} beside", words.join(" "));
        prop_assert_eq!(concept.understood(&[json!({"text": longer})]).state, Understanding::Fails);
    }

    #[test]
    fn never_panics(text in ".{0,30}", more in prop::collection::vec(".{0,12}", 0..4)) {
        let written = json!({"any": more, "names": [text], "not_words": more});
        let _ = (Concept::read(&written), Coded::of_components(&text));
        for value in [json!(text), json!(more), json!({"text": text}), json!({"coding": more}), json!({"coding": [{"code": text}]})] {
            let _ = mri().understood(&[value]);
        }
    }
}
