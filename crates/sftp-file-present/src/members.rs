//! The members of archives that the glob asks for, as files of their own: `archive.zip!inner/claim.json`.

use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};

use crate::archive::{Bounds, Extracted, Extraction, Keys, Trouble, Wanted, extract, shape};
use crate::settings::Settings;
use crate::store::{self, Store, StoredFile};

#[derive(Debug)]
pub(crate) struct Member {
    /// With the archive before `!`.
    pub(crate) path: String,
    pub(crate) locator: String,
    pub(crate) extracted: Extracted,
}

#[derive(Debug, Default)]
pub(crate) struct Opened {
    pub(crate) members: Vec<Member>,
    /// Matched and not readable.
    pub(crate) unread: Vec<String>,
    pub(crate) unreadable: Vec<Unreadable>,
    pub(crate) notes: Vec<String>,
    pub(crate) names: Vec<String>,
}

struct Look<'a> {
    settings: &'a Settings,
    keys: &'a Keys,
    bounds: Bounds,
    locator: &'a str,
    opened: Opened,
}

/// Opens a file of a store, when its name says that it is an archive.
pub(crate) fn open(settings: &Settings, keys: &Keys, store: &dyn Store, file: &StoredFile) -> Opened {
    let bounds = Bounds::of(store.limits());
    let mut look = Look { settings, keys, bounds, locator: &file.locator, opened: Opened::default() };
    if shape(&file.path).archive.is_none() {
        return look.opened;
    }
    match store::read(store, file) {
        Ok(read) => look.inside(&[&file.path], &read.bytes),
        Err(why) => {
            let place = Location::whole(&file.locator);
            look.opened.unreadable.push(Unreadable { place, what: why.details, fault: Fault::Obstacle(why.obstacle) });
        }
    }
    look.opened
}

impl Look<'_> {
    fn is_matched(&self, paths: &[&str]) -> bool {
        self.settings.glob.matches_member(paths) && !self.is_excluded(paths)
    }

    fn is_excluded(&self, paths: &[&str]) -> bool {
        let layers = (1..=paths.len()).filter_map(|n| paths.get(..n));
        layers.into_iter().any(|layer| self.settings.exclude.iter().any(|glob| glob.matches_member(layer)))
    }

    fn opens(&self, paths: &[&str]) -> bool {
        let is_archive = paths.last().is_some_and(|path| shape(path).archive.is_some());
        is_archive && self.settings.glob.looks_into(paths) && !self.is_excluded(paths)
    }

    fn inside(&mut self, paths: &[&str], bytes: &[u8]) {
        let Some(path) = paths.last() else { return };
        let layers_of =
            |member: &str| -> Vec<String> { paths.iter().copied().chain([member]).map(str::to_owned).collect() };
        let wanted = |member: &str| {
            let layers: Vec<&str> = paths.iter().copied().chain([member]).collect();
            match (self.is_matched(&layers), self.opens(&layers)) {
                (true, _) if self.settings.reads_content() || self.settings.pgp.is_some() => Wanted::Keep,
                (_, true) => Wanted::Keep,
                (true, false) => Wanted::Hash,
                (false, false) => Wanted::No,
            }
        };
        let extraction = match extract(bytes, &shape(path), self.keys, &self.bounds, &wanted) {
            Ok(extraction) => extraction,
            Err(trouble) => return self.trouble(paths, trouble),
        };
        let Extraction { names, members, unreadable, refused, links } = extraction;
        self.opened.names.extend(names.iter().map(|name| layers_of(name).join("!")));
        for trouble in refused {
            self.trouble(paths, trouble);
        }
        for (name, target) in links {
            let link = layers_of(&name).join("!");
            self.opened
                .notes
                .push(format!("The link {link} (to {target}) is a member of an archive and was not followed."));
        }
        for (name, trouble) in unreadable {
            let layers = layers_of(&name);
            let layers: Vec<&str> = layers.iter().map(String::as_str).collect();
            if self.is_matched(&layers) {
                self.opened.unread.push(layers.join("!"));
            }
            self.trouble(&layers, trouble);
        }
        for extracted in members {
            let layers = layers_of(&extracted.path);
            let layers: Vec<&str> = layers.iter().map(String::as_str).collect();
            if self.opens(&layers)
                && let Some(bytes) = &extracted.bytes
            {
                self.inside(&layers, bytes);
            }
            if self.is_matched(&layers) {
                let (path, locator) = (layers.join("!"), self.locator_of(&layers));
                self.opened.members.push(Member { path, locator, extracted });
            }
        }
    }

    fn locator_of(&self, paths: &[&str]) -> String {
        let members = paths.get(1..).unwrap_or_default();
        std::iter::once(self.locator).chain(members.iter().copied()).collect::<Vec<_>>().join("!")
    }

    fn trouble(&mut self, paths: &[&str], trouble: Trouble) {
        let place = Location::whole(self.locator_of(paths));
        self.opened.unreadable.push(Unreadable { place, what: trouble.what, fault: trouble.fault });
    }
}
