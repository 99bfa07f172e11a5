//! How a file is selected by its path, without what a clock or a counter put into its name.

use candor_check::draft::{Came, Selection, is_uuid};
use candor_json::json;

/// The shortest run of digits that is taken for a day, a time or a counter.
const STAMP: usize = 8;

/// The path with days, times and UUIDs of its name left open, where it has some and was not there before; then the path itself.
pub(crate) fn selections(came: &Came<'_>) -> Vec<Selection> {
    let exact = escaped(came.key);
    let (folder, name) = came.key.rsplit_once('/').map_or(("", came.key), |(folder, name)| (folder, name));
    let open = opened(name);
    let between = if folder.is_empty() { "" } else { "/" };
    let open = (came.is_new && open != escaped(name)).then(|| format!("{}{between}{open}", escaped(folder)));
    let of = |path: String| {
        let what = format!("The file {path}");
        let assertion = json!({"assert": "sftp-file-present", "path": path});
        Selection::new(assertion, "fields", what, &[]).that("was delivered")
    };
    open.into_iter().chain([exact]).map(of).collect()
}

/// A name in which a star represents each UUID, and each long run of digits that is a day or a time.
pub(crate) fn opened(name: &str) -> String {
    let mut open = String::new();
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.get(..36).filter(|text| is_uuid(text)).and_then(|_| rest.get(36..)) {
            open.push('*');
            rest = after;
            continue;
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (run, after) = rest.split_at(digits);
        if digits >= STAMP && (run.starts_with("19") || run.starts_with("20")) {
            open.push('*');
            rest = after;
        } else if digits > 0 {
            open.push_str(run);
            rest = after;
        } else {
            open.push_str(&escaped(&c.to_string()));
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    open
}

fn escaped(path: &str) -> String {
    path.chars().map(|c| if matches!(c, '*' | '?' | '[' | '{') { format!("[{c}]") } else { c.to_string() }).collect()
}
