//! Searches the resources of the folder, or of a server.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::SystemTime;

use candor_check::compare::References;
use candor_check::evidence::SourceRef;
use candor_check::field::{FieldEntry, Location, ReadFrom};
use candor_check::meaning::Understanding;
use candor_check::records::{Candidate, Fault, Match, NearMiss, Observation, Unreadable};
use candor_check::sandbox::{Folder, not_followed};
use candor_check::work::cancelled;
use candor_check::{Obstacle, Sandbox, Unverifiable};
use candor_json::{Value, json};

use crate::items;
use crate::live::{self, Question, hash};
use crate::packed::is_packed;
use crate::part::FhirPart;
use crate::path::FhirPath;
use crate::resolved::{Following, Missed, Targets};
use crate::search::moment::Moment;
use crate::search::{Names, Search};
use crate::seen::{Content, State};
use crate::settings::Settings;
use crate::source::{FhirSource, Hashes, PART};
use crate::store::{About, Resource, Store, Versions};

pub(crate) async fn observe(settings: &Settings, sandbox: &Sandbox) -> Result<Observation<Content>, Unverifiable> {
    let search = settings.search_at(sandbox.work().now());
    if let Some(server) = &sandbox.settings::<FhirPart>()?.server {
        return settings.observe_live(sandbox, &server.url, search.into_owned()).await;
    }
    if let Some(part) = sandbox.folder(PART).as_ref().and_then(Folder::captured) {
        let asked = search.types_of_others().into_iter().chain([search.resource_type()]);
        if let Some(missing) = asked.into_iter().find(|name| !part.covers(name)) {
            return Err(part.not_covered(missing));
        }
    }
    let source = sandbox.source::<FhirSource>().await?;
    let (settings, search, environment) = (settings.clone(), search.into_owned(), sandbox.environment());
    let observe = move || Ok(Observation { environment, ..settings.observe_in(&source, &search) });
    sandbox.blocking("fhir/", observe).await
}

