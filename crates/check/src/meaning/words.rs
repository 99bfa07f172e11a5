//! Texts as sets of words.

/// The words of a text: letters and digits in lower case, accents and all, without white space and punctuation.
///
/// ```
/// use candor_check::meaning::words_of;
/// assert_eq!(words_of("MRI brain, W/ contrast"), ["mri", "brain", "w", "contrast"]);
/// assert!(words_of(" – ").is_empty());
/// ```
#[must_use]
pub fn words_of(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Finds one list of words in another, in its order and without a gap.
pub(super) fn holds_phrase(words: &[String], phrase: &[String]) -> bool {
    !phrase.is_empty() && words.windows(phrase.len()).any(|window| window == phrase)
}
