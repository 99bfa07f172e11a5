//! How much a program may take.

use std::time::Duration;

#[cfg(feature = "script")]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// The limits of a program. A program that exceeds one is ended: that is a broken verifier, not a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Function calls and turns of loops. Built-in functions are one step each, whatever they do: the other limits
    /// are theirs.
    pub steps: u64,
    /// Address space of its process, in bytes; half of it for its values.
    pub memory: u64,
    /// Processor time, in whole seconds.
    pub processor: Duration,
    /// Time, waiting included.
    pub time: Duration,
    /// The largest return value, in bytes.
    pub answer: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 10_000_000,
            memory: 512 << 20,
            processor: Duration::from_secs(10),
            time: Duration::from_secs(30),
            answer: 16 << 20,
        }
    }
}

impl Limits {
    pub(crate) fn too_much_memory(&self) -> String {
        format!("it needs more than the {} MiB of memory that it may take", self.memory >> 20)
    }

    #[cfg(feature = "script")]
    /// Holds this process to them, for good.
    ///
    /// # Errors
    /// When the system does not hold one of them.
    pub(crate) fn hold(&self) -> Result<(), String> {
        let seconds = self.processor.as_secs().max(1);
        for (resource, name, most, hard) in [
            (Resource::Core, "core files", 0, 0),
            (Resource::Fsize, "file size", 0, 0),
            (Resource::Nofile, "open files", 64, 64),
            // The first of the two ends the process with a signal that tells why.
            (Resource::Cpu, "processor time", seconds, seconds.saturating_add(1)),
            (Resource::As, "memory", self.memory, self.memory),
        ] {
            let given = getrlimit(resource).maximum;
            let within = |most: u64| Some(given.map_or(most, |given| given.min(most)));
            setrlimit(resource, Rlimit { current: within(most), maximum: within(hard) })
                .map_err(|error| format!("this system holds no limit on {name} ({error})"))?;
        }
        Ok(())
    }
}
