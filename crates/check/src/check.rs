//! The trait every check implements.

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::compare::Zone;
use crate::evidence::Evidence;
use crate::outcome::Unverifiable;
use crate::review::Review;
use crate::sandbox::{PartType, Sandbox};
use crate::settings::InvalidAssertion;
use crate::within::Within;

/// The name and description of a check. Declared once, in [`Check::META`].
#[derive(Clone, Copy, Debug)]
pub struct Meta {
    /// The value of `assert` that asks for this check: `fhir-resource-state`.
    pub assert: &'static str,
    /// A line on what it asserts.
    pub about: &'static str,
    /// The part of the sandbox it reads: `fhir`.
    pub part: &'static str,
    /// Members of the assertion that name a file next to the task file, JSON or YAML: `profile`. Whoever reads the task
    /// puts the file's content in the place of its name, so that the check sees content alone. Such a file has a member
    /// of the same name at its top.
    pub files: &'static [&'static str],
    /// The member of its evidence that holds the results: `fieldResults`.
    pub evidence_key: &'static str,
    /// The JSON Schema of its assertion, as text. `$ref`s to `#/$defs/…` may name the shared definitions
    /// ([`crate::schema::SHARED`]), which are merged in.
    pub schema: &'static str,
}

/// A member of an assertion that is judged and not observed by, with the words in it for which that does not hold.
pub type Judged = (&'static str, &'static [&'static str]);

/// A kind of assertion. A value of the type is an assertion's validated settings: one that cannot be judged cannot be
/// built.
///
/// # The contract for authors
/// A check works in two steps, and everything else follows from keeping them apart.
///
/// 1. **`observe` reads ground truth.** All I/O, all waiting and all limits are here, and so is selection: searching,
///    correlating, globbing. It keeps the candidates that selection left, *as the source wrote them*, with their places;
///    how many were considered; the nearest of the others; and every place that could not be read. An `Err` is
///    [`Unverifiable`](crate::Status::Unverifiable): something kept the ground truth from being read. It is never a
///    failure, and nothing found in the ground truth is an `Err`.
/// 2. **`judge` compares.** It is pure: no I/O, no clock, no randomness; the same input gives the same evidence, byte
///    for byte; it never panics, whatever it is given. It alone can pass.
///
/// The rules that follow, which are tested of every check by `candor-check-testkit`:
/// - A pass quotes what was seen; no observation, no pass.
/// - A part of a source that cannot be parsed is a place in [`Observation::unreadable`](crate::records::Observation).
///   It is never treated as absent.
/// - Settings are read with `#[serde(deny_unknown_fields)]` into types that refuse what makes no sense; members of later
///   versions are there as [`NotYet`](crate::settings::NotYet), so that they are refused in a sentence and never ignored.
/// - Text that the system under test wrote is data: quoted, cut, never interpreted. An error holds nothing of it but a
///   place and a name.
/// - Reads that block run in [`Sandbox::blocking`], or in [`Sandbox::asking`] where they wait for a server. Loops over ground
///   truth ask [`work::cancelled`](crate::work::cancelled) and return early; what a cancelled job made is not kept where
///   others read it.
/// - Record-shaped checks conclude through [`conclude`](crate::records::conclude), so that `match`, `count` and the reasons mean
///   the same everywhere.
///
/// ```
/// use candor_check::evidence::Entry;
/// use candor_check::field::FieldResult;
/// use candor_check::{Check, CheckType, Evidence, Failure, Meta, Sandbox, Share, Status, Unverifiable};
/// use candor_json::json;
///
/// /// Asserts how many files lie in `files/`.
/// #[derive(serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct FileCount {
///     expected: u64,
/// }
///
/// impl Check for FileCount {
///     const META: Meta = Meta {
///         assert: "file-count",
///         about: "Counts files",
///         part: "files",
///         files: &[],
///         evidence_key: "fieldResults",
///         schema: r#"{"type": "object"}"#,
///     };
///     type Seen = u64;
///
///     async fn observe(&self, sandbox: &Sandbox) -> Result<u64, Unverifiable> {
///         let folder = sandbox.folder("files").ok_or_else(|| sandbox.no_source("files"))?;
///         sandbox.blocking("files/", move || folder.list().map(|l| l.files.len() as u64)).await
///     }
///
///     fn judge(&self, seen: &u64) -> Evidence {
///         let passed = *seen == self.expected;
///         let result = FieldResult::constraint("$count", json!(self.expected), json!(seen), passed);
///         let details = format!("{seen} files in files/, expected {}.", self.expected);
///         match passed {
///             true => Evidence::passed(vec![result.into()], details),
///             false => Evidence::failed(Failure::CountMismatch, Share::default(), vec![result.into()], details),
///         }
///     }
/// }
///
/// pub const CHECK: CheckType = CheckType::of::<FileCount>();
///
/// # let folder = tempfile::tempdir()?;
/// # std::fs::create_dir(folder.path().join("files"))?;
/// # std::fs::write(folder.path().join("files/a.txt"), "a")?;
/// let sandbox = Sandbox::open(folder.path(), &[]).unwrap();
/// let evidence = tokio::runtime::Builder::new_current_thread().enable_time().build()?
///     .block_on(CHECK.run(json!({"assert": "file-count", "expected": 1}), &sandbox));
/// assert_eq!(evidence.status(), Status::Passed);
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait Check: DeserializeOwned + Send + Sync + 'static {
    /// The name of the check and its description.
    const META: Meta;

    /// The slice of ground truth this assertion looks at: bounded by the sandbox's limits, and all that `judge` needs.
    type Seen: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The version of the JSON that [`Check::Seen`] is stored as. Evidence bundles keep it with every observation. Raise it
    /// with every change after which an older observation would be misread, so that a replay says so.
    const OBSERVATION: u32 = 1;

    /// Members of the assertion that change what is judged and nothing of what is observed, each with the words that, if it
    /// holds one, make [`Check::observe`] read it all the same. A stored observation of one assertion is judged by another
    /// only if the two differ in such members alone, and both have them.
    const JUDGED: &'static [Judged] = &[];

    /// Reads ground truth.
    ///
    /// # Errors
    /// Why it could not be read.
    fn observe(&self, sandbox: &Sandbox) -> impl Future<Output = Result<Self::Seen, Unverifiable>> + Send;

    /// Compares.
    fn judge(&self, seen: &Self::Seen) -> Evidence;

    /// Gives the criterion's zone, in which days are days, to every date of the settings that has no zone of its own.
    fn set_zone(&mut self, _zone: &Zone) {}

    /// Refuses settings with names that the parts of a sandbox do not have. Asked once of settings that were read, by whoever
    /// knows the parts.
    ///
    /// # Errors
    /// The first name that does not exist, with its place.
    fn check_names(&self, _parts: &[PartType]) -> Result<(), InvalidAssertion> {
        Ok(())
    }

    /// True if it runs code that the delegate wrote. Such criteria run after all others of a task have ended, so that
    /// no other criterion reads what they write on this machine.
    fn runs_code(&self) -> bool {
        false
    }

    /// How long the assertion allows what it asserts to take to show. Whoever runs the check waits; `observe` is called
    /// again for every look, and where the source is a server it reads anew.
    fn within(&self) -> Option<Within> {
        None
    }

    /// Weaknesses visible from the settings alone, such as an assertion that can never fail. Linting a task calls it.
    /// Every weakness must hold for every ground truth; one that the settings do not prove is left out.
    fn review(&self) -> Review {
        Review::default()
    }
}
