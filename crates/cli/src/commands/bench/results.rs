//! The results file: a task run a line, appended and synced as each ends.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use candor::inner::report::BenchLine;

use crate::output::complain;

const NOT_A_LINE: &str = "this is not a task run of `candor bench --results`";
/// The longest line.
const LONGEST: u64 = 64 << 20;

/// The ids and the digests that all lines of a file have.
pub(super) struct Of<'a> {
    pub(super) benchmark_id: &'a str,
    pub(super) digest: &'a str,
    pub(super) delegate_id: &'a str,
    pub(super) command: &'a str,
    /// The user named the agent. Then its command may differ.
    pub(super) is_named: bool,
}

/// A results file, held by this process alone.
pub(super) struct Results {
    path: PathBuf,
    file: File,
    length: u64,
    done: HashSet<(String, u32)>,
    appended: usize,
}

impl Results {
    /// Opens a results file, or begins one. A last line that was not written whole is cut off, and named on standard error.
    ///
    /// # Errors
    /// When another process holds it, it is not a results file, or one of another benchmark, of another version of it or of
    /// another delegate or command: a sentence. Nothing of such a file is cut off.
    pub(super) fn open(path: &Path, of: &Of<'_>) -> Result<Self, String> {
        let wrong = |what: String| format!("{}: {what}", path.display());
        if path.exists() && !path.is_file() {
            return Err(wrong("it is not a file; results are kept in one".to_owned()));
        }
        let opened = File::options().read(true).append(true).create(true).open(path);
        let file = opened.map_err(|error| wrong(format!("it cannot be written: {error}")))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(wrong("another `candor bench` writes to it; wait until it ends".to_owned()));
            }
            Err(TryLockError::Error(error)) => return Err(wrong(format!("it cannot be locked: {error}"))),
        }
        let mut results = Self { path: path.to_owned(), file, length: 0, done: HashSet::new(), appended: 0 };
        let (mut done, mut number) = (HashSet::new(), 0);
        let length = results.each(|text| {
            number += 1;
            let line = BenchLine::read(text).map_err(|what| {
                let place = path.display();
                format!("{place}:{number}: {NOT_A_LINE}: {what}")
            })?;
            of.holds(&line)
                .map_err(|what| format!("{}:{number}: {what}; give --results another file", path.display()))?;
            match done.insert((line.entry.clone(), line.epoch)) {
                true => Ok(()),
                false => Err(wrong(format!("epoch {} of `{}` is in it twice", line.epoch, line.entry))),
            }
        })?;
        let there = results.file.metadata().map_or(length, |there| there.len());
        if there > length {
            if !results.begins_a_line(length, of)? {
                return Err(wrong(format!("the last line: {NOT_A_LINE}; give --results another file")));
            }
            results.cut(length)?;
            complain(&wrong(format!(
                "the last line was not written whole; its {} bytes were cut off, and that task run is run again",
                there - length
            )));
        }
        (results.length, results.done) = (length, done);
        Ok(results)
    }

    pub(super) fn has(&self, entry: &str, epoch: u32) -> bool {
        self.done.contains(&(entry.to_owned(), epoch))
    }

    pub(super) fn count(&self) -> usize {
        self.done.len() + self.appended
    }

    /// Appends a task run, which is on the disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written, in a sentence. Nothing of it is in the file then.
    pub(super) fn append(&mut self, line: &[u8]) -> Result<(), String> {
        let written = self.file.write_all(line).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // What is left of the line is cut off at the next start, if it cannot be now.
            let _ = self.cut(self.length);
            return Err(format!("{}: it cannot be written: {error}", self.path.display()));
        }
        self.length += line.len() as u64;
        self.appended += 1;
        Ok(())
    }

    /// Returns `true` if what follows `length` is the begin of a line of this benchmark.
    fn begins_a_line(&mut self, length: u64, of: &Of<'_>) -> Result<bool, String> {
        let ids = candor::inner::report::json::line(&candor_json::json!({
            "benchmark_id": of.benchmark_id,
            "benchmark_digest": of.digest,
        }));
        let ids = ids.strip_suffix(b"}\n").unwrap_or_default();
        let mut found = Vec::new();
        let read = self.file.seek(SeekFrom::Start(length));
        let read = read.and_then(|_| (&self.file).take(ids.len() as u64).read_to_end(&mut found));
        read.map_err(|error| format!("{}: it cannot be read: {error}", self.path.display()))?;
        Ok(ids.starts_with(&found))
    }

    fn cut(&self, length: u64) -> Result<(), String> {
        let cut = self.file.set_len(length).and_then(|()| self.file.sync_data());
        cut.map_err(|error| format!("{}: it cannot be written: {error}", self.path.display()))
    }

    /// Gives every whole line to `each`, and returns the bytes that they take.
    ///
    /// # Errors
    /// When the file cannot be read, or the first error that `each` returns.
    pub(super) fn each(&mut self, mut each: impl FnMut(&str) -> Result<(), String>) -> Result<u64, String> {
        let path = self.path.display();
        let unread = |error: std::io::Error| format!("{path}: it cannot be read: {error}");
        self.file.rewind().map_err(unread)?;
        let (mut reader, mut line, mut length) = (BufReader::new(&self.file), Vec::new(), 0);
        loop {
            line.clear();
            reader.by_ref().take(LONGEST).read_until(b'\n', &mut line).map_err(unread)?;
            let Some(text) = line.strip_suffix(b"\n") else { break };
            each(str::from_utf8(text).map_err(|_| format!("{path}: it is not UTF-8"))?)?;
            length += line.len() as u64;
        }
        match line.len() as u64 {
            LONGEST => Err(format!("{path}: a line has more than {LONGEST} bytes")),
            _ => Ok(length),
        }
    }
}

impl Of<'_> {
    /// Refuses a line with another id or digest.
    fn holds(&self, line: &BenchLine) -> Result<(), String> {
        let Self { benchmark_id, digest, delegate_id, command, is_named } = self;
        match line {
            BenchLine { benchmark_id: other, .. } if other != benchmark_id => {
                Err(format!("found a result of the benchmark `{other}`, expected `{benchmark_id}`"))
            }
            BenchLine { benchmark_digest: other, .. } if other != digest => Err(format!(
                "found a result of another version of `{benchmark_id}`: an entry, a task or a world has changed since"
            )),
            BenchLine { delegate_id: other, .. } if other != delegate_id => {
                Err(format!("found a result of the agent `{other}`, expected `{delegate_id}`"))
            }
            BenchLine { command_digest: other, .. } if other != command && !is_named => Err(format!(
                "found a result of `{delegate_id}` by another command, and no --agent-id says that it is the same agent"
            )),
            _ => Ok(()),
        }
    }
}
