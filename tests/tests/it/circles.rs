//! Circles of imports between the files of a crate, and the rooms of the check crates.
//!
//! A file imports another if it names an item that the other one defines: by `use`, by a path, or by a name that a `use`
//! brought in. A re-export leads to the file that defines the item. A `mod.rs` consists of the files in its folder, so that its
//! own use of them does not count; their use of it does. Modules of tests do not count, nor do methods, which need no path.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree, Visibility};

/// The rooms of a check, each with what it has to define. `check` has the name of the check and calls the others.
const ROOMS: [(&str, Option<&str>); 7] = [
    ("settings", Some("Settings")),
    ("source", Some("PART")),
    ("seen", None),
    ("observe", Some("observe")),
    ("judge", Some("judge")),
    ("review", Some("review")),
    ("check", None),
];

/// The check crates, each with the modules that have rooms. In `workspace-checks`, ten checks share a source; those
/// that are more than one file have rooms of their own next to it.
const CHECKS: [(&str, &str); 8] = [
    ("fhir-resource-state", ""),
    ("hl7-structural", ""),
    ("portal-state-match", ""),
    ("sftp-file-present", ""),
    ("state-unchanged", ""),
    ("voice-transcript", ""),
    ("workspace-checks", "command"),
    ("x12-response", ""),
];

/// The most circles that all crates may have together. What remains is real mutual recursion.
const MOST_CIRCLES: usize = 9;

/// The module of a crate, by its place in [`Crate::modules`].
type ModuleId = usize;

/// The modules of a crate, the first of which is its root.
struct Crate {
    files: Vec<PathBuf>,
    modules: Vec<Module>,
    /// The files that implement `Check`.
    checks: BTreeSet<usize>,
}

struct Module {
    file: usize,
    parent: ModuleId,
    names: BTreeMap<String, Vec<Definition>>,
    globs: Vec<Vec<String>>,
    /// The paths that the module's code names, outside of re-exports.
    paths: BTreeSet<Vec<String>>,
}

#[derive(Clone)]
enum Definition {
    Module(ModuleId),
    Item,
    Import(Vec<String>),
}

/// The target of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Module(ModuleId),
    /// An item of the file.
    Item(usize),
}

impl Crate {
    fn read(root: &Path) -> Self {
        let mut this = Self { files: Vec::new(), modules: Vec::new(), checks: BTreeSet::new() };
        this.file(root, 0, root.parent().unwrap());
        this
    }

    /// Reads the file of a module, whose own modules are in `folder`.
    fn file(&mut self, path: &Path, parent: ModuleId, folder: &Path) -> ModuleId {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self.files.push(path.to_owned());
        let file = self.files.len() - 1;
        self.module(&parsed.items, file, parent, folder)
    }

    fn module(&mut self, items: &[Item], file: usize, parent: ModuleId, folder: &Path) -> ModuleId {
        let id = self.modules.len();
        let (names, globs, paths) = Default::default();
        self.modules.push(Module { file, parent, names, globs, paths });
        for item in items.iter().filter(|item| !is_test(item)) {
            match item {
                Item::Mod(module) => {
                    let child = self.child(module, id, folder);
                    self.define(id, module.ident.to_string(), Definition::Module(child));
                }
                Item::Use(item) => self.import(id, item),
                _ => {
                    if let Some(name) = name(item) {
                        self.define(id, name, Definition::Item);
                    }
                    if implements(item, "Check") {
                        self.checks.insert(file);
                    }
                    let mut names = Names::default();
                    names.visit_item(item);
                    self.modules[id].paths.extend(names.paths);
                    names.uses.into_iter().for_each(|item| self.import(id, item));
                }
            }
        }
        id
    }

