//! Resources that a program has read itself, as an observation.

use std::collections::HashMap;

use candor_check::Obstacle;
use candor_check::field::Location;
use candor_check::records::{Fault, Observation, Unreadable};

use super::{Model, ModelError, fields, value_of};
use crate::source::{FhirSource, Hidden};
use crate::store::Builder;
use crate::{Content, FhirResourceState};

/// Lines of JSON, to the store; no one sees the name.
const LINES: &str = "models.ndjson";

/// Where resources that are handed in were read, and whether they are all that there is.
///
/// ```
/// use candor_fhir_resource_state::models::Handed;
/// let page = Handed::part("https://ehr.example/r4/Appointment?_count=20", "only the first page was read");
/// assert_eq!(page.locator(), "https://ehr.example/r4/Appointment?_count=20");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handed {
    locator: String,
    missing: Option<String>,
}

impl Handed {
    /// Everything that there is at that place. Evidence quotes `locator` as the source.
    pub fn whole(locator: impl Into<String>) -> Self {
        Self { locator: locator.into(), missing: None }
    }

    /// Less than what there is, with the reason. Whatever depends on the rest is unverifiable, as when an answer is missing.
    pub fn part(locator: impl Into<String>, missing: impl Into<String>) -> Self {
        Self { locator: locator.into(), missing: Some(missing.into()) }
    }

    /// Where they were read.
    #[must_use]
    pub fn locator(&self) -> &str {
        &self.locator
    }
}

impl FhirResourceState {
    /// Observes resources for this assertion, as an input to `judge`. They are searched as those of a folder are,
    /// versions and references between them included, and a Bundle is read as in a folder. The evidence has no hash and
    /// no byte span, since models have no bytes, and says in `details` where they come from.
    ///
    /// They are ground truth only when whoever grades has read them from the system under test; see [`models`](super).
    ///
    /// # Errors
    /// A value that JSON cannot hold, in any of them.
    pub fn seen_in(&self, resources: &[impl Model], handed: &Handed) -> Result<Observation<Content>, ModelError> {
        let mut lines = Vec::new();
        let mut starts = Vec::with_capacity(resources.len());
        for (number, resource) in resources.iter().enumerate() {
            let value = value_of(resource)?;
            fields::nulls(&value, "", 0)
                .map_err(|error| ModelError(format!("resource {} of those handed in: {error}", number + 1)))?;
            starts.push(lines.len() as u64);
            lines.extend_from_slice(value.to_string().as_bytes());
            lines.push(b'\n');
        }
        let mut builder = Builder::default();
        builder.file(LINES, lines);
        let store = builder.finish();
        let unreadable = store.unreadable().iter().map(Hidden::of).collect();
        let source =
            FhirSource { store, hashes: HashMap::new(), unreadable, notes: Vec::new(), outside_links: Vec::new() };
        let mut seen = self.settings.observe_in(&source, &self.settings.search_at(std::time::SystemTime::now()));
        self.replace_places(&mut seen, &starts, handed);
        Ok(seen)
    }

    /// Names the place that the models come from instead of the lines made from them.
    fn replace_places(&self, seen: &mut Observation<Content>, starts: &[u64], handed: &Handed) {
        let number = |place: &Location| starts.partition_point(|start| place.span.is_some_and(|(at, _)| *start <= at));
        let label = |label: &mut String, place: &Location| {
            if label.ends_with(LINES) {
                *label = format!("{} {} of {}", self.settings.search.resource_type(), number(place), handed.locator);
            }
        };
        for candidate in &mut seen.candidates {
            let mut own = candidate.label.to_string();
            label(&mut own, &candidate.source.place());
            candidate.label = own.into();
            candidate.source.locator = handed.locator.as_str().into();
            candidate.source.span = None;
        }
        if let Some(near) = &mut seen.near {
            label(&mut near.label, &near.place);
            near.place = Location::whole(&handed.locator);
        }
        for one in &mut seen.unreadable {
            one.what = format!("resource {} of those handed in: {}", number(&one.place), one.what);
            one.place = Location::whole(&handed.locator);
        }
        if let Some(missing) = &handed.missing {
            seen.unreadable.push(Unreadable {
                place: Location::whole(&handed.locator),
                what: missing.clone(),
                fault: Fault::Obstacle(Obstacle::SourceUnavailable),
            });
        }
        // What `details` names as the place; it was not a folder.
        seen.server = Some(handed.locator.clone());
        seen.notes.push(
            "The resources were handed in as models of fhir-sdk, which hold what its types know and nothing else."
                .to_owned(),
        );
    }
}
