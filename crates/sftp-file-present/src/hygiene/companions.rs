//! `companions`: files that belong next to a file, and what those that hold a checksum say of it.

use std::collections::HashMap;

use candor_check::field::FieldResult;
use candor_json::{Value, json};
use serde::{Deserialize, Serialize};

use super::checksum_file;
use super::digests::{Algorithm, Sums};
use crate::store::StoredFile;

/// How a companion is named after its file.
#[derive(Clone, Debug)]
pub(crate) struct Companion {
    written: String,
    pub(crate) algorithm: Option<Algorithm>,
}

/// The name of a file of a sidecar, where it may be in a pattern.
const PLACES: [&str; 3] = ["*", "{name}", "{stem}"];

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenCompanion {
    pattern: String,
    /// The path of the first of its names that is there.
    path: Option<String>,
    checksum: Option<Checksum>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Checksum {
    algorithm: Algorithm,
    told: Option<String>,
    /// Its actual content.
    wrong: Option<String>,
    actual: Option<String>,
}

impl Companion {
    /// Reads a pattern: `*.done`, `{stem}.ok`, `checksums/{name}.sha256`, `_SUCCESS`.
    ///
    /// # Errors
    /// A sentence without its subject.
    pub(crate) fn parse(written: &str) -> Result<Self, String> {
        let places: usize = PLACES.iter().map(|place| written.matches(place).count()).sum();
        let bare = PLACES.iter().fold(written.to_owned(), |text, place| text.replace(place, "x"));
        let name = bare.rsplit('/').next().unwrap_or_default();
        if bare.split('/').any(|part| part.is_empty() || part == "." || part == "..") || bare.contains(['\\', '\0']) {
            return Err(format!("`{written}` is not a name below the folder of the file"));
        }
        if places > 1 || bare.contains(['?', '[', ']', '{', '}', '!']) {
            return Err(format!(
                "`{written}` is not a name of a companion; write * (the file's name, or that less its extension), {{name}} \
                 or {{stem}} once, as in *.done"
            ));
        }
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        if ["sha1", "sha1sum", "sha", "sha224", "sha384", "crc", "sfv"]
            .contains(&extension.to_ascii_lowercase().as_str())
        {
            return Err(format!("`{written}`: {extension} is not computed; sha256, sha512 and md5 are"));
        }
        Ok(Self { written: written.to_owned(), algorithm: Algorithm::named(extension) })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.written
    }

    pub(super) fn paths(&self, path: &str) -> Vec<String> {
        let (folder, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
        let stem = name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty()).unwrap_or(name);
        let mut names = match self.written.contains('*') {
            true => vec![self.written.replace('*', name), self.written.replace('*', stem)],
            false => vec![self.written.replace("{name}", name).replace("{stem}", stem)],
        };
        names.dedup();
        names.iter().map(|name| format!("{folder}{name}")).filter(|other| other != path).collect()
    }

    pub(crate) fn seen(&self, found: Option<&StoredFile>) -> SeenCompanion {
        SeenCompanion { pattern: self.written.clone(), path: found.map(|file| file.path.clone()), checksum: None }
    }
}

impl SeenCompanion {
    pub(crate) fn with_checksum(self, holds: &[u8], path: &str, algorithm: Algorithm, sums: &Sums) -> Self {
        let name = path.rsplit('/').next().unwrap_or_default();
        let (told, wrong) = match checksum_file::told(holds, name, algorithm) {
            Ok(told) => (Some(told), None),
            Err(wrong) => (None, Some(wrong)),
        };
        let actual = sums.get(algorithm).cloned();
        Self { checksum: Some(Checksum { algorithm, told, wrong, actual }), ..self }
    }
}

/// The first of a companion's names that is there.
pub(crate) fn find<'a>(
    companion: &Companion,
    path: &str,
    files: &HashMap<&str, &'a StoredFile>,
) -> Option<&'a StoredFile> {
    companion.paths(path).iter().find_map(|path| files.get(path.as_str()).copied())
}

pub(crate) fn companion_results(companions: &[SeenCompanion]) -> impl Iterator<Item = FieldResult> {
    companions.iter().flat_map(|companion| {
        let there = FieldResult::constraint(
            "$companions",
            json!(companion.pattern),
            json!(companion.path),
            companion.path.is_some(),
        );
        let agrees = companion.checksum.as_ref().map(|checksum| {
            let agrees = checksum.told.is_some() && checksum.told == checksum.actual;
            let expected = match (&checksum.told, &checksum.wrong) {
                (Some(told), _) => json!(told),
                (None, Some(wrong)) => {
                    json!(format!("a digest, but {} {wrong}", companion.path.as_deref().unwrap_or_default()))
                }
                (None, None) => Value::Null,
            };
            FieldResult::constraint("$companions", expected, json!(checksum.actual), agrees)
        });
        [Some(there), agrees].into_iter().flatten()
    })
}
