//! Every value of a message by a path of its own.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails them by panicking")]

use candor_hl7v2::{Path, messages};
use proptest::prelude::*;

fn leaves(bytes: &[u8]) -> Vec<(String, String)> {
    messages(bytes).next().unwrap().unwrap().leaves()
}

#[test]
fn other_delimiters_escapes_and_line_ends_make_no_other_values() {
    let plain = b"MSH|^~\\&|A|F|||2026||ORU^R01|1|P|2.5.1\rOBX|1|ST|X||a\\T\\b&c~d\rOBX|2|ST|Y||z|||\r";
    let other = b"MSH$%*!?$A$F$$$2026$$ORU%R01$1$P$2.5.1\r\nOBX$1$ST$X$$a&b?c*d\r\nOBX$2$ST$Y$$!X7A!\r\n";
    assert_eq!(leaves(plain), leaves(other));
    let paths: Vec<String> = leaves(plain).into_iter().map(|leaf| leaf.0).collect();
    assert!(paths.contains(&"OBX.5.1.2".to_owned()) && paths.contains(&"OBX[2].5.1".to_owned()), "{paths:?}");
}

proptest! {
    /// Each leaf is what its path selects.
    #[test]
    fn a_leaf_is_what_its_path_selects(fields in prop::collection::vec("[a-c~^]{0,5}(b&c)?", 0..5)) {
        let text = format!("MSH|^~\\&|A|F|||2026||ORU^R01|1|P|2.5.1\rPID|{}\rPID|x\r", fields.join("|"));
        let message = messages(text.as_bytes()).next().unwrap().unwrap();
        for (path, value) in message.leaves() {
            let selected = Path::parse(&path).unwrap().select(&message).next().map(|value| value.text().text.into_owned());
            prop_assert_eq!(selected, Some(value), "{}", path);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut all = b"MSH|^~\\&|".to_vec();
        all.extend(bytes);
        for message in messages(&all).flatten() {
            drop(message.leaves());
        }
    }
}
