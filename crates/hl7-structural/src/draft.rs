//! How a message is selected by what identifies it.

use candor_check::draft::{Came, Selection};
use candor_json::{Map, Value, json};

/// Fields that hold the number of an order, an account or a visit: placer, filler, account, visit.
const NUMBERS: [(&str, &str); 6] = [
    ("ORC.2.1", "order"),
    ("OBR.2.1", "order"),
    ("ORC.3.1", "order"),
    ("OBR.3.1", "order"),
    ("PV1.19.1", "visit"),
    ("PID.18.1", "account"),
];

/// The best way first: type, patient and number; type and patient; type and number; type.
pub(crate) fn selections(came: &Came<'_>) -> Vec<Selection> {
    let Some(code) = came.text("MSH.9.1") else { return Vec::new() };
    let kind = came.text("MSH.9.2").map_or_else(|| code.clone(), |event| format!("{code}^{event}"));
    let patient = came.text("PID.3.1").map(|mrn| ("PID.3.1", format!("for patient {mrn}"), mrn));
    let numbers: Vec<_> = NUMBERS
        .iter()
        .filter_map(|(path, word)| came.text(path).map(|number| (*path, format!("about {word} {number}"), number)))
        .collect();
    let mut ways: Vec<Vec<&(&str, String, String)>> = Vec::new();
    if let Some(patient) = &patient {
        ways.extend(numbers.iter().map(|number| vec![patient, number]));
        ways.push(vec![patient]);
    }
    ways.extend(numbers.iter().map(|number| vec![number]));
    ways.push(Vec::new());
    ways.into_iter().map(|by| selection(&kind, &by)).collect()
}

fn selection(kind: &str, by: &[&(&str, String, String)]) -> Selection {
    let mut correlate: Map<String, Value> = Map::new();
    correlate.insert("message_type".to_owned(), json!(kind));
    correlate.extend(by.iter().map(|(path, _, value)| ((*path).to_owned(), json!(value))));
    let words: Vec<&str> = by.iter().map(|(_, words, _)| words.as_str()).collect();
    let article = if kind.starts_with(['A', 'E', 'I', 'O', 'M', 'R', 'S', 'U']) { "An" } else { "A" };
    let article = if kind.starts_with('U') { "A" } else { article };
    let what = format!("{article} {kind} {}", words.join(" "));
    let paths: Vec<&str> = ["MSH.9"].into_iter().chain(by.iter().map(|(path, ..)| *path)).collect();
    let assertion = json!({"assert": "hl7-structural", "correlate_by": correlate});
    Selection::new(assertion, "fields", what.trim_end(), &paths).that("was sent")
}
