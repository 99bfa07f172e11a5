//! Live FHIR servers: searched and read anew for every look.
//!
//! `LiveSource` holds what stays the same (the connection, the credentials); nothing that was read is kept in it.
//! Everything that can go wrong on the way ends unverifiable, with a sentence; what a server says goes into one only
//! through [`candor_http_source::Secrets`].

mod around;
mod capability;
mod compare;
mod follow;
mod ignored;
mod page;
mod read;
mod record;
mod scope;
mod search;
mod status;

use std::collections::HashSet;
use std::sync::Arc;

use candor_check::records::Unreadable;
use candor_check::sandbox::Limits;
use candor_check::{Obstacle, Sandbox, Source, Unverifiable};
use candor_http_source::{Budget, Client, HttpServer, Manners, url};

use crate::outcome;
use crate::search::Search;
use crate::source::{Hashes, PART, TYPES};
use crate::store::{Resource, Store};
pub(crate) use record::record;
pub(crate) use search::hash;
use search::{Found, Wanted};

/// How FHIR servers are asked. Source: FHIR R4, RESTful API, 3.1.0.1.10 (content types), 3.1.1.3 (handling); Cloud
/// Healthcare API, Authentication.
const MANNERS: Manners = Manners {
    part: PART,
    accept: "application/fhir+json, application/json;q=0.9",
    fields: &[("Prefer", "handling=strict")],
    google_scope: "https://www.googleapis.com/auth/cloud-healthcare",
};

pub(crate) struct LiveSource {
    client: Arc<Client>,
}

impl Source for LiveSource {
    const READS: &'static [&'static str] = &[PART];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        // What a capture is to hold says nothing of the server.
        let section = sandbox.section(PART).without(&[TYPES]);
        let server = HttpServer::is_described(&section).then(|| HttpServer::read(&section).ok()).flatten();
        let server = server.ok_or_else(|| sandbox.no_source(PART))?;
        let client = sandbox.blocking("the settings of [fhir]", move || Client::new(server, MANNERS)).await?;
        Ok(Self { client: Arc::new(client) })
    }
}

#[derive(Clone)]
pub(crate) struct Question {
    /// The search; of a read the resource's type alone.
    pub(crate) search: Search,
    pub(crate) read: Option<String>,
    pub(crate) told: Told,
    pub(crate) follow: bool,
    pub(crate) ordered: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// `_sort` and `_count`, as written, where they are to be sent.
    pub(crate) result: Vec<(String, String)>,
    /// `Patient/123`: a part of the URL, and no parameter.
    pub(crate) compartment: Option<String>,
}

pub(crate) struct Look {
    pub(crate) store: Store,
    candidates: HashSet<(Arc<str>, usize)>,
    /// SHA-256 of every answer, by its URL.
    pub(crate) hashes: Hashes,
    /// The places that could not be read, or not be decided.
    pub(crate) unreadable: Vec<Unreadable>,
    pub(crate) notes: Vec<String>,
    /// Where nothing was found: some of the resources of the type, for the nearest.
    pub(crate) others: Option<Store>,
    /// True if something that the candidates refer to could not be read.
    pub(crate) unfollowed: bool,
}

impl Look {
    pub(crate) fn is_candidate(&self, resource: &Resource) -> bool {
        self.candidates.contains(&(resource.file.clone(), resource.span().start))
    }

    fn of(found: Found, candidates: HashSet<(Arc<str>, usize)>) -> Self {
        let Found { store, hashes, mut unreadable, unfollowed, .. } = found;
        unreadable.extend(store.unreadable().iter().map(crate::source::unreadable));
        Self { store, candidates, hashes, unreadable, notes: Vec::new(), others: None, unfollowed }
    }
}

pub(crate) async fn look(sandbox: &Sandbox, question: Question) -> Result<Look, Unverifiable> {
    let source = sandbox.source::<LiveSource>().await?;
    let (client, limits) = (Arc::clone(&source.client), sandbox.limits().clone());
    let what = format!("the FHIR server at {}", client.server.url);
    sandbox.asking(&what, move || ask(&client, &question, &limits)).await
}

fn ask(client: &Client, question: &Question, limits: &Limits) -> Result<Look, Unverifiable> {
    let look = answered(client, question, limits)?;
    let resource_type = question.search.resource_type();
    let interaction = if question.read.is_some() { 'r' } else { 's' };
    let hidden = |scope: String| !scope::allows(&scope, resource_type, interaction);
    if client.scope().is_some_and(hidden) {
        let details = format!(
            "{} gave out a token whose scope does not let {resource_type} be seen, so that nothing follows from its answer",
            client.server.url
        );
        return Err(Unverifiable::new(Obstacle::SourceDenied, details));
    }
    Ok(look)
}

