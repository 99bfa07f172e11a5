//! Names that may be sent.

use candor_telemetry::attributes::plain_name;

#[test]
fn a_name_is_no_text_and_no_number() {
    for name in ["pa-submitted", "a", "fax.referral_2"] {
        assert_eq!(plain_name(name), Some(name));
    }
    for text in ["", "12345", "John Smith", "müller", "a/b", "a\nb", "MRN:12345", &"a".repeat(65)] {
        assert_eq!(plain_name(text), None, "{text}");
    }
}
