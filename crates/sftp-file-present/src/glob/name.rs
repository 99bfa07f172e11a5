//! One name of a glob as a regular expression over characters.

use regex::Regex;

/// `*`, `?`, `[ab]`, `[a-z]`, `[!a]` and `\\` before a character that is meant as itself.
pub(super) fn matcher(name: &str) -> Result<Regex, String> {
    let mut expression = String::from(r"(?s)\A");
    let mut rest = name.chars();
    while let Some(c) = rest.next() {
        match c {
            '*' => expression.push_str(".*"),
            '?' => expression.push('.'),
            '[' => expression.push_str(&class(&mut rest)?),
            '\\' => match rest.next() {
                Some(c) => expression.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
                None => return Err("a \\ at its end stands before nothing".to_owned()),
            },
            c => expression.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    Regex::new(&(expression + r"\z")).map_err(|e| e.to_string())
}

/// The class behind a `[`, up to its `]`. A `]` that stands first is one of its characters.
fn class(rest: &mut std::str::Chars<'_>) -> Result<String, String> {
    let mut out = String::from("[");
    let mut first = true;
    let mut negated = false;
    loop {
        match rest.next() {
            None => return Err("a [ does not close; write \\[ for the character".to_owned()),
            Some('!' | '^') if first && !negated => {
                negated = true;
                out.push('^');
                continue;
            }
            Some(']') if !first => {
                out.push(']');
                return Ok(out);
            }
            // A range; the regular expression refuses one that runs backwards.
            Some('-') if !first && !rest.as_str().starts_with(']') => out.push('-'),
            Some('\\') => match rest.next() {
                Some(c) => literal(c, &mut out),
                None => return Err("a \\ at its end stands before nothing".to_owned()),
            },
            Some(c) => literal(c, &mut out),
        }
        first = false;
    }
}

fn literal(c: char, out: &mut String) {
    if c.is_ascii_punctuation() {
        out.push('\\');
    }
    out.push(c);
}