    fn child(&mut self, module: &ItemMod, parent: ModuleId, folder: &Path) -> ModuleId {
        let name = module.ident.to_string();
        let own = folder.join(&name);
        match &module.content {
            Some((_, items)) => self.module(items, self.modules[parent].file, parent, &own),
            None => {
                let file = [folder.join(format!("{name}.rs")), own.join("mod.rs")];
                let file = file.iter().find(|file| file.exists());
                self.file(file.unwrap_or_else(|| panic!("no file for {}", own.display())), parent, &own)
            }
        }
    }

    fn define(&mut self, module: ModuleId, name: String, definition: Definition) {
        self.modules[module].names.entry(name).or_default().push(definition);
    }

    /// Keeps what a `use` brings in. A re-export is a door and counts only where its name is used.
    fn import(&mut self, module: ModuleId, item: &ItemUse) {
        let mut found = Vec::new();
        leaves(&item.tree, &mut Vec::new(), &mut found);
        for (path, name) in found {
            match name {
                None => self.modules[module].globs.push(path),
                Some(name) => {
                    if matches!(item.vis, Visibility::Inherited) {
                        self.modules[module].paths.insert(path.clone());
                    }
                    self.define(module, name, Definition::Import(path));
                }
            }
        }
    }

    /// Everything that a path leads to from a module; nothing if it leads out of the crate.
    fn resolve(&self, module: ModuleId, path: &[String], seen: &mut BTreeSet<(ModuleId, String)>) -> BTreeSet<Target> {
        let Some((first, mut rest)) = path.split_first() else { return BTreeSet::new() };
        let mut at: BTreeSet<Target> = match first.as_str() {
            "crate" => [Target::Module(0)].into(),
            "self" => [Target::Module(module)].into(),
            "super" => [Target::Module(self.modules[module].parent)].into(),
            "Self" => return BTreeSet::new(),
            name => self.look_up(module, name, seen),
        };
        while let Some((name, next)) = rest.split_first() {
            let inside = |target: &Target| match *target {
                // A variant or an associated function belongs to its type.
                Target::Item(_) => BTreeSet::from([*target]),
                Target::Module(id) if name == "super" => [Target::Module(self.modules[id].parent)].into(),
                Target::Module(id) if name == "self" => [Target::Module(id)].into(),
                Target::Module(id) => self.look_up(id, name, seen),
            };
            // A name may be that of a module and of a function: the module is meant where the path goes on.
            let modules: BTreeSet<Target> = at.iter().filter(|one| matches!(one, Target::Module(_))).copied().collect();
            let at_now = if modules.is_empty() { at } else { modules };
            at = at_now.iter().flat_map(inside).collect();
            rest = next;
        }
        at
    }

    fn look_up(&self, module: ModuleId, name: &str, seen: &mut BTreeSet<(ModuleId, String)>) -> BTreeSet<Target> {
        if !seen.insert((module, name.to_owned())) {
            return BTreeSet::new();
        }
        let mut found = BTreeSet::new();
        for definition in self.modules[module].names.get(name).into_iter().flatten() {
            match definition {
                Definition::Module(id) => drop(found.insert(Target::Module(*id))),
                Definition::Item => drop(found.insert(Target::Item(self.modules[module].file))),
                Definition::Import(path) => found.extend(self.resolve(module, path, seen)),
            }
        }
        if found.is_empty() {
            for glob in &self.modules[module].globs {
                for target in self.resolve(module, glob, seen) {
                    match target {
                        Target::Module(id) => found.extend(self.look_up(id, name, seen)),
                        Target::Item(_) => {} // the variants of a type
                    }
                }
            }
        }
        seen.remove(&(module, name.to_owned()));
        found
    }

    /// For each file the other files that it imports.
    fn arrows(&self) -> Vec<BTreeSet<usize>> {
        let mut arrows = vec![BTreeSet::new(); self.files.len()];
        for (id, module) in self.modules.iter().enumerate() {
            for path in &module.paths {
                for target in self.resolve(id, path, &mut BTreeSet::new()) {
                    if let Target::Item(file) = target
                        && file != module.file
                        && !self.is_around(module.file, file)
                    {
                        arrows[module.file].insert(file);
                    }
                }
            }
        }
        arrows
    }

