//! A build without the feature `http`: a judge that is configured cannot be asked.

use candor_check::feature::left_out;
use candor_check::{Sandbox, Source, Unverifiable};

use super::{Answer, Question};

/// The judge that `sandbox.toml` names. It has no values in this build.
pub(crate) enum HttpJudge {}

impl Source for HttpJudge {
    const READS: &'static [&'static str] = &[];

    async fn open(_: &Sandbox) -> Result<Self, Unverifiable> {
        Err(left_out("ask a judge over HTTP", "http"))
    }
}

impl HttpJudge {
    pub(crate) fn ask(&self, _: &Question) -> Result<Answer, Unverifiable> {
        match *self {}
    }
}
