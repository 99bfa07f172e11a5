//! Redacting: bundles without the observations that are not to be handed on.

use std::collections::BTreeSet;

use candor_check::mask::Mask;
use candor_engine::{CriterionRun, Engine};
use candor_json::{Value, json};

use crate::error::BundleError;
use crate::key::SigningKey;
use crate::manifest::{CriterionEntry, Manifest, Redacted, json as bytes_of};
use crate::read::{Bundle, MANIFEST, PARTS, REDACTED, SIGNATURE};
use crate::replay::{judged_again, without_evidence};
use crate::write::{Parts, written};
use crate::zip::{Listed, Packed};

impl Bundle {
    /// The same bundle without what the criteria that are not named were judged by: their observations, details and
    /// evidence, with the salts. The manifest and its signature stay as they are, so that the signature holds, what is left
    /// can be replayed, and what was left out can be shown later and proven to be the same by its digest.
    ///
    /// # Errors
    /// When the bundle has no criterion of a name, or is damaged.
    pub fn redacted(&self, keep: &[String]) -> Result<Vec<u8>, BundleError> {
        let manifest = self.undamaged()?;
        let kept = |criterion: &CriterionEntry| keep.contains(&criterion.criterion_id);
        self.all_known(keep)?;
        let criteria = || manifest.tasks.iter().flat_map(|task| &task.criteria);
        let parts = |criterion: &CriterionEntry| -> Vec<String> {
            criterion.observation.iter().chain([&criterion.run]).cloned().collect()
        };
        let needed: BTreeSet<String> = criteria().filter(|one| kept(one)).flat_map(parts).collect();
        let others = criteria().filter(|one| !kept(one)).flat_map(parts);
        let mut left_out: BTreeSet<String> = others.filter(|part| !needed.contains(part)).collect();
        left_out.extend(self.redacted.left_out.iter().cloned());
        let redacted = Redacted { left_out: left_out.iter().cloned().collect() };
        let mut members = vec![self.packed(MANIFEST)?];
        if self.envelope.is_some() {
            members.push(self.packed(SIGNATURE)?);
        }
        if !left_out.is_empty() {
            members.push(Packed::stored(REDACTED.to_owned(), &bytes_of(&redacted)));
        }
        let names = manifest.parts.keys().filter(|name| !left_out.contains(*name));
        for name in names {
            members.push(self.packed(&format!("{PARTS}{name}"))?);
        }
        written(&members)
    }

    /// Another bundle of the criteria that are named, with keyed hashes in the place of actual values and without
    /// observations. Its manifest is another one: who vouches for it signs it anew.
    ///
    /// # Errors
    /// As [`Bundle::redacted`].
    pub fn masked(
        &self,
        keep: &[String],
        mask: &dyn Mask,
        key: Option<&SigningKey>,
        engine: &Engine,
    ) -> Result<Vec<u8>, BundleError> {
        let manifest = self.undamaged()?;
        self.all_known(keep)?;
        let mut parts = Parts::new(key);
        let mut tasks = Vec::new();
        for task in &manifest.tasks {
            let mut masked = task.clone();
            for part in masked.files.values_mut().chain([&mut masked.task, &mut masked.settings, &mut masked.run]) {
                *part = parts.add(&self.content_of(part)?)?;
            }
            let judged = judged_again(self, task, engine);
            for (index, criterion) in masked.criteria.iter_mut().enumerate() {
                let run = judged.get(index).cloned().flatten().filter(|_| keep.contains(&criterion.criterion_id));
                let run = match run {
                    Some((run, assertion)) => {
                        json!(CriterionRun { evidence: run.evidence.clone().masked(mask, &assertion), ..run })
                    }
                    None => without_evidence(&criterion.outcome),
                };
                criterion.observation = None;
                criterion.run = parts.add(&bytes_of(&run))?;
            }
            tasks.push(masked);
        }
        let signer = key.map(|key| key.verifying().to_base64());
        let mut masked = Manifest { masked: true, tasks, signer, ..manifest.clone() };
        let last = manifest.tasks.last().map(|task| &task.run);
        let result = manifest.benchmark.as_ref().map(|entry| &entry.run).or(last);
        let bytes = result.map(|part| self.content_of(part)).transpose()?.unwrap_or_default();
        let result: Value = candor_json::from_slice(&bytes).unwrap_or_default();
        if let Some(entry) = &mut masked.benchmark {
            entry.run = parts.add(&bytes)?;
        }
        masked.parts = parts.table();
        parts.archive(&masked, &result)
    }

    fn undamaged(&self) -> Result<&Manifest, BundleError> {
        match (&self.manifest, self.damage.first()) {
            (Some(manifest), None) => Ok(manifest),
            (_, Some(difference)) => Err(BundleError::Damaged(difference.place.clone())),
            (None, None) => Err(BundleError::Damaged(MANIFEST.to_owned())),
        }
    }

    fn all_known(&self, keep: &[String]) -> Result<(), BundleError> {
        let known = self.criteria();
        match keep.iter().find(|id| !known.contains(&id.as_str())) {
            Some(id) => {
                let known: BTreeSet<&str> = known.into_iter().collect();
                Err(BundleError::NoCriterion { id: id.clone(), known: known.into_iter().map(str::to_owned).collect() })
            }
            None => Ok(()),
        }
    }

    fn content_of(&self, part: &str) -> Result<Vec<u8>, BundleError> {
        self.part(part).ok_or_else(|| BundleError::Damaged(format!("{PARTS}{part}")))
    }

    fn packed(&self, name: &str) -> Result<Packed, BundleError> {
        let Some(Listed { method, crc, size, packed, .. }) = self.members.get(name) else {
            return Err(BundleError::Damaged(name.to_owned()));
        };
        let bytes = self.archive.get(packed.clone()).unwrap_or_default().to_vec();
        Ok(Packed { name: name.to_owned(), method: *method, crc: *crc, size: *size, bytes })
    }
}
