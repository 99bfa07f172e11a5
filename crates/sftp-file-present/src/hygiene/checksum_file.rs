//! Files of checksums, as `sha256sum` and BSD's `sha256` write them: `HASH  name`, `HASH *name`, `SHA256 (name) = HASH`, or a
//! hash alone.

use super::digests::Algorithm;

/// The digest that the file tells of a file of that name.
///
/// # Errors
/// The value there instead, as the end of a sentence about the file of checksums.
pub(super) fn told(bytes: &[u8], name: &str, algorithm: Algorithm) -> Result<String, String> {
    let encoding = encoding_rs::Encoding::for_bom(bytes).map_or(encoding_rs::UTF_8, |(encoding, _)| encoding);
    let (text, _) = encoding.decode_with_bom_removal(bytes);
    let lines: Vec<&str> =
        text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])).collect();
    let mut found: Vec<String> = Vec::new();
    for line in &lines {
        let Some(told) = read(line) else { return Err(format!("holds a line without a valid {}", algorithm.name())) };
        // A name that is written for another algorithm says nothing of this one.
        if told.algorithm.is_some_and(|other| other != algorithm) {
            continue;
        }
        let same_name = match told.name.as_deref() {
            None | Some("-") => lines.len() == 1,
            Some(path) => path.rsplit(['/', '\\']).next() == Some(name),
        };
        if same_name && Algorithm::of_digest(told.digest) != Some(algorithm) {
            return Err(format!("holds a line without a valid {}", algorithm.name()));
        }
        if same_name {
            found.push(told.digest.to_ascii_lowercase());
        }
    }
    found.dedup();
    match found.as_slice() {
        [digest] => Ok(digest.clone()),
        [] => Err(format!("holds no {} of {name}", algorithm.name())),
        _ => Err(format!("holds several {} of {name}", algorithm.name())),
    }
}

struct Line<'a> {
    digest: &'a str,
    name: Option<String>,
    algorithm: Option<Algorithm>,
}

fn read(line: &str) -> Option<Line<'_>> {
    if let Some((before, digest)) = line.rsplit_once(" = ")
        && let Some((algorithm, name)) = before.split_once(" (")
    {
        let name = name.strip_suffix(')')?;
        return Some(Line { digest, name: Some(name.to_owned()), algorithm: Some(Algorithm::named(algorithm)?) });
    }
    let (escaped, line) = line.strip_prefix('\\').map_or((false, line), |rest| (true, rest));
    let length = line.bytes().take_while(u8::is_ascii_hexdigit).count();
    let (digest, rest) = line.split_at_checked(length)?;
    Algorithm::of_digest(digest)?;
    if rest.is_empty() {
        return Some(Line { digest, name: None, algorithm: None });
    }
    let name = rest.strip_prefix([' ', '\t'])?;
    let name = name.strip_prefix([' ', '*', '\t']).unwrap_or(name);
    let name = if escaped { unescaped(name) } else { name.to_owned() };
    (!name.is_empty()).then_some(Line { digest, name: Some(name), algorithm: None })
}

/// GNU writes `\n`, `\r` and `\\` in names of lines that begin with a backslash.
fn unescaped(name: &str) -> String {
    let mut text = String::new();
    let mut characters = name.chars();
    while let Some(c) = characters.next() {
        match (c, characters.as_str().chars().next()) {
            ('\\', Some(next @ ('n' | 'r' | '\\'))) => {
                characters.next();
                text.push(match next {
                    'n' => '\n',
                    'r' => '\r',
                    other => other,
                });
            }
            _ => text.push(c),
        }
    }
    text
}
