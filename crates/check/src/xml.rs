//! XML that is refused before it is parsed: markup declarations, and shapes on which a parser takes stack, time or memory
//! out of all proportion. It calls itself for each level, compares all attributes of an element with each other, and hands
//! every namespace down to every element.

/// Why XML is not parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlFlaw {
    /// The byte where it begins.
    pub offset: usize,
    /// The text there.
    pub what: String,
    /// The kind of flaw.
    pub kind: XmlFlawKind,
}

/// The kinds of [`XmlFlaw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XmlFlawKind {
    /// A markup declaration: of a document type, which may declare entities, or one that is not XML there.
    Declaration,
    /// Elements nested deeper than is read: a limit of Candor, not a fault of who wrote it.
    TooDeep,
    /// More attributes or namespaces than are read: a limit as well.
    TooMany,
}

/// The most levels of elements. C-CDA documents have about 30.
const DEEPEST: usize = 256;
const MOST_ATTRIBUTES: usize = 256;
const MOST_ATTRIBUTES_IN_ALL: usize = 5_000_000;
/// The most namespaces in scope at one element.
const MOST_NAMESPACES: usize = 64;

/// Walks the tags of a text. What is not well-formed XML passes here, and is found by the parser.
///
/// ```
/// use candor_check::xml::{XmlFlawKind, check};
/// let nested = |levels: usize| "<a>".repeat(levels) + &"</a>".repeat(levels);
/// assert_eq!(check(&nested(256)), Ok(()));
/// assert_eq!(check(&nested(257)).unwrap_err().kind, XmlFlawKind::TooDeep);
/// ```
///
/// # Errors
///
/// The first declaration, or the first place beyond a limit.
pub fn check(text: &str) -> Result<(), XmlFlaw> {
    let bytes = text.as_bytes();
    // How many namespaces each open element declares.
    let mut open: Vec<usize> = Vec::new();
    let mut in_scope = 0;
    let mut attributes = 0;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|&b| b == b'<')) {
        let start = at + found;
        let rest = text.get(start..).unwrap_or_default();
        // The end comes after what begins: `<!-->` is not yet a comment.
        let past = |beginning: usize, end: &str| {
            let found = rest.get(beginning..).and_then(|rest| rest.find(end));
            found.map_or(text.len(), |found| start + beginning + found + end.len())
        };
        at = if rest.starts_with("<!--") {
            past("<!--".len(), "-->")
        } else if rest.starts_with("<![CDATA[") {
            past("<![CDATA[".len(), "]]>")
        } else if rest.starts_with("<?") {
            past("<?".len(), "?>")
        } else if rest.starts_with("<!") {
            let what = "a document type declaration, which may declare entities and is not read".to_owned();
            return Err(XmlFlaw { offset: start, what, kind: XmlFlawKind::Declaration });
        } else if rest.starts_with("</") {
            in_scope -= open.pop().unwrap_or_default();
            past("</".len(), ">")
        } else {
            let tag = Tag::read(bytes.get(start..).unwrap_or_default());
            in_scope += tag.namespaces;
            attributes += tag.attributes;
            let limit = match () {
                () if open.len() >= DEEPEST => {
                    Some((XmlFlawKind::TooDeep, format!("elements more than {DEEPEST} levels deep")))
                }
                () if tag.attributes > MOST_ATTRIBUTES => {
                    Some((XmlFlawKind::TooMany, format!("an element of more than {MOST_ATTRIBUTES} attributes")))
                }
                () if attributes > MOST_ATTRIBUTES_IN_ALL => {
                    Some((XmlFlawKind::TooMany, format!("more than {MOST_ATTRIBUTES_IN_ALL} attributes")))
                }
                () if in_scope > MOST_NAMESPACES => {
                    Some((XmlFlawKind::TooMany, format!("more than {MOST_NAMESPACES} namespaces at one element")))
                }
                () => None,
            };
            if let Some((kind, what)) = limit {
                return Err(XmlFlaw { offset: start, what, kind });
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
