//! Every value of a message by a path of its own.

use crate::message::Piece;
use crate::{Message, path};

impl Message<'_> {
    /// The values that are not empty, decoded, each by the path that selects it: `PID.5.1`, `PID.3[2].1`, `OBX[2].5.1`.
    /// The first of several segments and repetitions has no number; a subcomponent is named if its component has
    /// several. The delimiters (MSH-1, MSH-2) are not values. Two messages with equal leaves have the same content,
    /// whatever their delimiters, escapes and line ends are.
    ///
    /// ```
    /// use candor_hl7v2::messages;
    /// let bytes = b"MSH|^~\\&|LAB|||||||42|P|2.5.1\rPID|1||77~78||Smith^John\r";
    /// let message = messages(bytes).next().unwrap().unwrap();
    /// let paths: Vec<String> = message.leaves().into_iter().map(|leaf| leaf.0).collect();
    /// assert_eq!(paths[4..], ["PID.1.1", "PID.3.1", "PID.3[2].1", "PID.5.1", "PID.5.2"]);
    /// ```
    #[must_use]
    pub fn leaves(&self) -> Vec<(String, String)> {
        let mut leaves = Vec::new();
        let mut numbers = std::collections::HashMap::new();
        for segment in self.segments() {
            let id = segment.id();
            let number = numbers.entry(id).and_modify(|number| *number += 1).or_insert(1u32);
            let name = numbered(&String::from_utf8_lossy(&id), *number);
            for (field, value) in segment.filled() {
                if value.is_opaque() {
                    continue;
                }
                for (repetition, piece) in (1u32..).zip(value.repetitions()) {
                    let path = numbered(&format!("{name}.{field}"), repetition);
                    for (component, piece) in (1u32..).zip(piece.components(self.delimiters())) {
                        let path = format!("{path}.{component}");
                        let parts: Vec<Piece<'_>> = piece.subcomponents(self.delimiters()).collect();
                        let several = parts.iter().skip(1).any(|part| !part.raw().is_empty());
                        for (number, part) in (1u32..).zip(&parts).filter(|(_, part)| !part.raw().is_empty()) {
                            let path = if several { format!("{path}.{number}") } else { path.clone() };
                            leaves.push((path, self.decoded(part)));
                        }
                    }
                }
            }
        }
        leaves
    }

    fn decoded(&self, part: &Piece<'_>) -> String {
        path::text_of(self, part, true).text.into_owned()
    }
}

fn numbered(name: &str, number: u32) -> String {
    if number == 1 { name.to_owned() } else { format!("{name}[{number}]") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Path, messages};

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
}
