//! From a store to what `judge` needs: names are matched first, and only what is asserted of is read.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use candor_check::evidence::SourceRef;
use candor_check::field::Location;
use candor_check::records::{Bytes, Candidate, Fault, Match, Observation, Unreadable};
use candor_check::sandbox::Limits;
use candor_check::{Obstacle, Sandbox, Unverifiable};

use crate::archive::{Bounds, Keys, look_at_pgp, shape, unwrapped};
use crate::content::{Input, Malformed, Pages};
use crate::format::Format;
use crate::hygiene::{
    Algorithm, Companion, Digests, Looks, Partials, SeenControl, SeenPgp, State, Sums, Unique, find, forbidden, look,
    read_sidecar, state,
};
use crate::members::{self, Member};
use crate::near::near;
use crate::order::by_name;
use crate::seen::{Beside, Dropped, Seen};
use crate::settings::Settings;
use crate::source::{Files, PART};
use crate::store::{self, Listing, Store, StoredFile};
use crate::trailer::input;
use crate::unproven::unproven;

#[derive(Default)]
struct Kept {
    content: Option<Bytes>,
    pages: Option<Pages>,
}

struct Looking<'a> {
    settings: &'a Settings,
    store: &'a dyn Store,
    keys: &'a Keys,
    partials: Partials<'a>,
    /// Every file by its path, where companions are looked for.
    by_path: HashMap<&'a str, &'a StoredFile>,
    first: Option<HashMap<String, State>>,
    /// How many files that are matched are of a size, where twins are looked for.
    sizes: HashMap<u64, u64>,
    /// Why a field finds nothing in the first file that shows it.
    hint: RefCell<Option<String>>,
}

pub(crate) async fn observe(settings: &Arc<Settings>, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
    let files = sandbox.source::<Files>().await?;
    let settings = Arc::clone(settings);
    let name = files.store().name().to_owned();
    let keys = Keys::new(sandbox.settings::<Files>()?.decryption.clone());
    // `stable` and `within` are about changes.
    let shared = match settings.stable.is_none() && settings.within.is_none() {
        true => Some(files.listing(sandbox, settings.glob.literal_prefix()).await?),
        false => None,
    };
    let look = move || look_at(&settings, &files.for_one_look(shared), &keys);
    match sandbox.is_live(PART) {
        true => sandbox.asking(&name, look).await,
        false => sandbox.blocking(&name, look).await,
    }
}