impl Settings {
    pub(crate) fn search_at(&self, now: SystemTime) -> Cow<'_, Search> {
        let mut search = Cow::Borrowed(&self.search);
        if search.hangs_on_now() {
            search.to_mut().at(&Moment::from(now));
        }
        search
    }

    pub(crate) fn observe_in(&self, source: &FhirSource, search: &Search) -> Observation<Content> {
        let store = &source.store;
        let mut found = store.find(search);
        if let Some(id) = &self.read {
            found.retain(|resource| resource.id.as_ref() == Some(id));
        }
        let near = if found.is_empty() { self.near(store, search) } else { None };
        let mut unreadable = self.hiding(source, search);
        if self.count.is_some_and(|count| count.allows(0)) {
            unreadable.extend(source.outside_links.iter().map(|link| not_followed(link)));
        }
        let targets = self.follows().then(|| Targets::new(store, true));
        let (found, other) = self.of_concepts(found, store, targets.as_ref(), &mut unreadable);
        let near = near.or(other);
        let mut notes = source.notes.clone();
        let mut told = HashSet::new();
        notes.extend(found.iter().filter_map(|resource| versions(resource)).filter(|note| told.insert(note.clone())));
        if let Some(id) = self.read.as_ref().filter(|id| store.was_deleted(self.search.resource_type(), id)) {
            notes.push(format!("{}/{id}: it was deleted.", self.search.resource_type()));
        }
        Observation {
            candidates: found
                .iter()
                .take_while(|_| !cancelled())
                .map(|one| self.candidate(one, store, &source.hashes, targets.as_ref(), !source.unreadable.is_empty()))
                .fold(Vec::new(), adding),
            considered: store.of_type(self.search.resource_type()).count() as u64,
            near,
            unreadable,
            notes,
            ..Observation::default()
        }
    }

    /// The unread places that may hide a candidate. An OperationOutcome hides others, not itself. A place that concerns
    /// one resource does not hide another, unless the search follows references to it.
    fn hiding(&self, source: &FhirSource, search: &Search) -> Vec<Unreadable> {
        let others = self.search.types_of_others();
        let hides = |about: &About| {
            let one = about.resource_type == self.search.resource_type()
                && self.read.as_ref().is_none_or(|id| about.id.as_ref().is_none_or(|own| own == id));
            one || others.contains(about.resource_type.as_str())
        };
        let hiding = source.unreadable.iter().filter(|one| one.about.as_ref().is_none_or(hides));
        let mut unreadable: Vec<Unreadable> = hiding.map(|one| one.place.clone()).collect();
        unreadable.extend(self.others_in_states(&source.store, search));
        unreadable.extend(self.doubtful(&source.store));
        if self.search.resource_type() == "OperationOutcome" {
            let starts = |one: &Location| one.span.map(|(start, _)| (one.locator.clone(), start));
            let own: HashSet<_> =
                source.store.of_type("OperationOutcome").filter_map(|one| starts(&place(one))).collect();
            unreadable.retain(|one| starts(&one.place).is_none_or(|start| !own.contains(&start)));
        }
        unreadable
    }

    /// Resources of which the search cannot say no, because what it looks at is left out, or not of its element's type.
    fn doubtful(&self, store: &Store) -> Vec<Unreadable> {
        /// More are not named one by one.
        const MOST: usize = 100;
        let doubtful = store.doubtful(&self.search).into_iter();
        let own = doubtful.filter(|(resource, ..)| self.read.is_none() || resource.id == self.read);
        own.take(MOST)
            .map(|(resource, name, value)| {
                let what = format!(
                    "{}: what `{name}` looks at is left out or not of its element's type, so it is not known whether {name}={value} finds it",
                    label(resource)
                );
                Unreadable { place: place(resource), what, fault: Fault::Obstacle(Obstacle::Undecidable) }
            })
            .collect()
    }

    /// The resources that are there in several states, with nothing to tell which is the latest, if the search depends on
    /// them.
    fn others_in_states(&self, store: &Store, search: &Search) -> Vec<Unreadable> {
        let mut all = Vec::new();
        for name in self.search.types_of_others() {
            let mut states: HashMap<_, &Resource> = HashMap::new();
            for one in store.of_type(name).filter(|one| one.is_undistinguished()) {
                let first = *states.entry(&one.id).or_insert(one);
                if one.is_another_state_of(first) {
                    let what = format!(
                        "{} is there several times, and neither meta.versionId nor meta.lastUpdated tells which is the latest",
                        label(one)
                    );
                    let fault = Fault::Obstacle(Obstacle::Undecidable);
                    all.push(Unreadable { place: place(one), what, fault });
                }
            }
        }
        if !all.is_empty() && store.finds_the_same(search) {
            all.clear();
        }
        all
    }

    async fn observe_live(
        &self,
        sandbox: &Sandbox,
        server: &str,
        search: Search,
    ) -> Result<Observation<Content>, Unverifiable> {
        let question = Question {
            search: search.clone(),
            read: self.read.clone(),
            told: self.told.clone(),
            follow: self.follows(),
            ordered: matches!(self.matching, Match::First | Match::Last),
        };
        let look = live::look(sandbox, question).await?;
        let all = look.store.of_type(search.resource_type());
        let found: Vec<&Resource> = all.filter(|resource| look.is_candidate(resource)).collect();
        let near = match &look.others {
            Some(others) if found.is_empty() => self.near(others, &search),
            _ => None,
        };
        let targets = self.follows().then(|| Targets::new(&look.store, false));
        let mut unreadable = look.unreadable.clone();
        let (found, other) = self.of_concepts(found, &look.store, targets.as_ref(), &mut unreadable);
        let near = near.or(other);
        let others = look.others.as_ref().map_or(0, |others| others.of_type(search.resource_type()).count());
        let mut notes = look.notes.clone();
        notes.extend(found.iter().filter_map(|resource| versions(resource)));
        Ok(Observation {
            candidates: found
                .iter()
                .map(|one| self.candidate(one, &look.store, &look.hashes, targets.as_ref(), look.unfollowed))
                .fold(Vec::new(), adding),
            considered: found.len().max(others) as u64,
            near,
            unreadable,
            notes,
            server: Some(server.to_owned()),
            environment: sandbox.environment(),
        })
    }

    fn resolving(&self) -> impl Iterator<Item = &FieldEntry<FhirPath>> {
        self.fields.iter().filter(|entry| items::resolves(entry))
    }

    fn follows(&self) -> bool {
        !self.concepts.is_empty() || self.resolving().next().is_some()
    }

    /// Of the resources that were found those that mean what the concepts of the search do, and the first other one. A resource whose meaning is that of a missing resource is reported.
    fn of_concepts<'s>(
        &self,
        found: Vec<&'s Resource>,
        store: &'s Store,
        targets: Option<&Targets<'s>>,
        unreadable: &mut Vec<Unreadable>,
    ) -> (Vec<&'s Resource>, Option<NearMiss>) {
        let Some(targets) = targets.filter(|_| !self.concepts.is_empty()) else { return (found, None) };
        let mut near = None;
        let mut kept = Vec::new();
        for resource in found {
            let following = Following::new(targets, resource);
            let told = self.concepts.iter().map(|one| (one, one.understood(&store.subject(resource), &following)));
            let unmet = told.into_iter().find(|(_, (understood, _))| understood.state != Understanding::Holds);
            let Some((concept, (understood, unresolved))) = unmet else {
                kept.push(resource);
                continue;
            };
            if let Some(reference) = unresolved {
                let what = format!("{}: {reference} is not there, so what it is about is not known", label(resource));
                let fault = Fault::Obstacle(Obstacle::Undecidable);
                unreadable.push(Unreadable { place: place(resource), what, fault });
            }
            near.get_or_insert_with(|| NearMiss {
                place: place(resource),
                label: label(resource),
                path: concept.name.clone(),
                expected: concept.written.clone(),
                actual: understood.actual,
                matched: (self.search.conditions().len(), self.search.conditions().len() + self.concepts.len()),
            });
        }
        let near = near.filter(|_| kept.is_empty());
        (kept, near)
    }

    fn contradiction<'s>(
        &self,
        resource: &'s Resource,
        store: &Store,
        targets: Option<&Targets<'s>>,
    ) -> Option<(String, String)> {
        let following = Following::new(targets?, resource);
        self.concepts.iter().find_map(|concept| {
            let (understood, _) = concept.understood(&store.subject(resource), &following);
            understood.contradiction.map(|what| (concept.name.clone(), what))
        })
    }

    /// A candidate with what its references lead to; `open` tells that one that leads nowhere may lead to something that
    /// could not be read.
    fn candidate<'s>(
        &self,
        resource: &'s Resource,
        store: &Store,
        hashes: &Hashes,
        targets: Option<&Targets<'s>>,
        open: bool,
    ) -> Candidate<Content> {
        let (resolved, missed) = match targets {
            Some(targets) => {
                let following = Following::new(targets, resource);
                let references = References::default();
                let reading = ReadFrom { locator: "", span: None, references: &references };
                let judging = items::Judging::new(resource.value(), &following, false, reading);
                self.resolving().for_each(|entry| items::follow(entry, &judging.whole()));
                drop(judging);
                following.finish()
            }
            None => (Vec::new(), Missed::default()),
        };
        let hash_of_file = || hash(resource.content.file());
        Candidate {
            source: SourceRef {
                locator: (*resource.file).into(),
                sha256: hashes.get(&*resource.file).map(|sha256| sha256.get_or_init(hash_of_file).clone()),
                span: place(resource).span,
                record: resource.id.is_some().then(|| label(resource).into()),
            },
            label: label(resource).into(),
            content: Content {
                resource: resource.value().clone(),
                references: References { base: resource.base().map(str::to_owned), urns: self.names(store, resource) },
                resolved,
                hidden: missed.unclear || missed.any && open,
                state: state(resource),
                contradiction: self.contradiction(resource, store, targets),
            },
        }
    }

    /// The `Type/id` of each name that is written in the resource or in what is expected of it.
    fn names(&self, store: &Store, resource: &Resource) -> BTreeMap<String, String> {
        let mut names = BTreeMap::new();
        let mut open: Vec<&Value> =
            self.fields.iter().flat_map(FieldEntry::fields).map(|field| &field.expected_value).collect();
        open.push(resource.value());
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) => {
                    if let Some(target) = store.named(text, Some(resource.container)) {
                        names.insert(text.clone(), target.to_owned());
                    }
                }
                Value::Array(items) => open.extend(items),
                Value::Object(members) => open.extend(members.values()),
                _ => {}
            }
        }
        names
    }

    /// Of the resources of the type the one that meets most conditions of the search, the first of equals.
    fn near(&self, store: &Store, search: &Search) -> Option<NearMiss> {
        let (resource, nearest) = store.nearest(search)?;
        let stands = search.unmet_elements(&nearest, &store.subject(resource));
        let actual = match stands.as_slice() {
            [] => Value::Null,
            [one] => (*one).clone(),
            several => several.iter().take(20).map(|value| (*value).clone()).collect(),
        };
        Some(NearMiss {
            place: place(resource),
            label: label(resource),
            path: nearest.name.to_owned(),
            expected: json!(nearest.value),
            actual,
            matched: (nearest.met, search.conditions().len()),
        })
    }
}

