//! What comes closest to a glob that matches nothing.

use candor_check::{NearMiss, Place, nearest};
use serde_json::json;

use crate::glob::Glob;
use crate::hygiene::finished;
use crate::settings::Settings;
use crate::store::StoredFile;

fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The file that comes closest to the glob: unfinished, in another case, in another folder, left out, or nearly of that
/// name; of an archive that was looked into, the nearest member.
pub(crate) fn near(settings: &Settings, files: &[StoredFile], members: &[String], store: &str) -> Option<NearMiss> {
    // How many names are held against the glob letter by letter.
    const MOST: usize = 1000;
    let glob = &settings.glob;
    let insensitive = Glob::parse(&glob.as_str().to_lowercase()).ok();
    let kinds: [&dyn Fn(&str) -> bool; 4] = [
        &|path| glob.matches(path),
        &|path| finished(path).is_some_and(|finished| glob.matches(&finished)),
        &|path| insensitive.as_ref().is_some_and(|glob| glob.matches(&path.to_lowercase())),
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
    Some(NearMiss {
        place: Place::whole(&locator),
        label: locator,
        path: if excluded.is_some() { "$exclude".to_owned() } else { "$path".to_owned() },
        expected: json!(excluded.map_or(glob.as_str(), Glob::as_str)),
        actual: json!(path),
        matched: (0, 1),
    })
}
