//! The page has every name that is sent.

use std::fs;
use std::path::Path;

use candor_telemetry::attributes::NAMES;

#[test]
fn the_page_lists_what_is_sent_and_nothing_else() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md")).unwrap();
    let section = page.split("\n## Telemetry\n").nth(1).unwrap();
    let tables = section.split("\n### Variables\n").next().unwrap();
    let named = |line: &str| Some(line.strip_prefix("| `")?.split('`').next()?.to_owned());
    let told: Vec<String> = tables.lines().filter_map(named).collect();
    assert_eq!(told, NAMES);
    // A name that is sent is a constant of that module.
    let module = include_str!("../../src/attributes.rs");
    assert_eq!(
        module.lines().filter(|line| line.starts_with("pub const ") && line.contains(": &str")).count(),
        NAMES.len()
    );
}
