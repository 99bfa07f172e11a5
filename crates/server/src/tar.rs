//! Archives as `tar` reads them: POSIX's ustar, with long paths as pax headers.

/// The size of a block of an archive, in bytes.
const BLOCK: usize = 512;

#[derive(Debug, Default)]
pub(crate) struct Archive(Vec<u8>);

impl Archive {
    pub(crate) fn file(&mut self, path: &str, content: &[u8]) {
        self.entry(path, b'0', content);
    }

    pub(crate) fn folder(&mut self, path: &str) {
        self.entry(&format!("{path}/"), b'5', &[]);
    }

    fn entry(&mut self, path: &str, kind: u8, content: &[u8]) {
        if path.len() > 100 || !path.is_ascii() {
            self.member("pax", b'x', record("path", path).as_bytes());
        }
        let mut short = path.len().min(100);
        while !path.is_char_boundary(short) {
            short -= 1;
        }
        self.member(path.get(..short).unwrap_or_default(), kind, content);
    }

    fn member(&mut self, name: &str, kind: u8, content: &[u8]) {
        let mut head = [0_u8; BLOCK];
        let mut put = |at: usize, text: &[u8]| {
            for (to, from) in head.iter_mut().skip(at).zip(text) {
                *to = *from;
            }
        };
        put(0, name.as_bytes());
        put(100, if kind == b'5' { b"0000755" } else { b"0000644" });
        put(108, b"0000000");
        put(116, b"0000000");
        put(124, format!("{:011o}", content.len()).as_bytes());
        put(136, b"00000000000");
        put(148, b"        ");
        put(156, &[kind]);
        put(257, b"ustar\x0000");
        let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
        for (to, from) in head.iter_mut().skip(148).zip(format!("{sum:06o}\0 ").bytes()) {
            *to = from;
        }
        self.0.extend_from_slice(&head);
        self.0.extend_from_slice(content);
        self.0.resize(self.0.len().next_multiple_of(BLOCK), 0);
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.0.resize(self.0.len() + 2 * BLOCK, 0);
        self.0
    }
}

/// A pax record: its own length, a space, `name=value`, a line end.
pub(crate) fn record(name: &str, value: &str) -> String {
    let rest = name.len() + value.len() + 3;
    let mut length = rest + 1;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    format!("{length} {name}={value}\n")
}
