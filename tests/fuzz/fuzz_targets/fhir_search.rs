#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_tests::fuzz_fhir_search::fhir_search(data));
