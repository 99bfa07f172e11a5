//! Every value of a transaction set by a path of its own.

use std::collections::HashMap;

use crate::{Segment, SegmentId, SetView};

impl SetView<'_> {
    /// The values that are not empty, each by its place: `CLM.1`, `HL[2].3`, `SVC.1.2`, with the envelope's (`ISA.6`, `GS.6`)
    /// first. The first of several segments and repetitions has no number; a component is named where an element has
    /// several. Two sets whose leaves are equal say the same, whatever their delimiters and line ends are.
    ///
    /// ```
    /// use candor_x12::{Item, Walk};
    /// let bytes = b"ISA*00*          *00*          *ZZ*A              *ZZ*B              *261120*0915*^*00501*000000101*0*P*:~\
    ///     GS*HP*A*B*20261120*0915*101*X*005010X221A1~ST*835*0001~SVC*HC:99213*100~SE*3*0001~GE*1*101~IEA*1*000000101~";
    /// let mut walk = Walk::from_slice(bytes);
    /// while let Some(item) = walk.next_item(&mut |_| true)? {
    ///     if let Item::Set(set) = item {
    ///         let leaves = set.view().leaves();
    ///         assert!(leaves.contains(&("SVC.1.2".to_owned(), "99213".to_owned())));
    ///     }
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn leaves(&self) -> Vec<(String, String)> {
        let mut leaves = Vec::new();
        let envelope = ["ISA", "GS"].into_iter().filter_map(|id| self.segments_with(SegmentId::new(id)?).next());
        let mut numbers: HashMap<SegmentId, u32> = HashMap::new();
        for segment in envelope.chain(self.segments()) {
            let number = numbers.entry(segment.id()).and_modify(|number| *number += 1).or_insert(1);
            self.of_segment(&segment, *number, &mut leaves);
        }
        leaves
    }

    fn of_segment(&self, segment: &Segment<'_>, number: u32, leaves: &mut Vec<(String, String)>) {
        let name = numbered(segment.id().as_str(), number);
        let is_header = segment.id().is("ISA");
        for (position, element) in (1u32..).zip(segment.elements()) {
            // Delimiters are not values.
            if is_header && matches!(position, 11 | 16) {
                continue;
            }
            let path = format!("{name}.{position}");
            if is_header {
                leaves.push((path, element.text().into_owned()));
                continue;
            }
            for (repetition, piece) in (1u32..).zip(element.repetitions(&self.delimiters)) {
                let path = numbered(&path, repetition);
                let components: Vec<_> = piece.components(&self.delimiters).collect();
                let several = components.iter().skip(1).any(|component| !component.raw().is_empty());
                for (at, component) in (1u32..).zip(&components).filter(|(_, one)| !one.raw().is_empty()) {
                    let path = if several { format!("{path}.{at}") } else { path.clone() };
                    leaves.push((path, component.text().into_owned()));
                }
            }
        }
    }
}

fn numbered(name: &str, number: u32) -> String {
    if number == 1 { name.to_owned() } else { format!("{name}[{number}]") }
}