    /// True if a file is the `mod.rs`, or the root, of a folder that the other one is in.
    fn is_around(&self, outer: usize, inner: usize) -> bool {
        let outer = &self.files[outer];
        let folder = match outer.file_stem().and_then(|stem| stem.to_str()) {
            Some("mod" | "lib" | "main") => outer.parent().unwrap().to_owned(),
            _ => outer.with_extension(""),
        };
        self.files[inner].starts_with(folder)
    }

    /// True if a file is that of a module, or of one within it.
    fn is_in(&self, file: usize, module: ModuleId) -> bool {
        let own = self.modules[module].file;
        file == own || self.is_around(own, file)
    }

    /// Sets of files each of which reaches all others of its set.
    fn circles(&self) -> Vec<Vec<&Path>> {
        let arrows = self.arrows();
        let reached: Vec<BTreeSet<usize>> = (0..arrows.len()).map(|file| reach(&arrows, file)).collect();
        let mut circles = BTreeSet::new();
        for (file, others) in reached.iter().enumerate().filter(|(file, others)| others.contains(file)) {
            circles.insert(others.iter().copied().filter(|&other| reached[other].contains(&file)).collect::<Vec<_>>());
        }
        circles.into_iter().map(|circle| circle.into_iter().map(|file| self.files[file].as_path()).collect()).collect()
    }
}

/// The files that are reached from one in a step or more.
fn reach(arrows: &[BTreeSet<usize>], from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<usize> = arrows[from].iter().copied().collect();
    while let Some(file) = open.pop() {
        if reached.insert(file) {
            open.extend(&arrows[file]);
        }
    }
    reached
}

/// The paths of a `use`, each with the name that it brings in; no name for a glob.
fn leaves(tree: &UseTree, prefix: &mut Vec<String>, found: &mut Vec<(Vec<String>, Option<String>)>) {
    let mut leaf = |last: &syn::Ident, name: &syn::Ident| {
        let mut path = prefix.clone();
        path.push(last.to_string());
        // `use x::{self}` brings in `x`.
        let name = if name == "self" { path[path.len() - 2].clone() } else { name.to_string() };
        found.push((path, Some(name)));
    };
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            leaves(&path.tree, prefix, found);
            prefix.pop();
        }
        UseTree::Name(name) => leaf(&name.ident, &name.ident),
        UseTree::Rename(rename) => leaf(&rename.ident, &rename.rename),
        UseTree::Glob(_) => found.push((prefix.clone(), None)),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, prefix, found)),
    }
}

/// The paths in an item, and the `use`s in its blocks.
#[derive(Default)]
struct Names<'a> {
    paths: Vec<Vec<String>>,
    uses: Vec<&'a ItemUse>,
}

impl<'a> Visit<'a> for Names<'a> {
    fn visit_item_use(&mut self, item: &'a ItemUse) {
        self.uses.push(item);
    }

    fn visit_item_mod(&mut self, _: &'a ItemMod) {}

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        if !only_for_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.leading_colon.is_none() {
            self.paths.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'a syn::Macro) {
        visit::visit_macro(self, called);
        self.tokens(called.tokens.clone());
    }
}

impl Names<'_> {
    /// A macro's tokens are not parsed: every row of names that `::` joins is a path.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut colons, mut dot) = (0, false);
        for token in tokens {
            let is_colon = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':');
            match token {
                TokenTree::Punct(_) if is_colon => {
                    colons += 1;
                    continue;
                }
                TokenTree::Ident(name) if colons == 2 && !path.is_empty() => path.push(name.to_string()),
                TokenTree::Ident(name) => {
                    self.paths.push(std::mem::take(&mut path));
                    path.extend((!dot).then(|| name.to_string()));
                }
                TokenTree::Group(group) => {
                    self.paths.push(std::mem::take(&mut path));
                    self.tokens(group.stream());
                }
                TokenTree::Punct(punct) => {
                    self.paths.push(std::mem::take(&mut path));
                    dot = punct.as_char() == '.';
                    colons = 0;
                    continue;
                }
                TokenTree::Literal(_) => {}
            }
            (colons, dot) = (0, false);
        }
        self.paths.push(path);
    }
}

