//! Walks through a tree.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use candor_check::sandbox::Limits;
use candor_check::{Obstacle, Unverifiable};

use crate::store::sftp::trouble::Trouble;
use crate::store::sftp::walk::{Attributes, Bounds, Each, HOPS, Kind, Place, Tree, Walked, is_below, resolve, walk};

/// A tree in memory; a path that holds nothing is a folder where another path goes on from it.
#[derive(Default)]
struct Memory {
    nodes: BTreeMap<Vec<u8>, Node>,
    told: BTreeMap<Vec<u8>, Vec<(Vec<u8>, Attributes)>>,
}

enum Node {
    File(u64),
    Folder,
    Link(Vec<u8>),
    Denied,
    Pipe,
}

fn denied() -> Trouble {
    Trouble::Here(Unverifiable::new(Obstacle::SourceDenied, "denied"))
}

impl Memory {
    fn with(mut self, path: &str, node: Node) -> Self {
        self.nodes.insert(path.as_bytes().to_vec(), node);
        self
    }

    fn seen(node: &Node) -> Attributes {
        let (kind, size) = match node {
            Node::File(size) => (Kind::File, Some(*size)),
            Node::Folder | Node::Denied => (Kind::Folder, None),
            Node::Link(_) => (Kind::Link, None),
            Node::Pipe => (Kind::Other, None),
        };
        Attributes { kind: Some(kind), size, modified: Some(0) }
    }

    fn node(&self, path: &[u8]) -> Result<(Vec<u8>, &Node), Trouble> {
        let (folder, name) = path.split_at(path.iter().rposition(|&byte| byte == b'/').unwrap());
        let folder = self.real(folder, 0)?;
        let real = if folder == b"/" { name.to_vec() } else { [&folder, name].concat() };
        self.nodes.get(&real).map(|node| (real, node)).ok_or(Trouble::Missing)
    }

    fn real(&self, path: &[u8], hops: usize) -> Result<Vec<u8>, Trouble> {
        if hops > HOPS {
            return Err(Trouble::Missing);
        }
        let mut at = Vec::new();
        for part in path.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".") {
            if part == b".." {
                at.truncate(at.iter().rposition(|&byte| byte == b'/').unwrap_or(0));
                continue;
            }
            let next = [&at[..], b"/", part].concat();
            at = match self.nodes.get(&next) {
                Some(Node::Link(target)) if target.starts_with(b"/") => self.real(target, hops + 1)?,
                Some(Node::Link(target)) => self.real(&[&at[..], b"/", target].concat(), hops + 1)?,
                Some(_) => next,
                None => return Err(Trouble::Missing),
            };
            if at == b"/" {
                at.clear();
            }
        }
        Ok(if at.is_empty() { b"/".to_vec() } else { at })
    }
}

impl Tree for Memory {
    fn attributes(&self, path: &[u8]) -> Result<Attributes, Trouble> {
        self.node(path).map(|(_, node)| Self::seen(node))
    }

    fn target(&self, path: &[u8]) -> Result<Vec<u8>, Trouble> {
        match self.node(path)?.1 {
            Node::Link(target) => Ok(target.clone()),
            _ => Err(Trouble::Missing),
        }
    }

    fn entries(&self, path: &[u8], each: &mut Each<'_>) -> Result<(), Trouble> {
        match self.node(path)? {
            (_, Node::Folder) => {}
            (_, Node::Denied) => return Err(denied()),
            _ => return Err(Trouble::Missing),
        }
        for (name, attributes) in self.told.get(path).into_iter().flatten() {
            each(name, *attributes)?;
        }
        for (other, node) in &self.nodes {
            if let Some(name) = other.strip_prefix([path, b"/"].concat().as_slice())
                && !name.contains(&b'/')
            {
                each(name, Self::seen(node))?;
            }
        }
        Ok(())
    }
}

fn list(tree: &Memory, below: &str, limits: Limits) -> Result<Walked, Trouble> {
    let bounds = Bounds { limits: &limits, until: Instant::now() + Duration::from_secs(60), name: "sftp://h/drop/" };
    walk(tree, b"/drop", below, &bounds)
}

fn paths(walked: &Walked) -> Vec<&str> {
    walked.listing.files.iter().map(|file| file.path.as_str()).collect()
}

fn drop() -> Memory {
    Memory::default().with("/drop", Node::Folder)
}

fn link(target: &str) -> Node {
    Node::Link(target.as_bytes().to_vec())
}

#[test]
fn links_are_followed_inside_only() {
    let tree = drop()
        .with("/drop/a", Node::Folder)
        .with("/drop/a/1", Node::File(1))
        .with("/drop/in", link("a"))
        .with("/drop/absolute", link("/drop/a/1"))
        .with("/drop/round", link("../drop/./a/../in/1"))
        .with("/drop/out", link("/etc"))
        .with("/drop/above", link(".."))
        .with("/drop/beside", link("../dropped/1"))
        .with("/drop/nowhere", link("none"))
        .with("/drop/through", link("a/1/none"))
        .with("/drop/circle", link("circle"))
        .with("/drop/back", link("/other/back"))
        .with("/drop/pipe", Node::Pipe)
        .with("/dropped", Node::Folder)
        .with("/dropped/1", Node::File(1))
        .with("/other", Node::Folder)
        .with("/other/back", link("/drop/a/1"))
        .with("/etc", Node::Folder)
        .with("/etc/passwd", Node::File(1));
    let walked = list(&tree, "", Limits::default()).map_err(|_| "lost").unwrap();
    assert_eq!(paths(&walked), ["a/1", "absolute", "back", "in/1", "round"]);
    let outside =
        ["above", "beside", "circle", "nowhere", "out", "through"].map(|name| format!("sftp://h/drop/{name}"));
    assert_eq!(walked.listing.outside_links, outside);
    let below = list(&tree, "in", Limits::default()).map_err(|_| "lost").unwrap();
    assert_eq!(paths(&below), ["in/1"]);
    let out = list(&tree, "out", Limits::default()).map_err(|_| "lost").unwrap();
    assert!(paths(&out).is_empty() && out.listing.outside_links == ["sftp://h/drop/out"]);
}

