//! Compares the envelope segments with each other and with their contents.
//!
//! Codes are X12's own: TA105 (interchange note), AK905 (functional group syntax error, also in 999)
//! and AK502, which 999 calls IK502 (transaction set syntax error).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

/// Every code that a [`Finding`] can have: the element that reports it, and X12's own code.
///
/// The meanings, in the words of the code lists: interchange note (TA105, I18), functional group syntax
/// error (AK905, 716) and transaction set syntax error (IK502, 618, which has all of AK502, 718).
pub const CODES: &[&str] = &[
    TRAILER_NUMBER,
    INTERCHANGE_VERSION,
    INTERCHANGE_NUMBER,
    GROUP_COUNT,
    CONTROL_STRUCTURE,
    END_OF_FILE,
    DUPLICATE_INTERCHANGE,
    COMPONENT_SEPARATOR,
    GROUP_VERSION,
    GROUP_TRAILER,
    GROUP_TRAILER_NUMBER,
    SET_COUNT,
    GROUP_NUMBER,
    DUPLICATE_GROUP,
    SET_TRAILER_NUMBER,
    SEGMENT_COUNT,
    SET_ID,
    SET_NUMBER,
    NOT_IN_GROUP,
    GUIDE,
    DUPLICATE_SET,
    SENDER_QUALIFIER,
    SENDER,
    RECEIVER_QUALIFIER,
    RECEIVER,
    AUTHORIZATION_QUALIFIER,
    AUTHORIZATION,
    SECURITY_QUALIFIER,
    SECURITY,
    INTERCHANGE_DATE,
    INTERCHANGE_TIME,
    ACKNOWLEDGMENT,
    USAGE,
    GROUP_CONTENT,
    SET_ELEMENTS,
];

/// The control numbers in ISA and IEA do not match.
pub(crate) const TRAILER_NUMBER: &str = "TA105:001";
pub(crate) const INTERCHANGE_VERSION: &str = "TA105:017";
pub(crate) const INTERCHANGE_NUMBER: &str = "TA105:018";
pub(crate) const GROUP_COUNT: &str = "TA105:021";
pub(crate) const CONTROL_STRUCTURE: &str = "TA105:022";
pub(crate) const END_OF_FILE: &str = "TA105:023";
pub(crate) const DUPLICATE_INTERCHANGE: &str = "TA105:025";
pub(crate) const COMPONENT_SEPARATOR: &str = "TA105:027";
/// Group version not supported.
pub(crate) const GROUP_VERSION: &str = "AK905:2";
/// Group trailer missing.
pub(crate) const GROUP_TRAILER: &str = "AK905:3";
/// The control numbers in GS and GE do not agree.
pub(crate) const GROUP_TRAILER_NUMBER: &str = "AK905:4";
/// The number of included sets does not match the count.
pub(crate) const SET_COUNT: &str = "AK905:5";
/// The group control number violates syntax.
pub(crate) const GROUP_NUMBER: &str = "AK905:6";
/// The group control number is not unique within the interchange.
pub(crate) const DUPLICATE_GROUP: &str = "AK905:19";
/// The control numbers in ST and SE do not match.
pub(crate) const SET_TRAILER_NUMBER: &str = "IK502:3";
/// The number of included segments does not match the count.
pub(crate) const SEGMENT_COUNT: &str = "IK502:4";
/// Missing or invalid set identifier.
pub(crate) const SET_ID: &str = "IK502:6";
/// Missing or invalid set control number.
pub(crate) const SET_NUMBER: &str = "IK502:7";
pub(crate) const NOT_IN_GROUP: &str = "IK502:18";
/// Invalid implementation convention reference.
pub(crate) const GUIDE: &str = "IK502:19";
/// The set control number is not unique within the group.
pub(crate) const DUPLICATE_SET: &str = "IK502:23";

