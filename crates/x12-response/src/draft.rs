//! How a transaction set is selected by what identifies it.

use candor_check::draft::{Came, Selection};
use candor_json::{Map, Value, json};

/// The person whom a set is about, by NM101: insured or subscriber, patient.
const PERSONS: [(&str, &str); 2] = [("IL", "member"), ("QC", "patient")];

/// The best way first: trace and person, claim and person, each alone, the transaction.
pub(crate) fn selections(came: &Came<'_>) -> Vec<Selection> {
    let Some(transaction) = came.text("ST.1") else { return Vec::new() };
    let person = PERSONS.iter().find_map(|(code, word)| {
        let is_it = |(path, value): &&(String, Value)| {
            path.starts_with("NM1") && path.ends_with(".1") && value.as_str() == Some(*code)
        };
        let (path, _) = came.fields.iter().find(is_it)?;
        let own = path.strip_suffix(".1").map(|segment| format!("{segment}.9"))?;
        let id = came.text(&own)?;
        Some((format!("NM1[1={code}].9"), format!("for {word} {id}"), id, own))
    });
    let known = |path: &str, word: &str| {
        came.text(path).map(|value| (path.to_owned(), format!("{word} {value}"), value, path.to_owned()))
    };
    let numbers: Vec<_> = [known("TRN.2", "with the trace"), known("CLM.1", "for claim"), known("CLP.1", "for claim")]
        .into_iter()
        .flatten()
        .collect();
    let mut ways: Vec<Vec<&(String, String, String, String)>> = Vec::new();
    if let Some(person) = &person {
        ways.extend(numbers.iter().map(|number| vec![person, number]));
        ways.push(vec![person]);
    }
    ways.extend(numbers.iter().map(|number| vec![number]));
    ways.push(Vec::new());
    ways.into_iter().map(|by| selection(&transaction, &by)).collect()
}

fn selection(transaction: &str, by: &[&(String, String, String, String)]) -> Selection {
    let correlate: Map<String, Value> = by.iter().map(|(path, _, value, _)| (path.clone(), json!(value))).collect();
    let words: Vec<&str> = by.iter().map(|(_, words, ..)| words.as_str()).collect();
    let article = if transaction.starts_with('8') { "An" } else { "A" };
    let what = format!("{article} {transaction} {}", words.join(" "));
    let paths: Vec<&str> = by.iter().map(|(.., own)| own.as_str()).collect();
    let assertion = json!({"assert": "x12-response", "transaction": transaction, "correlate_by": correlate});
    Selection::new(assertion, "fields", what.trim_end(), &paths)
}
