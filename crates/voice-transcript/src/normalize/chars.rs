//! Which characters make words, which are read over, and which are marks of a pause.

use unicode_normalization::char::is_combining_mark;

/// Characters that show nothing and separate nothing: soft hyphen, joiners, direction marks,
/// variation selectors, byte order mark. A word written with one of them inside is the word.
pub(super) fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}')
}

pub(super) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2018}' | '\u{201b}' | '\u{2bc}' | '\u{2032}' | '\u{ff07}' | '`' | '\u{b4}')
}

/// Characters of words other than ASCII digits. Marks belong to the letter before them.
pub(super) fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    !is_apostrophe(c) && !is_ignorable(c) && (c.is_alphanumeric() || is_combining_mark(c))
}
