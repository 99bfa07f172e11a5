//! The boundary of a loop: what the delegate and the verifier's commands can reach.

use std::path::{Path, PathBuf};

use candor::check::Sandbox;
use candor::verification::confine::{Boundary, Mode, User, distrust, found, offer};
use candor_json::{Value, json};
use clap::Args as ClapArgs;

#[derive(Clone, Debug, Default, PartialEq, ClapArgs)]
pub(crate) struct BoundaryArgs {
    /// Another path that the delegate may read, or write if `:rw` follows. What judges the delegate is refused
    #[arg(long, value_name = "PATH[:rw]")]
    pub grant: Vec<Grant>,
    /// The delegate's HOME, which it may write and which is kept: for an agent that has its login there
    #[arg(long, value_name = "PATH", conflicts_with = "url")]
    pub delegate_home: Option<PathBuf>,
    /// The user who runs the delegate. Only root can choose one
    #[arg(long, value_name = "NAME", conflicts_with = "url")]
    pub as_user: Option<String>,
    /// Run the delegate and every command without a boundary: they reach whatever this user reaches
    #[arg(long, conflicts_with_all = ["grant", "delegate_home", "as_user", "boundary"])]
    pub no_isolation: bool,
    /// The only mechanism that may hold the boundary: namespaces or landlock
    #[arg(long, value_name = "MECHANISM", hide = true, value_parser = mode)]
    pub boundary: Option<Mode>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) path: PathBuf,
    pub(crate) write: bool,
}

impl std::str::FromStr for Grant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, write) = text.strip_suffix(":rw").map_or((text, false), |path| (path, true));
        match path.is_empty() {
            true => Err("no path is named".to_owned()),
            false => Ok(Self { path: path.into(), write }),
        }
    }
}

fn mode(name: &str) -> Result<Mode, String> {
    Mode::named(name).ok_or_else(|| "expected namespaces or landlock".to_owned())
}

/// The boundary of everything that a loop starts.
pub(super) struct Confined {
    pub(super) delegate: Option<Boundary>,
    /// The boundary that verifiers' commands start from: only the system's programs.
    pub(super) commands: Option<Boundary>,
    pub(super) recorded: Value,
}

impl BoundaryArgs {
    /// With the parts of the sandbox that the task names in `loop.grant`, writable.
    ///
    /// # Errors
    /// When the sandbox does not have one of them as a folder.
    pub(super) fn with_parts(&self, parts: &[String], task: &Path, sandbox: &Sandbox) -> Result<Self, String> {
        let mut all = self.clone();
        let folders = sandbox.part_folders();
        for name in parts {
            let (part, below) = name.split_once('/').unwrap_or((name, ""));
            let folder = folders.iter().find(|(known, _)| *known == part).map(|(_, folder)| folder.join(below));
            let path = folder.filter(|path| path.is_dir()).ok_or_else(|| {
                format!("{}: `loop.grant` names `{name}`, and the sandbox has no such folder", task.display())
            })?;
            all.grant.push(Grant { path, write: true });
        }
        Ok(all)
    }

