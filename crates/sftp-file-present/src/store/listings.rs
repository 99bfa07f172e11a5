//! Listings that criteria of one run share.

use std::collections::HashMap;
use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use candor_check::sandbox::SharedReading;
use candor_check::{Sandbox, Unverifiable};

use super::Listed;

pub(crate) struct Listings {
    shared: SharedReading<String, Arc<Listed>>,
    fresh: Duration,
}

impl Listings {
    /// A listing that is older than `fresh` is made again.
    pub(crate) fn new(fresh: Duration) -> Self {
        Self { shared: SharedReading::default(), fresh }
    }

    pub(crate) async fn of(&self, sandbox: &Sandbox, below: String) -> Result<Arc<Listed>, Unverifiable> {
        let share = |asks: Vec<String>| {
            let mut listings: HashMap<String, Arc<Listed>> = HashMap::new();
            let mut of = |folder: String| {
                let new = || Arc::new(Listed { folder: folder.clone(), fresh: self.fresh, kept: Mutex::default() });
                Arc::clone(listings.entry(folder.clone()).or_insert_with(new))
            };
            ready(Ok(asks.into_iter().map(|folder| Ok(of(folder))).collect()))
        };
        self.shared.read(sandbox, below, share).await
    }
}
