//! The commands, one a file.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod checks;
pub(crate) mod explain;
mod explain_voice;
pub(crate) mod lint;
pub(crate) mod record;
pub(crate) mod schema;
pub(crate) mod score;
mod telemetry;
pub(crate) mod verify_loop;

use candor_engine::{Engine, FileError};
use clap::Args as ClapArgs;
use tokio::runtime::Runtime;

/// Who verifies whom.
#[derive(Debug, ClapArgs)]
pub(crate) struct IdentityArgs {
    /// The name under which results are recorded
    #[arg(long, value_name = "ID")]
    pub verifier_id: Option<String>,
    /// Who did the work; never the verifier
    #[arg(long, value_name = "ID")]
    pub agent_id: Option<String>,
}

/// The name under which results are recorded.
fn verifier_id(identity: &IdentityArgs) -> String {
    // Whoever packages the program names the build; built from source it says so.
    let own = concat!("candor/", env!("CARGO_PKG_VERSION"), "+");
    let own = format!("{own}{}", option_env!("CANDOR_BUILD").unwrap_or("source"));
    identity.verifier_id.clone().unwrap_or(own)
}

/// The engine with every check, recording under the verifier's name.
fn engine(identity: &IdentityArgs) -> Result<Engine, String> {
    let verifier = verifier_id(identity);
    if identity.agent_id.as_ref() == Some(&verifier) {
        return Err(format!(
            "the verifier and the agent are both `{verifier}`: nobody attests their own work; give two different ids"
        ));
    }
    Ok(Engine::new(candor_checks::ALL.iter().copied(), &verifier).with_parts(candor_checks::PARTS.iter().copied()))
}

fn runtime() -> Result<Runtime, String> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(std::thread::available_parallelism().map_or(2, |n| n.get().min(8)))
        .enable_all()
        .build()
        .map_err(|e| format!("no threads can be started: {e}"))
}

fn listed(errors: &[FileError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
