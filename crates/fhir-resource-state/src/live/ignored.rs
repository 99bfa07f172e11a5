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
