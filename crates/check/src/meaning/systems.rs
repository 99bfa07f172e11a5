//! Code systems by their URIs, and the names under which other standards know them.

use crate::settings::nearest;

/// By URI, the object identifier and the names of HL7 v2 table 0396.
/// Source: FHIR R4, Terminologies, 4.3.0 (URIs and object identifiers); HL7 v2 table 0396.
const SYSTEMS: &[(&str, &[&str])] = &[
    ("http://loinc.org", &["2.16.840.1.113883.6.1", "LN", "LOINC"]),
    ("http://snomed.info/sct", &["2.16.840.1.113883.6.96", "SCT", "SNM", "SNOMED", "SNOMEDCT"]),
    ("http://www.nlm.nih.gov/research/umls/rxnorm", &["2.16.840.1.113883.6.88", "RXNORM"]),
    ("http://www.ama-assn.org/go/cpt", &["2.16.840.1.113883.6.12", "C4", "CPT", "CPT4", "C5", "CPT5"]),
    ("http://hl7.org/fhir/sid/icd-10-cm", &["2.16.840.1.113883.6.90", "I10C", "ICD10CM"]),
    ("http://hl7.org/fhir/sid/icd-10", &["2.16.840.1.113883.6.3", "I10", "ICD10"]),
    ("http://hl7.org/fhir/sid/icd-9-cm", &["2.16.840.1.113883.6.103", "I9C", "I9CDX", "ICD9CM"]),
    ("http://www.cms.gov/Medicare/Coding/ICD10", &["2.16.840.1.113883.6.4", "I10P", "ICD10PCS"]),
    ("https://www.cms.gov/Medicare/Coding/HCPCSReleaseCodeSets", &["2.16.840.1.113883.6.285", "HCPCS"]),
    ("http://hl7.org/fhir/sid/ndc", &["2.16.840.1.113883.6.69", "NDC"]),
    ("http://hl7.org/fhir/sid/cvx", &["2.16.840.1.113883.12.292", "CVX"]),
    ("http://hl7.org/fhir/sid/mvx", &["2.16.840.1.113883.12.227", "MVX"]),
    ("http://unitsofmeasure.org", &["2.16.840.1.113883.6.8", "UCUM"]),
    ("http://fdasis.nlm.nih.gov", &["2.16.840.1.113883.4.9", "UNII"]),
    ("http://www.whocc.no/atc", &["2.16.840.1.113883.6.73", "ATC", "WC"]),
    ("http://nucc.org/provider-taxonomy", &["2.16.840.1.113883.6.101", "NUCC"]),
];

/// A system by its URI, whatever it is called: `LN`, `urn:oid:2.16.840.1.113883.6.1` and `http://loinc.org` are one.
///
/// ```
/// use candor_check::meaning::canonical_system;
/// assert_eq!(canonical_system("LN"), "http://loinc.org");
/// assert_eq!(canonical_system("http://clinic.example/codes"), "http://clinic.example/codes");
/// ```
#[must_use]
pub fn canonical_system(text: &str) -> &str {
    let bare = text.strip_prefix("urn:oid:").unwrap_or(text).trim_end_matches('/');
    let known = |(uri, names): &&(&'static str, &[&str])| {
        uri.eq_ignore_ascii_case(bare) || names.iter().any(|name| name.eq_ignore_ascii_case(bare))
    };
    SYSTEMS.iter().find(known).map_or(text, |(uri, _)| uri)
}

pub(super) fn problem(text: &str) -> Option<String> {
    let canonical = canonical_system(text);
    if SYSTEMS.iter().any(|(uri, _)| *uri == canonical) {
        return None;
    }
    let names: Vec<&str> =
        SYSTEMS.iter().flat_map(|(uri, names)| std::iter::once(*uri).chain(names.iter().copied())).collect();
    match (nearest(text, &names), text.contains(':')) {
        (Some(near), _) => Some(format!("no system is known as `{text}`; did you mean `{}`?", canonical_system(near))),
        (None, true) => None,
        (None, false) => Some(format!("`{text}` is not a URI; expected a system such as `http://loinc.org`")),
    }
}
