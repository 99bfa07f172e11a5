//! Search parameters that a server left out without a word: the self link of a searchset says which ones it applied.
//! Source: FHIR R4, Search, 3.1.1.1.2 (handling errors) and 3.1.1.5.5 (self link: conformance of the search).

use super::outcome::base;
use crate::search::types;
use candor_http_source::url;

/// The first of the parameters that the self link lacks.
pub(super) fn first<'a>(own: &str, sent: &'a [(String, String)]) -> Option<&'a str> {
    let applied = url::parameters(own);
    let lacks = |(name, _): &&(String, String)| {
        let asked = sent.iter().filter(|(other, _)| other == name).count();
        let stands = applied.iter().filter(|(found, _)| same(name, found)).count();
        stands < asked
    };
    // How an answer is ordered and paged is seen in the answer.
    let selects = |(name, _): &&(String, String)| !matches!(name.as_str(), "_sort" | "_count");
    sent.iter().filter(selects).find(lacks).map(|(name, _)| name.as_str())
}

/// True if the link names the parameter as sent, or with the type of its target written in another way.
fn same(sent: &str, found: &str) -> bool {
    let typed = |name: &str| name.split_once(':').is_some_and(|(_, modifier)| types::is_resource(modifier));
    let plain = |name: &str| !name.contains([':', '.']);
    sent == found
        || (base(sent) == base(found)
            && (typed(sent) || typed(found))
            && [sent, found].iter().all(|name| typed(name) || plain(name)))
}

#[cfg(test)]
mod tests {
    use super::first;

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
}