fn look_at(settings: &Settings, store: &dyn Store, keys: &Keys) -> Result<Seen, Unverifiable> {
    let is_left = |file: &StoredFile| !settings.exclude.iter().any(|glob| glob.matches(&file.path));
    let is_matched = |file: &StoredFile| settings.glob.matches(&file.path) && is_left(file);
    let is_opened = |file: &StoredFile| settings.glob.looks_into(&[&file.path]) && is_left(file);
    let below = settings.glob.literal_prefix();
    let (listing, first) = look(settings.stable.as_ref(), store, &below, |file| is_matched(file) || is_opened(file))?;
    let Listing { files, outside_links, unreadable, special } = listing;
    let looking = Looking::new(settings, store, keys, &files, first, is_matched);
    let mut seen = Seen {
        place: match files.as_slice() {
            [] if !below.is_empty() => format!("{}{below}/", store.name()),
            _ => store.name().to_owned(),
        },
        observation: Observation { considered: files.len() as u64, ..Observation::default() },
        matched: Vec::new(),
        forbidden: (!settings.none.is_empty()).then(|| forbidden(&settings.none, store)),
    };
    let mut held = Held::new(settings, store.limits());
    let mut members = Vec::new();
    for file in &files {
        if is_matched(file) {
            seen.matched.push(file.path.clone());
            match looking.file(file) {
                Ok(candidate) => seen.observation.candidates.push(held.with(candidate)?),
                Err(unreadable) => seen.observation.unreadable.push(unreadable),
            }
        }
        if is_opened(file) {
            let opened = members::open(settings, keys, store, file);
            seen.observation.considered += opened.names.len() as u64;
            seen.observation.unreadable.extend(opened.unreadable);
            seen.observation.notes.extend(opened.notes);
            seen.matched.extend(opened.unread);
            members.extend(opened.names);
            let beside = (!opened.members.is_empty()).then(|| looking.beside_archive(file)).transpose();
            for member in opened.members {
                seen.matched.push(member.path.clone());
                let beside = beside.clone().map(Option::unwrap_or_default);
                match beside.and_then(|beside| looking.member(member, beside)) {
                    Ok(candidate) => seen.observation.candidates.push(held.with(candidate)?),
                    Err(unreadable) => seen.observation.unreadable.push(unreadable),
                }
            }
        }
    }
    if settings.glob.names_members() {
        seen.matched.sort();
        seen.observation.candidates.sort_by(|a, b| a.content.path.cmp(&b.content.path));
    }
    if matches!(settings.rules.matching, Match::First | Match::Last) {
        seen.observation.candidates.sort_by(|a, b| by_name(&a.content.path, &b.content.path));
    }
    let path = |place: &str| place.strip_prefix(store.name()).unwrap_or(place).to_owned();
    let reached = |path: &str| settings.glob.matches(path) || settings.glob.reaches(path);
    let special = special.into_iter().filter(|(place, _)| reached(&path(place)));
    for (name, why) in unreadable.into_iter().chain(special) {
        let fault = Fault::Obstacle(why.obstacle);
        seen.observation.unreadable.push(Unreadable { place: Location::whole(name), what: why.details, fault });
    }
    if settings.rules.count.is_some_and(|count| count.allows(0)) {
        let nowhere = outside_links.iter().filter(|link| reached(&path(link)) && store.leads_nowhere(&path(link)));
        seen.observation.unreadable.extend(nowhere.map(|link| Unreadable {
            place: Location::whole(link.as_str()),
            what: format!("{link} is a link that leads nowhere"),
            fault: Fault::Obstacle(Obstacle::SourceUnavailable),
        }));
    }
    if seen.matched.is_empty() {
        let (near, note) = near(settings, store, &files, &members);
        seen.observation.near = near;
        seen.observation.notes.extend(note);
    }
    seen.observation.notes.extend(looking.hint.take());
    seen.observation.notes.extend(looking.gone(&files));
    let forbidden = seen.forbidden.iter().flat_map(|forbidden| &forbidden.links);
    let links: BTreeSet<&String> = outside_links.iter().chain(forbidden).collect();
    let outside =
        |link: &String| format!("The link {link} does not lead to anything inside the folder and was not followed.");
    seen.observation.notes.extend(links.into_iter().map(outside));
    Ok(seen)
}

struct Held<'a> {
    bytes: u64,
    most: u64,
    glob: &'a str,
}

impl<'a> Held<'a> {
    fn new(settings: &'a Settings, limits: &Limits) -> Self {
        Self { bytes: 0, most: limits.max_total_bytes, glob: settings.glob.as_str() }
    }

    fn with(&mut self, candidate: Candidate<Dropped>) -> Result<Candidate<Dropped>, Unverifiable> {
        let file = &candidate.content;
        let control = file.beside.control.as_ref().map_or(0, SeenControl::held);
        self.bytes += control + file.content.as_ref().map_or(0, |content| content.0.len() as u64);
        self.bytes += file.pages.as_ref().map_or(0, Pages::held);
        if self.bytes <= self.most {
            return Ok(candidate);
        }
        let details = format!(
            "the files that {} matches hold more than {} bytes together (limit max_total_bytes)",
            self.glob, self.most
        );
        Err(Unverifiable::new(Obstacle::LimitExceeded, details))
    }
}

fn obstacle(file: &StoredFile, why: Unverifiable) -> Unreadable {
    Unreadable { place: Location::whole(&file.locator), what: why.details, fault: Fault::Obstacle(why.obstacle) }
}