fn name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        _ => return None,
    };
    Some(name.to_string())
}

fn implements(item: &Item, name: &str) -> bool {
    let Item::Impl(item) = item else { return false };
    let last = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
    last.is_some_and(|segment| segment.ident == name)
}

fn is_test(item: &Item) -> bool {
    only_for_tests(match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => return false,
    })
}

/// True if attributes have `#[test]` or `#[cfg(test)]`.
fn only_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test")))
    })
}

/// A root of a crate, its library or its program, with the name and the `src` of its crate.
struct Root {
    name: String,
    src: PathBuf,
    read: Crate,
}

/// Every root of every crate, read once for all tests.
static ROOTS: LazyLock<Vec<Root>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut crates: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    crates.sort();
    let roots = |folder: &PathBuf| {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let src = folder.join("src");
        let found = ["lib.rs", "main.rs"].map(|root| src.join(root)).into_iter().filter(|root| root.exists());
        found.map(|root| Root { name: name.clone(), src: src.clone(), read: Crate::read(&root) }).collect::<Vec<_>>()
    };
    crates.iter().flat_map(roots).collect()
});

#[test]
fn few_circles_of_imports() {
    let mut circles = Vec::new();
    for Root { name, src, read } in ROOTS.iter() {
        for circle in read.circles() {
            let files = circle.iter().map(|file| file.strip_prefix(src).unwrap().to_string_lossy().into_owned());
            circles.push(format!("{name}: {}", files.collect::<Vec<_>>().join(", ")));
        }
    }
    let shown = format!("{} circles of imports between files:\n{}", circles.len(), circles.join("\n"));
    println!("{shown}");
    assert!(ROOTS.len() >= 20);
    assert!(circles.len() <= MOST_CIRCLES, "{shown}\nAt most {MOST_CIRCLES} are allowed.");
}

/// The arrows between rooms that no check may have.
const FORBIDDEN: [(&str, &str); 7] = [
    // Judging is pure: it must not reach what opens, reads or waits.
    ("judge", "observe"),
    ("review", "observe"),
    ("observe", "judge"),
    ("source", "observe"),
    ("source", "judge"),
    ("seen", "source"),
    ("settings", "source"),
];

