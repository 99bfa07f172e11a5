#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_tests::fuzz_one_pass::one_pass(data));
