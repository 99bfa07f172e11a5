//! A question to the judge: the statement and the call, as JSON in which text stays text.

use sha2::{Digest, Sha256};

/// The rules for the judge. Changing a word of them changes every answer.
const PROMPT: &str = include_str!("../../data/judge-prompt.txt");

/// The rules for the second question, about a quote alone.
const QUOTE_PROMPT: &str = include_str!("../../data/quote-prompt.txt");

/// The largest call that a judge is asked about, in bytes of the question.
const LONGEST: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) message: String,
    /// Of the rules and the data: the same question has the same.
    pub(crate) digest: String,
    /// The call is longer than a question to a judge may be.
    pub(crate) too_long: bool,
    pub(crate) statement: String,
    pub(crate) of_quote: bool,
}

impl Question {
    /// Asks if `role` said `statement`, or, without a role, if any speaker did. A turn that was spoken has its number, its
    /// speaker and its text.
    pub(crate) fn new<'s>(
        statement: &str,
        role: Option<&str>,
        spoken: impl Iterator<Item = (usize, &'s str, &'s str)>,
    ) -> Self {
        let mut json = String::from("{\"statement\":");
        encode(statement, &mut json);
        json.push_str(",\"speaker\":");
        match role {
            Some(role) => encode(role, &mut json),
            None => json.push_str("null"),
        }
        json.push_str(",\"turns\":[");
        let mut first = true;
        for (index, speaker, text) in spoken {
            if json.len() > LONGEST {
                break;
            }
            json.push_str(if first { "\n" } else { ",\n" });
            first = false;
            json.push_str(&format!("{{\"turn\":{index},\"speaker\":"));
            encode(speaker, &mut json);
            json.push_str(",\"text\":");
            encode(text, &mut json);
            json.push('}');
        }
        Self::of(statement, json, false)
    }

    pub(crate) fn about(statement: &str, quote: &str) -> Self {
        let mut json = String::from("{\"statement\":");
        encode(statement, &mut json);
        json.push_str(",\"speaker\":null,\"turns\":[\n{\"turn\":0,\"speaker\":\"unknown\",\"text\":");
        encode(quote, &mut json);
        json.push('}');
        Self::of(statement, json, true)
    }

    fn of(statement: &str, mut json: String, of_quote: bool) -> Self {
        json.push_str("\n]}");
        let prompt = if of_quote { QUOTE_PROMPT } else { PROMPT };
        let digest = hex(&[prompt, &json]);
        // the data cannot contain its end mark: the mark is made of the data
        let mark = hex(&[&json]).chars().take(16).collect::<String>();
        let too_long = json.len() > LONGEST;
        let message = format!("DATA {mark}\n{json}\nEND {mark}");
        Self { message, digest, too_long, statement: statement.to_owned(), of_quote }
    }

    pub(crate) fn system(&self) -> &'static str {
        if self.of_quote { QUOTE_PROMPT } else { PROMPT }
    }
}

fn hex(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a JSON string with only letters, digits, spaces and the marks of sentences unescaped: the characters that a
/// model's chat template or a reader of markup takes for a sign of its own (`<|end|>`, `[INST]`, a line of its own) are
/// escaped.
fn encode(text: &str, json: &mut String) {
    json.push('"');
    for c in text.chars() {
        let plain =
            c.is_alphanumeric() || matches!(c, ' ' | '.' | ',' | '?' | '!' | '\'' | '-' | ':' | ';' | '$' | '%' | '/');
        if plain {
            json.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                json.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    json.push('"');
}
