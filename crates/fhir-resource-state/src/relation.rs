//! The target of a link of a Bundle.

/// Where IANA keeps the names of relations: a URI below it means the name. Source: RFC 4287, 4.2.7.2.
const IANA: &str = "http://www.iana.org/assignments/relation/";

/// Returns `true` if a link's `relation` is one of a name: without regard to case, by RFC 8288, 2.1.2 and 3.3.
pub(crate) fn is(written: &str, relation: &str) -> bool {
    let written = written.trim();
    let name = match written.get(..IANA.len()) {
        Some(start) if start.eq_ignore_ascii_case(IANA) => written.get(IANA.len()..).unwrap_or_default(),
        _ => written,
    };
    name.eq_ignore_ascii_case(relation)
}
