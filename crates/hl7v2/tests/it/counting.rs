//! Where a byte is after others like it.

use proptest::prelude::*;

use crate::find::find_after;

proptest! {
    #[test]
    fn counting_blocks_finds_what_stopping_at_each_finds(
        bytes in prop::collection::vec(prop::sample::select(b"|a".to_vec()), 0..150),
        others in 0..90_usize
    ) {
        let each = memchr::memchr_iter(b'|', &bytes).nth(others);
        prop_assert_eq!(find_after(b'|', others, &bytes), each);
    }
}
