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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const A: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const B: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn every_way_of_writing_is_read() {
        let sha = |text: &str| told(text.as_bytes(), "claims.csv", Algorithm::Sha256);
        for text in [
            format!("{A}  claims.csv\n"),
            format!("{A} *claims.csv\r\n"),
            format!("{A} claims.csv"),
            A.to_uppercase(),
            format!("{A}  -\n"),
            format!("\u{feff}{A}  out/claims.csv\n"),
            format!("# made by cron\n\n{B}  other.csv\n{A}  claims.csv\n"),
            format!("SHA256 (claims.csv) = {A}\nMD5 (claims.csv) = d41d8cd98f00b204e9800998ecf8427e\n"),
            format!("SHA2-256 (out/claims.csv) = {A}"),
            format!("{A}  claims.csv\n{A}  claims.csv\n"),
        ] {
            assert_eq!(sha(&text), Ok(A.to_owned()), "{text}");
        }
        for (text, what) in [
            (String::new(), "holds no SHA-256 of claims.csv"),
            (format!("{A}  other.csv\n"), "holds no SHA-256 of claims.csv"),
            (format!("{A}\n{A}\n"), "holds no SHA-256"),
            (format!("{A}  claims.csv\n{B}  claims.csv\n"), "several"),
            ("d41d8cd98f00b204e9800998ecf8427e  claims.csv".to_owned(), "without a valid SHA-256"),
            (format!("{}  claims.csv", &A[1..]), "without a valid SHA-256"),
            ("done".to_owned(), "without a valid SHA-256"),
        ] {
            assert!(sha(&text).unwrap_err().contains(what), "{text}");
        }
        let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(A.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(told(&utf16, "x", Algorithm::Sha256), Ok(A.to_owned()));
        assert_eq!(told(format!("\\{A}  a\\\\b\\nc").as_bytes(), "b\nc", Algorithm::Sha256), Ok(A.to_owned()));
    }

    proptest! {
        #[test]
        fn never_panics(text in "[0-9a-f ()=*\\\\\nSHé]{0,90}") {
            let _ = told(text.as_bytes(), "a", Algorithm::Md5);
        }
    }
}
