//! `candor try`: shows authors what a path, an expression, a search or a phrase selects.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use candor::check::tried::Tried;
use candor::inner::report::{Format, csv_table, json, plain};
use clap::{Subcommand, ValueEnum};

use crate::exit::Outcome;
use crate::input::open;
use crate::output::OutputArgs;

const MOST_BYTES: u64 = 1 << 30;
/// The most characters of a value that text output shows.
const LONGEST: usize = 400;
/// The most records in which nothing is selected that text output shows, where nothing is selected in any.
const MOST_MISSES: usize = 10;

#[derive(Debug, Subcommand)]
pub(crate) enum TryCommand {
    /// A FHIRPath expression over each resource: "name.where(use = 'official').family"
    Fhirpath {
        /// The expression
        expression: String,
        /// Files of resources and Bundles (.json, .ndjson), or folders of them; - for standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// A FHIR search: "Appointment?patient=Patient/1&status=booked"
    Search {
        /// The type and its parameters, as in a URL
        query: String,
        /// Files of resources and Bundles (.json, .ndjson), or folders of them; - for standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// A path of an assertion: "PID.3[5=MR].1", "2000B[2010BA.NM1.9=M100].2300.CLM.2", "items.0.code"
    Path {
        /// The kind of data that the path is for
        #[arg(value_name = "KIND")]
        of: PathFormat,
        /// The path
        path: String,
        /// The files, or folders of them; - for standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// A concept over what each resource is about: `{names: [MRI brain with contrast], not_words: [spine]}`
    Concept {
        /// The member `concept`, in YAML or JSON
        concept: String,
        /// Files of resources and Bundles (.json, .ndjson), or folders of them; - for standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The element, where it is another than `medication`, `code` and `vaccineCode`
        #[arg(long)]
        element: Option<String>,
    },
    /// A dosage over each order of a drug: `{dose: 40 mg, frequency: once daily}`
    Dosage {
        /// The member `dosage`, in YAML or JSON
        dosage: String,
        /// Files of resources and Bundles (.json, .ndjson), or folders of them; - for standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// A phrase in the transcript of a call
    Phrase {
        /// The phrase
        phrase: String,
        /// The files, or folders of them; - for standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// How it is compared: normalized, exact, regex or fuzzy
        #[arg(long, default_value = "normalized")]
        mode: String,
    },
}

impl TryCommand {
    /// The files and folders that are read.
    pub(crate) fn files(&self) -> &[PathBuf] {
        match self {
            Self::Fhirpath { files, .. }
            | Self::Search { files, .. }
            | Self::Path { files, .. }
            | Self::Concept { files, .. }
            | Self::Dosage { files, .. }
            | Self::Phrase { files, .. } => files,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PathFormat {
    /// HL7 v2 messages
    Hl7,
    /// X12 interchanges
    X12,
    /// JSON documents: dotted paths and JSONPath
    Json,
}

/// Runs it: 0 where something is selected, 1 where nothing is, 3 where something could not be read.
pub(crate) fn run(command: &TryCommand, output: &OutputArgs) -> Result<Outcome, String> {
    let tried = match command {
        TryCommand::Fhirpath { expression, files } => fhirpath(expression, read(files, is_fhir)?)?,
        TryCommand::Search { query, files } => search(query, read(files, is_fhir)?)?,
        TryCommand::Path { of, path, files } => {
            each(read(files, |_| true)?, |file, bytes| at_path(*of, path, file, bytes))?
        }
        TryCommand::Concept { concept, files, element } => {
            meaning("concept", concept, element.as_deref(), read(files, is_fhir)?)?
        }
        TryCommand::Dosage { dosage, files } => meaning("dosage", dosage, None, read(files, is_fhir)?)?,
        TryCommand::Phrase { phrase, files, mode } => {
            each(read(files, |_| true)?, |file, bytes| said(phrase, mode, file, bytes).map(|tried| vec![tried]))?
        }
    };
    let rendered = match output.format_to_read() {
        Format::Json => json::document(&tried),
        Format::Ndjson => tried.iter().flat_map(json::line).collect(),
        Format::Csv => csv(&tried),
        _ => text(&tried).into_bytes(),
    };
    output.write_as(output.format_to_read(), &rendered)?;
    Ok(match (tried.iter().any(|one| one.unreadable), tried.iter().all(|one| one.selected.is_empty())) {
        (true, _) => Outcome::Inconclusive,
        (false, true) => Outcome::Findings,
        (false, false) => Outcome::Pass,
    })
}

fn each(
    files: Vec<(String, Vec<u8>)>,
    tried: impl Fn(&str, &[u8]) -> Result<Vec<Tried>, String>,
) -> Result<Vec<Tried>, String> {
    let mut all = Vec::new();
    for (file, bytes) in &files {
        all.extend(tried(file, bytes)?);
    }
    Ok(all)
}

#[cfg(feature = "fhir")]
fn fhirpath(expression: &str, files: Vec<(String, Vec<u8>)>) -> Result<Vec<Tried>, String> {
    use candor::inner::fhir_resource_state::tried;
    tried::fhirpath(expression, &tried::store(files)).map_err(|problem| problem.told(expression))
}

#[cfg(feature = "fhir")]
fn search(query: &str, files: Vec<(String, Vec<u8>)>) -> Result<Vec<Tried>, String> {
    use candor::inner::fhir_resource_state::tried;
    tried::search(query, &tried::store(files))
}

#[cfg(feature = "fhir")]
fn meaning(
    member: &str,
    written: &str,
    element: Option<&str>,
    files: Vec<(String, Vec<u8>)>,
) -> Result<Vec<Tried>, String> {
    use candor::inner::fhir_resource_state::tried;
    let document =
        candor::inner::engine::Document::parse(&Path::new(member).with_extension("yaml"), written.as_bytes())
            .map_err(|error| error.to_string())?;
    let store = tried::store(files);
    match member {
        "concept" => tried::concept(document.value(), element, &store),
        _ => tried::dosage(document.value(), &store),
    }
}

#[cfg(not(feature = "fhir"))]
fn meaning(_: &str, _: &str, _: Option<&str>, _: Vec<(String, Vec<u8>)>) -> Result<Vec<Tried>, String> {
    Err(candor::check::feature::missing_feature("read FHIR resources", "fhir"))
}

#[cfg(not(feature = "fhir"))]
fn fhirpath(_: &str, _: Vec<(String, Vec<u8>)>) -> Result<Vec<Tried>, String> {
    Err(candor::check::feature::missing_feature("read FHIR resources", "fhir"))
}

#[cfg(not(feature = "fhir"))]
fn search(_: &str, _: Vec<(String, Vec<u8>)>) -> Result<Vec<Tried>, String> {
    Err(candor::check::feature::missing_feature("read FHIR resources", "fhir"))
}

fn at_path(format: PathFormat, path: &str, file: &str, bytes: &[u8]) -> Result<Vec<Tried>, String> {
    let tried = match format {
        PathFormat::Json => candor::check::json_path::tried::path(path, file, bytes),
        #[cfg(feature = "hl7")]
        PathFormat::Hl7 => candor::inner::hl7_structural::tried::path(path, file, bytes),
        #[cfg(feature = "x12")]
        PathFormat::X12 => candor::inner::x12_response::tried::path(path, file, bytes),
        #[cfg(not(feature = "hl7"))]
        PathFormat::Hl7 => return Err(candor::check::feature::missing_feature("read HL7 v2 messages", "hl7")),
        #[cfg(not(feature = "x12"))]
        PathFormat::X12 => return Err(candor::check::feature::missing_feature("read X12 interchanges", "x12")),
    };
    tried.map_err(|problem| problem.told(path))
}

#[cfg(feature = "voice")]
fn said(phrase: &str, mode: &str, file: &str, bytes: &[u8]) -> Result<Tried, String> {
    let mode = candor_json::from_value(mode.into()).map_err(|error| format!("--mode: {error}"))?;
    candor::inner::voice_transcript::tried::phrase(phrase, mode, file, bytes)
        .map_err(|error| format!("`{phrase}`: {error}"))
}

#[cfg(not(feature = "voice"))]
fn said(_: &str, _: &str, _: &str, _: &[u8]) -> Result<Tried, String> {
    Err(candor::check::feature::missing_feature("read calls", "voice"))
}

fn is_fhir(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.ends_with(".json") || name.ends_with(".ndjson")
}

/// The files that are named, and those of folders that fit, in order of path.
fn read(named: &[PathBuf], fits: impl Fn(&Path) -> bool) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            below(path, &fits, &mut files)?;
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        return Err("there are no files to read in the folders that are named".to_owned());
    }
    files.into_iter().map(|path| Ok((path.to_string_lossy().into_owned(), content(&path)?))).collect()
}

fn content(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: it cannot be read: {error}", path.display());
    let mut bytes = Vec::new();
    open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(failed(&"it has more than 1 GiB"));
    }
    Ok(bytes)
}

/// Links in a folder are not followed.
fn below(folder: &Path, fits: &impl Fn(&Path) -> bool, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let failed = |error: std::io::Error| format!("{}: it cannot be read: {error}", path.display());
            let entries = std::fs::read_dir(&path).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
            let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
            paths.sort();
            open.extend(paths.into_iter().rev().filter(|path| !path.is_symlink()));
        } else if path.is_file() && fits(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// A line for each thing that was selected, and for each record in which nothing was.
fn csv(tried: &[Tried]) -> Vec<u8> {
    let rows = tried.iter().flat_map(|one| {
        let own = [one.file.clone(), one.record.clone()];
        let why = one.why.clone().unwrap_or_default();
        let mut rows: Vec<[String; 3]> = one
            .selected
            .iter()
            .map(|selected| {
                let value = selected.value.as_str().map_or_else(|| selected.value.to_string(), str::to_owned);
                [selected.place.clone(), selected.kind.clone().unwrap_or_default(), value]
            })
            .collect();
        if rows.is_empty() {
            rows.push(Default::default());
        }
        rows.into_iter().map(move |row| own.iter().cloned().chain(row).chain([why.clone()]).collect())
    });
    csv_table(&["file", "record", "place", "type", "value", "why"], rows)
}

fn text(tried: &[Tried]) -> String {
    let mut out = String::new();
    let misses = |one: &&Tried| one.selected.is_empty() && !one.unreadable;
    let all = tried.iter().filter(misses).count();
    // Where something is selected, what is of other kinds explains nothing.
    let mut left = if all == tried.len() { MOST_MISSES } else { 0 };
    let unseen = all.saturating_sub(left);
    for one in tried {
        if misses(&one) {
            if left == 0 {
                continue;
            }
            left -= 1;
        }
        let record = if one.record.is_empty() { String::new() } else { format!(", {}", one.record) };
        let head = format!("{}{record}", one.file);
        let mark = match (one.unreadable, one.selected.is_empty()) {
            (true, _) => "!",
            (false, true) => "✗",
            (false, false) => "✓",
        };
        // Writing into a string does not fail.
        if !head.is_empty() {
            let _ = writeln!(out, "{mark} {}", plain(&head));
        }
        for selected in &one.selected {
            let shown = selected.value.to_string();
            let cut: String = shown.chars().take(LONGEST).collect();
            let more = if cut.len() < shown.len() { "…" } else { "" };
            let kind = selected.kind.as_ref().map(|kind| format!(" ({kind})")).unwrap_or_default();
            let _ = writeln!(out, "    {}{}: {}{more}", plain(&selected.place), plain(&kind), plain(&cut));
        }
        if let Some(why) = &one.why {
            let _ = writeln!(out, "{}{}", if head.is_empty() { "✗ " } else { "    " }, plain(why));
        }
    }
    if unseen > 0 {
        let records = if unseen == 1 { "record" } else { "records" };
        let _ = writeln!(out, "✗ nothing in {unseen} other {records}; --format json says why in each");
    }
    out
}
