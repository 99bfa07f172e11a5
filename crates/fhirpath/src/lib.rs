//! FHIRPath 2.0 (normative) with what FHIR R4, R4B and R5 add to it, over JSON values.
//!
//! An expression is parsed once and evaluated often. Decimals are exact; dates compare by precision; quantities convert by
//! UCUM; what comes from the document is borrowed from it. Elements have R4's types; those of later releases are read by name.
//! Nothing here does I/O, knows a clock or knows a check: references, value sets and the time are given in the [`Context`].
//!
//! ```
//! use candor_fhirpath::{Context, Expression};
//! let patient = candor_json::json!({
//!     "resourceType": "Patient",
//!     "name": [{"use": "usual", "given": ["Jim"]}, {"use": "official", "family": "Chalmers", "given": ["Peter", "James"]}],
//! });
//! let expression = Expression::parse("name.where(use = 'official').given")?;
//! let result = expression.evaluate(&patient, &Context::new())?;
//! let given: Vec<_> = result.iter().filter_map(|item| item.text()).collect();
//! assert_eq!(given, ["Peter", "James"]);
//! assert_eq!(result.items()[1].path(&patient).unwrap(), "name[1].given[1]");
//! assert_eq!(result.items()[1].type_name().to_string(), "FHIR.string");
//!
//! let wrong = Expression::parse("name.where(use = ").unwrap_err();
//! assert_eq!(wrong.to_string(), "at byte 17: the expression ends; expected a name, a literal or `(`");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ast;
mod collection;
mod context;
mod decimal;
pub mod definitions;
mod error;
mod evaluate;
mod expression;
mod functions;
mod item;
mod lexer;
mod model;
mod parser;
mod pattern;
mod place;
mod quantity;
mod recorded;
mod temporal;
mod text;
mod types;
mod ucum;

pub use collection::Collection;
pub use context::{Context, Limits, OpenComparison, Release, Resolver, ValueSets};
pub use decimal::Decimal;
pub use error::{EvaluationError, ParseError, Problem};
pub use expression::Expression;
pub use item::{Item, Node, System};
pub use place::ElementPaths;
pub use quantity::{CalendarUnit, Quantity, Unit};
pub use recorded::{CertainItems, NotRecorded, TypedElements};
pub use temporal::{Precision, Temporal, TemporalKind};
pub use text::Text;
pub use types::TypeName;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