fn answered(client: &Client, question: &Question, limits: &Limits) -> Result<Look, Unverifiable> {
    let mut budget = Budget::new(limits);
    let resource_type = question.search.resource_type();
    if let Some(id) = &question.read {
        return Ok(match read::run(client, resource_type, id, question.follow, &mut budget)? {
            read::Read::Found(found) => {
                let candidates = found.matches.clone();
                Look::of(*found, candidates)
            }
            read::Read::Absent(why) => {
                let mut look = Look::of(Found::default(), HashSet::new());
                look.notes.push(format!("{resource_type}/{id}: {why}."));
                look
            }
        });
    }
    let compartment = question.told.compartment.clone();
    // Of the conditions the compartment is the last.
    let named = question.search.conditions().len() - usize::from(compartment.is_some());
    let conditions = question.search.conditions().take(named).map(|(name, value)| (name.to_owned(), value.to_owned()));
    let parameters = conditions.chain(question.told.result.iter().cloned()).collect();
    let follow = question.follow;
    let around = question.search.hangs_on_others().then(|| question.search.clone());
    let wanted =
        Wanted { resource_type: resource_type.to_owned(), compartment, parameters, glance: false, follow, around };
    let found = search::run(client, &wanted, limits, &mut budget)?;
    let within = question.told.compartment.as_deref();
    let nothing = found.matches.is_empty() && found.unreadable.is_empty();
    let mut compared = compare::compare(&found, &question.search, within);
    compare::hold_against_others(&mut compared, &found, &question.search, within);
    let mut look = Look::of(found, compared.candidates);
    if question.ordered {
        look.unreadable.extend(compare::out_of_order(&look.store, &look.candidates, &question.search));
    }
    look.unreadable.extend(compared.unreadable);
    if nothing && question.search.conditions().len() > 0 {
        // Best effort: what else there is makes the sentence better, and its lack changes no outcome.
        let all =
            Wanted { compartment: None, parameters: Vec::new(), glance: true, follow: false, around: None, ..wanted };
        if let Ok(others) = search::run(client, &all, limits, &mut budget) {
            look.unreadable.extend(compare::overlooked(&others, &question.search, within));
            let some = others.store.of_type(resource_type).next().is_some();
            if some && question.search.hangs_on_others() {
                let around = around::read(client, &question.search, &mut budget);
                look.unreadable.extend(compare::overlooked_around(&around, &question.search));
            }
            look.others = Some(others.store);
        }
    }
    Ok(look)
}

/// The content of a server's answer, taken as a page of the search for a type.
#[derive(Debug, PartialEq, Eq)]
pub struct Answered {
    /// The resources, each as it is in the answer.
    pub resources: Vec<String>,
    /// Where the next page would be looked for, before it is asked whether that is the same server.
    pub next: Option<String>,
    /// The first of the parameters that the answer says were not applied.
    pub ignored: Option<String>,
}

/// Reads an answer of a server's to `{base}/{resource_type}?{query}`, whatever it is.
///
/// # Errors
/// The nature of an answer that is not a page, as the end of a sentence.
///
/// ```
/// use candor_fhir_resource_state::live::read_answer;
/// let page = br#"{"resourceType": "Bundle", "type": "searchset", "link": [{"relation": "next", "url": "?page=2"}]}"#;
/// let page = read_answer(page, "https://fhir.example.org/r4", "Patient", "name=x").unwrap();
/// assert_eq!(page.next.as_deref(), Some("https://fhir.example.org/r4/Patient?page=2"));
/// assert_eq!(read_answer(b"<html>", "https://fhir.example.org/r4", "Patient", "").unwrap_err(), "HTML (), not FHIR JSON");
/// ```
pub fn read_answer(body: &[u8], base: &str, resource_type: &str, query: &str) -> Result<Answered, String> {
    let sent = url::parameters(&format!("?{query}"));
    let names: Vec<&str> = sent.iter().map(|(name, _)| name.as_str()).collect();
    let page = match page::read(page::checked(body, "")?, resource_type) {
        Ok(page) => page,
        Err(page::NoPage::Other(what)) => return Err(what),
        Err(page::NoPage::Outcome(outcome)) => {
            let first = outcome::issues(&outcome, &names).into_iter().next();
            return Err(format!("an OperationOutcome: {}", first.map(|issue| issue.text).unwrap_or_default()));
        }
    };
    let asked = format!("{base}/{resource_type}?{query}");
    Ok(Answered {
        resources: page.entries.iter().filter_map(|entry| entry.resource.map(str::to_owned)).collect(),
        next: page.next.and_then(|link| url::resolve(base, &asked, &link)),
        ignored: page.own.and_then(|own| ignored::first(&own, &sent).map(str::to_owned)),
    })
}
