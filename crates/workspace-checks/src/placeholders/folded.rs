//! Texts as they look: full-width letters as those that they are, and without what shows as nothing. A marker that was
//! written so is one.

use std::borrow::Cow;

/// A text as it looks, with the offsets of the source text.
pub(super) struct Folded<'a> {
    pub(super) text: Cow<'a, str>,
    source: &'a str,
    /// Offsets from which on the two differ: in this text, and in the other.
    shifts: Vec<(usize, usize)>,
}

impl<'a> Folded<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        if text.is_ascii() || !text.chars().any(|c| looks(c) != Some(c)) {
            return Self { text: Cow::Borrowed(text), source: text, shifts: Vec::new() };
        }
        let (mut folded, mut shifts) = (String::with_capacity(text.len()), Vec::new());
        for (at, c) in text.char_indices() {
            match looks(c) {
                Some(same) if same == c => folded.push(c),
                Some(other) => {
                    shifts.push((folded.len(), at));
                    folded.push(other);
                    shifts.push((folded.len(), at + c.len_utf8()));
                }
                None => shifts.push((folded.len(), at + c.len_utf8())),
            }
        }
        Self { text: Cow::Owned(folded), source: text, shifts }
    }

    pub(super) fn original(&self, offset: usize) -> usize {
        let behind = self.shifts.partition_point(|(folded, _)| *folded <= offset);
        match behind.checked_sub(1).and_then(|index| self.shifts.get(index)) {
            Some((folded, original)) => original + (offset - folded),
            None => offset,
        }
    }

    /// The end in the source text: the offset after the last character.
    pub(super) fn original_end(&self, offset: usize) -> usize {
        let last = self.text.get(..offset).and_then(|before| before.chars().next_back());
        let start = self.original(offset - last.map_or(0, char::len_utf8));
        start + self.source.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
    }
}

/// The character that a character looks like; `None` if it does not show. Source: Unicode 16, blocks Halfwidth and
/// Fullwidth Forms and General Punctuation.
fn looks(c: char) -> Option<char> {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xff01 + 0x21),
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}' | '\u{180e}' => None,
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_looks_the_same_is_the_same() {
        let text = "a ＴO\u{200b}DＯ b";
        let folded = Folded::of(text);
        assert_eq!(folded.text, "a TODO b");
        assert_eq!(text.get(folded.original(2)..folded.original_end(6)), Some("ＴO\u{200b}DＯ"));
        assert_eq!(Folded::of("\u{feff}x").original(0), 3);
    }

    proptest! {
        #[test]
        fn every_character_is_found_again(text in "[aＡé\u{200b}\u{feff}，…]{0,20}") {
            let folded = Folded::of(&text);
            for (at, c) in folded.text.char_indices() {
                let (start, end) = (folded.original(at), folded.original_end(at + c.len_utf8()));
                prop_assert_eq!(text.get(start..end).and_then(|one| looks(one.chars().next()?)), Some(c));
            }
        }
    }
}
