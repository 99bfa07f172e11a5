//! `candor doctor`.

use candor::inner::report::Format;
use candor::inner::report::json::document;
use candor::verification::confine::{found, offer};
use candor_json::{Value, json};

use super::version::{features, text};
use crate::exit::Outcome;
use crate::output::OutputArgs;

/// The servers that a build with a feature reads.
const SERVERS: [(&str, &str); 4] = [
    ("http", "FHIR servers, portals over HTTP"),
    ("databases", "PostgreSQL, MySQL, MariaDB"),
    ("sftp", "SFTP servers"),
    ("cloud", "S3, Google Cloud Storage, Azure"),
];

pub(crate) fn run(output: &OutputArgs) -> Result<Outcome, String> {
    let format = output.format_to_read();
    let program = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    offer(vec![program.into(), "confine".into()], None);
    let found = found();
    let best = found.best();
    let offered = found.modes.iter().map(|(mode, offered)| (mode.name(), offered.as_ref().err()));
    let keyrings = best.map(|_| ("keyrings", found.keyrings.as_ref()));
    let offers: Vec<(&str, Option<&String>)> =
        offered.chain([("overlay", found.overlay.as_ref())]).chain(keyrings).collect();
    let built = features(true);
    let read: Vec<&str> =
        SERVERS.iter().filter(|(feature, _)| built.contains(feature)).map(|(_, servers)| *servers).collect();
    let rendered = if format == Format::Json {
        let offer = |(name, why): &(&str, Option<&String>)| json!({"name": name, "offered": why.is_none(), "why": why});
        document(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "features": built,
            "left_out": features(false),
            "servers": read,
            "boundary": best.map(|mode| mode.name()),
            "machine": offers.iter().map(offer).collect::<Vec<Value>>(),
        }))
    } else {
        let servers = if read.is_empty() { "none".to_owned() } else { read.join(", ") };
        let mut lines = vec![format!("{}servers that it reads: {servers}", text())];
        lines.extend(offers.iter().map(|(name, why)| match why {
            None => format!("✓ {name}"),
            Some(why) => format!("✗ {name}: {why}"),
        }));
        lines.push(match best {
            Some(mode) => format!("The boundary of `candor loop` is held by {}.\n", mode.name()),
            None => "There is no boundary here: `candor loop` needs --no-isolation.\n".to_owned(),
        });
        lines.join("\n").into_bytes()
    };
    output.write_as(format, &rendered)?;
    Ok(if best.is_some() { Outcome::Pass } else { Outcome::Findings })
}
