//! Secrets: values that never print.

/// A setting that came from `${env:NAME}`. It shows only to who asks for it by name of this method.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a value.
    #[must_use]
    pub fn new(value: String) -> Self {
        Self(value)
    }

    /// Reads `${env:NAME}` and nothing else, so that no secret is ever written into a file.
    ///
    /// # Errors
    /// The end of a sentence that begins with the setting's name. What was written is not repeated.
    pub fn from_environment(text: &str) -> Result<Self, String> {
        let name = text
            .strip_prefix("${env:")
            .and_then(|rest| rest.strip_suffix('}'))
            .ok_or("is written out; a secret is given only as ${env:NAME}")?;
        std::env::var(name)
            .map(Self::new)
            .map_err(|_| format!("names the environment variable {name}, which is not set"))
    }

    /// The value itself: to hand to a server, never to a message.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl std::fmt::Display for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(secret)")
    }
}
