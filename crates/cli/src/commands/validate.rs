//! `candor validate`: files against their standards, without a task, and the acknowledgments that answer them.

mod show;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

#[cfg(feature = "hl7")]
use candor::inner::engine::Document;
use candor::inner::report::Format;
use candor::validate::{Acknowledgment, Report, Stamp, Standard, Types, acknowledge, csv, json, x12, xml};
use clap::Args as ClapArgs;

#[cfg(feature = "hl7")]
use super::IdentityArgs;
use crate::exit::Outcome;
use crate::input::open;
use crate::output::{OutputArgs, complain};

#[derive(Debug, ClapArgs)]
pub(crate) struct ValidateArgs {
    /// The files, or folders of them; - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The SNIP types of X12: 1 the envelope, 2 the guide, 3 balancing, 4 situations
    #[arg(long, value_name = "N", default_value = "1,2,3,4", value_parser = Types::parse)]
    pub types: Types,
    /// The structure that HL7 v2 messages are held to, in place of the one that MSH-9 says
    #[arg(long, value_name = "NAME")]
    pub structure: Option<String>,
    /// Also hold HL7 v2 messages to this conformance profile (.json, .yaml, .yml)
    #[arg(long, value_name = "FILE", conflicts_with = "ack")]
    pub profile: Option<PathBuf>,
    /// The standard of the files, if neither their beginning nor their name shows it
    #[arg(long = "as", value_name = "STANDARD", value_parser = ["x12", "hl7", "fhir", "csv", "json", "xml"])]
    pub standard: Option<String>,
    /// Write the acknowledgment that a gateway would send; what is wrong goes to standard error
    #[arg(long, value_name = "KIND", value_parser = ["999", "TA1", "277CA", "ACK"])]
    pub ack: Option<String>,
}

/// The most bytes of one file.
const MOST_BYTES: u64 = 256 << 20;
/// The most files that a folder may hold.
const MOST_FILES: usize = 10_000;

/// Runs it: 0 where nothing is wrong, 1 with findings.
pub(crate) fn run(args: &ValidateArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let files = args.files.iter().map(|file| listed(file)).collect::<Result<Vec<_>, _>>()?.concat();
    if files.is_empty() {
        let named: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
        return Err(format!("{}: there is no file in it", named.join(", ")));
    }
    let format = output.format_to_read();
    if let Some(name) = &args.structure {
        known_structure(name)?;
    }
    let profile = args.profile.as_deref().map(Profile::read).transpose()?;
    let known = Resources::of(&files);
    let (mut reports, mut acknowledgments, mut skipped) = (Vec::new(), String::new(), Vec::new());
    for file in &files {
        let bytes = read(file)?;
        let name = file.display().to_string();
        let standard = match standard(args, &name, &bytes) {
            Ok(standard) => standard,
            // A folder may hold a README; whoever names a file means it.
            Err(_) if !args.files.contains(file) => {
                skipped.push(name);
                continue;
            }
            Err(unknown) => return Err(unknown),
        };
        let report = match standard {
            Standard::X12 => {
                let validated = x12(&name, &bytes, args.types);
                if let Some(kind) = &args.ack {
                    let kind = match kind.as_str() {
                        "999" => Acknowledgment::Implementation,
                        "TA1" => Acknowledgment::Ta1,
                        "277CA" => Acknowledgment::Claims,
                        _ => {
                            return Err(format!(
                                "{name}: it is X12, which is answered by 999, TA1 or 277CA, not by ACK"
                            ));
                        }
                    };
                    acknowledgments += &acknowledge(kind, &validated, &now())?;
                }
                validated.report
            }
            Standard::Hl7v2 => {
                if args.ack.as_deref().is_some_and(|kind| kind != "ACK") {
                    return Err(format!("{name}: it is HL7 v2, which is answered by ACK"));
                }
                let structure = args.structure.as_deref();
                if args.ack.is_some() {
                    acknowledgments += &hl7v2_ack(&name, &bytes, structure)?;
                }
                hl7v2(&name, &bytes, structure, profile.as_ref())?
            }
            other if args.ack.is_some() => {
                return Err(format!("{name}: it is {}, for which there is no acknowledgment", other.name()));
            }
            Standard::Fhir => known.validate(&name, &bytes)?,
            Standard::Csv => csv(&name, &bytes),
            Standard::Json => json(&name, &bytes),
            Standard::Xml => xml(&name, &bytes),
        };
        reports.push(report);
    }
    if reports.is_empty() {
        return Err(format!("there is no file of a known format among {}", skipped.join(", ")));
    }
    let outcome = if reports.iter().all(Report::is_sound) { Outcome::Pass } else { Outcome::Findings };
    if args.ack.is_some() {
        if outcome == Outcome::Findings && !output.quiet {
            complain(&show::text(&reports, &skipped));
        }
        output.write(acknowledgments.as_bytes())?;
        return Ok(outcome);
    }
    let shown = match format {
        Format::Json => show::json(&reports, &skipped)?,
        Format::Junit => show::junit(&reports),
        Format::Csv => show::csv(&reports)?,
        Format::Github => show::github(&reports),
        Format::Markdown | Format::Html => show::stored(&reports, &skipped, format, output.style())?,
        _ => show::text(&reports, &skipped),
    };
    output.write_as(format, shown.as_bytes())?;
    Ok(outcome)
}