/// Where a resource is: in a compressed file no bytes of it are.
fn place(resource: &Resource) -> Location {
    if is_packed(&resource.file) {
        return Location::whole(&*resource.file);
    }
    Location::bytes(&*resource.file, resource.span().start as u64..resource.span().end as u64)
}

fn adding(mut all: Vec<Candidate<Content>>, next: Candidate<Content>) -> Vec<Candidate<Content>> {
    all.push(next.shared_with(all.last()));
    all
}

fn label(resource: &Resource) -> String {
    match &resource.id {
        Some(id) => {
            // An id is the system under test's: in a sentence it is cut and holds no line ends.
            let id: String = id.chars().take(64).map(|c| if c.is_control() { ' ' } else { c }).collect();
            format!("{}/{id}", resource.resource_type)
        }
        None => format!("{} at byte {} of {}", resource.resource_type, resource.span().start, resource.file),
    }
}

/// Which of several states of one resource it is, where nothing tells the latest.
fn state(resource: &Resource) -> Option<State> {
    let Versions::Undistinguished(number) = resource.versions else { return None };
    Some(State { of: label(resource), number })
}

/// The note on a resource that is there more than once.
fn versions(resource: &Resource) -> Option<String> {
    match resource.versions {
        Versions::Single => None,
        Versions::Created(number) => Some(format!("{} is there {number} times, created each time.", label(resource))),
        Versions::LatestOf(number) => Some(format!("{} is the latest of {number} versions.", label(resource))),
        Versions::Undistinguished(number) => Some(format!(
            "{} is there {number} times, and neither meta.versionId nor meta.lastUpdated tells which is the latest.",
            label(resource)
        )),
    }
}
