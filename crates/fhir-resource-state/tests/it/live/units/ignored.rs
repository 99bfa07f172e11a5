//! Parameters that a server ignored.

use crate::live::ignored::first;

fn lacking(own: &str, sent: &[(&str, &str)]) -> Option<String> {
    let sent: Vec<(String, String)> = sent.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    first(own, &sent).map(str::to_owned)
}

#[test]
fn what_the_link_lacks_was_ignored() {
    let sent = [("patient", "Patient/1"), ("status", "booked")];
    assert_eq!(lacking("https://a/Appointment?status=booked&patient=Patient%2F1&_count=20", &sent), None);
    assert_eq!(lacking("https://a/Appointment?status=booked", &sent).as_deref(), Some("patient"));
    assert_eq!(lacking("https://a/Appointment?patient=&status=booked", &sent).as_deref(), Some("patient"));
    assert_eq!(lacking("https://a/Appointment", &sent).as_deref(), Some("patient"));
}

#[test]
fn modifiers_and_repetitions_count() {
    assert_eq!(lacking("?name=x", &[("name:exact", "x")]).as_deref(), Some("name:exact"));
    assert_eq!(lacking("?subject=Patient/1", &[("subject:Patient", "1")]), None);
    assert_eq!(lacking("?subject:Patient=1", &[("subject", "Patient/1")]), None);
    assert_eq!(lacking("?date=ge1", &[("date", "ge1"), ("date", "lt2")]).as_deref(), Some("date"));
    assert_eq!(lacking("?date=lt2&date=ge1", &[("date", "ge1"), ("date", "lt2")]), None);
    assert_eq!(lacking("?patient=1", &[("patient.name", "x")]).as_deref(), Some("patient.name"));
    assert_eq!(lacking("?status=booked", &[("status", "booked"), ("_sort", "date"), ("_count", "5")]), None);
}
