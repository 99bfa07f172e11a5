//! The weaknesses of an assertion: asked of its settings before anything is read.
//!
//! A [`Review`] is about the assertion alone: every weakness it lists holds for every ground truth. Linting a task asks
//! for it ([`Check::review`](crate::Check::review)); running a check does not.

mod claim;
mod entry;
mod fields;
mod lists;
mod records;
mod regex;
mod shape;

pub use self::claim::Claim;
pub use self::entry::Reviewed;
pub use self::lists::Said;
pub use self::records::RecordReview;
pub use self::regex::matches_anything;
pub use self::shape::Shape;

/// How an assertion is weaker than it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeaknessKind {
    /// It selects nothing and compares nothing: anything at all makes it pass.
    AssertsNothing,
    /// It passes where what it names is not there.
    PassesOnAbsence,
    /// A comparison that every value passes.
    AlwaysHolds,
    /// A comparison that no value passes.
    NeverHolds,
    /// A phrase that occurs on nearly every call, whatever the call is about.
    CommonPhrase,
    /// A field of weight 0: it fails, and the score stays 1.
    DeadField,
    /// A date, by the standard that defines the field, is compared as text.
    DateAsText,
    /// Every field has weight 0, so that work done in part scores as none.
    NoFieldWeight,
    /// Two comparisons of one value that no value satisfies both.
    Contradiction,
    /// Two fields that two different items may satisfy.
    TwoItems,
    /// The first of several is read, or counted, as if it were all.
    FirstOnly,
    /// Nothing says which status, intent or result status is right.
    StatusOpen,
    /// Nothing says whether a claim is an original one or replaces another.
    FrequencyOpen,
    /// A single word, or an instruction: a question satisfies it as well as a statement does.
    QuestionSatisfies,
    /// A judge is asked whether something was not said.
    ForbiddenByJudge,
    /// A long phrase in which `fuzzy` forgives much.
    LongFuzzy,
    /// Tests that the delegate may rewrite or leave out.
    TestsUnprotected,
    /// A command that is a file of the workspace.
    OwnCommand,
    /// It names something that another release of the standard has, and the one the check is made for does not.
    OtherRelease,
    /// A second order is not counted.
    SiblingUnseen,
    /// Only one code is accepted. A name or another system's code may say the same.
    CodeWithoutNames,
    /// A dose by one of its elements, which no other form of it satisfies and no text contradicts.
    DoseByElement,
    /// Notes that nothing reads.
    NoteUnread,
}

/// A weakness, with its place in the assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weakness {
    /// The kind of weakness.
    pub kind: WeaknessKind,
    /// Where in the assertion: `fields[0].expected`; empty for the assertion itself.
    pub place: String,
    /// A sentence: the weakness, and the nearest thing to write instead.
    pub message: String,
}

impl Weakness {
    /// A weakness at a place.
    #[must_use]
    pub fn new(kind: WeaknessKind, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, place: place.into(), message: message.into() }
    }
}

/// The worth of an assertion, by its settings alone.
#[derive(Clone, Debug, Default)]
pub struct Review {
    /// How it is weaker than it looks.
    pub weaknesses: Vec<Weakness>,
    /// True if it passes on a source that is there and empty: by `count: 0`, for one. That is not a weakness of an
    /// assertion that forbids something; it is one of a task in which every criterion does so.
    pub passes_on_nothing: bool,
    /// The claims of the fields outside of groups, to be compared with what another criterion asserts of the same
    /// selection.
    pub claims: Vec<Claim>,
    /// Which statuses it asserts, and which it leaves open.
    pub statuses: Statuses,
    /// The records that may not change, where it asserts that of all but some.
    pub unchanged: Option<Unchanged>,
}

/// Records that an assertion compares with those from before the work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unchanged {
    /// The parts that are compared; all if `None`.
    pub parts: Option<Vec<String>>,
    /// Parts, and collections of them, in which any number of new records may come. Without a collection: in all.
    pub open: Vec<(String, Option<String>)>,
}

impl Unchanged {
    /// Returns `true` if one more record of that collection would fail the assertion.
    ///
    /// ```
    /// # use candor_check::review::Unchanged;
    /// let open = vec![("fhir".to_owned(), Some("Task".to_owned()))];
    /// let unchanged = Unchanged { parts: Some(vec!["fhir".to_owned()]), open };
    /// assert!(unchanged.sees_new("fhir", "MedicationRequest"));
    /// assert!(!unchanged.sees_new("fhir", "Task") && !unchanged.sees_new("portal", "orders"));
    /// ```
    #[must_use]
    pub fn sees_new(&self, part: &str, collection: &str) -> bool {
        let is_compared = self.parts.as_ref().is_none_or(|parts| parts.iter().any(|one| one == part));
        let is_open =
            |(of, only): &(String, Option<String>)| of == part && only.as_ref().is_none_or(|only| only == collection);
        is_compared && !self.open.iter().any(is_open)
    }
}

/// Elements that one criterion of a task asserts for all of a kind of record: statuses and intents, notes, the number of
/// orders. Another criterion may assert those that this assertion leaves open.
#[derive(Clone, Debug, Default)]
pub struct Statuses {
    /// The kind of record: `MedicationRequest`.
    pub kind: String,
    /// The elements of which it says something: `status`.
    pub asserted: Vec<&'static str>,
    /// The elements that are left open, each with what to say of it.
    pub open: Vec<(&'static str, Weakness)>,
}
