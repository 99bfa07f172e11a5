//! The fuzz body of criteria that share one reading, over choices by chance.

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::pick(48, 1200)))]

    #[test]
    fn together_as_alone(data in prop::collection::vec(any::<u8>(), 128)) {
        candor_tests::fuzz_one_pass::one_pass(&data);
    }
}
