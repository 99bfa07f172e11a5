//! Matches one name of a path against one name of a glob, character by character.

/// A name of a glob: `*`, `?`, `[ab]`, `[a-z]`, `[!a]`, and characters as themselves (`\` before one that has a
/// meaning).
#[derive(Clone, Debug)]
pub(super) struct Name(pub(super) Vec<Part>);

#[derive(Clone, Debug)]
pub(super) enum Part {
    Any,
    One,
    Is(char),
    Class { negated: bool, ranges: Vec<(char, char)> },
}

impl Part {
    pub(super) fn takes(&self, c: char) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Is(own) => *own == c,
            Self::Class { negated, ranges } => ranges.iter().any(|&(from, to)| (from..=to).contains(&c)) != *negated,
        }
    }
}

impl Name {
    /// Reads a name.
    ///
    /// # Errors
    /// The end of a sentence: a bracket that does not close, a range that runs backwards, a `\` at the end.
    pub(super) fn parse(name: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = name.chars();
        while let Some(c) = rest.next() {
            parts.push(match c {
                '*' => Part::Any,
                '?' => Part::One,
                '[' => class(&mut rest)?,
                '\\' => Part::Is(escaped(&mut rest)?),
                c => Part::Is(c),
            });
        }
        Ok(Self(parts))
    }

    /// True if the whole name matches. Takes at most the product of both lengths: of several `*`, the search goes back
    /// only to the last one it met.
    pub(super) fn matches(&self, name: &str) -> bool {
        let mut part = 0;
        let mut rest = name.chars();
        let mut back: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            let mut after = rest.clone();
            match (self.0.get(part), after.next()) {
                (Some(Part::Any), _) => {
                    part += 1;
                    back = Some((part, rest.clone()));
                    continue;
                }
                (None, None) => return true,
                (Some(own), Some(c)) if own.takes(c) => {
                    part += 1;
                    rest = after;
                    continue;
                }
                _ => {}
            }
            // Let the last star take one character more, if there is one.
            let Some((star, mut from)) = back else { return false };
            if from.next().is_none() {
                return false;
            }
            part = star;
            rest = from.clone();
            back = Some((star, from));
        }
    }
}

fn escaped(rest: &mut std::str::Chars<'_>) -> Result<char, String> {
    rest.next().ok_or_else(|| "a \\ at its end has no character after it".to_owned())
}

/// Reads the class after a `[`, up to its `]`. A `]` at the beginning is one of its characters, and so is a `-` at the
/// beginning or the end.
fn class(rest: &mut std::str::Chars<'_>) -> Result<Part, String> {
    let negated = rest.as_str().starts_with(['!', '^']);
    if negated {
        rest.next();
    }
    let mut ranges = Vec::new();
    loop {
        let from = match rest.next() {
            None => return Err("a [ does not close; write \\[ for the character".to_owned()),
            Some(']') if !ranges.is_empty() => return Ok(Part::Class { negated, ranges }),
            Some('\\') => escaped(rest)?,
            Some(c) => c,
        };
        let is_range = rest.as_str().starts_with('-') && !rest.as_str().starts_with("-]");
        let to = match is_range.then(|| (rest.next(), rest.next())) {
            None => from,
            Some((_, Some('\\'))) => escaped(rest)?,
            Some((_, Some(c))) => c,
            Some((_, None)) => return Err("a [ does not close; write \\[ for the character".to_owned()),
        };
        if to < from {
            return Err(format!("the range {from}-{to} runs backwards"));
        }
        ranges.push((from, to));
    }
}
