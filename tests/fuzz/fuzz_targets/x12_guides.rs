#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_tests::fuzz_x12_guides::x12_guides(data));
