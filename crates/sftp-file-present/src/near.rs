//! The nearest file to a glob that matches nothing.

use candor_check::field::{FieldResult, Location};
use candor_check::records::NearMiss;
use candor_check::settings::nearest;
use candor_glob::Glob;
use candor_json::json;
use unicode_normalization::{UnicodeNormalization, is_nfc, is_nfd};

use crate::hygiene::finished;
use crate::settings::Settings;
use crate::store::{Store, StoredFile};

fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// How many names are held against the glob letter by letter.
const MOST: usize = 1000;

/// The file that comes closest, or the folder that does where the glob's own is not there; and a sentence where the two
/// names look the same.
pub(crate) fn near(
    settings: &Settings,
    store: &dyn Store,
    files: &[StoredFile],
    members: &[String],
) -> (Option<NearMiss>, Option<String>) {
    if files.is_empty()
        && let Some(folder) = folder(&settings.glob, store)
    {
        return folder;
    }
    let near = file(settings, store.name(), files, members);
    let note = near.as_ref().and_then(|near| same_name(settings.glob.as_str(), near.actual.as_str()?));
    (near, note)
}

/// The file that comes closest to the glob: left out, unfinished, in another normal form of Unicode, in another case, in
/// another folder, or nearly of that name; of an archive that was looked into, the nearest member.
fn file(settings: &Settings, store: &str, files: &[StoredFile], members: &[String]) -> Option<NearMiss> {
    let glob = &settings.glob;
    let composed = Glob::parse(&glob.as_str().nfc().collect::<String>()).ok();
    let insensitive = Glob::parse(&glob.as_str().nfc().collect::<String>().to_lowercase()).ok();
    let nfc = |path: &str| path.nfc().collect::<String>();
    let kinds: [&dyn Fn(&str) -> bool; 5] = [
        &|path| glob.matches(path),
        &|path| finished(path).is_some_and(|finished| glob.matches(&finished)),
        &|path| !path.is_ascii() && composed.as_ref().is_some_and(|glob| glob.matches(&nfc(path))),
        &|path| insensitive.as_ref().is_some_and(|glob| glob.matches(&nfc(path).to_lowercase())),
        &|path| glob.matches_name(name_of(path)),
    ];
    let all = || files.iter().map(|file| file.path.as_str());
    let inside = || members.iter().map(String::as_str);
    let text = glob.as_str();
    let found = match glob.names_members() {
        false => kinds.iter().find_map(|kind| all().find(|path| kind(path))),
        true => nearest(text, &inside().take(MOST).collect::<Vec<_>>()).or_else(|| inside().next()),
    };
    let path = found.or_else(|| nearest(text, &all().take(MOST).collect::<Vec<_>>()))?;
    let locator = files.iter().find(|file| file.path == path).map(|file| file.locator.clone());
    let locator = locator.unwrap_or_else(|| format!("{store}{path}"));
    let excluded = settings.exclude.iter().find(|other| glob.matches(path) && other.matches(path));
    let (asked, expected) = excluded.map_or(("$path", glob), |other| ("$exclude", other));
    let condition = FieldResult::constraint(asked, json!(expected.as_str()), json!(path), false);
    NearMiss::of(Location::whole(&locator), locator, &[condition])
}

/// The sentence about two names that are distinguished by their bytes only.
fn same_name(glob: &str, path: &str) -> Option<String> {
    let form = |text: &str| match (is_nfc(text), is_nfd(text)) {
        (true, false) => "composed characters (NFC)",
        (false, true) => "decomposed characters (NFD)",
        _ => "both composed and decomposed characters",
    };
    let differs = glob.nfc().eq(path.nfc())
        || Glob::parse(&glob.nfc().collect::<String>()).is_ok_and(|composed| {
            composed.matches(&path.nfc().collect::<String>()) && !Glob::parse(glob).is_ok_and(|glob| glob.matches(path))
        });
    (differs && !(glob.is_ascii() && path.is_ascii()))
        .then(|| format!("The two look the same: the name is written in {}, the glob in {}.", form(path), form(glob)))
}

/// The folder that comes closest to the first name of the glob's literal prefix that is not there. Every level takes
/// one listing of one folder, and only names are compared.
fn folder(glob: &Glob, store: &dyn Store) -> Option<(Option<NearMiss>, Option<String>)> {
    let prefix = glob.literal_prefix();
    let mut within = String::new();
    for name in prefix.split('/').filter(|name| !name.is_empty()) {
        let folders = store.folders(&within);
        if folders.iter().any(|folder| folder == name) {
            within = joined(&within, name);
            continue;
        }
        let folded = |text: &str| text.nfc().collect::<String>().to_lowercase();
        let same = folders.iter().find(|folder| folded(folder) == folded(name)).map(String::as_str);
        let near = same.or_else(|| nearest(name, &folders.iter().map(String::as_str).collect::<Vec<_>>()))?;
        let path = joined(&within, near);
        let locator = format!("{}{path}/", store.name());
        let condition = FieldResult::constraint("$path", json!(joined(&within, name)), json!(path), false);
        let miss = NearMiss::of(Location::whole(&locator), format!("the folder {locator}"), &[condition]);
        return Some((miss, same_name(name, near)));
    }
    None
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
