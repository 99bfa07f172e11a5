//! The prefix of a date, a number or a quantity. Source: FHIR R4, Search, 3.1.1.4.5.

use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    Eq,
    Ne,
    Gt,
    Lt,
    Ge,
    Le,
    Sa,
    Eb,
    /// About it: it overlaps with what is asked for, widened.
    Ap,
    /// It overlaps with what is asked for. Only `_filter` asks for that, and only of dates.
    Po,
}

impl Prefix {
    /// The prefix of a value, and the rest of it; without one it is `eq`.
    pub(crate) fn split(plain: &str) -> Result<(Self, &str), Cow<'static, str>> {
        let letters = plain.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (prefix, rest) = plain.split_at_checked(letters).unwrap_or(("", plain));
        let prefix = match prefix {
            "" | "eq" => Self::Eq,
            "ne" => Self::Ne,
            "gt" => Self::Gt,
            "lt" => Self::Lt,
            "ge" => Self::Ge,
            "le" => Self::Le,
            "sa" => Self::Sa,
            "eb" => Self::Eb,
            "ap" => Self::Ap,
            _ => return Err("its prefix must be one of `eq ne gt lt ge le sa eb ap`".into()),
        };
        Ok((prefix, rest))
    }
}
