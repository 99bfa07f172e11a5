//! `cargo xtask screenshot`: the picture at the top of the README, of the page of the bundled wrong example.

use std::path::Path;
use std::process::Command;

use crate::{cargo, peers, say, status};

const EXAMPLE: &str = "fixtures/examples/prior-auth";
const PICTURE: &str = "docs/result.png";

pub(crate) fn run() -> Result<(), String> {
    let (node, chromium) = (peers::node()?, peers::chromium()?);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::env::temp_dir().join(format!("candor-page-{}.html", std::process::id()));
    let mut check = cargo();
    check.args(["run", "--quiet", "--package", "candor-cli", "--", "check"]);
    check.arg(format!("{EXAMPLE}/task.yaml")).args(["--sandbox", &format!("{EXAMPLE}/done-wrong")]);
    check.args(["--format", "html", "--out"]).arg(&page).current_dir(&root);
    // It ends with 1: the work is wrong, which is what the picture shows.
    let _ = check.status().map_err(|error| format!("cargo could not be started: {error}"))?;
    let mut shot = Command::new("node");
    shot.arg("tests/peers/screenshot.cjs").arg(&page).arg(PICTURE).current_dir(&root);
    shot.env("NODE_PATH", node).env("CANDOR_PEERS_CHROMIUM", chromium);
    let done = status(&mut shot, "the screenshot");
    let _ = std::fs::remove_file(&page);
    done?;
    say(&format!("{PICTURE} is written\n"));
    Ok(())
}