pub(crate) const SENDER_QUALIFIER: &str = "TA105:005";
pub(crate) const SENDER: &str = "TA105:006";
pub(crate) const RECEIVER_QUALIFIER: &str = "TA105:007";
pub(crate) const RECEIVER: &str = "TA105:008";
pub(crate) const AUTHORIZATION_QUALIFIER: &str = "TA105:010";
pub(crate) const AUTHORIZATION: &str = "TA105:011";
pub(crate) const SECURITY_QUALIFIER: &str = "TA105:012";
pub(crate) const SECURITY: &str = "TA105:013";
pub(crate) const INTERCHANGE_DATE: &str = "TA105:014";
pub(crate) const INTERCHANGE_TIME: &str = "TA105:015";
pub(crate) const ACKNOWLEDGMENT: &str = "TA105:019";
/// Invalid test indicator.
pub(crate) const USAGE: &str = "TA105:020";
/// Invalid interchange content, as an invalid GS segment.
pub(crate) const GROUP_CONTENT: &str = "TA105:024";
/// A segment of the set is in error.
pub(crate) const SET_ELEMENTS: &str = "IK502:5";

/// A disagreement in an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// X12's own code, one of [`CODES`].
    pub code: &'static str,
    /// The path of the element that disagrees, `SE.1`; a segment that is missing by its id.
    pub path: &'static str,
    /// The expected value, in words.
    pub expected: String,
    /// The value found; `None` if it is missing.
    pub found: Option<String>,
    /// The place of the value; of a missing one, the last place where it could be.
    pub offset: u64,
    /// True if text may be read wrongly because of it.
    pub hinders_reading: bool,
}

impl Finding {
    pub(crate) fn new(code: &'static str, path: &'static str, offset: u64) -> Self {
        Self { code, path, expected: String::new(), found: None, offset, hinders_reading: false }
    }

    pub(crate) fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = expected.into();
        self
    }

    /// Sets the value found; empty text counts as missing.
    pub(crate) fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(found.into()).filter(|found| !found.is_empty());
        self
    }

    pub(crate) const fn hindering(mut self) -> Self {
        self.hinders_reading = true;
        self
    }
}

/// A numeric element (N0): digits; leading zeros carry no meaning.
pub(crate) fn number(text: &str) -> Option<u64> {
    let digits = text.trim();
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok()).flatten()
}

/// True if two numeric elements hold the same, as numbers if both are.
pub(crate) fn same_number(a: &str, b: &str) -> bool {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a.trim() == b.trim(),
    }
}

/// The functional identifier code (GS01) that a transaction set (ST01) belongs to, where it is known.
#[must_use]
pub fn functional_id(transaction: &str) -> Option<&'static str> {
    const TABLE: &str = include_str!("../data/functional-ids.tsv");
    static CODES: LazyLock<HashMap<&str, &str>> =
        LazyLock::new(|| TABLE.lines().filter_map(|line| line.split_once('\t')).collect());
    CODES.get(transaction).copied()
}

/// Control numbers met so far, to tell one that comes again.
///
/// Numbers that follow one another take the room of one entry, so files of any length that count up
/// take constant memory; others up to a limit.
#[derive(Debug, Default)]
pub(crate) struct ControlNumbers {
    /// First to last of each unbroken run.
    pub(crate) runs: BTreeMap<u64, u64>,
    other: HashSet<Box<str>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    New,
    Again,
    Full,
}

impl ControlNumbers {
    /// Remembers a number; ISA13, GS06 and numeric ST02 by value, anything else as text.
    pub(crate) fn insert(&mut self, text: &str, limit: usize) -> Seen {
        let full = self.runs.len() + self.other.len() >= limit;
        let Some(value) = number(text) else {
            return match self.other.contains(text) {
                true => Seen::Again,
                false if full => Seen::Full,
                false => {
                    self.other.insert(text.into());
                    Seen::New
                }
            };
        };
        let before = self.runs.range(..=value).next_back().map(|(first, last)| (*first, *last));
        if before.is_some_and(|(_, last)| value <= last) {
            return Seen::Again;
        }
        let first = match before {
            Some((first, last)) if last.checked_add(1) == Some(value) => first,
            _ => value,
        };
        let after = value.checked_add(1).and_then(|next| self.runs.remove(&next));
        if full && first == value && after.is_none() {
            return Seen::Full;
        }
        self.runs.insert(first, after.unwrap_or(value));
        Seen::New
    }

    pub(crate) fn clear(&mut self) {
        self.runs.clear();
        self.other.clear();
    }
}
