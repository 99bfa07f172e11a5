//! Names of records and files: as an id, and against a glob.

pub(super) fn slug(name: &str) -> String {
    let mut slug = String::new();
    let mut was_small = false;
    for c in name.chars() {
        if c.is_uppercase() && was_small {
            slug.push('-');
        }
        was_small = c.is_lowercase() || c.is_ascii_digit();
        match c.is_alphanumeric() {
            true => slug.extend(c.to_lowercase()),
            false if !slug.ends_with('-') => slug.push('-'),
            false => {}
        }
    }
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "record".to_owned() } else { slug.to_owned() }
}

pub(super) fn matches(glob: &str, path: &str) -> bool {
    let mut pieces = glob.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| path.strip_prefix(first)) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, between)) = pieces.split_last() else { return rest.is_empty() };
    for piece in between {
        let Some((skipped, after)) = rest.split_once(piece) else { return false };
        if skipped.contains('/') {
            return false;
        }
        rest = after;
    }
    rest.strip_suffix(last).is_some_and(|skipped| !skipped.contains('/'))
}
