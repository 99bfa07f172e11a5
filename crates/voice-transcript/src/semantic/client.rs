//! A judge behind an OpenAI-compatible HTTP interface: `POST {url}/chat/completions`, temperature 0.
//!
//! Answers are kept by content for as long as the program runs, so that the same question about the same call is asked once.
//! <https://platform.openai.com/docs/api-reference/chat/create>

use std::collections::HashMap;
use std::io::Read as _;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use candor_check::{Obstacle, Sandbox, Source, Unverifiable};
use candor_http::ureq::http;
use candor_http::{Failure, Policy, ureq};
use candor_http_source::{Credentials, authorities};
use candor_json::json;

use super::answer::of_completion;
use super::judge_server::JudgeServer;
use super::{Answer, Question};

pub(crate) struct HttpJudge {
    agent: ureq::Agent,
    judge: JudgeServer,
    timeout: Duration,
}

/// The longest answer that is read.
const MOST_BYTES: u64 = 1 << 20;
/// How often a server in trouble is asked, and how long is waited before the second time.
const ATTEMPTS: u32 = 3;
const WAIT: Duration = Duration::from_millis(250);
/// How many answers are kept.
const KEPT: usize = 10_000;

/// Answers by where, whom and what was asked. What a judge said once about a call it says again.
static ANSWERS: LazyLock<Mutex<HashMap<[String; 3], Answer>>> = LazyLock::new(Mutex::default);

impl Source for HttpJudge {
    const READS: &'static [&'static str] = &[];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let judge =
            JudgeServer::of(sandbox).ok_or_else(|| Unverifiable::new(Obstacle::NoJudge, "no judge is configured"))?;
        let mut policy = Policy::default();
        if let Some(file) = &judge.server.ca_file {
            policy.roots = authorities::read(file, "the judge")?;
        }
        let url = judge.server.url.parse::<http::Uri>().ok();
        let agent = candor_http::agent(&policy, url.as_ref().and_then(http::Uri::host).unwrap_or_default());
        // A little earlier than the sandbox's own limit, so that this side says what was waited for.
        let timeout = sandbox.limits().timeout.mul_f64(0.95);
        Ok(Self { agent, judge, timeout })
    }
}

impl HttpJudge {
    /// Answers one question. It may be asked anything and may answer anything: the caller trusts no answer whose quote is not
    /// in the call.
    ///
    /// # Errors
    /// When there is no answer: the judge cannot be reached, refuses, or takes too long.
    pub(crate) fn ask(&self, question: &Question) -> Result<Answer, Unverifiable> {
        if question.too_long {
            let details = "the call is longer than a judge is asked about";
            return Err(Unverifiable::new(Obstacle::LimitExceeded, details));
        }
        let key = [self.judge.server.url.clone(), self.judge.model.clone(), question.digest.clone()];
        let known = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(answer) = known {
            return Ok(answer);
        }
        let answer = of_completion(&self.answered(question)?, question.of_quote);
        let mut kept = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
        // an unusable answer is not kept: the model may give a usable one next time
        if !matches!(answer, Answer::Unusable(_)) && kept.len() < KEPT {
            kept.insert(key, answer.clone());
        }
        Ok(answer)
    }
}

/// A request without an answer that counts.
struct Trouble {
    why: Unverifiable,
    passing: bool,
}

impl HttpJudge {
    /// The body of the answer, asked for again where that may help.
    fn answered(&self, question: &Question) -> Result<Vec<u8>, Unverifiable> {
        let deadline = Instant::now() + self.timeout;
        let body = json!({
            "model": self.judge.model,
            "temperature": 0,
            "response_format": {"type": "json_object"},
            "messages": [
                {"role": "system", "content": question.system()},
                {"role": "user", "content": question.message},
            ],
        })
        .to_string();
        let mut wait = WAIT;
        for attempt in 1.. {
            let trouble = match self.once(&body, deadline) {
                Ok(body) => return Ok(body),
                Err(trouble) => trouble,
            };
            let left = deadline.saturating_duration_since(Instant::now());
            if !trouble.passing || attempt == ATTEMPTS || left <= wait {
                return Err(trouble.why);
            }
            std::thread::sleep(wait);
            wait *= 4;
        }
        Err(self.unavailable("was not asked"))
    }

    fn once(&self, body: &str, deadline: Instant) -> Result<Vec<u8>, Trouble> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Trouble { why: self.too_late(), passing: false });
        }
        let mut request = http::Request::builder()
            .method("POST")
            .uri(format!("{}/chat/completions", self.judge.server.url))
            .header("Content-Type", "application/json")
            .header("Accept", "application/json");
        for (name, value) in &self.judge.server.headers {
            request = request.header(name, value.reveal());
        }
        if let Credentials::Bearer(token) = &self.judge.server.credentials {
            request = request.header("Authorization", format!("Bearer {}", token.reveal()));
        }
        let settled = |why| Trouble { why, passing: false };
        let request = request
            .body(body.as_bytes().to_vec())
            .map_err(|_| settled(self.unavailable("has a URL that cannot be asked")))?;
        let timed = self.agent.configure_request(request).timeout_global(Some(left)).build();
        let mut response = self.agent.run(timed).map_err(|error| self.trouble(&Failure::from(&error)))?;
        let status = response.status().as_u16();
        let mut body = Vec::new();
        let read = response.body_mut().as_reader().take(MOST_BYTES + 1).read_to_end(&mut body);
        read.map_err(|error| self.trouble(&Failure::from(&error)))?;
        if body.len() as u64 > MOST_BYTES {
            let details = format!("{} gave a longer answer than is read", self.named());
            return Err(settled(Unverifiable::new(Obstacle::LimitExceeded, details)));
        }
        match status {
            200 => Ok(body),
            401 | 403 => {
                let details = format!("{} refused access ({status})", self.named());
                Err(settled(Unverifiable::new(Obstacle::SourceDenied, details)))
            }
            _ => {
                let passing = matches!(status, 429 | 500 | 502 | 503 | 504 | 529);
                Err(Trouble { why: self.unavailable(&format!("answered with status {status}")), passing })
            }
        }
    }

    fn named(&self) -> String {
        format!("the judge {} at {}", self.judge.model, self.judge.server.url)
    }

    fn unavailable(&self, what: &str) -> Unverifiable {
        Unverifiable::new(Obstacle::SourceUnavailable, format!("{} {what}", self.named()))
    }

    fn too_late(&self) -> Unverifiable {
        let details = format!("{} took longer than {} ms", self.named(), self.timeout.as_millis());
        Unverifiable::new(Obstacle::Timeout, details)
    }

    /// The reason for which there is no answer. The library's own words may hold header fields, so they are not repeated.
    fn trouble(&self, failure: &Failure) -> Trouble {
        let why = match failure {
            Failure::Timeout { .. } => return Trouble { why: self.too_late(), passing: false },
            Failure::Tls(_) => self.unavailable("cannot be reached: the TLS connection failed"),
            failure => self.unavailable(&format!("cannot be reached: {failure}")),
        };
        Trouble { why, passing: failure.is_passing() }
    }
}