impl<'a> Looking<'a> {
    fn new(
        settings: &'a Settings,
        store: &'a dyn Store,
        keys: &'a Keys,
        files: &'a [StoredFile],
        first: Option<HashMap<String, State>>,
        is_matched: impl Fn(&StoredFile) -> bool,
    ) -> Self {
        let finds = !settings.companions.is_empty() || settings.control.as_ref().is_some_and(|c| c.sidecar().is_some());
        let mut sizes = HashMap::new();
        if settings.unique == Some(Unique::Content) {
            files.iter().filter(|file| is_matched(file)).for_each(|file| *sizes.entry(file.size).or_default() += 1);
        }
        Self {
            settings,
            store,
            keys,
            partials: if settings.no_partials { Partials::among(files) } else { Partials::default() },
            by_path: if finds { files.iter().map(|file| (file.path.as_str(), file)).collect() } else { HashMap::new() },
            first,
            sizes,
            hint: RefCell::default(),
        }
    }

    /// Files that were there at the first look and not at the second, as sentences.
    fn gone(&self, files: &[StoredFile]) -> Vec<String> {
        let Some(first) = &self.first else { return Vec::new() };
        let there: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let mut gone: Vec<&String> = first.keys().filter(|path| !there.contains(path.as_str())).collect();
        gone.sort();
        gone.iter().map(|path| format!("{path} was there at the first of two looks and gone at the second.")).collect()
    }

    fn file(&self, file: &StoredFile) -> Result<Candidate<Dropped>, Unreadable> {
        let obstacle = |why| obstacle(file, why);
        let algorithms = self.algorithms(file);
        let (mut kept, mut sha256, mut sums) = (Kept::default(), None, Sums::default());
        let (mut size, mut pgp, mut is_closed) = (file.size, None, false);
        if self.settings.reads_content() || self.settings.pgp.is_some() {
            let read = store::read(self.store, file).map_err(obstacle)?;
            pgp = self.pgp(&file.locator, &read.bytes)?;
            let mut digests = Digests::of(&algorithms);
            digests.update(&read.bytes);
            sums = digests.finish();
            size = read.bytes.len() as u64;
            sha256 = Some(read.sha256);
            if self.settings.reads_content() {
                match self.content(&file.path, &file.locator, read.bytes) {
                    Ok(content) => kept = content,
                    Err(_) if self.fails_unopened(pgp.as_ref()) => is_closed = true,
                    Err(unreadable) => return Err(unreadable),
                }
            }
        } else if self.settings.sha256.is_some() || self.may_have_a_twin(file) || !algorithms.is_empty() {
            let mut digests = Digests::of(&algorithms);
            sha256 = Some(store::pass(self.store, file, |piece| digests.update(piece)).map_err(obstacle)?);
            sums = digests.finish();
        }
        Ok(Candidate {
            source: SourceRef {
                locator: file.locator.as_str().into(),
                sha256: sha256.map(Into::into),
                span: None,
                record: None,
            },
            label: file.locator.clone().into(),
            content: Dropped {
                path: file.path.clone(),
                bytes: size,
                modified: file.modified.map(|time| time.to_string()),
                beside: self.beside(file, sums)?,
                unwrapped: kept.content.is_some() && !shape(&file.path).wrappers.is_empty(),
                content: kept.content,
                pages: kept.pages,
                pgp,
                is_closed,
            },
        })
    }

    /// The OpenPGP view of a file, where that is asserted.
    fn pgp(&self, locator: &str, bytes: &[u8]) -> Result<Option<SeenPgp>, Unreadable> {
        let Some(pgp) = &self.settings.pgp else { return Ok(None) };
        let bounds = Bounds::of(self.store.limits());
        look_at_pgp(bytes, self.keys, &bounds, pgp.looks_inside()).map(Some).map_err(|trouble| Unreadable {
            place: Location::whole(locator),
            what: trouble.what,
            fault: trouble.fault,
        })
    }

    /// Returns `true` if what is asserted of the message around a content fails, whatever that holds.
    fn fails_unopened(&self, seen: Option<&SeenPgp>) -> bool {
        self.settings.pgp.as_ref().zip(seen).is_some_and(|(pgp, seen)| pgp.fails(seen))
    }

