//! Interchanges to test with, and a plain account of a walk.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, dead_code, reason = "helpers of tests")]

use std::path::PathBuf;

use candor_x12::{Finding, Input, Item, Limits, Path, Walk};

pub(crate) const ISA: &str =
    "ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *261120*1200*^*00501*000000001*0*P*:~";

/// A 271 with a composite, repetitions and an empty element.
pub(crate) const SET: &str = "ST*271*0001*005010X279A1~BHT*0022*11*10001234*20261120*1319~EB*1**1^33^30~EB*C*IND*30**GOLD*23*200.00*****Y*HC:99213:25~EB*6**98~SVC*HC:99213*100*80~SE*7*0001~";

pub(crate) fn group(sets: &str, count: usize) -> String {
    format!("GS*HB*SS*RR*20261120*1200*1*X*005010X279A1~{sets}GE*{count}*1~")
}

/// A sound interchange around [`SET`].
pub(crate) fn sound() -> String {
    format!("{ISA}{}IEA*1*000000001~", group(SET, 1))
}

/// The items of a walk, as lines.
pub(crate) fn account(bytes: &[u8]) -> Vec<String> {
    account_of(Walk::from_slice(bytes))
}

pub(crate) fn account_read(bytes: &[u8], limits: Limits) -> Vec<String> {
    account_of(Walk::from_read(bytes, limits))
}

pub(crate) fn account_of<I: Input>(mut walk: Walk<I>) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
        lines.push(match item {
            Item::Set(set) => {
                let st = set.view().segment("ST").unwrap();
                format!(
                    "set {} {} at {}..{} in {} {:?}, {} segments{}",
                    st.text(1),
                    st.text(2),
                    set.body.offset,
                    set.body.offset + set.body.bytes.len() as u64,
                    set.interchange.index,
                    set.group.map(|group| group.index),
                    set.segments,
                    findings(&set.findings)
                )
            }
            Item::Ta1(ta1) => format!("TA1 at {} in {}", ta1.body.offset, ta1.interchange.index),
            Item::GroupEnd { index, findings: f } => format!("group {index} ends{}", findings(&f)),
            Item::InterchangeEnd { index, findings: f } => {
                format!("interchange {index} ends{}", findings(&f))
            }
            Item::Fault(error) => format!("fault: {error}"),
        });
    }
    lines
}

fn findings(findings: &[Finding]) -> String {
    findings
        .iter()
        .map(|finding| {
            format!(
                " [{} {} {:?} not {:?}]",
                finding.code,
                finding.path,
                finding.found.as_deref().unwrap_or_default(),
                finding.expected
            )
        })
        .collect()
}

/// The values a path selects in the first set, or the first TA1 where there is no set.
pub(crate) fn select(bytes: &[u8], path: &str) -> Vec<String> {
    let path = Path::parse(path).unwrap();
    let mut walk = Walk::from_slice(bytes);
    while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
        let view = match &item {
            Item::Set(set) => set.view(),
            Item::Ta1(ta1) => ta1.view(),
            _ => continue,
        };
        return path.select(&view).into_iter().map(|value| value.text.into_owned()).collect();
    }
    panic!("nothing to select from")
}

/// Every real file, by its name below `fixtures/`.
pub(crate) fn fixtures() -> Vec<(String, Vec<u8>)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("x12-"))
        .collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !name.contains("LICENSE") {
                files.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}
