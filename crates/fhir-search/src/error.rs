//! Why a search cannot be compiled.

use std::borrow::Cow;
use std::fmt;

use crate::table::Kind;

/// Why a search cannot be compiled. Its text is one plain sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// No resource type of R4, R4B or R5.
    UnknownResourceType {
        /// The name as given.
        name: String,
        /// The known one that is most like it.
        nearest: Option<&'static str>,
    },
    /// The resource type has no such parameter.
    UnknownParameter {
        /// The resource type.
        resource_type: String,
        /// The name as given.
        name: String,
        /// The known one that is most like it.
        nearest: Option<&'static str>,
    },
    /// Outside the required binding of the element, in R4, R4B and R5.
    UnknownCode {
        /// The resource type.
        resource_type: String,
        /// The parameter.
        parameter: &'static str,
        /// The code as given.
        code: String,
        /// The known one that is most like it.
        nearest: Option<&'static str>,
    },
    /// No modifier of the standard, or none for this kind of parameter.
    UnknownModifier {
        /// The parameter.
        parameter: String,
        /// Its kind.
        kind: Kind,
        /// The modifier as given.
        modifier: String,
    },
    /// Part of the standard, and not supported here.
    Unsupported {
        /// The parameter, or the parameter and its modifier.
        name: String,
        /// Why.
        why: String,
    },
    /// A value that the parameter cannot have.
    Value {
        /// The parameter with its modifier.
        parameter: String,
        /// The value as given.
        value: String,
        /// The reason why the value is wrong.
        problem: Cow<'static, str>,
    },
}

impl SearchError {
    pub(crate) fn value(parameter: &str, value: &str, problem: impl Into<Cow<'static, str>>) -> Self {
        Self::Value { parameter: parameter.to_owned(), value: value.to_owned(), problem: problem.into() }
    }

    pub(crate) fn unsupported(name: &str, why: &str) -> Self {
        Self::Unsupported { name: name.to_owned(), why: why.to_owned() }
    }

    pub(crate) fn modifier(parameter: &str, kind: Kind, modifier: &str) -> Self {
        let why = match modifier {
            "in" | "not-in" => "it needs the codes of a value set, which only a terminology server has",
            "above" | "below" if kind != Kind::Uri => {
                "it needs a hierarchy of codes or resources, which only a server has"
            }
            "code-text" | "text-advanced" => "it is a modifier of R5, and not supported",
            _ => return Self::UnknownModifier { parameter: parameter.to_owned(), kind, modifier: modifier.to_owned() },
        };
        Self::Unsupported { name: format!("{parameter}:{modifier}"), why: why.to_owned() }
    }

    /// How much it says of what may have been meant: of several errors the one that says most is shown.
    pub(crate) fn says(&self) -> u8 {
        match self {
            Self::UnknownCode { nearest: Some(_), .. } => 3,
            Self::UnknownCode { .. } => 2,
            Self::UnknownParameter { nearest: Some(_), .. } | Self::UnknownResourceType { nearest: Some(_), .. } => 1,
            _ => 0,
        }
    }
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suggest = |f: &mut fmt::Formatter<'_>, nearest: &Option<&str>| match nearest {
            Some(nearest) => write!(f, "; the nearest one is `{nearest}`"),
            None => Ok(()),
        };
        match self {
            Self::UnknownResourceType { name, nearest } => {
                write!(f, "FHIR has no resource type `{name}`")?;
                suggest(f, nearest)
            }
            Self::UnknownParameter { resource_type, name, nearest } => {
                write!(f, "{resource_type} has no search parameter `{name}`")?;
                suggest(f, nearest)
            }
            Self::UnknownCode { resource_type, parameter, code, nearest } => {
                write!(f, "search value `{code}` of `{parameter}`: {resource_type} has no such code")?;
                match nearest {
                    Some(nearest) if nearest.eq_ignore_ascii_case(code) => {
                        write!(f, "; codes have a case: did you mean `{nearest}`?")
                    }
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            Self::UnknownModifier { parameter, kind, modifier } => {
                let known = match kind {
                    Kind::Token => "`:not`, `:text`, `:of-type` (of an Identifier) and `:missing`",
                    Kind::Uri => "`:below`, `:above` and `:missing`",
                    Kind::String => "`:exact`, `:contains` and `:missing`",
                    Kind::Reference => "`:identifier`, `:missing` and a resource type",
                    _ => "`:missing`",
                };
                write!(
                    f,
                    "`{parameter}:{modifier}`: a {} parameter has no such modifier; there are {known}",
                    kind.name()
                )
            }
            Self::Unsupported { name, why } => write!(f, "search by `{name}`: {why}"),
            Self::Value { parameter, value, problem } => {
                write!(f, "search value `{value}` of `{parameter}`: {problem}")
            }
        }
    }
}

impl std::error::Error for SearchError {}
