//! `candor --version --verbose`: the version, and which parts this build has.

use std::ffi::OsString;

/// The features of chapter "Features", in its order, each with whether this build has it.
const FEATURES: &[(&str, bool)] = &[
    ("fhir", cfg!(feature = "fhir")),
    ("hl7", cfg!(feature = "hl7")),
    ("portal", cfg!(feature = "portal")),
    ("files", cfg!(feature = "files")),
    ("voice", cfg!(feature = "voice")),
    ("x12", cfg!(feature = "x12")),
    ("workspace", cfg!(feature = "workspace")),
    ("http", cfg!(feature = "http")),
    ("html", cfg!(feature = "html")),
    ("sqlite", cfg!(feature = "sqlite")),
    ("sftp", cfg!(feature = "sftp")),
    ("cloud", cfg!(feature = "cloud")),
    ("databases", cfg!(feature = "databases")),
    ("pgp", cfg!(feature = "pgp")),
    ("pdf", cfg!(feature = "pdf")),
    ("state", cfg!(feature = "state")),
    ("server", cfg!(feature = "server")),
    ("telemetry", cfg!(feature = "telemetry")),
    ("script", cfg!(feature = "script")),
    ("fhir-sdk", cfg!(feature = "fhir-sdk")),
];

/// The text, if the command line asks for nothing else. The parser of arguments prints the version as soon as it reads
/// `--version`, so this is asked first.
pub(crate) fn verbose(args: impl IntoIterator<Item = OsString>) -> Option<String> {
    let args: Vec<OsString> = args.into_iter().collect();
    let version = |arg: &OsString| arg == "--version" || arg == "-V";
    let verbose = |arg: &OsString| arg == "--verbose";
    let asked = args.iter().any(version) && args.iter().any(verbose);
    (asked && args.iter().all(|arg| version(arg) || verbose(arg))).then(text)
}

/// The features that this build has, or those that it leaves out.
pub(super) fn features(wanted: bool) -> Vec<&'static str> {
    FEATURES.iter().filter(|(_, is_in)| *is_in == wanted).map(|(name, _)| *name).collect()
}

pub(super) fn text() -> String {
    let named = |wanted: bool| {
        let names = features(wanted);
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let version = env!("CARGO_PKG_VERSION");
    format!("candor {version}\nfeatures: {}\nleft out: {}\n", named(true), named(false))
}
