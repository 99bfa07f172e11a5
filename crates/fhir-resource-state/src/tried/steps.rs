//! The steps of an expression.

/// Where the steps of an expression end: the dots outside of brackets and quotes.
pub(super) fn steps(text: &str) -> Vec<usize> {
    let (mut depth, mut quote, mut ends) = (0_usize, None, Vec::new());
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match (quote, character) {
            (Some(_), '\\') => drop(characters.next()),
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(character),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            (None, '.') if depth == 0 => ends.push(at),
            (None, _) => {}
        }
    }
    ends
}
