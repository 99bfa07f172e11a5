//! The fuzz bodies of FHIR stores over what fuzzing starts from.

use candor_tests::fuzz_fhir::fhir_store;

#[test]
fn what_fuzzing_starts_from_holds() {
    fhir_store(br#"{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"1","contact":[{"modifierExtension":[{"url":"x"}]}]}}]}"#);
    fhir_store(b"\xef\xbb\xbf{\"resourceType\":\"Patient\"}\r\n{]\r\n");
}
