//! Reading bundles: their content, and the differences between the file and the one that Candor wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use candor_json::{Value, json};
use serde::Serialize;

use crate::digest::{is_sha256, sha256};
use crate::error::BundleError;
use crate::key::VerifyingKey;
use crate::manifest::{FORMAT, FORMATS, Manifest, Redacted, json as bytes_of};
use crate::statement::Envelope;
use crate::zip::{Damage, Listed, MAX_ARCHIVE, MAX_JSON, MAX_PART, canonical, content, listed};

/// The most bytes of all parts, unpacked.
const MAX_TOTAL: u64 = 4 << 30;
/// The most parts whose damage is named one by one.
const MOST_PARTS: usize = 100;
/// The salt of a part: its first bytes, in a signed bundle.
pub(crate) const SALT: usize = 32;

/// A place at which something differs from what is stored.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The place: a member of the archive, or of a result.
    #[serde(rename = "where")]
    pub place: String,
    /// The value that is stored there.
    pub stored: Value,
    /// The value that comes out, or that was expected there.
    pub recomputed: Value,
}

impl Difference {
    pub(crate) fn new(place: impl Into<String>, stored: impl Into<Value>, recomputed: impl Into<Value>) -> Self {
        Self { place: place.into(), stored: stored.into(), recomputed: recomputed.into() }
    }
}

/// A bundle that was opened. What is wrong with the file itself is in [`Bundle::damage`].
#[derive(Clone, Debug)]
pub struct Bundle {
    pub(crate) archive: Vec<u8>,
    /// `None` if it is damaged.
    pub(crate) manifest: Option<Manifest>,
    pub(crate) manifest_bytes: Vec<u8>,
    pub(crate) envelope: Option<Envelope>,
    pub(crate) redacted: Redacted,
    pub(crate) members: BTreeMap<String, Listed>,
    pub(crate) damage: Vec<Difference>,
}

impl Bundle {
    /// Reads a bundle file.
    ///
    /// # Errors
    /// When it cannot be read, is not a bundle, or has another format.
    pub fn open(file: &Path) -> Result<Self, BundleError> {
        let unreadable = |error: std::io::Error| BundleError::Unreadable(error.to_string());
        let found = std::fs::metadata(file).map_err(unreadable)?.len();
        if found > MAX_ARCHIVE {
            return Err(BundleError::TooLarge { found, most: MAX_ARCHIVE });
        }
        Self::read(std::fs::read(file).map_err(unreadable)?)
    }

    /// Reads a bundle. Every member is unpacked once, and held against its digest.
    ///
    /// # Errors
    /// When it is not a bundle, or has another format. A changed bundle is read: [`Bundle::damage`] lists its changes.
    pub fn read(archive: Vec<u8>) -> Result<Self, BundleError> {
        if archive.len() as u64 > MAX_ARCHIVE {
            return Err(BundleError::TooLarge { found: archive.len() as u64, most: MAX_ARCHIVE });
        }
        let mut bundle = Self {
            archive,
            manifest: None,
            manifest_bytes: Vec::new(),
            envelope: None,
            redacted: Redacted::default(),
            members: BTreeMap::new(),
            damage: Vec::new(),
        };
        let members = match listed(&bundle.archive) {
            Ok(members) => members,
            // It begins as only bundles do: then it is one, and cut or damaged.
            Err(error) if begins_like_a_bundle(&bundle.archive) => {
                let what = "an archive whose members can all be found";
                bundle.damage.push(Difference::new("archive", error.to_string(), what));
                return Ok(bundle);
            }
            Err(error) => return Err(error.into()),
        };
        if !members.iter().any(|member| member.name == MANIFEST) && !begins_like_a_bundle(&bundle.archive) {
            return Err(BundleError::NotABundle("the archive has no `manifest.json`".to_owned()));
        }
        bundle.take(&members);
        bundle.read_manifest()?;
        bundle.read_envelope();
        bundle.read_redacted();
        bundle.hold_against_canonical(&members);
        bundle.hold_parts();
        Ok(bundle)
    }

    /// The differences between the file and the one that Candor wrote: members that are damaged, missing or too many,
    /// or another encoding.
    #[must_use]
    pub fn damage(&self) -> &[Difference] {
        &self.damage
    }

