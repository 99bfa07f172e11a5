//! The tables of members on the pages of the checks say what the JSON Schemas say: names, `required`, defaults.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use candor_json::Value;

/// A page, which of its tables `| member | …` it is, and the assertions whose members it lists.
const TABLES: [(&str, usize, &[&str]); 11] = [
    ("fhir-resource-state", 1, &["fhir-resource-state"]),
    ("hl7-structural", 0, &["hl7-structural"]),
    ("portal-state-match", 0, &["portal-state-match"]),
    ("sftp-file-present", 0, &["sftp-file-present"]),
    ("voice-transcript", 0, &["voice-transcript"]),
    ("x12-response", 0, &["x12-response"]),
    ("workspace", 0, &["file-exists", "file-not-empty"]),
    ("workspace", 1, &["content-contains", "content-not-contains"]),
    ("workspace", 2, &["no-placeholders"]),
    ("workspace", 3, &["code-compiles", "lint-passes", "tests-pass"]),
    ("workspace", 4, &["endpoint-responds", "response-time"]),
];

fn page(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/checks").join(format!("{name}.md"));
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The rows of a table of members, and whether it has a column of defaults.
fn table(page: &str, index: usize) -> (Vec<&str>, bool) {
    let rest = page.split("\n| member |").nth(index + 1).expect("the page has so many tables of members");
    let (header, rows) = rest.split_once('\n').expect("a header");
    (rows.lines().skip(1).take_while(|line| line.starts_with("| ")).collect(), header.starts_with(" default |"))
}

/// The texts between backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// A member by its path: `correlate_by.key`.
fn member<'s>(schema: &'s Value, path: &str) -> Option<&'s Value> {
    path.split('.').try_fold(schema, |schema, name| schema.get("properties")?.get(name))
}

/// Returns `true` if the list `required` that a member belongs to has it.
fn is_required(schema: &Value, path: &str) -> bool {
    let (of, name) = path.rsplit_once('.').map_or((Some(schema), path), |(of, name)| (member(schema, of), name));
    let required = of.and_then(|of| of.get("required")).and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|one| one == name))
}

/// Returns `true` if one of several forms of the assertion requires a member.
fn is_one_of(schema: &Value, name: &str) -> bool {
    let forms = ["anyOf", "oneOf"].iter().filter_map(|forms| schema.get(forms)?.as_array()).flatten();
    forms.into_iter().any(|form| is_required(form, name))
}

/// The differences between a table and the schemas of the assertions that it lists.
fn differences(page: &str, index: usize, schemas: &[Value]) -> Vec<String> {
    let (rows, has_defaults) = table(page, index);
    let (mut differences, mut listed) = (Vec::new(), BTreeSet::new());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let rest = cells[1..].join(" | ");
        for name in quoted(cells[0]) {
            let having: Vec<&Value> = schemas.iter().filter(|schema| member(schema, name).is_some()).collect();
            if having.is_empty() {
                differences.push(format!("`{name}` is not in the schema"));
                continue;
            }
            listed.insert(name.to_owned());
            let says = rest.split(|c: char| !c.is_alphabetic()).any(|word| word == "required");
            let all = having.iter().all(|schema| is_required(schema, name));
            if says != all
                && !(says && having.iter().any(|schema| is_one_of(schema, name)))
                && quoted(cells[0]).len() == 1
            {
                differences.push(format!("`{name}`: the page says required: {says}, the schema: {all}"));
            }
            let defaults = having.iter().filter_map(|schema| member(schema, name)?.get("default"));
            for default in defaults.filter(|_| has_defaults) {
                let shown = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
                let is_nothing = matches!(shown.as_str(), "[]" | "{}") && ["none", ""].contains(&cells[1]);
                if !is_nothing && !cells[1].split(", ").chain([cells[1]]).any(|cell| cell.trim_matches('`') == shown) {
                    differences.push(format!("`{name}`: the page says {}, the schema's default is {shown}", cells[1]));
                }
            }
        }
    }
    // A member whose own members have rows of their own has a row for each of them.
    let parts: BTreeSet<String> = listed.iter().filter_map(|name| Some(name.rsplit_once('.')?.0.to_owned())).collect();
    for of in parts.iter().map(Some).chain([None]) {
        let object = |schema: &'_ Value| of.map_or(Some(schema.clone()), |of| member(schema, of).cloned());
        for object in schemas.iter().filter_map(object) {
            for name in object["properties"].as_object().into_iter().flat_map(|members| members.keys()) {
                let path = of.map_or_else(|| name.clone(), |of| format!("{of}.{name}"));
                if path != "assert" && !listed.contains(&path) && !parts.contains(&path) {
                    differences.push(format!("`{path}` is not in the table"));
                }
            }
        }
    }
    differences.sort();
    differences.dedup();
    differences
}

fn schemas(asserts: &[&str]) -> Vec<Value> {
    asserts.iter().map(|assert| candor_checks::schema(Some(assert)).expect("a check")).collect()
}

#[test]
fn the_tables_are_those_of_the_schemas() {
    for (name, index, asserts) in TABLES {
        assert_eq!(
            differences(&page(name), index, &schemas(asserts)),
            [""; 0],
            "table {index} of docs/checks/{name}.md"
        );
    }
    // Every check with a page of its own is listed.
    let listed: BTreeSet<&str> = TABLES.iter().flat_map(|(_, _, asserts)| asserts.iter().copied()).collect();
    let all = candor_checks::ALL.iter().map(|check| check.meta().assert);
    assert_eq!(all.filter(|assert| !listed.contains(assert)).collect::<Vec<_>>(), ["state-unchanged"]);
}

#[test]
fn an_edited_row_is_found() {
    for (name, index, asserts) in TABLES {
        let (page, schemas) = (page(name), schemas(asserts));
        let (rows, has_defaults) = table(&page, index);
        for row in &rows {
            let name = quoted(row)[0];
            let renamed = page.replace(row, &row.replacen(name, &format!("{name}s"), 1));
            assert!(!differences(&renamed, index, &schemas).is_empty(), "{row} has another name");
            let missing = page.replace(&format!("\n{row}"), "");
            assert!(!differences(&missing, index, &schemas).is_empty(), "{row} is missing");
            if has_defaults && member(&schemas[0], name).is_some_and(|member| member["default"].is_boolean()) {
                let turned = row.replacen("| `false` |", "| `true` |", 1);
                let turned = if turned == **row { row.replacen("`true`", "`false`", 1) } else { turned };
                assert!(!differences(&page.replace(row, &turned), index, &schemas).is_empty(), "{turned}");
            }
        }
    }
}
