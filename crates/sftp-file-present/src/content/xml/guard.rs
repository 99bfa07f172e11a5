//! Documents that are refused before they are parsed: those with markup declarations, and those with shapes on which a
//! parser takes time or memory out of all proportion (attributes are held against each other, every element inherits
//! every namespace).

use crate::content::Malformed;

/// The most levels of elements. C-CDA documents have about 30.
const DEEPEST: usize = 256;
const MOST_ATTRIBUTES: usize = 256;
const MOST_ATTRIBUTES_IN_ALL: usize = 5_000_000;
/// The most namespaces in scope at one element.
const MOST_NAMESPACES: usize = 64;

/// Walks the tags of a text. What is not well-formed XML passes here, and is found by the parser.
pub(super) fn check(text: &str) -> Result<(), Malformed> {
    let bytes = text.as_bytes();
    // How many namespaces each open element declares.
    let mut open: Vec<usize> = Vec::new();
    let mut in_scope = 0;
    let mut attributes = 0;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|&b| b == b'<')) {
        let start = at + found;
        let rest = text.get(start..).unwrap_or_default();
        let past = |end: &str| rest.find(end).map_or(text.len(), |found| start + found + end.len());
        at = if rest.starts_with("<!--") {
            past("-->")
        } else if rest.starts_with("<![CDATA[") {
            past("]]>")
        } else if rest.starts_with("<?") {
            past("?>")
        } else if rest.starts_with("<!") {
            let what = "a document type declaration, which may declare entities and is not read";
            return Err(Malformed::at(start, what));
        } else if rest.starts_with("</") {
            in_scope -= open.pop().unwrap_or_default();
            past(">")
        } else {
            let tag = Tag::read(bytes.get(start..).unwrap_or_default());
            in_scope += tag.namespaces;
            attributes += tag.attributes;
            let limit = match () {
                () if open.len() >= DEEPEST => Some(format!("elements more than {DEEPEST} levels deep")),
                () if tag.attributes > MOST_ATTRIBUTES => {
                    Some(format!("an element of more than {MOST_ATTRIBUTES} attributes"))
                }
                () if attributes > MOST_ATTRIBUTES_IN_ALL => {
                    Some(format!("more than {MOST_ATTRIBUTES_IN_ALL} attributes"))
                }
                () if in_scope > MOST_NAMESPACES => {
                    Some(format!("more than {MOST_NAMESPACES} namespaces at one element"))
                }
                () => None,
            };
            if let Some(what) = limit {
                return Err(Malformed::beyond(start, what));
            }
            if tag.is_empty {
                in_scope -= tag.namespaces;
            } else {
                open.push(tag.namespaces);
            }
            start + tag.length
        };
    }
    Ok(())
}

struct Tag {
    length: usize,
    attributes: usize,
    namespaces: usize,
    is_empty: bool,
}

impl Tag {
    fn read(bytes: &[u8]) -> Self {
        let mut tag = Self { length: bytes.len(), attributes: 0, namespaces: 0, is_empty: false };
        let mut quote = None;
        let mut previous = b'<';
        for (at, &byte) in bytes.iter().enumerate().skip(1) {
            match quote {
                Some(open) if byte == open => quote = None,
                Some(_) => {}
                None => match byte {
                    b'"' | b'\'' => {
                        quote = Some(byte);
                        tag.attributes += 1;
                    }
                    b'>' => {
                        tag.length = at + 1;
                        tag.is_empty = previous == b'/';
                        break;
                    }
                    b'x' if previous.is_ascii_whitespace()
                        && bytes.get(at..).is_some_and(|r| r.starts_with(b"xmlns")) =>
                    {
                        tag.namespaces += 1;
                    }
                    _ => {}
                },
            }
            previous = byte;
        }
        tag
    }
}
