//! Files against their standards, without a task: what `candor validate` calls.

use std::path::Path;

pub use candor_validate::*;

/// Validates the bytes of a file as what they are, by their beginning and the name of the file; `None` if neither tells, or
/// if this build lacks the format's feature. References between FHIR resources lead to those of this file only: [`fhir`]
/// takes others, too.
///
/// ```
/// let message = b"MSH|^~\\&|A|B|C|D|20261120||ADT^A01^ADT_A01|42|P|2.5.1\rPID|1||1001\r";
/// let report = candor::validate::file("admission.hl7", message).ok_or("not a known format")?;
/// assert!(!report.is_sound());
/// assert!(report.findings.iter().any(|finding| finding.sentence() == "EVN is nothing, expected EVN (required)"), "{report:?}");
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn file(name: impl AsRef<Path>, bytes: &[u8]) -> Option<Report> {
    let name = &name.as_ref().to_string_lossy();
    Some(match Standard::of(name, bytes)? {
        Standard::X12 => x12(name, bytes, Types::default()).report,
        #[cfg(feature = "hl7")]
        Standard::Hl7v2 => hl7v2(name, bytes, None),
        #[cfg(feature = "fhir")]
        Standard::Fhir => {
            let mut known = Known::default();
            known.add(bytes);
            fhir(name, bytes, &known)
        }
        Standard::Csv => csv(name, bytes),
        Standard::Json => json(name, bytes),
        Standard::Xml => xml(name, bytes),
        #[cfg(not(all(feature = "hl7", feature = "fhir")))]
        _ => return None,
    })
}
