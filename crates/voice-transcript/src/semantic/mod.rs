//! Meaning, where a judge is configured: the questions to it, its answers, and the answers that count.
//!
//! `observe` asks the judge; its answers are part of the observation, under the digest of the question, so that judging
//! again needs no new request. A "yes" counts for nothing by itself: its quote has to be in the call, spoken by the
//! right party, under no negation ([`quote`]). Text of the call cannot instruct the judge: it is data in JSON
//! ([`question`]).

#[cfg(not(feature = "http"))]
mod absent;
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "a build without `http` asks no judge"))]
mod answer;
#[cfg(feature = "http")]
mod client;
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "a build without `http` asks no judge"))]
mod judge_server;
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "a build without `http` asks no judge"))]
mod question;
mod quote;

use std::collections::{BTreeMap, VecDeque};

use candor_check::{Obstacle, Sandbox, Unverifiable};
use serde::{Deserialize, Serialize};

#[cfg(not(feature = "http"))]
pub(crate) use absent::HttpJudge;
pub(crate) use answer::Answer;
#[cfg(feature = "http")]
pub(crate) use client::HttpJudge;
pub(crate) use judge_server::{JUDGE, JudgeServer};
pub(crate) use question::Question;
pub(crate) use quote::{Backed, backed, may_say};

/// The answers of a judge: part of what was seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answers {
    /// The model that was asked; `None` where no judge is configured.
    pub(crate) model: Option<String>,
    pub(crate) by_question: BTreeMap<String, Answer>,
}

/// The most questions that one criterion may ask.
const MOST: usize = 400;

impl Answers {
    /// Asks the judge of the sandbox, if it has one, each question once.
    pub(crate) async fn of(sandbox: &Sandbox, questions: Vec<Question>) -> Self {
        let mut answers = Self::default();
        let Some(judge) = JudgeServer::of(sandbox) else { return answers };
        answers.model = Some(judge.model);
        if questions.is_empty() {
            return answers;
        }
        let missing = |why: Unverifiable| Answer::Missing { obstacle: why.obstacle, details: why.details };
        let client = sandbox.source::<HttpJudge>().await.map_err(missing);
        let mut asked = 0;
        let mut questions: VecDeque<Question> = questions.into();
        while let Some(question) = questions.pop_front() {
            let digest = question.digest.clone();
            if answers.by_question.contains_key(&digest) {
                continue;
            }
            let statement = (!question.of_quote).then(|| question.statement.clone());
            asked += 1;
            let answer = match &client {
                Err(answer) => answer.clone(),
                Ok(_) if asked > MOST => Answer::Missing {
                    obstacle: Obstacle::LimitExceeded,
                    details: format!("a criterion may ask the judge {MOST} questions"),
                },
                Ok(client) => {
                    let client = client.clone();
                    let answered = sandbox.asking("the judge's answer", move || client.ask(&question)).await;
                    answered.unwrap_or_else(missing)
                }
            };
            // a yes is asked about once more, with its quote alone
            if let (Some(statement), Answer::Said { quote, .. }) = (statement, &answer) {
                questions.push_back(Question::about(&statement, quote));
            }
            answers.by_question.insert(digest, answer);
        }
        answers
    }

    /// True if the judge confirms that a quote says a statement by itself; `None` if it did not answer that.
    pub(crate) fn confirms(&self, statement: &str, quote: &str) -> Option<bool> {
        match self.to(&Question::about(statement, quote))? {
            Answer::Said { .. } => Some(true),
            Answer::NotSaid => Some(false),
            Answer::Unusable(_) | Answer::Missing { .. } => None,
        }
    }

    pub(crate) fn to(&self, question: &Question) -> Option<&Answer> {
        self.by_question.get(&question.digest)
    }
}
