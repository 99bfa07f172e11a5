//! Paths of the table of mounts.

use std::os::unix::ffi::OsStrExt as _;

use proptest::prelude::*;

use crate::unescaped::unescaped;

proptest! {
    #[test]
    fn paths_of_the_table_are_read(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let mut written = Vec::new();
        for &byte in &bytes {
            match byte {
                b' ' | b'\t' | b'\n' | b'\\' => written.extend(format!("\\{byte:03o}").into_bytes()),
                _ => written.push(byte),
            }
        }
        let read = unescaped(&written);
        prop_assert_eq!(read.as_os_str().as_bytes(), bytes.as_slice());
    }
}