#[test]
fn what_cannot_be_looked_at_is_named() {
    let tree = drop().with("/drop/a", Node::File(1)).with("/drop/closed", Node::Denied);
    let walked = list(&tree, "", Limits::default()).map_err(|_| "lost").unwrap();
    assert_eq!(paths(&walked), ["a"]);
    let named: Vec<_> = walked.listing.unreadable.iter().map(|(name, why)| (&**name, why.obstacle)).collect();
    assert_eq!(named, [("sftp://h/drop/closed", Obstacle::SourceDenied)]);
    // Asked for itself, it is all there is to know.
    assert!(
        matches!(list(&tree, "closed", Limits::default()), Err(Trouble::Here(why)) if why.obstacle == Obstacle::SourceDenied)
    );
    assert!(paths(&list(&tree, "none/at/all", Limits::default()).map_err(|_| "lost").unwrap()).is_empty());
    // The store itself is not taken for empty.
    assert!(matches!(list(&Memory::default(), "", Limits::default()), Err(Trouble::Missing)));
}

#[test]
fn names_that_can_be_none_are_no_way_out() {
    let mut tree = drop().with("/drop/a", Node::File(1)).with("/secret", Node::File(1));
    let file = Attributes { kind: Some(Kind::File), size: Some(1), modified: None };
    let told = [&b"../secret"[..], b"a", b"", b"x\0y", b".", b"..", b"\xff", b"\xfe"].map(|name| (name.to_vec(), file));
    tree.told.insert(b"/drop".to_vec(), told.to_vec());
    let walked = list(&tree, "", Limits::default()).map_err(|_| "lost").unwrap();
    // `a` is listed twice and is one file; of two names that look alike as text one is named.
    assert_eq!(paths(&walked), ["a", "\u{fffd}"]);
    assert_eq!(walked.odd["\u{fffd}"], b"/drop/\xff");
    let obstacles: Vec<_> = walked.listing.unreadable.iter().map(|(_, why)| why.obstacle.name()).collect();
    assert_eq!(obstacles.len(), 4, "{:?}", walked.listing.unreadable);
}

#[test]
fn what_a_server_does_not_say_is_asked_for() {
    let mut tree = drop().with("/drop/folder", Node::Folder).with("/drop/folder/a", Node::File(7));
    let silent = Attributes { kind: None, size: None, modified: None };
    tree.told.insert(b"/drop".to_vec(), vec![(b"folder".to_vec(), silent)]);
    assert_eq!(paths(&list(&tree, "", Limits::default()).map_err(|_| "lost").unwrap()), ["folder/a"]);
}

#[test]
fn limits_are_kept() {
    let mut tree = drop();
    for number in 0..5 {
        tree = tree.with(&format!("/drop/{number}"), Node::File(1));
    }
    let most = |max_files| list(&tree, "", Limits { max_files, ..Limits::default() });
    assert_eq!(most(5).map_err(|_| "lost").unwrap().listing.files.len(), 5);
    assert!(matches!(most(4), Err(Trouble::Here(why)) if why.obstacle == Obstacle::LimitExceeded));
    let limits = Limits::default();
    let bounds = Bounds { limits: &limits, until: Instant::now() - Duration::from_millis(1), name: "x" };
    assert!(matches!(walk(&tree, b"/drop", "", &bounds), Err(Trouble::Here(why)) if why.obstacle == Obstacle::Timeout));
    // Two links to the folder above, in every folder: each way is walked once, not for ever.
    let round = drop().with("/drop/f", Node::Folder).with("/drop/f/a", link("..")).with("/drop/f/b", link("../f"));
    assert!(list(&round, "", Limits::default()).is_ok());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(candor_test_size::cases(200)))]
    #[test]
    fn paths_lead_where_a_system_leads_them(
        links in proptest::collection::vec(("[ab]", "[ab]", "(/drop/|/|)([ab.]|\\.\\.)(/([ab.]|\\.\\.)){0,3}"), 0..5),
        path in "([ab.]|\\.\\.)(/([ab.]|\\.\\.)){0,4}",
    ) {
        let mut tree = drop();
        for folder in ["/a", "/b", "/drop/a", "/drop/b"] {
            tree = tree.with(folder, Node::Folder);
        }
        for (folder, name, target) in &links {
            tree = tree.with(&format!("/drop/{folder}/{name}"), link(target));
            tree = tree.with(&format!("/{folder}/{name}"), link(target));
        }
        let real = tree.real(format!("/drop/{path}").as_bytes(), 0);
        match resolve(&tree, b"/drop", b"/drop", path.as_bytes()) {
            Ok(Place::Inside(at, _)) => proptest::prop_assert_eq!(Ok(at), real),
            Ok(Place::Outside) => proptest::prop_assert!(real.is_ok_and(|real| !is_below(&real, b"/drop"))),
            Ok(Place::Nowhere) => proptest::prop_assert!(real.is_err()),
            Err(_) => proptest::prop_assert!(false, "nothing here is refused"),
        }
    }
}
