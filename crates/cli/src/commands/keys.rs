//! `candor keys`: keys that sign evidence bundles, and operators' keys of a service.

use std::path::{Path, PathBuf};

use candor::inner::report::Format;
use candor_json::json;
use clap::{Args as ClapArgs, Subcommand};

use super::{service_keys, signing_keys};
use crate::exit::Outcome;
use crate::output::OutputArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make a pair of keys that sign and verify evidence bundles: --out NAME writes NAME.key and NAME.pub
    Sign,
    /// Make an operator's key and print it, once
    Create(CreateArgs),
    /// List the operators' keys, without their secrets
    List(WhereArgs),
    /// Revoke an operator's key
    Revoke(RevokeArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct WhereArgs {
    /// The folder of the service's database
    #[arg(long, value_name = "FOLDER", required_unless_present = "database")]
    pub data: Option<PathBuf>,
    /// The service's PostgreSQL database, postgres://…
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    pub database: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CreateArgs {
    #[command(flatten)]
    pub place: WhereArgs,
    /// The name of the key in lists
    #[arg(long, value_name = "NAME", default_value = "operator")]
    pub name: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RevokeArgs {
    /// The key's id, as `candor keys list` shows it, or the key
    pub key: String,
    #[command(flatten)]
    pub place: WhereArgs,
}

impl WhereArgs {
    /// The folder, or the URL in its place.
    pub(crate) fn pair(&self) -> (Option<&Path>, Option<&str>) {
        (self.data.as_deref(), self.database.as_deref())
    }
}

pub(crate) fn run(command: &KeysCommand, output: &OutputArgs) -> Result<Outcome, String> {
    match command {
        KeysCommand::Sign => return signing_keys::make(output),
        KeysCommand::Create(args) => {
            let key = service_keys::create(args.place.pair(), &args.name)?;
            output.write(format!("{key}\n").as_bytes())?;
        }
        KeysCommand::List(place) => {
            let mut text = String::new();
            for (id, name, created_at, revoked_at) in service_keys::list(place.pair())? {
                text.push_str(&match output.format_to_read() {
                    Format::Text => {
                        let state = revoked_at.map_or("in use".to_owned(), |at| format!("revoked {at}"));
                        format!("{id}  {created_at}  {name}  {state}\n")
                    }
                    _ => {
                        let key = json!({"id": id, "name": name, "created_at": created_at, "revoked_at": revoked_at});
                        format!("{key}\n")
                    }
                });
            }
            output.write(text.as_bytes())?;
        }
        KeysCommand::Revoke(args) => {
            if !service_keys::revoke(args.place.pair(), &args.key)? {
                return Err("there is no such key in use; `candor keys list` shows the ids".to_owned());
            }
        }
    }
    Ok(Outcome::Pass)
}
