//! Expands `{a,b}` into the globs without braces that it is short for.

/// The most globs that one text may expand to.
const MOST: usize = 1000;

pub(super) fn expanded(text: &str) -> Result<Vec<String>, String> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(glob) = open.pop() {
        match first_braces(&glob)? {
            None => done.push(glob),
            Some((start, end)) => {
                let part = |from: usize, to: usize| glob.get(from..to).unwrap_or_default();
                let (before, inside, after) = (part(0, start), part(start + 1, end), part(end + 1, glob.len()));
                open.extend(split(inside, ',').iter().map(|choice| format!("{before}{choice}{after}")));
            }
        }
        if done.len() + open.len() > MOST {
            return Err(format!("expands to more than {MOST} alternatives"));
        }
    }
    Ok(done)
}

/// The outermost first pair of braces, outside brackets and escapes.
fn first_braces(glob: &str) -> Result<Option<(usize, usize)>, String> {
    let mut start = None;
    let mut depth = 0;
    let mut scan = Scan::default();
    for (at, c) in glob.char_indices() {
        match c {
            _ if scan.is_literal(c) => {}
            '{' => {
                start.get_or_insert(at);
                depth += 1;
            }
            '}' if depth == 0 => return Err("has a } that closes nothing; write \\} for the character".to_owned()),
            '}' => {
                depth -= 1;
                if let (0, Some(start)) = (depth, start) {
                    return Ok(Some((start, at)));
                }
            }
            _ => {}
        }
    }
    if depth > 0 { Err("has a { that does not close; write \\{ for the character".to_owned()) } else { Ok(None) }
}

/// Splits a text at the separators outside braces, brackets and escapes.
pub(super) fn split(text: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    let mut scan = Scan::default();
    for c in text.chars() {
        let literal = scan.is_literal(c);
        match c {
            '{' if !literal => depth += 1,
            '}' if !literal => depth -= 1,
            _ => {}
        }
        if c == separator && !literal && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}

/// The state of a scan over a glob: inside brackets, after a backslash, or neither.
#[derive(Default)]
struct Scan {
    escaped: bool,
    /// How many characters of a class were read, its negation aside; `None` outside brackets.
    class: Option<usize>,
}

impl Scan {
    fn is_literal(&mut self, c: char) -> bool {
        if self.escaped {
            self.escaped = false;
            self.class = self.class.map(|read| read + 1);
            return true;
        }
        match (c, self.class) {
            ('\\', _) => self.escaped = true,
            ('[', None) => self.class = Some(0),
            (_, None) => return false,
            ('!' | '^', Some(0)) => {}
            // A ] at the beginning of a class is one of its characters.
            (']', Some(read)) if read > 0 => self.class = None,
            (_, Some(read)) => self.class = Some(read + 1),
        }
        true
    }
}