    /// The criteria of the bundle: their ids, in order.
    #[must_use]
    pub fn criteria(&self) -> Vec<&str> {
        let tasks = self.manifest.iter().flat_map(|manifest| &manifest.tasks);
        tasks.flat_map(|task| &task.criteria).map(|criterion| criterion.criterion_id.as_str()).collect()
    }

    /// The public key of who signed it, if anybody did.
    #[must_use]
    pub fn signer(&self) -> Option<VerifyingKey> {
        VerifyingKey::from_base64(self.manifest.as_ref()?.signer.as_ref()?)
    }

    fn differs(&mut self, place: impl Into<String>, stored: impl Into<Value>, recomputed: impl Into<Value>) {
        self.damage.push(Difference::new(place, stored, recomputed));
    }

    fn take(&mut self, members: &[Listed]) {
        for member in members {
            let name = &member.name;
            let known = NAMES.contains(&name.as_str()) || name.strip_prefix(PARTS).is_some_and(is_sha256);
            if !known {
                let shown: String = name.chars().take(200).collect();
                self.differs("archive", format!("a member {shown:?}"), "members that bundles have");
            } else if self.members.insert(name.clone(), member.clone()).is_some() {
                self.differs(name.clone(), "two members of this name", "one");
            }
        }
    }

    fn content(&self, name: &str, most: u64) -> Result<Vec<u8>, Difference> {
        let Some(member) = self.members.get(name) else {
            return Err(Difference::new(name, Value::Null, "the member"));
        };
        content(&self.archive, member, most).map_err(|damage| match damage {
            Damage::Packing => Difference::new(name, "bytes that cannot be unpacked", "the member"),
            Damage::TooLong => Difference::new(name, "another length than the archive gives", json!(member.size)),
            Damage::Checksum { found, listed } => {
                Difference::new(name, format!("checksum {listed:08x}"), format!("checksum {found:08x}"))
            }
        })
    }

    fn read_manifest(&mut self) -> Result<(), BundleError> {
        let bytes = match self.content(MANIFEST, MAX_JSON) {
            Ok(bytes) => bytes,
            Err(difference) => {
                self.damage.push(difference);
                return Ok(());
            }
        };
        let value: Value = candor_json::from_slice(&bytes)
            .map_err(|error| BundleError::NotABundle(format!("its `manifest.json` is not JSON: {error}")))?;
        match value.get("format").and_then(Value::as_str) {
            Some(FORMAT) => {}
            Some(other) if other.starts_with(FORMATS) => return Err(BundleError::OtherFormat(other.to_owned())),
            _ => return Err(BundleError::NotABundle("its `manifest.json` has no `format` of a bundle".to_owned())),
        }
        match candor_json::from_value::<Manifest>(value) {
            Ok(manifest) => {
                if bytes_of(&manifest) != bytes {
                    self.differs(MANIFEST, "JSON in another form", "the form that is written");
                }
                self.manifest = Some(manifest);
            }
            Err(error) => self.differs(MANIFEST, error.to_string(), "a manifest"),
        }
        self.manifest_bytes = bytes;
        Ok(())
    }

    fn read_envelope(&mut self) {
        let signed = self.manifest.as_ref().is_some_and(|manifest| manifest.signer.is_some());
        if !signed && !self.members.contains_key(SIGNATURE) {
            return;
        }
        match self.content(SIGNATURE, MAX_JSON) {
            Err(difference) => self.damage.push(difference),
            Ok(bytes) => {
                self.envelope = Envelope::read(&bytes);
                let signer = self.signer();
                match (&self.envelope, signer) {
                    (None, _) => self.differs(SIGNATURE, "another form", "an envelope as it is written"),
                    (Some(_), None) => self.differs(SIGNATURE, "a signature", Value::Null),
                    (Some(envelope), Some(signer)) if !envelope.is_signed_by(&signer) => {
                        self.differs(SIGNATURE, "a signature that does not hold", format!("one by {}", signer.id()));
                    }
                    _ => {}
                }
            }
        }
    }

    fn read_redacted(&mut self) {
        if !self.members.contains_key(REDACTED) {
            return;
        }
        match self.content(REDACTED, MAX_JSON) {
            Err(difference) => self.damage.push(difference),
            Ok(bytes) => match candor_json::from_slice::<Redacted>(&bytes) {
                Ok(redacted) if bytes_of(&redacted) == bytes => self.redacted = redacted,
                _ => self.differs(REDACTED, "another form", "the list as it is written"),
            },
        }
    }

