//! Reads a single resource by its id. Source: FHIR R4, RESTful API, 3.1.0.2 (read).

use candor_check::{Obstacle, Unverifiable};
use candor_http_source::{Answer, Ask, Budget, Client};
use candor_json::Value;

use super::capability::Capability;
use super::follow::Follow;
use super::search::{Found, hash};
use super::{outcome, page, status};
use crate::store::Builder;

pub(super) enum Read {
    Found(Box<Found>),
    Absent(&'static str),
}

/// Reads a resource.
///
/// # Errors
/// When it is not known whether it is there.
pub(super) fn run(
    client: &Client,
    resource_type: &str,
    id: &str,
    follow: bool,
    budget: &mut Budget,
) -> Result<Read, Unverifiable> {
    let what = format!("the read of {resource_type}/{id}");
    let url = format!("{}/{resource_type}/{id}", client.server.url);
    let answer = client.ask(Ask::get(&url, &what), budget)?;
    match answer.status {
        200 => {
            let mut followed = Follow::default();
            let name = format!("{resource_type}/{id}");
            followed.came(&name);
            let found = found(client, &what, &url, (resource_type, id), &answer, |text, builder| {
                if follow {
                    followed.from(text, &name, &url, &client.server.url);
                }
                followed.read(client, None, builder, budget).unread
            })?;
            Ok(Read::Found(Box::new(found)))
        }
        404 if is_absence(client, resource_type, &answer, budget) => {
            Ok(Read::Absent("there is no resource with this id"))
        }
        410 if is_absence(client, resource_type, &answer, budget) => Ok(Read::Absent("it was deleted")),
        _ => Err(status::refusal(client, &what, &answer)),
    }
}

fn found(
    client: &Client,
    what: &str,
    url: &str,
    (resource_type, id): (&str, &str),
    answer: &Answer,
    follow: impl FnOnce(&str, &mut Builder) -> bool,
) -> Result<Found, Unverifiable> {
    let base = &client.server.url;
    let is = |is: &str| Unverifiable::new(Obstacle::SourceMalformed, format!("{base} answered {what} with {is}"));
    let text = page::checked(&answer.body, &answer.content_type).map_err(|found| is(&found))?;
    let value: Value = candor_json::from_str(text).map_err(|_| is("no JSON that can be read"))?;
    let member = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    if outcome::is_outcome(&value) && resource_type != "OperationOutcome" {
        let stopped = status::stopped(client, what, &value, &[]);
        return Err(stopped.unwrap_or_else(|| is("an OperationOutcome")));
    }
    if member("resourceType") != resource_type || member("id") != id {
        return Err(is("another resource"));
    }
    let skipped = answer.body.len() - text.len();
    let start = text.len() - text.trim_start().len();
    let mut builder = Builder::default();
    builder.answer(url, &answer.body, text, vec![(text.trim(), Some(url.to_owned()))]);
    let unfollowed = follow(text, &mut builder);
    let mut found = Found { store: builder.finish(), unfollowed, ..Found::default() };
    found.matches.insert((url.into(), start + skipped));
    found.hashes.insert(url.to_owned(), hash(&answer.body).into());
    Ok(found)
}

/// True if a 404 or a 410 is a FHIR server's word on a resource. A gateway, a wrong base URL or a type that is not served
/// answer alike, and those say nothing of what was done.
fn is_absence(client: &Client, resource_type: &str, answer: &Answer, budget: &mut Budget) -> bool {
    let value: Value = candor_json::from_slice(&answer.body).unwrap_or_default();
    let said = outcome::issues(&value, &[]);
    let is = |code: &str| outcome::is_outcome(&value) && said.iter().any(|issue| issue.code == code);
    if is("not-supported") {
        return false;
    }
    is("not-found") || is("deleted") || Capability::ask(client, budget).is_some_and(|one| one.serves(resource_type))
}