    fn member(&self, member: Member, beside: Beside) -> Result<Candidate<Dropped>, Unreadable> {
        let Member { path, locator, extracted } = member;
        let pgp = extracted.bytes.as_deref().map(|bytes| self.pgp(&locator, bytes)).transpose()?.flatten();
        let kept = match extracted.bytes {
            Some(bytes) if self.settings.reads_content() => self.content(&path, &locator, bytes)?,
            _ => Kept::default(),
        };
        Ok(Candidate {
            source: SourceRef {
                locator: locator.as_str().into(),
                sha256: Some(extracted.sha256.into()),
                span: None,
                record: None,
            },
            label: locator.into(),
            content: Dropped {
                bytes: extracted.size,
                modified: extracted.modified.map(|time| time.to_string()),
                beside,
                unwrapped: kept.content.is_some() && !shape(&path).wrappers.is_empty(),
                content: kept.content,
                pages: kept.pages,
                pgp,
                is_closed: false,
                path,
            },
        })
    }

    fn may_have_a_twin(&self, file: &StoredFile) -> bool {
        self.settings.unique == Some(Unique::Content)
            && (self.settings.glob.names_members() || self.sizes.get(&file.size).is_some_and(|number| *number > 1))
    }

    fn found(&self, companion: &Companion, file: &StoredFile) -> Option<&'a StoredFile> {
        find(companion, &file.path, &self.by_path)
    }

    /// The digests that something next to the file may tell of it.
    fn algorithms(&self, file: &StoredFile) -> Vec<Algorithm> {
        let companions = self.settings.companions.iter().filter(|companion| self.found(companion, file).is_some());
        let mut algorithms: Vec<Algorithm> = companions.filter_map(|companion| companion.algorithm).collect();
        if self.settings.control.as_ref().is_some_and(|control| control.hash.is_some()) {
            algorithms.extend([Algorithm::Md5, Algorithm::Sha256, Algorithm::Sha512]);
        }
        algorithms
    }

    fn beside_archive(&self, file: &StoredFile) -> Result<Beside, Unreadable> {
        let algorithms = self.algorithms(file);
        let mut digests = Digests::of(&algorithms);
        if !algorithms.is_empty() {
            store::pass(self.store, file, |piece| digests.update(piece)).map_err(|why| obstacle(file, why))?;
        }
        self.beside(file, digests.finish())
    }

    fn beside(&self, file: &StoredFile, sums: Sums) -> Result<Beside, Unreadable> {
        let mut beside = Beside::default();
        if self.settings.no_partials {
            beside.partials = self.partials.beside(&file.path);
        }
        beside.looks =
            self.first.as_ref().map(|first| Looks { first: first.get(&file.path).cloned(), then: state(file) });
        for companion in &self.settings.companions {
            let found = self.found(companion, file);
            let seen = companion.seen(found);
            beside.companions.push(match (found, companion.algorithm) {
                (Some(other), Some(algorithm)) => {
                    let holds = store::read(self.store, other).map_err(|why| obstacle(other, why))?;
                    seen.with_checksum(&holds.bytes, &file.path, algorithm, &sums)
                }
                _ => seen,
            });
        }
        if let Some((companion, format, csv)) = self.settings.control.as_ref().and_then(|control| control.sidecar()) {
            let found = self.found(companion, file);
            let mut content = None;
            if let Some(other) = found {
                let bytes = store::read(self.store, other).map_err(|why| obstacle(other, why))?.bytes;
                read_sidecar(&bytes, format, csv).map_err(|wrong| malformed(&other.locator, &wrong, None))?;
                content = Some(Bytes(bytes.into()));
            }
            beside.control = Some(SeenControl { path: found.map(|file| file.path.clone()), content, sums });
        }
        Ok(beside)
    }

    /// The content of a file less what is around it, when it is what its format says.
    fn content(&self, path: &str, locator: &str, bytes: Vec<u8>) -> Result<Kept, Unreadable> {
        let whole = |what: String, fault| Unreadable { place: Location::whole(locator), what, fault };
        let format = match self.settings.parses_content() {
            false => self.settings.format.unwrap_or(Format::Bytes),
            true => self
                .settings
                .format_of(path)
                .map_err(|what| whole(format!("{locator} {what}"), Fault::Obstacle(Obstacle::SourceUnavailable)))?,
        };
        let wrappers = shape(path).wrappers;
        if wrappers.is_empty() {
            let wrong = |wrong: Malformed| malformed(locator, &wrong, Some(bytes.len()));
            let pages = self.parses(locator, &bytes, format).map_err(wrong)?;
            return Ok(self.kept(bytes, pages));
        }
        let bounds = Bounds::of(self.store.limits());
        let content =
            unwrapped(&bytes, &wrappers, self.keys, &bounds).map_err(|trouble| whole(trouble.what, trouble.fault))?;
        let pages = self.parses(locator, &content, format).map_err(|wrong| {
            let fault = wrong.obstacle.map_or(Fault::System, Fault::Obstacle);
            whole(format!("at byte {} of its content: {}", wrong.offset, wrong.what), fault)
        })?;
        Ok(self.kept(content, pages))
    }

    /// The text of a PDF represents its bytes.
    fn kept(&self, bytes: Vec<u8>, pages: Option<Pages>) -> Kept {
        let content = (pages.is_none() || self.settings.encoding.is_some()).then_some(Bytes(bytes.into()));
        Kept { content, pages }
    }

    /// Says if the content is what its format says, and the text of a PDF. Where only the encoding is asserted, any content
    /// is.
    fn parses(&self, locator: &str, bytes: &[u8], format: Format) -> Result<Option<Pages>, Malformed> {
        let settings = self.settings;
        if !settings.parses_content() {
            let charset = settings.encoding.as_ref().map(|(charset, _)| *charset);
            return match charset {
                Some(charset) => Input::new(bytes, Format::Text, Some(charset), &settings.shape).map(|_| None),
                None => Ok(None),
            };
        }
        let (hint, pages) = if format == Format::Pdf {
            let pages = Pages::read(bytes, self.store.limits().timeout)?;
            (pages.hidden.clone(), Some(pages))
        } else {
            let (input, _) = input(settings, bytes, format)?;
            let content = input.parse(format, &settings.shape)?;
            let beyond = settings.paths().find_map(|path| content.refuses(path));
            // Where a row has to be there, a file without rows fails as it is.
            let passes = settings.passes_without_rows();
            if let Some(wrong) = beyond.or_else(|| content.lacks_header().filter(|_| passes)) {
                return Err(wrong);
            }
            if let Some(error) = settings.paths_of_fields().filter(|_| passes).find_map(|path| content.error_text(path))
            {
                return Err(error);
            }
            if let Some(why) = settings.fields.iter().find_map(|entry| unproven(entry, &content)) {
                return Err(Malformed::at(0, format!("not the columns of the assertion (the file {why})")));
            }
            let cut = settings.paths().find_map(|path| Malformed::of(content.ends_before(path)));
            let cut = cut.or_else(|| content.breaks_off().filter(|_| settings.hangs_on_all_rows()));
            if let Some(cut) = cut.filter(|_| !settings.allows_short_rows) {
                return Err(input.located(cut));
            }
            let marked = settings.encoding.as_ref().and_then(|(charset, name)| charset.hint(bytes, name));
            (marked.or_else(|| settings.paths_of_fields().find_map(|path| content.hint(path))), None)
        };
        if let Some(hint) = hint {
            self.hint.borrow_mut().get_or_insert_with(|| format!("{locator} {hint}."));
        }
        Ok(pages)
    }
}

fn malformed(locator: &str, wrong: &Malformed, length: Option<usize>) -> Unreadable {
    let place = match length {
        Some(length) => Location::bytes(locator, wrong.offset as u64..length.max(wrong.offset) as u64),
        None => Location::whole(locator),
    };
    let fault = wrong.obstacle.map_or(Fault::System, Fault::Obstacle);
    Unreadable { place, what: format!("at byte {}: {}", wrong.offset, wrong.what), fault }
}
