//! Elements that R5 has elsewhere than R4: `data/moved-in-r5.tsv`, explained in `data/README.md`.

use candor_json::Value;

const TABLE: &str = include_str!("../../data/moved-in-r5.tsv");

/// The rows on a type: where R4 has an element, and where R5 does.
fn rows(resource_type: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().filter_map(move |line| {
        let mut cells = line.split('\t');
        let (on, r4, r5) = (cells.next()?, cells.next()?, cells.next()?);
        (on == resource_type).then_some((r4, r5))
    })
}

/// A resource of R5 with its elements where R4's search parameters look for them; nothing where none of them moved.
pub(super) fn as_r4(resource_type: &str, resource: &Value) -> Option<Value> {
    let mut moved = None;
    for (r4, r5) in rows(resource_type) {
        let mut stand = selected(resource, r5).into_iter().cloned();
        let Some(first) = stand.next() else { continue };
        let rest: Vec<Value> = stand.collect();
        let value = if rest.is_empty() { first } else { std::iter::once(first).chain(rest).collect() };
        let members = moved.get_or_insert_with(|| resource.clone());
        if let Some(members) = members.as_object_mut() {
            // A choice of types would be looked for there first.
            members.remove(r5.split('.').next().unwrap_or_default());
            members.insert(r4.to_owned(), value);
        }
    }
    moved
}

fn selected<'v>(resource: &'v Value, path: &str) -> Vec<&'v Value> {
    let mut all = vec![resource];
    for member in path.split('.') {
        let below = all.into_iter().filter_map(|value| value.get(member));
        all = below.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use candor_json::json;

    use super::as_r4;

    #[test]
    fn elements_stand_where_r4_has_them() {
        let request =
            json!({"resourceType": "MedicationRequest", "medication": {"reference": {"reference": "Medication/1"}}});
        let moved = as_r4("MedicationRequest", &request).unwrap();
        assert_eq!(
            moved,
            json!({"resourceType": "MedicationRequest", "medicationReference": {"reference": "Medication/1"}})
        );
        let encounter = json!({"resourceType": "Encounter", "reason": [
            {"value": [{"concept": {"text": "a"}}, {"concept": {"text": "b"}}]}, {"value": [{"reference": {}}]}]});
        let moved = as_r4("Encounter", &encounter).unwrap();
        assert_eq!(moved["reasonCode"], json!([{"text": "a"}, {"text": "b"}]));
        assert_eq!(moved["reasonReference"], json!({}));
    }

    #[test]
    fn what_did_not_move_is_left() {
        assert_eq!(as_r4("Patient", &json!({"resourceType": "Patient", "birthDate": "1974-12-25"})), None);
        assert_eq!(as_r4("Encounter", &json!({"resourceType": "Encounter", "period": {}})), None);
        assert_eq!(as_r4("Encounter", &json!([])), None);
    }
}
