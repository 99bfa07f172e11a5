//! Several verifiers as one.

use std::sync::{Mutex, PoisonError};

use candor_engine::TaskRun;

use crate::claim::Claim;
use crate::disclosure::{Disclose, Disclosed};
use crate::verifier::{DynVerifier, Finding, Verifier, VerifierError, VerifierInput, VerifierVerdict};

/// Passes when every child passes. The reasons of those that fail are joined; one that cannot say makes the whole
/// unverifiable where none fails, and one that is broken breaks the whole. No child is left out: each looks every time.
/// Without children there was no look at all, and that is a broken verifier.
pub struct Composite {
    children: Vec<(String, Box<dyn DynVerifier>)>,
    disclose: Disclose,
    last: Mutex<Vec<Finding>>,
}

impl Composite {
    /// Verifiers with the names that their reasons are given under.
    #[must_use]
    pub fn new(children: Vec<(String, Box<dyn DynVerifier>)>) -> Self {
        Self { children, disclose: Disclose::default(), last: Mutex::default() }
    }

    /// With reasons that give away no more of what its children say than a level allows.
    #[must_use]
    pub fn disclosing(mut self, level: Disclose) -> Self {
        self.disclose = level;
        self
    }

    fn told(&self, name: &str, child: &dyn DynVerifier, reason: &str) -> String {
        match self.disclose {
            Disclose::Count | Disclose::Criterion if child.discloses_dyn() => reason.to_owned(),
            level => Disclosed::said(level, name, reason).text().to_owned(),
        }
    }
}

impl Verifier for Composite {
    async fn verify(&self, input: &VerifierInput) -> Result<VerifierVerdict, VerifierError> {
        if self.children.is_empty() {
            return Err(VerifierError::new("it is composed of no verifier at all"));
        }
        let (mut failed, mut unsaid) = (Vec::new(), Vec::new());
        let mut findings = Vec::new();
        for (name, child) in &self.children {
            let verdict = child.verify_dyn(input).await;
            let verdict = verdict.map_err(|error| VerifierError::new(format!("{name}: {}", error.message)))?;
            match &verdict {
                VerifierVerdict::Passed => {}
                VerifierVerdict::Failed { reason } => failed.push(self.told(name, &**child, reason)),
                VerifierVerdict::Unverifiable { reason } => unsaid.push(self.told(name, &**child, reason)),
            }
            match child.findings_dyn() {
                // What criteria say in full is their task run.
                own if own.is_empty() && child.task_run_dyn().is_some() => {}
                own if own.is_empty() => findings.push(Finding::new(name.clone(), verdict)),
                own => findings.extend(own),
            }
        }
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = findings;
        failed.dedup();
        unsaid.dedup();
        Ok(match (failed.is_empty(), unsaid.is_empty()) {
            (true, true) => VerifierVerdict::Passed,
            (true, false) => VerifierVerdict::Unverifiable { reason: unsaid.join("\n") },
            (false, _) => VerifierVerdict::Failed { reason: failed.join("\n") },
        })
    }

    fn max_iterations(&self) -> u32 {
        self.children.iter().map(|(_, child)| child.max_iterations_dyn()).min().unwrap_or(1)
    }

    fn reads_workspace(&self) -> bool {
        self.children.iter().any(|(_, child)| child.reads_workspace_dyn())
    }

    fn task_run(&self) -> Option<TaskRun> {
        self.children.iter().find_map(|(_, child)| child.task_run_dyn())
    }

    fn findings(&self) -> Vec<Finding> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn discloses(&self) -> bool {
        true
    }

    fn evaluation(&self) -> Option<Claim> {
        self.children.iter().find_map(|(_, child)| child.evaluation_dyn())
    }
}
