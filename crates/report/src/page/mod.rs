//! Pages for a browser.
//!
//! Each page is a function from a stored result to a text. It is a document that loads nothing from elsewhere, or a page of
//! a service, where style and script have addresses of their own ([`Shape`]). Links go through [`Links`], so that one file
//! has anchors where a server has addresses. What lies behind a result comes from [`Ground`], where who renders it has it:
//! the bytes of a source, an assertion.
//!
//! Evidence is text: `text` makes it harmless, and nothing else writes what comes from outside into a page.

mod alike;
mod assets;
mod audit;
mod benchmark;
mod causes;
mod comparison;
mod criterion;
mod difference;
mod excerpt;
mod frame;
mod loop_record;
mod marks;
mod names;
mod parts;
pub mod site;
mod task;
mod text;
mod validation;
mod vector;

use std::collections::BTreeMap;

use candor_json::Value;

use crate::model::{CriterionRun, TaskRun};

pub use assets::{SCRIPT, STYLE};
pub use audit::audit;
pub use benchmark::{Filter, benchmark_run, shown, unfinished};
pub use comparison::comparison;
pub use criterion::criterion_run;
pub use difference::difference;
pub use frame::content_security_policy;
pub use loop_record::loop_record;
pub use task::task_run;
pub use validation::validation;

/// Where links of a page lead.
pub trait Links {
    /// To a task run. `number` counts the task runs of the benchmark from 0.
    fn task_run(&self, run: &TaskRun, number: usize) -> String;

    /// To a criterion run, on a page where it has this anchor.
    fn criterion_run(&self, run: &CriterionRun, anchor: &str) -> String;

    /// To another page of a benchmark run, from 1; `None` where there are no other pages to go to.
    fn page(&self, number: usize) -> Option<String>;

    /// To the page of a criterion run; `None` if it does not have one.
    fn alone(&self, _: &CriterionRun) -> Option<String> {
        None
    }
}

/// Links within one file.
#[derive(Clone, Copy, Debug)]
pub struct OneFile;

impl Links for OneFile {
    fn task_run(&self, _: &TaskRun, number: usize) -> String {
        format!("#t{number}")
    }

    fn criterion_run(&self, _: &CriterionRun, anchor: &str) -> String {
        format!("#{anchor}")
    }

    fn page(&self, _: usize) -> Option<String> {
        None
    }
}

/// The ground truth behind a result.
pub trait Ground {
    /// The bytes of a source, where they are at hand and are those that the result was made from: `sha256` is what the
    /// result says of them.
    fn source(&self, locator: &str, sha256: Option<&str>) -> Option<Vec<u8>>;

    /// The same for a criterion run of a page with many task runs, each of which has a sandbox of its own.
    fn source_of(&self, _: &CriterionRun, locator: &str, sha256: Option<&str>) -> Option<Vec<u8>> {
        self.source(locator, sha256)
    }

    /// The assertion of a criterion.
    fn assertion(&self, criterion_id: &str) -> Option<Value>;

    /// The command that makes the result again.
    fn command(&self) -> Option<String>;
}

/// Nothing but the result itself.
#[derive(Clone, Copy, Debug)]
pub struct ResultAlone;

impl Ground for ResultAlone {
    fn source(&self, _: &str, _: Option<&str>) -> Option<Vec<u8>> {
        None
    }

    fn assertion(&self, _: &str) -> Option<Value> {
        None
    }

    fn command(&self) -> Option<String> {
        None
    }
}

/// The ground of a task run. A source that a criterion names without its digest has the digest that the others read.
struct OfRun<'r> {
    ground: &'r dyn Ground,
    digests: BTreeMap<String, Option<String>>,
}

impl<'r> OfRun<'r> {
    fn new(run: &TaskRun, ground: &'r dyn Ground) -> Self {
        let mut digests = BTreeMap::new();
        for (place, sha256) in run.criteria().iter().flat_map(CriterionRun::sources) {
            let Some(sha256) = sha256 else { continue };
            // Of a source that changed in between neither is taken.
            digests
                .entry(place.locator)
                .and_modify(|known: &mut Option<String>| drop(known.take_if(|known| *known != sha256)))
                .or_insert(Some(sha256));
        }
        Self { ground, digests }
    }

    fn digest<'s>(&'s self, locator: &str, sha256: Option<&'s str>) -> Option<&'s str> {
        sha256.or_else(|| self.digests.get(locator)?.as_deref())
    }
}

impl Ground for OfRun<'_> {
    fn source(&self, locator: &str, sha256: Option<&str>) -> Option<Vec<u8>> {
        self.ground.source(locator, self.digest(locator, sha256))
    }

    fn source_of(&self, run: &CriterionRun, locator: &str, sha256: Option<&str>) -> Option<Vec<u8>> {
        self.ground.source_of(run, locator, self.digest(locator, sha256))
    }

    fn assertion(&self, criterion_id: &str) -> Option<Value> {
        self.ground.assertion(criterion_id)
    }

    fn command(&self) -> Option<String> {
        self.ground.command()
    }
}

/// The whole that a page is part of.
#[derive(Clone, Copy, Debug, Default)]
pub enum Shape<'s> {
    /// Nothing: a whole document, with its style and its script in it.
    #[default]
    Document,
    /// A service, which serves style and script apart.
    Site(&'s site::Site),
}

/// How a page is rendered.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// Where links lead.
    pub links: &'c dyn Links,
    /// The ground truth behind the result.
    pub ground: &'c dyn Ground,
    /// The whole that the page is part of.
    pub shape: Shape<'c>,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self { links: &OneFile, ground: &ResultAlone, shape: Shape::Document }
    }
}
