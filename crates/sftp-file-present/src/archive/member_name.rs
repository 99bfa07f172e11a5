//! Names of an archive's members: which of them name a file within it, and which are refused.

/// The longest name, in bytes: as long as the longest path of common systems.
const LONGEST: usize = 4096;

/// A member's path with `/` between its parts and no `.` among them; `None` for the archive's own root, and for a name
/// that ends in `/`, which is a folder's.
///
/// # Errors
/// The end of a sentence about a name that could lead out of the archive, or that systems read in several ways.
pub(super) fn member_path(name: &str) -> Result<Option<String>, String> {
    let shown: String = name.chars().take(80).flat_map(char::escape_debug).collect();
    let refused = |why: &str| Err(format!("has a member named \"{shown}\", which {why}"));
    if name.len() > LONGEST {
        return refused("is longer than a path may be");
    }
    if name.is_empty() {
        return refused("is no name");
    }
    if name.contains('\0') {
        return refused("holds a NUL");
    }
    if name.contains('\\') {
        return refused("holds a backslash, which is part of a name here and between two there");
    }
    let first = name.split('/').find(|part| !part.is_empty() && *part != ".");
    let mut letters = first.unwrap_or_default().chars();
    if letters.next().is_some_and(|c| c.is_ascii_alphabetic()) && letters.next() == Some(':') {
        return refused("names a drive");
    }
    if name.starts_with('/') {
        return refused("is absolute");
    }
    if name.split('/').any(|part| part == "..") {
        return refused("leads out of the archive");
    }
    if name.ends_with('/') {
        return Ok(None);
    }
    let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    Ok(if parts.is_empty() { None } else { Some(parts.join("/")) })
}
