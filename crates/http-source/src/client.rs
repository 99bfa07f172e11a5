//! Requests and their answers: one connection pool, the header fields every request carries, retries, and a sentence for
//! each way in which a request can fail.

use std::io::{self, Read as _};
use std::sync::Arc;
use std::time::Duration;

use candor_check::{Obstacle, Unverifiable};
use candor_http::retry::{Backoff, is_passing};
use candor_http::ureq::http;
use candor_http::{Failure, Policy, ureq};
use flate2::read::MultiGzDecoder;
use jiff::Timestamp;

use crate::authorities;
use crate::budget::Budget;
use crate::login::Login;
use crate::request::{Answer, Ask, Manners, place};
use crate::secrets::Secrets;
use crate::settings::HttpServer;
use crate::url;

/// How often one request is made at most.
const ATTEMPTS: u32 = 4;
const BACKOFF: Backoff = Backoff { first: Duration::from_millis(250), longest: Duration::from_secs(64) };

/// A request that was not answered.
pub(crate) struct Trouble {
    pub(crate) why: Unverifiable,
    passing: bool,
}

/// A server, ready to be asked: one connection pool, one login.
pub struct Client {
    agent: ureq::Agent,
    /// The server.
    pub server: HttpServer,
    /// The values that must never be shown, even if an answer of the server holds them.
    pub secrets: Secrets,
    pub(crate) manners: Manners,
    login: Login,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Client {
    /// Gets ready to ask; asks nothing yet.
    ///
    /// # Errors
    /// When a key or a certificate that is named cannot be read.
    pub fn new(server: HttpServer, manners: Manners) -> Result<Self, Unverifiable> {
        let secrets = Secrets::default();
        for (_, value) in &server.headers {
            secrets.add(value.reveal());
        }
        let login = Login::new(&server.credentials, &secrets, manners.part)?;
        Ok(Self { agent: agent(&server, manners.part)?, server, secrets, manners, login })
    }

    /// Asks with credentials, again where that may help, and once more with a new token where the old one is refused.
    ///
    /// # Errors
    /// When there is no answer, or the URL is not one of this server's.
    pub fn ask(&self, ask: Ask<'_>, budget: &mut Budget) -> Result<Answer, Unverifiable> {
        // Credentials go to the server that they are for and to no other.
        if url::origin(ask.url).is_none() || url::origin(ask.url) != url::origin(&self.server.url) {
            let details = format!("{} leads away from {}, and was not followed", ask.what, self.server.url);
            return Err(Unverifiable::new(Obstacle::SourceMalformed, details));
        }
        let authorization = self.login.authorization(self, budget)?;
        let answer = self.persistent(ask, authorization.as_deref(), budget)?;
        if answer.status == 401 && self.login.forget() {
            let authorization = self.login.authorization(self, budget)?;
            return self.persistent(ask, authorization.as_deref(), budget);
        }
        Ok(answer)
    }

    /// The scope of the token in use, if it was fetched and its issuer names one.
    #[must_use]
    pub fn scope(&self) -> Option<String> {
        self.login.scope()
    }

    /// Asks until there is an answer that another attempt would not change.
    pub(crate) fn persistent(
        &self,
        ask: Ask<'_>,
        authorization: Option<&str>,
        budget: &mut Budget,
    ) -> Result<Answer, Unverifiable> {
        let mut attempt = 1;
        let mut before = None;
        loop {
            let (last, retry_after) = match self.once(ask, authorization, budget) {
                Ok(answer) if !is_passing(answer.status) => return Ok(answer),
                Ok(answer) => {
                    let retry_after = answer.retry_after.clone();
                    (Ok(answer), retry_after)
                }
                // If the time ends on another attempt, the server did answer before, and that is the reason.
                Err(Trouble { why, .. }) if why.obstacle == Obstacle::Timeout => return before.unwrap_or(Err(why)),
                Err(trouble) if !trouble.passing => return Err(trouble.why),
                Err(trouble) => (Err(trouble.why), None),
            };
            let wait = BACKOFF.wait(retry_after.as_deref(), attempt, Timestamp::now());
            // If the server asks for a longer wait than the time that is left, its last answer is final.
            if attempt == ATTEMPTS || budget.time().is_none_or(|left| left <= wait) {
                return last;
            }
            std::thread::sleep(wait);
            before = Some(last);
            attempt += 1;
        }
    }

    fn once(&self, ask: Ask<'_>, authorization: Option<&str>, budget: &mut Budget) -> Result<Answer, Trouble> {
        let what = format!("{} at {}", ask.what, place(ask.url));
        let settled = |why| Trouble { why, passing: false };
        let time = budget.time().ok_or_else(|| settled(budget.too_long(&what)))?;
        let method = if ask.form.is_some() { "POST" } else { "GET" };
        let mut request = http::Request::builder()
            .method(method)
            .uri(ask.url)
            .header("Accept", self.manners.accept)
            .header("Accept-Encoding", "gzip")
            .header("Cache-Control", "no-cache");
        for (name, value) in self.manners.fields {
            request = request.header(*name, *value);
        }
        if ask.form.is_some() {
            request = request.header("Content-Type", "application/x-www-form-urlencoded");
        }
        if let Some((name, value)) = ask.header {
            request = request.header(name, value);
        }
        // What is given out with the server's table is for the server, not for who gives out its tokens.
        if url::origin(ask.url) == url::origin(&self.server.url) {
            for (name, value) in &self.server.headers {
                request = request.header(name, value.reveal());
            }
        }
        if let Some(authorization) = authorization {
            request = request.header("Authorization", authorization);
        }
        let body = ask.form.unwrap_or_default().as_bytes().to_vec();
        let malformed = |_| {
            let details = format!("{} has a URL that cannot be asked for", ask.what);
            settled(Unverifiable::new(Obstacle::SourceUnavailable, details))
        };
        let request = request.body(body).map_err(malformed)?;
        let timed = self.agent.configure_request(request).timeout_global(Some(time)).build();
        let mut response =
            self.agent.run(timed).map_err(|error| self.trouble(&what, &Failure::from(&error), budget))?;
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (content_type, location) = (header("content-type").unwrap_or_default(), header("location"));
        let links: Vec<&str> =
            response.headers().get_all("link").iter().filter_map(|value| value.to_str().ok()).collect();
        let link = (!links.is_empty()).then(|| links.join(", "));
        let of_pages = response.headers().iter().filter(|(name, _)| {
            let name = name.as_str();
            let words = ["total", "count", "pag", "next", "cursor"];
            name == "content-range" || name.starts_with("x-") || words.iter().any(|word| name.contains(word))
        });
        let fields = of_pages.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
        let fields: Vec<_> = fields.collect();
        let (retry_after, status) = (header("retry-after"), response.status().as_u16());
        let mut body = Vec::new();
        // Counted here, behind the decoder, so that a small body that unpacks to a large one is a large one.
        let most = budget.most();
        let is_gzip = header("content-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("gzip"));
        let raw = response.body_mut().as_reader();
        let mut reader: Box<dyn io::Read> = if is_gzip { Box::new(MultiGzDecoder::new(raw)) } else { Box::new(raw) };
        let read = reader.as_mut().take(most.saturating_add(1)).read_to_end(&mut body);
        read.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData if is_gzip => {
                let how = format!("its compressed answer broke off: {}", self.secrets.quoted(&error.to_string()));
                let why = Unverifiable::new(Obstacle::SourceUnavailable, format!("{what} failed: {how}"));
                Trouble { why, passing: true }
            }
            _ => self.trouble(&what, &Failure::from(&error), budget),
        })?;
        drop(reader);
        if body.len() as u64 > most {
            return Err(settled(budget.too_large(&format!("the answer to {what}"))));
        }
        budget.take(body.len());
        Ok(Answer { status, content_type, location, link, fields, body: Arc::new(body), retry_after })
    }

    fn trouble(&self, what: &str, failure: &Failure, budget: &Budget) -> Trouble {
        let how = match failure {
            Failure::Timeout { .. } => return Trouble { why: budget.too_long(what), passing: false },
            Failure::NotHttp(said) | Failure::NotAsked(said) => format!("{failure}: {said}"),
            failure => failure.to_string(),
        };
        let how = self.secrets.quoted(&how);
        let why = Unverifiable::new(Obstacle::SourceUnavailable, format!("{what} failed: {how}"));
        Trouble { why, passing: failure.is_passing() }
    }
}

fn agent(server: &HttpServer, part: &str) -> Result<ureq::Agent, Unverifiable> {
    let mut policy = Policy::default();
    if let Some(file) = &server.ca_file {
        policy.roots = authorities::read(file, &format!("[{part}]"))?;
    }
    let host = url::origin(&server.url).map(|(_, host, _)| host).unwrap_or_default();
    Ok(candor_http::agent(&policy, &host))
}
