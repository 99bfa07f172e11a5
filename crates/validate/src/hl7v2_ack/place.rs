//! Places of faults.

/// ERL of a path such as `OBX[2].5[3]`: segment, sequence, field, repetition.
pub(crate) fn place(path: &str, component: char) -> String {
    let (segment, rest) = path.split_once('.').unwrap_or((path, ""));
    let indexed = |text: &str| {
        let (name, index) = text.split_once('[').map_or((text, "1"), |(name, rest)| (name, rest.trim_end_matches(']')));
        (name.to_owned(), index.to_owned())
    };
    let (segment, sequence) = indexed(segment);
    let mut parts = vec![segment, sequence];
    if !rest.is_empty() {
        let mut rest = rest.split('.');
        let (field, repetition) = indexed(rest.next().unwrap_or_default());
        parts.extend([field, repetition]);
        parts.extend(rest.next().map(str::to_owned));
    }
    parts.join(&component.to_string())
}
