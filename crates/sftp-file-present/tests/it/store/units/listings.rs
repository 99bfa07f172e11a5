//! Listings that criteria share.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::io::Read;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use candor_check::sandbox::Limits;
use candor_check::{Obstacle, Sandbox, Unverifiable};

use crate::store::listings::Listings;
use crate::store::until::Until;
use crate::store::{Listing, Store, StoredFile};

/// A store whose listings name their number; the folder `gone` cannot be listed.
#[derive(Default)]
struct Numbered {
    listings: AtomicU32,
    limits: Limits,
}

impl Store for Numbered {
    fn name(&self) -> &'static str {
        "files/"
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn list(&self, below: &str) -> Result<Listing, Unverifiable> {
        let number = (1 + self.listings.fetch_add(1, Ordering::Relaxed)).to_string();
        match below {
            "gone" => Err(Unverifiable::new(Obstacle::SourceUnavailable, number)),
            _ => Ok(Listing { outside_links: vec![number], ..Listing::default() }),
        }
    }

    fn stat(&self, _: &str) -> Result<Option<StoredFile>, Unverifiable> {
        Ok(None)
    }

    fn open(&self, file: &StoredFile) -> Result<Box<dyn Read + '_>, Unverifiable> {
        Err(Unverifiable::new(Obstacle::SourceUnavailable, file.locator.clone()))
    }
}

/// A store, and the listings of it that criteria share.
struct Shared {
    store: Numbered,
    listings: Listings,
}

fn shared(fresh: Duration) -> Shared {
    Shared { store: Numbered::default(), listings: Listings::new(fresh) }
}

fn number(look: &Until<'_>, below: &str) -> String {
    look.list(below).map_or_else(|why| why.details, |listing| listing.outside_links.concat())
}

/// Which listing each of the criteria of a run gets, that ask for these folders.
fn numbers(files: &Shared, folders: &[&str], is_one_run: bool) -> Vec<String> {
    let sandbox = Sandbox::builder().build(&[]).unwrap();
    let work = sandbox.work().clone();
    let sandbox = sandbox.with_work(if is_one_run { work.one_run() } else { work });
    let mut asking: Vec<_> =
        folders.iter().map(|below| Box::pin(files.listings.of(&sandbox, (*below).to_owned()))).collect();
    let mut looks: Vec<Option<Until<'_>>> = folders.iter().map(|_| None).collect();
    for _ in 0..2 {
        for (future, look) in asking.iter_mut().zip(&mut looks).filter(|(_, look)| look.is_none()) {
            if let Poll::Ready(shared) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                *look = Some(Until::new(&files.store, Some(shared.unwrap())));
            }
        }
    }
    std::thread::scope(|scope| {
        let list = |(look, below)| scope.spawn(move || number(look, below));
        let listing: Vec<_> = looks.iter().flatten().zip(folders.iter().copied()).map(list).collect();
        listing.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn ten_criteria_of_a_run_list_once() {
    let files = || shared(Duration::MAX);
    assert_eq!(numbers(&files(), &["in"; 10], true), ["1"; 10]);
    // An error is that of one.
    let mut errors = numbers(&files(), &["gone"; 3], true);
    errors.sort();
    assert_eq!(errors, ["1", "2", "3"]);
    // The files may be others by now.
    let old = shared(Duration::ZERO);
    let mut listings = numbers(&old, &["in"; 3], true);
    listings.sort();
    assert_eq!(listings, ["1", "2", "3"]);
    // The next look lists anew.
    let twice = files();
    let looks = [1, 2].map(|_| numbers(&twice, &["in"; 2], true));
    assert_eq!(looks, [["1"; 2], ["2"; 2]]);
    assert_eq!(number(&Until::new(&twice.store, None), "in"), "3");
}

#[test]
fn other_folders_and_runs_have_listings_of_their_own() {
    let files = || shared(Duration::MAX);
    let seen = numbers(&files(), &["in", "out", "in"], true);
    assert_eq!(seen.first(), seen.last());
    assert_ne!(seen.first(), seen.get(1));
    let mut seen = numbers(&files(), &["in"; 3], false);
    seen.sort();
    assert_eq!(seen, ["1", "2", "3"]);
}