    /// Names the first byte at which the archive is not in the canonical form.
    fn hold_against_canonical(&mut self, members: &[Listed]) {
        let mut order: Vec<&Listed> = members.iter().collect();
        order.sort_by_key(|member| {
            let first = NAMES.iter().position(|name| *name == member.name).unwrap_or(NAMES.len());
            (first, member.name.clone())
        });
        let canonical = canonical(&self.archive, &order);
        if canonical == self.archive {
            return;
        }
        let same = canonical.iter().zip(&self.archive).take_while(|(one, other)| one == other).count();
        let found = self.archive.get(same).map_or(Value::Null, |byte| json!(byte));
        let expected = canonical.get(same).map_or(Value::Null, |byte| json!(byte));
        self.differs(format!("archive, byte {same}"), found, expected);
    }

    fn hold_parts(&mut self) {
        let Some(manifest) = self.manifest.clone() else { return };
        let listed: BTreeSet<&String> = manifest.parts.keys().collect();
        let left_out: BTreeSet<&String> = self.redacted.left_out.iter().collect();
        let (left_out_here, mut total) = (left_out.clone(), 0_u64);
        for name in left_out_here.iter().filter(|name| !listed.contains(*name)) {
            self.damage.push(Difference::new(REDACTED, name.as_str(), "a part of this bundle"));
        }
        let mut damage = Vec::new();
        for (name, packed) in &manifest.parts {
            let place = format!("{PARTS}{name}");
            match (self.members.get(&place), left_out.contains(name)) {
                (None, true) => {}
                (None, false) => damage.push(Difference::new(place, Value::Null, "the part")),
                (Some(_), true) => {
                    damage.push(Difference::new(place, "a part that `redacted.json` lists as left out", Value::Null))
                }
                (Some(member), false) => {
                    total = total.saturating_add(u64::from(member.size));
                    if total > MAX_TOTAL {
                        let what = format!("more than {MAX_TOTAL} bytes of parts");
                        damage.push(Difference::new("archive", what, "less"));
                        break;
                    }
                    let bytes = self.archive.get(member.packed.clone()).unwrap_or_default();
                    let found = sha256(bytes);
                    if found != *packed {
                        damage.push(Difference::new(
                            place,
                            format!("packed as {packed}"),
                            format!("packed as {found}"),
                        ));
                        continue;
                    }
                    match self.content(&place, MAX_PART) {
                        Err(difference) => damage.push(difference),
                        Ok(content) if sha256(&content) != *name => {
                            damage.push(Difference::new(place, name.as_str(), sha256(&content)));
                        }
                        Ok(_) => {}
                    }
                }
            }
        }
        let added = self
            .members
            .keys()
            .filter(|member| member.strip_prefix(PARTS).is_some_and(|p| !manifest.parts.contains_key(p)));
        damage.extend(added.map(|member| Difference::new(member, "a part", Value::Null)));
        // So many that what is judged otherwise is still named after them.
        let more = damage.len().saturating_sub(MOST_PARTS);
        damage.truncate(MOST_PARTS);
        self.damage.extend(damage);
        if more > 0 {
            self.differs("archive", format!("{more} more parts that differ"), "none");
        }
    }

    /// True if a part was left out after the bundle was written.
    pub(crate) fn is_left_out(&self, part: &str) -> bool {
        self.redacted.left_out.iter().any(|name| name == part)
    }

    /// The content of a part without its salt; `None` if it is damaged, missing or left out.
    pub(crate) fn part(&self, name: &str) -> Option<Vec<u8>> {
        let content = self.content(&format!("{PARTS}{name}"), MAX_PART).ok()?;
        if sha256(&content) != name {
            return None;
        }
        match self.manifest.as_ref()?.signer {
            Some(_) => content.get(SALT..).map(<[u8]>::to_vec),
            None => Some(content),
        }
    }
}

pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const SIGNATURE: &str = "signature.json";
pub(crate) const REDACTED: &str = "redacted.json";
pub(crate) const PARTS: &str = "parts/";
/// The members that are not parts, in their order.
const NAMES: [&str; 3] = [MANIFEST, SIGNATURE, REDACTED];

/// True if the first bytes of the archive begin a stored member with the name of the manifest.
fn begins_like_a_bundle(archive: &[u8]) -> bool {
    archive.starts_with(b"PK\x03\x04") && archive.get(30..43) == Some(MANIFEST.as_bytes())
}
