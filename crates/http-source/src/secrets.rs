//! Values that must never be shown, and the sieve that takes them out of everything that a server sent.

use std::sync::{Mutex, PoisonError};

/// The secrets that are in use.
#[derive(Default)]
pub struct Secrets(Mutex<Vec<String>>);

/// Shorter ones would blot out words of the sentence, and cannot protect a server anyway.
const SHORTEST: usize = 4;

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(…)")
    }
}

impl Secrets {
    /// Takes care that a secret is not shown.
    pub fn add(&self, secret: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if secret.len() >= SHORTEST && !known.iter().any(|one| one == secret) {
            known.push(secret.to_owned());
            // The longest first: a secret that is part of another leaves nothing of the other.
            known.sort_by_key(|one| std::cmp::Reverse(one.len()));
        }
    }

    /// The text without any of them.
    #[must_use]
    pub fn strained(&self, text: &str) -> String {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "(secret)"))
    }

    /// A text that a server sent, for a sentence: strained, on one line, cut.
    #[must_use]
    pub fn quoted(&self, text: &str) -> String {
        const LONGEST: usize = 240;
        let strained = self.strained(text);
        let line: String = strained.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(LONGEST) {
            Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
            None => line,
        }
    }
}