    /// The boundary, before anything is started.
    ///
    /// # Errors
    /// When the system offers none, this program cannot be run, or a grant leads to what judges.
    pub(super) fn open(
        &self,
        workspace: &Path,
        (place, sandbox): (&Path, &Sandbox),
        judges: &[PathBuf],
    ) -> Result<Confined, String> {
        if self.no_isolation {
            offer(Vec::new(), None);
            let recorded = json!({"mode": "none", "because": "--no-isolation"});
            return Ok(Confined { delegate: None, commands: None, recorded });
        }
        let program = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
        offer(vec![program.into(), "confine".into()], self.boundary);
        let found = found();
        let Some(mode) = found.best() else {
            if let Some(why) = &found.closed {
                return Err(format!(
                    "there can be no boundary between the delegate and what judges it: {why}; put the program into a folder \
                     that this user may enter, or run the loop with --no-isolation, which the record says"
                ));
            }
            let why = found.weaker_because(None).join("; ");
            return Err(format!(
                "this system offers no boundary between the delegate and what judges it ({why}); \
                 --no-isolation runs it without one, and the record says so"
            ));
        };
        self.written(workspace).for_each(distrust);
        let base = found.boundary(mode)?;
        self.refuse_own_files(workspace, &base)?;
        let mut base = sandbox.evidence_paths().iter().chain(judges).fold(base, Boundary::hiding);
        let commands = base.another().map_err(unmade)?;
        // What says where the sandbox's parts are, and what happened in it.
        let root = real(if place.is_dir() { place } else { place.parent().unwrap_or(place) });
        let describe = [real(place), root.join("sandbox.toml"), root.join(candor::check::sandbox::EVENTS)];
        let describe: Vec<PathBuf> = judges.iter().cloned().chain(describe).collect();
        self.refuse((place, sandbox), &describe)?;
        for grant in &self.grant {
            let path = grant.path.canonicalize().map_err(|e| format!("--grant {}: {e}", grant.path.display()))?;
            base = if grant.write { base.writing(path) } else { base.reading(path) };
        }
        base = base.writing(workspace);
        if let Some(home) = &self.delegate_home {
            let home = home.canonicalize().map_err(|e| format!("--delegate-home {}: {e}", home.display()))?;
            base = base.at_home(home);
        }
        if let Some(name) = &self.as_user {
            let user = User::named(name)?;
            base = base.run_by(user).map_err(|e| format!("--as-user {name}: {e}; only root runs others' commands"))?;
        }
        let recorded = json!({
            "mode": mode.name(),
            "weaker_because": found.weaker_because(Some(mode)),
            "as_user": self.as_user,
        });
        Ok(Confined { delegate: Some(base), commands: Some(commands), recorded })
    }

    /// Where the delegate may write.
    fn written<'a>(&'a self, workspace: &'a Path) -> impl Iterator<Item = &'a Path> {
        let written = self.grant.iter().filter(|grant| grant.write).map(|grant| &*grant.path);
        written.chain(self.delegate_home.as_deref()).chain([workspace])
    }

    /// Refuses to let the delegate write where the loop keeps the copies that it judges.
    fn refuse_own_files(&self, workspace: &Path, boundary: &Boundary) -> Result<(), String> {
        match self.written(workspace).find(|path| boundary.tmp.starts_with(real(path))) {
            Some(path) => Err(format!(
                "the delegate may write to {}, where the loop keeps the copies that it judges ({}); set TMPDIR to another \
                 folder",
                path.display(),
                std::env::temp_dir().display()
            )),
            None => Ok(()),
        }
    }

    /// Refuses grants by which the delegate could read or write what judges it. A part of the sandbox may be its world, and
    /// can be granted; the sandbox as a whole cannot.
    fn refuse(&self, (place, sandbox): (&Path, &Sandbox), judges: &[PathBuf]) -> Result<(), String> {
        let home = self.delegate_home.iter().map(|path| Grant { path: path.clone(), write: true });
        for grant in self.grant.iter().cloned().chain(home) {
            let path = real(&grant.path);
            for judge in judges {
                let judge_real = real(judge);
                // The sandbox's own folder contains parts that can be granted.
                let within = path.starts_with(&judge_real) && judge_real != real(place);
                if judge_real.starts_with(&path) || within {
                    return Err(format!(
                        "{} cannot be granted: what judges the delegate is read from there ({})",
                        grant.path.display(),
                        judge.display()
                    ));
                }
            }
            // Of the sandbox, everything that lies above one of its parts says where parts are.
            let parts = sandbox.evidence_paths();
            let above = parts.iter().map(|part| real(part)).find(|part| part.starts_with(&path) && *part != path);
            if let Some(part) = above {
                return Err(format!(
                    "{} cannot be granted: it contains more of the sandbox than one part ({}); grant the folder of that part",
                    grant.path.display(),
                    part.display()
                ));
            }
        }
        Ok(())
    }
}

pub(super) fn unmade(error: std::io::Error) -> String {
    format!("no folder for HOME and TMPDIR can be made: {error}")
}

/// A path as it really is, or as it is named where there is nothing.
fn real(path: &Path) -> PathBuf {
    let absolute = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.canonicalize().unwrap_or_else(|_| absolute())
}
