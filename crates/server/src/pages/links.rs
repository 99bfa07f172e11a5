//! Where the links of a page lead.

use candor_report::model::{CriterionRun, TaskRun};
use candor_report::page::Links;

pub(super) struct Addresses {
    pub(super) base: String,
    pub(super) kept: Vec<(String, String)>,
    /// Of a page that a share link shows: the address of that link.
    pub(super) share: Option<String>,
    /// True if criteria are on this page, so that links lead to them here.
    pub(super) here: bool,
}

pub(super) fn with(address: &str, parameters: &[(String, String)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    match (query.is_empty(), address.contains('?')) {
        (true, _) => address.to_owned(),
        (false, false) => format!("{address}?{query}"),
        (false, true) => format!("{address}&{query}"),
    }
}

impl Links for Addresses {
    fn task_run(&self, run: &TaskRun, _: usize) -> String {
        let id = run.id.clone().unwrap_or_default();
        match &self.share {
            Some(share) => with(share, &[("task_run".to_owned(), id)]),
            None => format!("{}/task-runs/{id}", self.base),
        }
    }

    fn criterion_run(&self, run: &CriterionRun, anchor: &str) -> String {
        match self.here || self.share.is_some() {
            true => format!("#{anchor}"),
            false => format!("{}/criterion-runs/{}", self.base, run.id),
        }
    }

    fn page(&self, number: usize) -> Option<String> {
        let number = [("page".to_owned(), number.to_string())];
        let address = with(self.share.as_deref().unwrap_or_default(), &self.kept);
        Some(with(&address, &number))
    }

    fn alone(&self, run: &CriterionRun) -> Option<String> {
        self.share.is_none().then(|| format!("{}/criterion-runs/{}", self.base, run.id))
    }
}
