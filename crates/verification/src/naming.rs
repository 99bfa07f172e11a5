//! Finds retries that changed nothing but what the reason named: work done to the words of a reason.

use std::collections::BTreeMap;

use candor_json::Value;

/// The flag of such an attempt. It does not change the verdict: an honest agent may have had only that one thing to
/// mend.
pub(crate) const FLAG: &str = "changed_only_what_was_named";

/// True if every difference between two task runs is a result that had failed in the first.
pub(crate) fn changed_only_what_failed(before: &Value, after: &Value) -> bool {
    let (before, after) = (results(before), results(after));
    let mut changed = 0;
    for (place, (_, actual)) in &after {
        match before.get(place) {
            Some((_, same)) if same == actual => {}
            Some((false, _)) => changed += 1,
            // What had passed changed too, or there is something that was not there.
            Some((true, _)) | None => return false,
        }
    }
    changed > 0 && before.keys().all(|place| after.contains_key(place))
}

/// Every result by criterion, place in the list and path: whether it passed, and what was there.
fn results(run: &Value) -> BTreeMap<(String, usize, String), (bool, Value)> {
    let runs = run.get("criterion_runs").and_then(Value::as_array).into_iter().flatten();
    let of_run = |run: &Value| {
        let id = run.get("criterion_id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let evidence = run.get("evidence").and_then(Value::as_object).into_iter().flatten();
        let lists = evidence.filter(|(key, _)| key.to_ascii_lowercase().ends_with("results"));
        let entries = lists.filter_map(|(_, list)| list.as_array()).flatten().cloned().collect::<Vec<_>>();
        entries
            .into_iter()
            .enumerate()
            .map(|(index, entry)| {
                let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                let passed = entry.get("passed").and_then(Value::as_bool).unwrap_or_default();
                let path = format!("{}{}", text("path"), text("phrase"));
                let actual = entry.get("actual").or_else(|| entry.get("quote")).cloned().unwrap_or_default();
                ((id.clone(), index, path), (passed, actual))
            })
            .collect::<Vec<_>>()
    };
    runs.flat_map(of_run).collect()
}
