//! The outcome of a criterion: status, reason, score.

use std::sync::{Arc, LazyLock};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use serde::{Deserialize, Serialize};

/// Says if a criterion's assertion holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The ground truth was read and holds what was asserted.
    Passed,
    /// The ground truth was read and does not hold what was asserted.
    Failed,
    /// The ground truth could not be read or decided: never a pass, never the fault of who did the work.
    Unverifiable,
}

impl Status {
    /// The status as results name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Unverifiable => "unverifiable",
        }
    }
}

macro_rules! reasons {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The reason as results name it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

reasons! {
    /// Why a criterion failed, in the order in which they are named when several apply.
    Failure {
        /// The assertion's kind is not known.
        UnsupportedAssertion = "unsupported_assertion",
        /// The assertion does not fit its check's spec.
        InvalidAssertion = "invalid_assertion",
        /// The system under test wrote something that cannot be parsed.
        Malformed = "malformed",
        /// Nothing was left by the selection.
        NoCandidate = "no_candidate",
        /// There are too many or too few candidates.
        CountMismatch = "count_mismatch",
        /// Several candidates satisfy what exactly one was to satisfy.
        AmbiguousMatch = "ambiguous_match",
        /// A candidate satisfies every field, and it or another record says that the work was not done, was undone or was a
        /// test.
        UnsafeMatch = "unsafe_match",
        /// A structure, a cardinality or an envelope is violated.
        StructureViolation = "structure_violation",
        /// Things are in another order.
        OrderViolation = "order_violation",
        /// Something forbidden is there.
        ForbiddenFound = "forbidden_found",
        /// A phrase was not said.
        PhraseMissing = "phrase_missing",
        /// A field is not as asserted.
        FieldMismatch = "field_mismatch",
    }
}

reasons! {
    /// Why a criterion could not be verified.
    Obstacle {
        /// The sandbox has no such source.
        NoSource = "no_source",
        /// The source cannot be reached.
        SourceUnavailable = "source_unavailable",
        /// The source refuses access.
        SourceDenied = "source_denied",
        /// The recording of the ground truth cannot be parsed.
        SourceMalformed = "source_malformed",
        /// The source did not answer in time.
        Timeout = "timeout",
        /// Something is larger than the sandbox's limits.
        LimitExceeded = "limit_exceeded",
        /// A judge is needed and none is configured.
        NoJudge = "no_judge",
        /// The data that was read does not decide it.
        Undecidable = "undecidable",
    }
}

/// Why a criterion did not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It failed.
    Failed(Failure),
    /// It could not be verified.
    Unverifiable(Obstacle),
}

impl Reason {
    /// The reason as results name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Failed(failure) => failure.name(),
            Self::Unverifiable(obstacle) => obstacle.name(),
        }
    }
}

/// A reason in words for a reader of results, for every criterion that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReasonInWords {
    /// The reason as results name it.
    pub name: &'static str,
    /// The status of criteria that have it: `failed` or `unverifiable`.
    pub status: &'static str,
    /// Its meaning, in sentences.
    pub means: &'static str,
    /// The first thing to try.
    pub mend: &'static str,
}

/// Every reason in words, failures first, in the order of [`Failure::ALL`] and [`Obstacle::ALL`].
///
/// ```
/// let words = candor_check::reasons().find(|words| words.name == "no_candidate").unwrap();
/// assert_eq!(words.status, "failed");
/// ```
pub fn reasons() -> impl Iterator<Item = ReasonInWords> {
    include_str!("reasons.tsv").lines().filter_map(|line| {
        let mut cells = line.split('\t');
        let mut next = || cells.next();
        Some(ReasonInWords { name: next()?, status: next()?, means: next()?, mend: next()? })
    })
}

/// A share of results in [0, 1], or the weight of one of them: an exact fraction of 0 or more.
///
/// ```
/// use candor_check::Share;
/// let third = Share::of(2, 6).unwrap();
/// assert_eq!((third.numerator().as_str(), third.denominator().as_str()), ("1", "3"));
/// assert!(Share::default() < third && third < Share::one());
/// assert_eq!(Share::of(1, 0), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share(Arc<BigRational>);

impl Share {
    /// The share 0: what [`Share::default`] is.
    #[must_use]
    pub fn zero() -> Self {
        Self::default()
    }

    /// The share 1.
    #[must_use]
    pub fn one() -> Self {
        static ONE: LazyLock<Share> = LazyLock::new(|| Share(Arc::new(BigRational::one())));
        ONE.clone()
    }

    /// The share `numerator / denominator`; `None` for a denominator of 0.
    #[must_use]
    pub fn of(numerator: u64, denominator: u64) -> Option<Self> {
        (denominator > 0).then(|| Self(Arc::new(BigRational::new(numerator.into(), denominator.into()))))
    }

    /// The weight that a fraction is; `None` below 0.
    pub(crate) fn of_fraction(fraction: BigRational) -> Option<Self> {
        (!fraction.is_negative()).then(|| Self(fraction.into()))
    }

    /// Returns `true` if it is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// The decimal digits of the numerator in lowest terms.
    #[must_use]
    pub fn numerator(&self) -> String {
        self.0.numer().to_string()
    }

    /// The decimal digits of the denominator in lowest terms.
    #[must_use]
    pub fn denominator(&self) -> String {
        self.0.denom().to_string()
    }

    /// This part of a whole; 0 of a whole of 0.
    #[must_use]
    pub fn out_of(&self, whole: &Self) -> Self {
        if whole.is_zero() { Self::zero() } else { Self(Arc::new(&*self.0 / &*whole.0)) }
    }

    #[must_use]
    pub(crate) fn times(&self, share: &Self) -> Self {
        Self(Arc::new(&*self.0 * &*share.0))
    }

    #[must_use]
    pub(crate) fn times_number(&self, number: u64) -> Self {
        Self(Arc::new(&*self.0 * BigInt::from(number)))
    }
}

impl std::fmt::Display for Share {
    /// The fraction in lowest terms: `2/3`, `1`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::iter::Sum for Share {
    fn sum<I: Iterator<Item = Self>>(shares: I) -> Self {
        Self(Arc::new(shares.fold(BigRational::zero(), |sum, share| sum + &*share.0)))
    }
}

/// Why ground truth could not be read or decided. Never a failure of who did the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unverifiable {
    /// The reason.
    pub obstacle: Obstacle,
    /// A plain sentence: what was to be read, where, and what happened instead.
    pub details: String,
    /// True if the work itself, and not an outage, keeps it from being decided.
    pub by_the_work: bool,
}

impl Unverifiable {
    /// An obstacle, in a sentence.
    #[must_use]
    pub fn new(obstacle: Obstacle, details: impl Into<String>) -> Self {
        Self { obstacle, details: details.into(), by_the_work: false }
    }

    /// With the work itself as the cause: a file without permissions, a file over the limit. The criterion stays
    /// unverifiable; a loop sends the work back.
    #[must_use]
    pub fn by_the_work(self) -> Self {
        Self { by_the_work: true, ..self }
    }
}

impl std::fmt::Display for Unverifiable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.obstacle.name(), self.details)
    }
}

impl std::error::Error for Unverifiable {}
