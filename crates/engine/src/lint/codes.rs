//! The names of findings. They are what a configuration or a filter is written against: none changes its meaning.

use candor_check::review::WeaknessKind;

use super::Severity;

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its name.
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
}

const fn code(name: &'static str, severity: Severity) -> Code {
    Code { name, severity }
}

pub(super) const INVALID_ASSERTION: Code = code("invalid_assertion", Severity::Error);
pub(super) const UNSUPPORTED_ASSERTION: Code = code("unsupported_assertion", Severity::Error);
const NEVER_HOLDS: Code = code("never_holds", Severity::Error);
pub(super) const NO_CRITERIA: Code = code("no_criteria", Severity::Warning);
pub(super) const NO_WEIGHT: Code = code("no_weight", Severity::Warning);
pub(super) const NOTHING_REQUIRED: Code = code("nothing_required", Severity::Warning);
pub(super) const DEAD_CRITERION: Code = code("dead_criterion", Severity::Warning);
pub(super) const NEVER_DECIDES: Code = code("never_decides", Severity::Warning);
pub(super) const DUPLICATE_CRITERION: Code = code("duplicate_criterion", Severity::Warning);
const ASSERTS_NOTHING: Code = code("asserts_nothing", Severity::Warning);
const PASSES_ON_ABSENCE: Code = code("passes_on_absence", Severity::Warning);
const ALWAYS_HOLDS: Code = code("always_holds", Severity::Warning);
const DATE_AS_TEXT: Code = code("date_as_text", Severity::Warning);
const COMMON_PHRASE: Code = code("common_phrase", Severity::Warning);
pub(super) const DEAD_FIELD: Code = code("dead_field", Severity::Warning);
pub(super) const NO_FIELD_WEIGHT: Code = code("no_field_weight", Severity::Warning);
pub(super) const AXIS_MISSPELT: Code = code("axis_misspelt", Severity::Warning);
pub(super) const SAME_LABEL: Code = code("same_label", Severity::Warning);
pub(super) const OTHER_PLACEHOLDER: Code = code("other_placeholder", Severity::Warning);
const OTHER_RELEASE: Code = code("other_release", Severity::Note);
pub(super) const DECIDED_OTHERWISE: Code = code("decided_otherwise", Severity::Note);
pub(super) const FAILS_UNNOTICED: Code = code("fails_unnoticed", Severity::Note);

/// Every kind of finding, the worst first.
pub const CODES: &[Code] = &[
    INVALID_ASSERTION,
    UNSUPPORTED_ASSERTION,
    NEVER_HOLDS,
    NO_CRITERIA,
    NO_WEIGHT,
    NOTHING_REQUIRED,
    DEAD_CRITERION,
    NEVER_DECIDES,
    DUPLICATE_CRITERION,
    ASSERTS_NOTHING,
    PASSES_ON_ABSENCE,
    ALWAYS_HOLDS,
    DATE_AS_TEXT,
    COMMON_PHRASE,
    DEAD_FIELD,
    NO_FIELD_WEIGHT,
    AXIS_MISSPELT,
    SAME_LABEL,
    OTHER_PLACEHOLDER,
    FAILS_UNNOTICED,
    OTHER_RELEASE,
    DECIDED_OTHERWISE,
];

pub(super) fn of(kind: WeaknessKind) -> Code {
    match kind {
        WeaknessKind::AssertsNothing => ASSERTS_NOTHING,
        WeaknessKind::PassesOnAbsence => PASSES_ON_ABSENCE,
        WeaknessKind::AlwaysHolds => ALWAYS_HOLDS,
        WeaknessKind::NeverHolds => NEVER_HOLDS,
        WeaknessKind::DateAsText => DATE_AS_TEXT,
        WeaknessKind::CommonPhrase => COMMON_PHRASE,
        WeaknessKind::DeadField => DEAD_FIELD,
        WeaknessKind::NoFieldWeight => NO_FIELD_WEIGHT,
        WeaknessKind::OtherRelease => OTHER_RELEASE,
    }
}
