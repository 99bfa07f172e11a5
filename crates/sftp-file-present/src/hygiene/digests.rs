//! Digests of a file, several in one pass.

use md5::Md5;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256, Sha512};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Algorithm {
    Md5,
    Sha256,
    Sha512,
}

/// Every algorithm with its names, less punctuation and in lower case, and the number of its hexadecimal digits.
const ALGORITHMS: &[(Algorithm, &[&str], usize)] = &[
    (Algorithm::Md5, &["md5", "md5sum"], 32),
    (Algorithm::Sha256, &["sha256", "sha256sum", "sha2256"], 64),
    (Algorithm::Sha512, &["sha512", "sha512sum", "sha2512"], 128),
];

impl Algorithm {
    /// By its name, or the extension of files that hold it: `sha256`, `SHA-256`, `sha256sum`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let plain: String = name.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
        ALGORITHMS.iter().find(|(_, names, _)| names.contains(&plain.as_str())).map(|(algorithm, ..)| *algorithm)
    }

    pub(crate) fn of_digest(hex: &str) -> Option<Self> {
        let known = ALGORITHMS.iter().find(|(_, _, digits)| *digits == hex.len())?;
        hex.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(known.0)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Md5 => "MD5",
            Self::Sha256 => "SHA-256",
            Self::Sha512 => "SHA-512",
        }
    }
}

#[derive(Default)]
pub(crate) struct Digests {
    md5: Option<Md5>,
    sha512: Option<Sha512>,
    sha256: Option<Sha256>,
}

/// Digests that were made, in lower-case hex.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sums {
    md5: Option<String>,
    sha256: Option<String>,
    sha512: Option<String>,
}

impl Digests {
    pub(crate) fn of(wanted: &[Algorithm]) -> Self {
        Self {
            md5: wanted.contains(&Algorithm::Md5).then(Md5::new),
            sha256: wanted.contains(&Algorithm::Sha256).then(Sha256::new),
            sha512: wanted.contains(&Algorithm::Sha512).then(Sha512::new),
        }
    }

    pub(crate) fn update(&mut self, piece: &[u8]) {
        if let Some(digest) = &mut self.md5 {
            digest.update(piece);
        }
        if let Some(digest) = &mut self.sha256 {
            digest.update(piece);
        }
        if let Some(digest) = &mut self.sha512 {
            digest.update(piece);
        }
    }

    pub(crate) fn finish(self) -> Sums {
        Sums {
            md5: self.md5.map(|digest| hex(&digest.finalize())),
            sha256: self.sha256.map(|digest| hex(&digest.finalize())),
            sha512: self.sha512.map(|digest| hex(&digest.finalize())),
        }
    }
}

impl Sums {
    pub(crate) fn get(&self, algorithm: Algorithm) -> Option<&String> {
        match algorithm {
            Algorithm::Md5 => self.md5.as_ref(),
            Algorithm::Sha256 => self.sha256.as_ref(),
            Algorithm::Sha512 => self.sha512.as_ref(),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
