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
