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

impl Code {
    /// Its meaning and its remedy, in sentences.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.column(1)
    }

    /// The probe of an audit that shows it, a colon, and what then survives or is rejected: `harm: …`. `none: …` with the
    /// reason where no probe can.
    #[must_use]
    pub fn shown_by(self) -> &'static str {
        self.column(2)
    }

    fn column(self, at: usize) -> &'static str {
        let mut rows = include_str!("codes.tsv").lines();
        let row = rows.find(|row| row.split('\t').next() == Some(self.name));
        row.and_then(|row| row.split('\t').nth(at)).unwrap_or_default()
    }
}

const fn code(name: &'static str, severity: Severity) -> Code {
    Code { name, severity }
}

pub(super) const INVALID_ASSERTION: Code = code("invalid_assertion", Severity::Error);
pub(super) const UNSUPPORTED_ASSERTION: Code = code("unsupported_assertion", Severity::Error);
const NEVER_HOLDS: Code = code("never_holds", Severity::Error);
const CONTRADICTION: Code = code("contradiction", Severity::Error);
pub(super) const GATES_EXCLUDE: Code = code("gates_exclude", Severity::Error);
pub(super) const NO_CRITERIA: Code = code("no_criteria", Severity::Warning);
pub(super) const NO_WEIGHT: Code = code("no_weight", Severity::Warning);
pub(super) const NOTHING_REQUIRED: Code = code("nothing_required", Severity::Warning);
pub(super) const DEAD_CRITERION: Code = code("dead_criterion", Severity::Warning);
pub(super) const NEVER_DECIDES: Code = code("never_decides", Severity::Warning);
pub(super) const DUPLICATE_CRITERION: Code = code("duplicate_criterion", Severity::Warning);
pub(super) const CRITERIA_EXCLUDE: Code = code("criteria_exclude", Severity::Warning);
const TWO_ITEMS: Code = code("two_items", Severity::Warning);
const FIRST_ONLY: Code = code("first_only", Severity::Warning);
const STATUS_OPEN: Code = code("status_open", Severity::Warning);
pub(super) const FIELD_FAILS_UNNOTICED: Code = code("field_fails_unnoticed", Severity::Warning);
const ASSERTS_NOTHING: Code = code("asserts_nothing", Severity::Warning);
const PASSES_ON_ABSENCE: Code = code("passes_on_absence", Severity::Warning);
const ALWAYS_HOLDS: Code = code("always_holds", Severity::Warning);
const DATE_AS_TEXT: Code = code("date_as_text", Severity::Warning);
const COMMON_PHRASE: Code = code("common_phrase", Severity::Warning);
const QUESTION_SATISFIES: Code = code("question_satisfies", Severity::Warning);
const FORBIDDEN_BY_JUDGE: Code = code("forbidden_by_judge", Severity::Warning);
const LONG_FUZZY: Code = code("long_fuzzy", Severity::Warning);
pub(super) const TESTS_UNPROTECTED: Code = code("tests_unprotected", Severity::Warning);
pub(super) const DEAD_FIELD: Code = code("dead_field", Severity::Warning);
pub(super) const NO_FIELD_WEIGHT: Code = code("no_field_weight", Severity::Warning);
pub(super) const SAME_LABEL: Code = code("same_label", Severity::Warning);
pub(super) const OTHER_PLACEHOLDER: Code = code("other_placeholder", Severity::Warning);
pub(super) const UNUSED_INPUT: Code = code("unused_input", Severity::Warning);
pub(super) const EMPTY_PROMPT: Code = code("empty_prompt", Severity::Warning);
pub(super) const STALE_IGNORE: Code = code("stale_ignore", Severity::Warning);
pub(super) const IGNORE_WITHOUT_REASON: Code = code("ignore_without_reason", Severity::Warning);
pub(super) const SEVERAL_MAY_PASS: Code = code("several_may_pass", Severity::Note);
pub(super) const TWO_RECORDS: Code = code("two_records", Severity::Note);
const FREQUENCY_OPEN: Code = code("frequency_open", Severity::Note);
pub(super) const OWN_COMMAND: Code = code("own_command", Severity::Note);
const OTHER_RELEASE: Code = code("other_release", Severity::Note);
pub(super) const SIBLING_UNSEEN: Code = code("sibling_unseen", Severity::Note);
const CODE_WITHOUT_NAMES: Code = code("code_without_names", Severity::Note);
const DOSE_BY_ELEMENT: Code = code("dose_by_element", Severity::Note);
const NOTE_UNREAD: Code = code("note_unread", Severity::Note);
pub(super) const FAILS_UNNOTICED: Code = code("fails_unnoticed", Severity::Warning);

/// Every kind of finding, the worst first.
pub const CODES: &[Code] = &[
    INVALID_ASSERTION,
    UNSUPPORTED_ASSERTION,
    NEVER_HOLDS,
    CONTRADICTION,
    GATES_EXCLUDE,
    NO_CRITERIA,
    NO_WEIGHT,
    NOTHING_REQUIRED,
    DEAD_CRITERION,
    NEVER_DECIDES,
    FAILS_UNNOTICED,
    FIELD_FAILS_UNNOTICED,
    CRITERIA_EXCLUDE,
    DUPLICATE_CRITERION,
    ASSERTS_NOTHING,
    PASSES_ON_ABSENCE,
    ALWAYS_HOLDS,
    TWO_ITEMS,
    FIRST_ONLY,
    STATUS_OPEN,
    DATE_AS_TEXT,
    COMMON_PHRASE,
    QUESTION_SATISFIES,
    FORBIDDEN_BY_JUDGE,
    LONG_FUZZY,
    TESTS_UNPROTECTED,
    DEAD_FIELD,
    NO_FIELD_WEIGHT,
    SAME_LABEL,
    OTHER_PLACEHOLDER,
    UNUSED_INPUT,
    EMPTY_PROMPT,
    STALE_IGNORE,
    IGNORE_WITHOUT_REASON,
    SEVERAL_MAY_PASS,
    TWO_RECORDS,
    SIBLING_UNSEEN,
    CODE_WITHOUT_NAMES,
    DOSE_BY_ELEMENT,
    NOTE_UNREAD,
    FREQUENCY_OPEN,
    OWN_COMMAND,
    OTHER_RELEASE,
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
        WeaknessKind::Contradiction => CONTRADICTION,
        WeaknessKind::TwoItems => TWO_ITEMS,
        WeaknessKind::FirstOnly => FIRST_ONLY,
        WeaknessKind::StatusOpen => STATUS_OPEN,
        WeaknessKind::FrequencyOpen => FREQUENCY_OPEN,
        WeaknessKind::QuestionSatisfies => QUESTION_SATISFIES,
        WeaknessKind::ForbiddenByJudge => FORBIDDEN_BY_JUDGE,
        WeaknessKind::LongFuzzy => LONG_FUZZY,
        WeaknessKind::TestsUnprotected => TESTS_UNPROTECTED,
        WeaknessKind::OwnCommand => OWN_COMMAND,
        WeaknessKind::OtherRelease => OTHER_RELEASE,
        WeaknessKind::SiblingUnseen => SIBLING_UNSEEN,
        WeaknessKind::CodeWithoutNames => CODE_WITHOUT_NAMES,
        WeaknessKind::DoseByElement => DOSE_BY_ELEMENT,
        WeaknessKind::NoteUnread => NOTE_UNREAD,
    }
}
