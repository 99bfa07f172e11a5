//! The messages between this process and the one that runs a program: one JSON object each way.

use std::collections::BTreeMap;
use std::path::PathBuf;

use candor_json::value::RawValueBuf;
use serde::{Deserialize, Serialize};

use super::grants::Origin;
use super::limits::Limits;
use crate::claim::Claim;

#[derive(Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) nonce: String,
    pub(crate) limits: Limits,
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) workspace: PathBuf,
    pub(crate) http: Vec<Origin>,
    pub(crate) read: Vec<PathBuf>,
    /// The variables that are granted. They come this way, so that the process's own environment holds nothing.
    pub(crate) env: BTreeMap<String, Option<String>>,
    pub(crate) task: Task,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Task {
    /// `run(result)`, with `args` as a text of JSON.
    Run { result: Claimed, eval_result: Option<Claimed>, iteration: u32, args: RawValueBuf },
    /// `handle(event, payload)`, of a program that the file holds `indent` columns further to the right.
    Handle { event: String, result: Claimed, outcome: String, reason: Option<String>, iteration: u32, indent: usize },
}

/// A claim whose lists are texts of JSON: what is nested as deep as a reader of JSON takes would be too deep one level
/// further down.
#[derive(Serialize, Deserialize)]
pub(crate) struct Claimed {
    pub(crate) response: String,
    pub(crate) tool_calls: RawValueBuf,
    pub(crate) tool_results: RawValueBuf,
}

impl Claimed {
    pub(crate) fn of(claim: &Claim) -> Result<Self, candor_json::Error> {
        Ok(Self {
            response: claim.response.clone(),
            tool_calls: candor_json::value::to_raw_value(&claim.tool_calls)?,
            tool_results: candor_json::value::to_raw_value(&claim.tool_results)?,
        })
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    pub(crate) nonce: String,
    pub(crate) came: Came,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Came {
    Returned(Returned),
    /// It did not, or could not be run; in a sentence, with its place.
    Broke(String),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Returned {
    Bool(bool),
    Text(String),
    /// A dictionary, as a text of JSON.
    Dict(String),
    /// Something else, by the name of its type.
    Other(String),
    /// Nothing: a file of the workspace was not there, or not a text, in a sentence.
    Unread(String),
}

/// Reads what a process wrote: nothing but one answer with the nonce that it was given.
pub(crate) fn read(written: &[u8], nonce: &str) -> Result<Came, String> {
    let answer: Answer = candor_json::from_slice(written)
        .map_err(|_| "the program that runs scripts answered with something else; does it call `script::child`?")?;
    match answer.nonce == nonce {
        true => Ok(answer.came),
        false => Err("the program that runs scripts answered to another question".to_owned()),
    }
}
