//! Paths in the words of their standard.

use crate::names::Standard;

#[test]
fn paths_have_the_words_of_their_standard() {
    let words = |standard: Standard, path| standard.path(path).unwrap_or_default();
    assert_eq!(
        words(Standard::Hl7, "ORDER[2].OBX[3.1=8480-6].5.1"),
        "Observation/Result · Observation Value · component 1"
    );
    assert_eq!(words(Standard::Hl7, "PID.3[5=MR].1"), "Patient Identification · Patient Identifier List · component 1");
    assert_eq!(words(Standard::X12, "2110C[2].EB[3=30].1"), "Eligibility or benefit · element 1");
    assert_eq!(Standard::X12.code("EB[3=30].1", "6"), Some("inactive"));
    assert_eq!(words(Standard::Other, "$phrase"), "what was said");
    assert_eq!(Standard::Other.path("PID.3"), None);
    for odd in ["", ".", "[", "]]..1", "PID", "1.2.3", "Ä.1"] {
        let _ = (Standard::Hl7.path(odd), Standard::X12.path(odd), Standard::X12.code(odd, "1"));
    }
}
