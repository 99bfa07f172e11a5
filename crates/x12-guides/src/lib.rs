//! The loops of X12 transaction sets, by the 5010 implementation guides.
//!
//! X12 does not mark loops: a segment belongs to one by its id, its qualifier, its position and, for HL segments, the
//! parent it names. The tables of the guides are in `data/`, a file each, read when a guide is first asked for.
//!
//! ```
//! use candor_x12::{Path, Walk, Item};
//! use candor_x12_guides::{Guide, Loops};
//!
//! let text = "ISA*00*          *00*          *ZZ*A              *ZZ*B              *261121*0900*^*00501*000000001*0*T*:~\
//!     GS*HB*A*B*20261121*0900*1*X*005010X279A1~ST*271*1*005010X279A1~BHT*0022*11*1*20261121*0900~\
//!     HL*1**20*1~NM1*PR*2*PAYER*****PI*1~HL*2*1*21*1~NM1*1P*2*CLINIC*****XX*2~\
//!     HL*3*2*22*0~TRN*2*93175*9X~NM1*IL*1*SMITH*JOHN~EB*1**30~EB*C**30***23*500~SE*12*1~GE*1*1~IEA*1*000000001~";
//! let mut walk = Walk::from_slice(text.as_bytes());
//! while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
//!     let Item::Set(set) = item else { continue };
//!     let view = set.view();
//!     let loops = Loops::of(Guide::of("271", "005010X279A1").unwrap(), &view);
//!     let values = loops.select(&Path::parse("2110C[2].EB.7").unwrap(), &view);
//!     assert_eq!(values[0].text, "500");
//! }
//! ```

mod dictionary;
mod elements;
pub mod explain;
mod guide;
mod levels;
mod loops;
/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod names;
mod part;
mod place;
mod read_set;
mod segments;
mod situations;
mod summary;
mod syntax;
mod tree;
mod validate;

pub use guide::{Gaps, Guide, Loop, SegmentRule};
pub use loops::Loops;
pub use names::{meaning, segment_name};
pub use part::{Part, PartItem};
pub use place::Occurrence;
pub use read_set::ReadSet;
pub use segments::{UnknownKind, UnknownPart, unknown_part};
pub use situations::{has_situations, situations_in_words, validate_situations};
pub use validate::{Finding, MOST_FINDINGS, validate, validate_by_dictionary};
