//! Pages of what a server answered: whether all of them are in the folder.
//!
//! A searchset or a history says where it goes on (`link.next`) and how much there is (`total`). What it says and the folder
//! does not hold is unknown, not absent. Source: FHIR R4, RESTful API, 3.1.0.1.9 (paging); Bundle, 2.36.6.

use std::collections::{HashMap, HashSet};

use candor_check::Obstacle;

use super::Unreadable;

#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub(crate) kind: String,
    pub(crate) own: Option<String>,
    pub(crate) next: Option<String>,
    /// The URL of what comes before. Servers may call that page otherwise themselves, so that it need not be here.
    pub(crate) previous: Option<String>,
    pub(crate) total: Option<u64>,
    /// The names and versions of its entries: of those that were found, and of all but outcomes.
    pub(crate) found: Vec<String>,
    pub(crate) all: Vec<String>,
    pub(crate) place: Option<Unreadable>,
}

/// The places of pages that go on where the folder does not, or that are fewer than they say.
pub(crate) fn incomplete(pages: &[Page]) -> Vec<Unreadable> {
    let mut by_url: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, page) in pages.iter().enumerate() {
        if let Some(own) = &page.own {
            by_url.entry(own).or_default().push(at);
        }
    }
    let mut places = Vec::new();
    let mut groups = Groups((0..pages.len()).collect());
    let mut open = HashSet::new();
    for (at, page) in pages.iter().enumerate() {
        // One page stored twice is one page; a next page that is the page itself never ends.
        for url in [&page.own, &page.previous].into_iter().flatten() {
            // All that say the same `self` are joined to the first.
            if let Some(first) = by_url.get(url.as_str()).and_then(|all| all.first()) {
                groups.join(at, *first);
            }
        }
        let Some(next) = page.next.as_deref() else { continue };
        let following = by_url.get(next).and_then(|all| all.first());
        match following.filter(|_| page.own.as_deref() != Some(next)) {
            Some(following) => groups.join(at, *following),
            None => {
                let what = format!("a {} that goes on with a `next` page which is not here", page.kind);
                places.extend(placed(page, what));
                open.insert(at);
            }
        }
    }
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    for at in 0..pages.len() {
        members.entry(groups.of(at)).or_default().push(at);
    }
    let mut members: Vec<Vec<usize>> = members.into_values().collect();
    members.sort();
    for group in members.iter().filter(|group| group.iter().all(|at| !open.contains(at))) {
        let of_group = || group.iter().filter_map(|at| pages.get(*at));
        let Some(total) = of_group().filter_map(|page| page.total).max() else { continue };
        let distinct =
            |names: fn(&Page) -> &Vec<String>| of_group().flat_map(names).collect::<HashSet<_>>().len() as u64;
        let found = distinct(|page| &page.found);
        // Some servers count what goes with a match as well.
        if found < total && distinct(|page| &page.all) != total {
            let what = |page: &Page| format!("a {} of {total}, of which {found} are here", page.kind);
            places.extend(of_group().next().and_then(|page| placed(page, what(page))));
        }
    }
    places
}

fn placed(page: &Page, what: String) -> Option<Unreadable> {
    Some(page.place.as_ref()?.with(what, Some(Obstacle::SourceMalformed)))
}

struct Groups(Vec<usize>);

impl Groups {
    fn of(&mut self, mut at: usize) -> usize {
        while let Some(&above) = self.0.get(at).filter(|above| **above != at) {
            // The way is halved for the next one who goes it.
            let over = self.0.get(above).copied().unwrap_or(above);
            self.0.get_mut(at).into_iter().for_each(|own| *own = over);
            at = over;
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        // The lower one is on top, so that no circle can arise.
        if let Some(above) = self.0.get_mut(a.max(b)) {
            *above = a.min(b);
        }
    }
}
