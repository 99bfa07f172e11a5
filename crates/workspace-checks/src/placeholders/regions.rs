//! Divides a text into code, comments, strings and prose by the parts of its language. For any text.

use std::ops::Range;

use super::language::{self, Language, Region};

/// The regions of a text, in order and without gaps.
#[derive(Debug, Default)]
pub(super) struct Regions(Vec<(Range<usize>, Region)>);

impl Regions {
    pub(super) fn of(text: &str, language: &Language) -> Self {
        let mut regions = Self::default();
        regions.add(text, 0, language);
        regions
    }

    pub(super) fn at(&self, offset: usize) -> (Region, Range<usize>) {
        let behind = self.0.partition_point(|(range, _)| range.start <= offset);
        let found = behind.checked_sub(1).and_then(|index| self.0.get(index));
        found.map_or((Region::Code, 0..usize::MAX), |(range, region)| (*region, range.clone()))
    }

    fn add(&mut self, text: &str, start: usize, language: &Language) {
        let (mut at, mut open) = (0, 0_usize);
        for (range, part) in language.divide(text) {
            for byte in text.get(at..range.start).unwrap_or_default().bytes() {
                match byte {
                    b'(' | b'[' | b'{' => open += 1,
                    b')' | b']' | b'}' => open = open.saturating_sub(1),
                    _ => {}
                }
            }
            self.0.push((start + at..start + range.start, language.rest));
            at = range.end;
            // A string in brackets is a value.
            let region = if part.region == Region::Doc && open > 0 { Region::String } else { part.region };
            match part.language.as_deref().and_then(language::named) {
                Some(other) => self.add(text.get(range.clone()).unwrap_or_default(), start + range.start, other),
                None => self.0.push((start + range.start..start + range.end, region)),
            }
        }
        self.0.push((start + at..start + text.len(), language.rest));
    }
}
