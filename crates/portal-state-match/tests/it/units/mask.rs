//! Values of which a part is hidden.

use crate::mask::{is_masked, may_be};

#[test]
fn what_is_hidden() {
    for (masked, whole, fits) in [
        ("*****6789", "W123456789", true),
        ("*****6789", "W123456780", false),
        ("W12**6789", "W123456789", true),
        ("W123****", "W123456789", true),
        ("XXX-XX-6789", "123-45-6789", false),
        ("XXXX6789", "123456789", true),
        ("***-**-6789", "123-45-6789", true),
        ("•••• 6789", "W123456789", true),
        ("**", "W1", false),
    ] {
        assert_eq!(may_be(masked, whole), fits, "{masked} {whole}");
    }
    for text in ["W123456789", "XXX-1", "a*b", "#1", "XXXX"] {
        assert!(!is_masked(text), "{text}");
    }
}
