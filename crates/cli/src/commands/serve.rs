//! `candor serve`: the HTTP service.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use candor_server::{Options, backup, duration, serve};
use clap::Args as ClapArgs;

use super::keys::WhereArgs;
use super::record::signal;
use super::service_keys::database;
use super::{IdentityArgs, runtime, verifier_id};
use crate::exit::Outcome;
use crate::output::{OutputArgs, complain};

#[derive(Debug, ClapArgs)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub place: WhereArgs,
    /// Where to listen; port 0 takes a free one, which the log names
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// The address that callers know the service by, behind a proxy
    #[arg(long, value_name = "URL", value_parser = url)]
    pub public_url: Option<String>,
    /// Answer `complete` with 202 when a grading takes longer
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "30s")]
    pub answer_within: Duration,
    /// The largest body of a request
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "64MiB")]
    pub max_body: usize,
    /// For how long a run's token is valid
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "24h")]
    pub run_token_ttl: Duration,
    /// Delete the events and the evidence of runs that were completed so long ago; verdicts stay
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub keep: Option<Duration>,
    /// Hosts that sandboxes outside may be read from
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    pub allow_hosts: Vec<String>,
    /// Ports of this machine for HL7 v2 over MLLP, one for each task run
    #[arg(long, value_name = "FIRST-LAST", value_parser = ports)]
    pub mllp_ports: Option<(u16, u16)>,
    /// Let `/nemo` be used without a key; on a loopback address only
    #[arg(long)]
    pub nemo_open: bool,
    /// Copy the embedded database to a new file, while a service may use it, and end
    #[arg(long, value_name = "FILE")]
    pub backup: Option<PathBuf>,
    /// The name under which results are recorded
    #[arg(long, value_name = "ID")]
    pub verifier_id: Option<String>,
}

/// Reads `64MiB`.
fn size(text: &str) -> Result<usize, String> {
    const UNITS: [(&str, usize); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];
    let read =
        UNITS.iter().find_map(|(unit, scale)| text.strip_suffix(unit)?.parse::<usize>().ok()?.checked_mul(*scale));
    read.filter(|size| *size > 0)
        .ok_or_else(|| format!("`{text}` is not a size; write a whole number and a unit, as in 512KiB, 64MiB or 1GiB"))
}

/// Reads `2600-2700`.
fn ports(text: &str) -> Result<(u16, u16), String> {
    let range = text.split_once('-').and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    range
        .filter(|(first, last)| *first > 0 && first <= last)
        .ok_or_else(|| format!("`{text}` is not a range of ports; write the first and the last one, as in 2600-2700"))
}

/// Reads an absolute URL.
fn url(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    match rest.filter(|rest| !rest.is_empty() && !rest.contains(['?', '#', ' '])) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!("`{text}` is not a URL; write it as in https://candor.example.org")),
    }
}

pub(crate) fn run(args: &ServeArgs, output: &OutputArgs) -> Result<Outcome, String> {
    if output.out.is_some() {
        return Err("--out: the service writes no result; its log goes to standard error".to_owned());
    }
    let runtime = runtime()?;
    if let Some(file) = &args.backup {
        runtime.block_on(backup(&database(args.place.pair()), file))?;
        complain(&format!("the database was copied to {}", file.display()));
        return Ok(Outcome::Pass);
    }
    let options = Options {
        listen: args.listen,
        database: database(args.place.pair()),
        verifier_id: verifier_id(&IdentityArgs { verifier_id: args.verifier_id.clone(), agent_id: None }),
        answer_within: args.answer_within,
        max_body: args.max_body,
        run_token_ttl: args.run_token_ttl,
        keep: args.keep,
        public_url: args.public_url.clone(),
        allow_hosts: args.allow_hosts.clone(),
        mllp_ports: args.mllp_ports,
        nemo_open: args.nemo_open,
    };
    runtime.block_on(serve(options, signal()))?;
    Ok(Outcome::Pass)
}
