//! A server to files: every resource of every type that is asked for, a line each, page by page.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::{Limits, Recorded};
use candor_check::{Obstacle, Unverifiable};
use candor_http_source::{Budget, Client};

use super::capability::Capability;
use super::{LiveSource, search};
use crate::source::PART;

/// Writes the types that are named, else all that the CapabilityStatement names, as NDJSON by type. Each page has the time
/// of one read. What could not be read is a gap at the file of its type.
///
/// # Errors
/// When it is not known which types there are, or a file cannot be written.
pub(crate) fn record(
    source: &LiveSource,
    types: Option<&[String]>,
    limits: &Limits,
    into: &Path,
) -> Result<Recorded, Unverifiable> {
    let client = &source.client;
    let served = match types {
        Some(types) => types.to_vec(),
        None => served(client, limits)?,
    };
    // The recording claims nothing about a type that the server does not serve, not even that it has no resources.
    let mut recorded = Recorded { only: Some(served.clone()), ..Recorded::default() };
    for resource_type in &served {
        let locator = format!("{PART}/{resource_type}.ndjson");
        let not_written = |error: &std::io::Error| {
            Unverifiable::new(Obstacle::SourceUnavailable, format!("{locator} cannot be written: {error}"))
        };
        let file = File::create(into.join(format!("{resource_type}.ndjson"))).map_err(|error| not_written(&error))?;
        let mut file = BufWriter::new(file);
        let mut written = Ok(());
        let read = search::stream(client, resource_type, limits, &mut |resource| {
            if written.is_ok() {
                written = line(&mut file, resource);
            }
        });
        written.and_then(|()| file.flush()).map_err(|error| not_written(&error))?;
        let gap = |what: String| Unreadable {
            place: Location::whole(&locator),
            what,
            fault: Fault::Obstacle(Obstacle::SourceUnavailable),
        };
        match read {
            Ok(unreadable) => recorded.gaps.extend(unreadable.into_iter().map(|one| gap(one.what))),
            Err(why) => recorded.gaps.push(gap(why.details)),
        }
    }
    Ok(recorded)
}

/// Writes a resource as one line. A line end between its tokens means nothing, and its texts do not contain any.
fn line(file: &mut impl Write, resource: &str) -> std::io::Result<()> {
    for piece in resource.split(['\n', '\r']) {
        file.write_all(piece.as_bytes())?;
    }
    file.write_all(b"\n")
}

fn served(client: &Client, limits: &Limits) -> Result<Vec<String>, Unverifiable> {
    let types = Capability::ask(client, &mut Budget::new(limits)).map(Capability::into_types).unwrap_or_default();
    if types.is_empty() {
        let details = format!(
            "{} does not say which types it has (CapabilityStatement); name those to capture in [fhir], as in \
             types = [\"Patient\", \"Appointment\"]",
            client.server.url
        );
        return Err(Unverifiable::new(Obstacle::SourceUnavailable, details));
    }
    Ok(types)
}
