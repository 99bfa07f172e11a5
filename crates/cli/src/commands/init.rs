//! `candor init`: a task with a right and a wrong world, to begin from.

use std::path::Path;

use candor::inner::report::Format;
use candor::inner::report::json::document;
use candor_json::json;
use clap::{Args as ClapArgs, ValueEnum};

use crate::exit::Outcome;
use crate::output::OutputArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct InitArgs {
    /// The folder to write; it must be new or empty
    pub name: std::path::PathBuf,
    /// The ground truth of the task
    #[arg(long, value_enum, default_value_t = Kind::Mix)]
    pub kind: Kind,
}

/// The ground truth of a first task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// FHIR resources, HL7 v2 messages, portal rows and files
    Mix,
    /// FHIR resources
    Fhir,
    /// HL7 v2 messages
    Hl7,
    /// X12 interchanges
    X12,
    /// Rows behind a portal
    Portal,
    /// Dropped files
    Files,
    /// Calls
    Voice,
    /// A folder in which work was done
    Workspace,
}

/// The criteria for a kind of ground truth, the sentence of the prompt, and a file of each world.
struct Template {
    criteria: &'static str,
    asks: &'static str,
    file: &'static str,
    right: &'static str,
    wrong: &'static str,
}

macro_rules! template {
    ($kind:literal, $file:literal, $asks:literal) => {
        Template {
            criteria: include_str!(concat!("../../templates/", $kind, "/criteria.yaml")),
            asks: $asks,
            file: $file,
            right: include_str!(concat!("../../templates/", $kind, "/right/", $file)),
            wrong: include_str!(concat!("../../templates/", $kind, "/wrong/", $file)),
        }
    };
}

const FHIR: Template =
    template!("fhir", "fhir/clinic.ndjson", "Book an appointment with Dr. Lee on 2026-12-01 at 09:30.");
const HL7: Template = template!("hl7", "hl7/outbound.hl7", "Send the booking to the cardiology system (SIU^S12).");
const X12: Template = template!("x12", "x12/answer.271", "Ask the payer whether office visits are covered.");
const PORTAL: Template = template!("portal", "portal/referrals.csv", "Mark the referral as scheduled in the portal.");
const FILES: Template =
    template!("files", "files/outbox/confirmation-R-100.json", "Drop a confirmation of the appointment into outbox/.");
const VOICE: Template = template!("voice", "voice/call.txt", "Tell the patient the date, and have it confirmed.");
const WORKSPACE: Template =
    template!("workspace", "workspace/report.md", "Write a report about the referral, report.md.");

impl Kind {
    fn templates(self) -> &'static [Template] {
        match self {
            Self::Mix => &[FHIR, HL7, PORTAL, FILES],
            Self::Fhir => &[FHIR],
            Self::Hl7 => &[HL7],
            Self::X12 => &[X12],
            Self::Portal => &[PORTAL],
            Self::Files => &[FILES],
            Self::Voice => &[VOICE],
            Self::Workspace => &[WORKSPACE],
        }
    }
}

const SCHEMA: &str = "task.schema.json";

/// Writes the folder, and says which files it wrote and what to type next.
pub(crate) fn run(args: &InitArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let format = output.format_to_read();
    let folder = &args.name;
    let failed = |error: std::io::Error| format!("{}: it cannot be written: {error}", folder.display());
    if folder.is_file() || std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(format!("{}: it is there already; name a new or an empty folder", folder.display()));
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let id: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let id = match id.trim_matches('-') {
        "" => "first-task",
        id => id,
    };
    let shown = plain(folder);
    let mut files = vec![
        ("task.yaml".to_owned(), task(id, args.kind)),
        (SCHEMA.to_owned(), format!("{:#}\n", candor::schema(Some("task"))?)),
        ("README.md".to_owned(), readme(&shown)),
    ];
    for template in args.kind.templates() {
        files.push((format!("right/{}", template.file), template.right.to_owned()));
        files.push((format!("wrong/{}", template.file), template.wrong.to_owned()));
    }
    for (path, text) in &files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(failed)?;
        std::fs::write(&path, text).map_err(failed)?;
    }
    if format == Format::Json {
        let paths: Vec<&String> = files.iter().map(|(path, _)| path).collect();
        output.write(&document(&json!({"folder": shown, "files": paths})))?;
        return Ok(Outcome::Pass);
    }
    let said = format!(
        "Wrote {} files into {shown}: a task, a world in which it was done right, and one in which it was done wrong.\n\n",
        files.len()
    );
    // The commands keep their lines: they are there to be copied.
    output.write((output.folded(&said) + &commands(&shown)).as_bytes())?;
    Ok(Outcome::Pass)
}

fn plain(folder: &Path) -> String {
    let text = folder.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

fn commands(shown: &str) -> String {
    format!(
        "    candor check {shown}/task.yaml --sandbox {shown}/right    # green\n    \
         candor check {shown}/task.yaml --sandbox {shown}/wrong    # red, and why\n"
    )
}

fn task(id: &str, kind: Kind) -> String {
    let asks: Vec<&str> = kind.templates().iter().map(|template| template.asks).collect();
    let criteria: String = kind.templates().iter().map(|template| template.criteria).collect();
    format!(
        "# yaml-language-server: $schema=./{SCHEMA}\nid: \"{id}\"\nname: Schedule a cardiology referral\nprompt: >-\n  \
         The patient with MRN 1001 has the referral R-100 to cardiology. {}\npass: all\ncriteria:\n{criteria}",
        asks.join(" ")
    )
}

fn readme(shown: &str) -> String {
    format!(
        "# A first task\n\n`task.yaml` says what must be true when the work is done. `right/` and `wrong/` are two worlds \
         that it is held against.\n\n{}\nReplace the files in `right/` with your own, and run the first command again. \
         `candor lint {shown}/task.yaml` finds mistakes in the task, and `candor audit {shown}/task.yaml --sandbox {shown}/right` \
         finds wrong work that it does not notice.\n\nEditors that read the first line of `task.yaml` complete and check it \
         by `{SCHEMA}`.\n",
        commands(shown)
    )
}