/// A file, or every file of a folder.
fn listed(path: &Path) -> Result<Vec<PathBuf>, String> {
    if path == Path::new("-") || !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let (mut open, mut files) = (vec![path.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).map_err(|e| format!("{}: it cannot be listed: {e}", folder.display()))?;
        for entry in entries {
            let entry = entry.map_err(|e| format!("{}: it cannot be listed: {e}", folder.display()))?;
            let kind = entry.file_type().map_err(|e| format!("{}: {e}", entry.path().display()))?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() && !entry.file_name().to_string_lossy().starts_with('.') {
                files.push(entry.path());
            }
            if files.len() + open.len() > MOST_FILES {
                return Err(format!("{}: there are more than {MOST_FILES} files in it; name some", path.display()));
            }
        }
    }
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let limited = open(file)?.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    limited.map_err(|e| format!("{}: it cannot be read: {e}", file.display()))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("{}: it is larger than {} MiB", file.display(), MOST_BYTES >> 20));
    }
    Ok(bytes)
}

fn standard(args: &ValidateArgs, name: &str, bytes: &[u8]) -> Result<Standard, String> {
    let known = match args.standard.as_deref() {
        Some(named) => Standard::named(named),
        None => Standard::of(name, bytes),
    };
    known.ok_or_else(|| {
        format!(
            "{name}: its format is unknown by its first bytes and its ending; add --as x12, hl7, fhir, csv, json or xml"
        )
    })
}

/// Now, or the moment that SOURCE_DATE_EPOCH names: the same input then gives the same bytes.
fn now() -> Stamp {
    let named = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let moment = named.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    let moment = moment.unwrap_or_else(jiff::Timestamp::now);
    Stamp { date: moment.strftime("%Y%m%d").to_string(), time: moment.strftime("%H%M").to_string() }
}

#[cfg(feature = "hl7")]
fn known_structure(name: &str) -> Result<(), String> {
    match candor::validate::is_structure(name) {
        true => Ok(()),
        false => Err(format!("--structure {name}: no version of HL7 v2 has it; expected one such as ADT_A01")),
    }
}

#[cfg(feature = "hl7")]
struct Profile(candor::validate::Conformance);

#[cfg(feature = "hl7")]
impl Profile {
    fn read(file: &Path) -> Result<Self, String> {
        let document = Document::read(file).map_err(|error| error.to_string())?;
        // The engine's own words have the line and the column.
        if let Some(linted) = super::engine(&IdentityArgs::default())?.lint_companion(&document) {
            linted.map_err(|error| error.to_string())?;
        }
        let read = candor::validate::Conformance::read(document.value());
        read.map(Self).map_err(|error| format!("{}: {error}", file.display()))
    }
}

#[cfg(feature = "hl7")]
#[expect(clippy::unnecessary_wraps, reason = "a build without HL7 v2 refuses")]
fn hl7v2(name: &str, bytes: &[u8], structure: Option<&str>, profile: Option<&Profile>) -> Result<Report, String> {
    Ok(candor::validate::hl7v2_by_profile(name, bytes, structure, profile.map(|profile| &profile.0)))
}

#[cfg(feature = "hl7")]
fn hl7v2_ack(name: &str, bytes: &[u8], structure: Option<&str>) -> Result<String, String> {
    candor::validate::hl7v2_ack(name, bytes, structure, &now())
}

#[cfg(not(feature = "hl7"))]
fn known_structure(_: &str) -> Result<(), String> {
    Err("this build cannot validate HL7 v2".to_owned())
}

#[cfg(not(feature = "hl7"))]
struct Profile;

#[cfg(not(feature = "hl7"))]
impl Profile {
    fn read(file: &Path) -> Result<Self, String> {
        Err(format!("--profile {}: this build cannot validate HL7 v2", file.display()))
    }
}

#[cfg(not(feature = "hl7"))]
fn hl7v2(name: &str, _: &[u8], _: Option<&str>, _: Option<&Profile>) -> Result<Report, String> {
    Err(format!("{name}: this build cannot validate HL7 v2"))
}

#[cfg(not(feature = "hl7"))]
fn hl7v2_ack(name: &str, bytes: &[u8], structure: Option<&str>) -> Result<String, String> {
    hl7v2(name, bytes, structure, None).map(|_| String::new())
}

/// The possible targets of references of FHIR resources: all named files, and the other files of their folders.
#[cfg(feature = "fhir")]
struct Resources(candor::validate::Known);

#[cfg(feature = "fhir")]
impl Resources {
    fn of(files: &[PathBuf]) -> Self {
        let mut known = candor::validate::Known::default();
        let mut folders: Vec<PathBuf> = files.iter().filter_map(|file| file.parent().map(Path::to_owned)).collect();
        folders.sort();
        folders.dedup();
        let beside = folders.iter().flat_map(|folder| {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
        });
        let mut all: Vec<PathBuf> = beside.chain(files.iter().cloned()).take(MOST_FILES).collect();
        all.sort();
        all.dedup();
        let is_json = |file: &&PathBuf| {
            let ending = file.extension().and_then(|ending| ending.to_str());
            matches!(ending, Some("json" | "ndjson")) && file.is_file()
        };
        for file in all.iter().filter(is_json) {
            // What cannot be read is reported where it is validated.
            known.add(&read(file).unwrap_or_default());
        }
        Self(known)
    }

    #[expect(clippy::unnecessary_wraps, reason = "a build without FHIR refuses")]
    fn validate(&self, name: &str, bytes: &[u8]) -> Result<Report, String> {
        let mut known = self.0.clone();
        known.add(bytes);
        Ok(candor::validate::fhir(name, bytes, &known))
    }
}

#[cfg(not(feature = "fhir"))]
struct Resources;

#[cfg(not(feature = "fhir"))]
impl Resources {
    fn of(_: &[PathBuf]) -> Self {
        Self
    }

    fn validate(&self, name: &str, _: &[u8]) -> Result<Report, String> {
        Err(format!("{name}: this build cannot validate FHIR"))
    }
}
