//! The queue: a folder with a file for each letter, or a server that lists them, `queue://HOST:PORT/NAME`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use candor::check::sandbox::{Remote, Scheme, Section, SectionError, SettingKind};
use candor::check::{Obstacle, Part, Sandbox, Source, Unverifiable};

/// The part's folder in a sandbox, and its table in `sandbox.toml`.
pub(crate) const PART_NAME: &str = "queue";

const SCHEMES: &[Scheme] = &[Scheme {
    names: &["queue"],
    settings: &[("prefix", SettingKind::Text), ("token", SettingKind::Secret)],
    required: &[],
    example: "queue://host:7000/letters",
}];

/// The names of the letters that wait.
pub(crate) struct Queue {
    pub(crate) letters: Vec<String>,
}

impl Part for Queue {
    const NAME: &'static str = PART_NAME;
    const KEYS: &'static [&'static str] = &["url", "prefix", "token"];
    type Settings = Option<Remote>;

    fn settings(section: &Section) -> Result<Option<Remote>, SectionError> {
        match Remote::read(section, SCHEMES)? {
            None if section.is_given() => {
                section.only(Self::KEYS)?;
                Err(SectionError::new("url", "`url` is not the URL of a queue; expected queue://host:7000/letters"))
            }
            remote => Ok(remote),
        }
    }

    fn is_live(settings: &Option<Remote>) -> bool {
        settings.is_some()
    }
}

impl Source for Queue {
    const READS: &'static [&'static str] = &[PART_NAME];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let settings = sandbox.settings::<Self>()?;
        let letters = match (settings.as_ref(), sandbox.folder(PART_NAME)) {
            (Some(remote), _) => {
                let remote = remote.clone();
                sandbox.blocking("the queue", move || asked(&remote)).await?
            }
            (None, Some(folder)) => {
                let names = move || Ok(folder.list()?.files.into_iter().map(|file| file.path).collect());
                sandbox.blocking("queue/", names).await?
            }
            (None, None) => return Err(sandbox.no_source(PART_NAME)),
        };
        Ok(Self { letters })
    }
}

/// Asks the server: a line with the queue's name and the prefix, answered by a line for each letter.
fn asked(remote: &Remote) -> Result<Vec<String>, Unverifiable> {
    let unavailable = |error: std::io::Error| {
        Unverifiable::new(Obstacle::SourceUnavailable, format!("{} does not answer: {error}", remote.url))
    };
    let (host, name) = remote.url.trim_start_matches("queue://").split_once('/').unwrap_or_default();
    let mut stream = TcpStream::connect(host).map_err(unavailable)?;
    let prefix = remote.text("prefix").unwrap_or_default();
    writeln!(stream, "{name} {prefix}").map_err(unavailable)?;
    BufReader::new(stream).lines().collect::<Result<_, _>>().map_err(unavailable)
}