#[test]
fn every_check_has_the_same_rooms() {
    for Root { name, read, .. } in ROOTS.iter().filter(|root| !root.read.checks.is_empty()) {
        assert!(CHECKS.iter().any(|(known, _)| known == name), "{name} has a check and is not in this test's list");
        assert!(read.files.len() >= ROOMS.len(), "{name} has too few files for the rooms of a check");
    }
    for (name, inner) in CHECKS {
        let root = ROOTS.iter().find(|root| root.name == name);
        let Root { src, read, .. } = root.unwrap_or_else(|| panic!("there is no crate {name}"));
        let module = |parent: ModuleId, name: &str| {
            read.modules[parent].names.get(name)?.iter().find_map(|definition| match definition {
                Definition::Module(id) => Some(*id),
                _ => None,
            })
        };
        let home = if inner.is_empty() { Some(0) } else { module(0, inner) };
        let home = home.unwrap_or_else(|| panic!("{name} has no module {inner}"));
        let mut rooms = BTreeMap::new();
        for (room, defines) in ROOMS {
            let found = module(home, room).or_else(|| module(0, room).filter(|_| room == "source"));
            let id = found.unwrap_or_else(|| panic!("{name} {inner} has no room `{room}`"));
            if let Some(item) = defines {
                let targets = read.look_up(id, item, &mut BTreeSet::new());
                let inside = |target: &Target| matches!(target, Target::Item(file) if read.is_in(*file, id));
                assert!(targets.iter().any(inside), "{name}: the room `{room}` does not define `{item}`");
            }
            rooms.insert(room, id);
        }
        let arrows = read.arrows();
        let reaches = |from: &str, to: &str| {
            let files = (0..read.files.len()).filter(|file| read.is_in(*file, rooms[from]));
            files.flat_map(|file| &arrows[file]).any(|file| read.is_in(*file, rooms[to]))
        };
        for (from, to) in FORBIDDEN {
            assert!(!reaches(from, to), "{name}: `{from}` imports from `{to}`");
        }
        for room in rooms.keys().filter(|room| **room != "check") {
            assert!(!reaches(room, "check"), "{name}: `{room}` imports from `check`, which is to call the rooms");
        }
        let check = read.modules[rooms["check"]].file;
        for file in &arrows[check] {
            let is_room = rooms.values().any(|room| read.is_in(*file, *room));
            let is_shared = !inner.is_empty() && !read.files[*file].starts_with(src.join(inner));
            let shown = read.files[*file].display();
            assert!(is_room || is_shared, "{name}: `check` only calls the rooms, and imports from {shown}");
        }
        assert!(read.checks.contains(&check), "{name}: `check` does not implement Check");
        assert!(!inner.is_empty() || read.checks.len() == 1, "{name}: Check is implemented outside of `check`");
    }
}

/// The reader of imports resolves every way to name an item.
#[test]
fn imports_are_resolved() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write("lib.rs", "mod a; mod b; mod c; mod d; mod e; mod f; mod g; pub use b::One;");
    // By a nested tree with a rename, through a re-export of the root, by an inline path, and in a macro.
    write(
        "a.rs",
        "use crate::{One, c::{self, Two as Deux}}; fn a() { crate::d::three(); println!(\"{}\", c::four()); }",
    );
    write("b/mod.rs", "mod inner; pub use inner::One; pub(crate) use inner::*;");
    write("b/inner.rs", "pub struct One; pub struct Five; use super::super::e::Six;");
    write("c.rs", "pub struct Two; pub fn four() {} #[cfg(test)] mod tests { use crate::a::a; }");
    // A name that a glob brings in, and one of the crate's that is only mentioned in a text.
    write("d.rs", "use crate::b::*; pub fn three() -> Five { let _ = \"crate::a::a\"; Five }");
    write("e.rs", "pub enum Six { Seven } use self::deep::eight; mod deep { pub fn eight() { crate::a::a() } }");
    // `g` is only named, and the other path is another crate's.
    write("f.rs", "use crate::g; use std::collections::a;");
    write("g.rs", "fn g() { #[cfg(not(test))] { super::f::h() } }");
    let read = Crate::read(&folder.path().join("lib.rs"));
    let name = |file: usize| read.files[file].strip_prefix(folder.path()).unwrap().to_str().unwrap();
    let arrows: Vec<(&str, Vec<&str>)> = read
        .arrows()
        .iter()
        .enumerate()
        .map(|(file, others)| (name(file), others.iter().map(|other| name(*other)).collect()))
        .filter(|(_, others): &(_, Vec<&str>)| !others.is_empty())
        .collect();
    let expected = [
        ("a.rs", vec!["b/inner.rs", "c.rs", "d.rs"]),
        ("b/inner.rs", vec!["e.rs"]),
        ("d.rs", vec!["b/inner.rs"]),
        ("e.rs", vec!["a.rs"]),
    ];
    assert_eq!(arrows, expected);
    let circles: Vec<Vec<&str>> = read
        .circles()
        .iter()
        .map(|circle| circle.iter().map(|file| file.strip_prefix(folder.path()).unwrap().to_str().unwrap()).collect())
        .collect();
    assert_eq!(circles, [["a.rs", "b/inner.rs", "d.rs", "e.rs"]]);
}
