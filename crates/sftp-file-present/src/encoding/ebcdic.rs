//! EBCDIC: code pages as tables, one file each, in the layout of Unicode's mapping files.
//!
//! The tables of IBM037 and IBM500 are those that Unicode publishes for Microsoft's cp037 and cp500; IBM1047 is that of
//! IBM's character data registry (ibm-1047_P100-1995).

use std::sync::LazyLock;

/// An EBCDIC code page: all 256 bytes are assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodePage {
    Ibm037,
    Ibm500,
    Ibm1047,
}

/// The code pages under the names that go by them, letters and digits alone, in lower case.
const NAMES: [(&str, CodePage); 14] = [
    ("ibm037", CodePage::Ibm037),
    ("ibm37", CodePage::Ibm037),
    ("cp037", CodePage::Ibm037),
    ("cp37", CodePage::Ibm037),
    ("ebcdiccpus", CodePage::Ibm037),
    ("ebcdiccpca", CodePage::Ibm037),
    ("csibm037", CodePage::Ibm037),
    ("ibm500", CodePage::Ibm500),
    ("cp500", CodePage::Ibm500),
    ("ebcdiccpbe", CodePage::Ibm500),
    ("csibm500", CodePage::Ibm500),
    ("ibm1047", CodePage::Ibm1047),
    ("cp1047", CodePage::Ibm1047),
    ("ibm1047latin1", CodePage::Ibm1047),
];

type Table = [char; 256];

static IBM037: LazyLock<Table> = LazyLock::new(|| table(include_str!("code_pages/ibm037.txt")));
static IBM500: LazyLock<Table> = LazyLock::new(|| table(include_str!("code_pages/ibm500.txt")));
static IBM1047: LazyLock<Table> = LazyLock::new(|| table(include_str!("code_pages/ibm1047.txt")));

/// A table from its file. What a line does not assign becomes U+FFFD; a test holds that there is no such byte.
fn table(file: &str) -> Table {
    let mut table = ['\u{fffd}'; 256];
    let number = |text: &str| u32::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.split('\t').map_while(number);
        let (Some(byte), Some(character)) = (parts.next(), parts.next().and_then(char::from_u32)) else { continue };
        if let Some(slot) = usize::try_from(byte).ok().and_then(|byte| table.get_mut(byte)) {
            *slot = character;
        }
    }
    table
}

impl CodePage {
    pub(super) fn named(plain: &str) -> Option<Self> {
        NAMES.iter().find(|(name, _)| *name == plain).map(|(_, page)| *page)
    }

    fn table(self) -> &'static Table {
        match self {
            Self::Ibm037 => &IBM037,
            Self::Ibm500 => &IBM500,
            Self::Ibm1047 => &IBM1047,
        }
    }

    /// The text of bytes, one character each. NL (0x15, U+0085) is what ends a line on these systems: it becomes a line
    /// feed, as LF (0x25) does.
    pub(super) fn decode(self, bytes: &[u8]) -> String {
        let table = self.table();
        let character = |&byte: &u8| match table.get(usize::from(byte)) {
            Some('\u{85}') => '\n',
            Some(&character) => character,
            None => '\u{fffd}',
        };
        bytes.iter().map(character).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_byte_is_one_character_of_its_own() {
        for page in [CodePage::Ibm037, CodePage::Ibm500, CodePage::Ibm1047] {
            let characters: BTreeSet<char> = page.table().iter().copied().collect();
            assert_eq!(characters.len(), 256, "{page:?}");
            assert!(characters.iter().all(|&c| c <= '\u{ff}'), "{page:?} is Latin-1, in another order");
        }
    }

    /// The bytes in which the code pages differ, as their registries print them.
    #[test]
    fn the_pages_differ_where_they_should() {
        for (page, bytes, text) in [
            (CodePage::Ibm037, b"\xC8\x85\x93\x93\x96\x40\xF1\x5A\xBA\xBB\xB0".as_slice(), "Hello 1![]^"),
            (CodePage::Ibm500, b"\xC8\x85\x93\x93\x96\x40\xF1\x4F\x4A\x5A\x5F", "Hello 1![]^"),
            (CodePage::Ibm1047, b"\xC8\x85\x93\x93\x96\x40\xF1\x5A\xAD\xBD\x5F", "Hello 1![]^"),
        ] {
            assert_eq!(page.decode(bytes), text, "{page:?}");
            assert_eq!(page.decode(b"\xC1\x15\xC2\x25\xC3\x0D\x25"), "A\nB\nC\r\n");
        }
    }
}
