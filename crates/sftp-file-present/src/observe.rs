//! From a folder to what `judge` needs: names are matched first, and only what is asserted of is read.

use candor_check::{Bytes, Candidate, EvidenceSource, Fault, Observation, Obstacle, Place, Unreadable, Unverifiable};
use serde::{Deserialize, Serialize};

use crate::content::{Input, Malformed, Pages};
use crate::format::Format;
use crate::near;
use crate::settings::Settings;
use crate::store::{self, FileContent, Listing, Store, StoredFile};

/// What was seen of the files that the glob matched.
#[derive(Debug, Serialize, Deserialize)]
pub struct Seen {
    /// Where the files lie, as messages name it.
    pub(crate) place: String,
    pub(crate) observation: Observation<Dropped>,
    /// Every path the glob matched and no `exclude` left out, those that could not be read included.
    pub(crate) matched: Vec<String>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Dropped {
    /// Relative to the prefix.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// When it was last modified: RFC 3339.
    pub modified: Option<String>,
    /// What lies beside it and is not finished.
    #[serde(default)]
    pub partials: Vec<String>,
    /// Its content, when something is asserted of that.
    pub content: Option<Bytes>,
    /// The text of a PDF, which stands for its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<Pages>,
}

impl Dropped {
    /// How many bytes of it are kept.
    fn held(&self) -> u64 {
        let content = self.content.as_ref().map_or(0, |content| content.0.len());
        let text = self.pages.iter().flat_map(|pages| &pages.pages).map(String::len).sum::<usize>();
        (content + text) as u64
    }
}

/// The ends of the names of files that are still being written.
const PARTIALS: [&str; 3] = [".tmp", ".part", ".filepart"];

pub(crate) fn observe(settings: &Settings, store: &dyn Store) -> Result<Seen, Unverifiable> {
    let Listing { files, outside_links, unreadable } = store.list(&settings.glob.literal_prefix())?;
    let is_matched = |file: &&StoredFile| {
        settings.glob.matches(&file.path) && !settings.exclude.iter().any(|glob| glob.matches(&file.path))
    };
    let mut seen = Seen {
        place: store.name().to_owned(),
        observation: Observation { considered: files.len() as u64, ..Observation::default() },
        matched: Vec::new(),
    };
    let mut held = 0u64;
    let mut hints: Vec<String> = Vec::new();
    for file in files.iter().filter(is_matched) {
        seen.matched.push(file.path.clone());
        match dropped(settings, store, file, &files) {
            Ok((candidate, hint)) => {
                hints.extend(hint.filter(|_| hints.is_empty()));
                held += candidate.content.held();
                if held > store.limits().max_total_bytes {
                    let limit = store.limits().max_total_bytes;
                    let details = format!(
                        "the files that {} matches hold more than {limit} bytes together (limit max_total_bytes)",
                        settings.glob.as_str()
                    );
                    return Err(Unverifiable::new(Obstacle::LimitExceeded, details));
                }
                seen.observation.candidates.push(candidate);
            }
            Err(unreadable) => seen.observation.unreadable.push(unreadable),
        }
    }
    for (name, why) in unreadable {
        let fault = Fault::Obstacle(why.obstacle);
        seen.observation.unreadable.push(Unreadable { place: Place::whole(name), what: why.details, fault });
    }
    if seen.matched.is_empty() {
        let (near, note) = near::near(settings, store, &files);
        seen.observation.near = near;
        hints.extend(note);
    }
    let links = outside_links
        .iter()
        .map(|link| format!("The link {link} does not lead to anything inside the folder and was not followed."));
    seen.observation.notes = hints.into_iter().chain(links).collect();
    Ok(seen)
}

fn dropped(
    settings: &Settings,
    store: &dyn Store,
    file: &StoredFile,
    all: &[StoredFile],
) -> Result<(Candidate<Dropped>, Option<String>), Unreadable> {
    let obstacle = |why: Unverifiable| Unreadable {
        place: Place::whole(&file.locator),
        what: why.details,
        fault: Fault::Obstacle(why.obstacle),
    };
    let mut content = None;
    let mut sha256 = None;
    let mut hint = None;
    let mut pages = None;
    let mut size = file.size;
    if settings.reads_content() {
        let read = store::read(store, file).map_err(obstacle)?;
        let format = match settings.format {
            Some(format) => format,
            None if settings.fields.is_empty() => Format::Bytes,
            None => Format::of_path(&file.path).map_err(|what| {
                obstacle(Unverifiable::new(Obstacle::SourceUnavailable, format!("{} {what}", file.locator)))
            })?,
        };
        let unreadable = |malformed: Malformed| Unreadable {
            place: Place::bytes(&file.locator, malformed.offset as u64..read.bytes.len().max(malformed.offset) as u64),
            what: format!("at byte {} stands {}", malformed.offset, malformed.what),
            fault: malformed.obstacle.map_or(Fault::System, Fault::Obstacle),
        };
        if format == Format::Pdf && !settings.fields.is_empty() {
            let read = Pages::read(&read.bytes, store.limits().timeout).map_err(unreadable)?;
            hint = read.hidden.clone();
            pages = Some(read);
        } else {
            hint = parses(settings, &read, format).map_err(unreadable)?;
        }
        size = read.bytes.len() as u64;
        sha256 = Some(read.sha256);
        content = Some(Bytes(read.bytes)).filter(|_| pages.is_none() || settings.encoding.is_some());
    } else if settings.sha256.is_some() {
        sha256 = Some(store::sha256(store, file).map_err(obstacle)?);
    }
    let modified = file.modified.map(|time| time.to_string());
    let partials = if settings.no_partials { beside(file, all) } else { Vec::new() };
    let candidate = Candidate {
        source: EvidenceSource { locator: file.locator.clone(), sha256, span: None },
        label: file.locator.clone(),
        content: Dropped { path: file.path.clone(), bytes: size, modified, partials, content, pages },
    };
    Ok((candidate, hint.map(|hint| format!("{} {hint}.", file.locator))))
}

/// Whether the content is what its format says, and if so why a field finds nothing in it, where it shows. Where only
/// the encoding is asserted, any content is.
fn parses(settings: &Settings, read: &FileContent, format: Format) -> Result<Option<String>, Malformed> {
    if settings.fields.is_empty() {
        return Ok(None);
    }
    let charset = settings.encoding.as_ref().map(|(charset, _)| *charset);
    let input = Input::new(&read.bytes, format, charset)?;
    let content = input.parse(format, &settings.shape)?;
    match settings.fields.iter().find_map(|field| content.refuses(&field.path)) {
        Some(beyond) => Err(beyond),
        None => Ok(settings.fields.iter().find_map(|field| content.hint(&field.path))),
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

pub(crate) fn without_partial_end(path: &str) -> Option<&str> {
    let lower = path.to_ascii_lowercase();
    PARTIALS.iter().find(|end| lower.ends_with(*end)).and_then(|end| path.get(..path.len() - end.len()))
}

/// What is not finished in the same folder, the file itself included.
fn beside(file: &StoredFile, all: &[StoredFile]) -> Vec<String> {
    let folder = folder_of(&file.path);
    let partial = |other: &&StoredFile| folder_of(&other.path) == folder && without_partial_end(&other.path).is_some();
    all.iter().filter(partial).map(|other| other.path.clone()).take(20).collect()
}
