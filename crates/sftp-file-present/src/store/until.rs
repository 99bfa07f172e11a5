//! A store for as long as somebody waits for what is read from it: reads block, and cannot be broken off from outside.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use candor_check::sandbox::Limits;
use candor_check::work::cancelled;
use candor_check::{Obstacle, Unverifiable};

use super::{Listing, Store, StoredFile};

/// The files of a folder, listed by the first of the looks that share them, and when that ended.
pub(crate) struct Listed {
    pub(crate) folder: String,
    /// How long they are taken for the files that are there.
    pub(crate) fresh: Duration,
    pub(crate) kept: Mutex<Option<(Instant, Listing)>>,
}

/// A store until the time of one look is over; from then on it reads nothing more.
pub(crate) struct Until<'a> {
    store: &'a dyn Store,
    until: Instant,
    shared: Option<Arc<Listed>>,
}

impl<'a> Until<'a> {
    pub(crate) fn new(store: &'a dyn Store, shared: Option<Arc<Listed>>) -> Self {
        Self { store, until: Instant::now() + store.limits().timeout, shared }
    }
}

fn in_time(until: Instant, name: &str) -> Result<(), Unverifiable> {
    match Instant::now() {
        now if now <= until && !cancelled() => Ok(()),
        _ => Err(Unverifiable::new(Obstacle::Timeout, format!("reading {name} took longer than the limit allows"))),
    }
}

impl Store for Until<'_> {
    fn name(&self) -> &str {
        self.store.name()
    }

    fn limits(&self) -> &Limits {
        self.store.limits()
    }

    fn list(&self, below: &str) -> Result<Listing, Unverifiable> {
        let Some(listed) = self.shared.as_ref().filter(|listed| listed.folder == below) else {
            in_time(self.until, self.name())?;
            return self.store.list(below);
        };
        let mut kept = listed.kept.lock().unwrap_or_else(PoisonError::into_inner);
        in_time(self.until, self.name())?;
        let (ended, listing) = match kept.take().filter(|(ended, _)| ended.elapsed() < listed.fresh) {
            Some(known) => known,
            // The others meet an error of their own.
            None => self.store.list(below).map(|listing| (Instant::now(), listing))?,
        };
        // A cancelled look breaks off its listing; the others list for themselves.
        if Arc::strong_count(listed) > 1 && !cancelled() {
            *kept = Some((ended, listing.clone()));
        }
        Ok(listing)
    }

    fn folders(&self, within: &str) -> Vec<String> {
        // Nothing depends on it, and it is not worth a wait.
        in_time(self.until, self.name()).map_or_else(|_| Vec::new(), |()| self.store.folders(within))
    }

    fn leads_nowhere(&self, path: &str) -> bool {
        self.store.leads_nowhere(path)
    }

    fn stat(&self, path: &str) -> Result<Option<StoredFile>, Unverifiable> {
        in_time(self.until, self.name())?;
        self.store.stat(path)
    }

    fn open(&self, file: &StoredFile) -> Result<Box<dyn Read + '_>, Unverifiable> {
        in_time(self.until, self.name())?;
        Ok(Box::new(Reading { reader: self.store.open(file)?, until: self.until, locator: file.locator.clone() }))
    }
}

struct Reading<'a> {
    reader: Box<dyn Read + 'a>,
    until: Instant,
    locator: String,
}

impl Read for Reading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        in_time(self.until, &self.locator).map_err(io::Error::other)?;
        self.reader.read(buffer)
    }
}
