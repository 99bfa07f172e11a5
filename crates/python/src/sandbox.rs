//! `candor.Sandbox`.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping};

use crate::contents::{Bytes, bytes_or_text, contents as bytes_of, records, resources};
use crate::errors;

/// The ground truth that one task left.
///
/// `Sandbox(fhir=…, hl7=…, portal=…, files=…, voice=…, x12=…, workspace=…)` makes it in memory, `Sandbox.open(path)` reads
/// a folder or the servers that its `sandbox.toml` names. A part that is given with nothing in it is ground truth: nothing
/// happened. A part that is not given is missing, and its criteria are unverifiable.
#[pyclass(frozen, module = "candor", skip_from_py_object)]
pub(crate) struct Sandbox {
    recipe: Recipe,
    sandbox: candor::Sandbox,
    process: u32,
}

/// How a sandbox is made again: in another process, or after a fork.
#[derive(Clone)]
struct Recipe {
    base: Base,
    files: Vec<(String, Bytes)>,
    baseline: Option<Box<Recipe>>,
}

#[derive(Clone)]
enum Base {
    Folder(PathBuf),
    Memory { given: Vec<Given>, settings: Option<String> },
}

/// The kind of a part, a name within it, and contents.
type Given = (String, String, Bytes);

impl Recipe {
    fn made(&self) -> Result<candor::Sandbox, candor::SandboxError> {
        let sandbox = match &self.base {
            Base::Folder(path) => candor::Sandbox::open(path)?,
            Base::Memory { given, settings } => {
                let mut builder = candor::Sandbox::builder();
                for (kind, name, bytes) in given {
                    let bytes = bytes.clone();
                    builder = match kind.as_str() {
                        "fhir" if is_empty(&bytes) => builder.fhir(Vec::<candor_json::Value>::new()),
                        "fhir" => builder.fhir(candor::Contents::from(bytes)),
                        "portal" if is_empty(&bytes) => builder.portal(name, Vec::<candor_json::Value>::new()),
                        "portal" => builder.portal(name, candor::Contents::from(bytes)),
                        "hl7" => builder.hl7(name, bytes),
                        "x12" => builder.x12(name, bytes),
                        "voice" => builder.voice(name, bytes),
                        "files" => builder.file(name, bytes),
                        "events" => builder.events(bytes),
                        "folder" => builder.with_folder(name),
                        _ => builder.with_file(&format!("{kind}/{name}"), bytes),
                    };
                }
                if let Some(settings) = settings {
                    builder = builder.settings(settings);
                }
                builder.build()?
            }
        };
        let sandbox = self.files.iter().try_fold(sandbox, |sandbox, (path, bytes)| laid_over(&sandbox, path, bytes))?;
        match &self.baseline {
            Some(before) => Ok(sandbox.with_baseline(&before.made()?)),
            None => Ok(sandbox),
        }
    }

    fn sandbox(self, py: Python<'_>) -> PyResult<Sandbox> {
        let sandbox = py.detach(|| self.made()).map_err(|error| errors::sandbox(&error))?;
        Ok(Sandbox { recipe: self, sandbox, process: std::process::id() })
    }

    /// The arguments from which `sandbox_of` makes the recipe.
    fn pickled<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (folder, given, settings) = match &self.base {
            Base::Folder(path) => (Some(std::path::absolute(path)?), Vec::new(), None),
            Base::Memory { given, settings } => {
                let given = given.iter().map(|(kind, name, bytes)| (kind, name, PyBytes::new(py, bytes)));
                (None, given.collect::<Vec<_>>(), settings.as_deref())
            }
        };
        let files: Vec<_> = self.files.iter().map(|(path, bytes)| (path, PyBytes::new(py, bytes))).collect();
        let baseline = self.baseline.as_ref().map(|before| before.pickled(py)).transpose()?;
        Ok((folder, given, settings, files, baseline).into_pyobject(py)?.into_any())
    }

    fn unpickled(any: &Bound<'_, PyAny>) -> PyResult<Self> {
        type Pickled<'py> = (
            Option<PathBuf>,
            Vec<(String, String, Vec<u8>)>,
            Option<String>,
            Vec<(String, Vec<u8>)>,
            Bound<'py, PyAny>,
        );
        let (folder, given, settings, files, baseline): Pickled<'_> = any.extract()?;
        let given = given.into_iter().map(|(kind, name, bytes)| (kind, name, bytes.into())).collect();
        let base = match folder {
            Some(path) => Base::Folder(path),
            None => Base::Memory { given, settings },
        };
        let files = files.into_iter().map(|(path, bytes)| (path, bytes.into())).collect();
        let baseline = if baseline.is_none() { None } else { Some(Box::new(Self::unpickled(&baseline)?)) };
        Ok(Self { base, files, baseline })
    }
}

/// True if the bytes are an empty list of records, as `contents::lines` writes one.
fn is_empty(bytes: &Bytes) -> bool {
    bytes.as_ref() == b"\n"
}

impl Sandbox {
    /// The sandbox, made anew after a fork: a thread of the parent may have been about to read it.
    pub(crate) fn sandbox(&self) -> PyResult<candor::Sandbox> {
        if self.process == std::process::id() {
            return Ok(self.sandbox.clone());
        }
        self.recipe.made().map_err(|error| errors::sandbox(&error))
    }
}

#[pymethods]
impl Sandbox {
    #[new]
    #[pyo3(signature = (*, fhir=None, hl7=None, portal=None, files=None, voice=None, x12=None, workspace=None, baseline=None, events=None, settings=None, mask=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python, one a part")]
    fn new(
        py: Python<'_>,
        fhir: Option<&Bound<'_, PyAny>>,
        hl7: Option<&Bound<'_, PyAny>>,
        portal: Option<&Bound<'_, PyAny>>,
        files: Option<&Bound<'_, PyAny>>,
        voice: Option<&Bound<'_, PyAny>>,
        x12: Option<&Bound<'_, PyAny>>,
        workspace: Option<&Bound<'_, PyAny>>,
        baseline: Option<&Bound<'_, Self>>,
        events: Option<&Bound<'_, PyAny>>,
        settings: Option<String>,
        mask: Option<&str>,
    ) -> PyResult<Self> {
        let parts = [
            ("hl7", hl7),
            ("portal", portal),
            ("files", files),
            ("voice", voice),
            ("x12", x12),
            ("workspace", workspace),
        ];
        let given = || -> PyResult<Vec<Given>> {
            let mut given: Vec<Given> = Vec::new();
            if let Some(fhir) = fhir {
                given.extend(resources(fhir)?.into_iter().map(|bytes| ("fhir".to_owned(), String::new(), bytes)));
            }
            for (kind, part) in parts {
                let Some(part) = part else { continue };
                given.extend(named(kind, part)?);
            }
            if let Some(events) = events {
                given.push(("events".to_owned(), String::new(), records(events)?));
            }
            Ok(given)
        };
        let baseline = baseline.map(|before| Box::new(before.get().recipe.clone()));
        let made = given().and_then(|given| {
            Recipe { base: Base::Memory { given, settings }, files: Vec::new(), baseline }.sandbox(py)
        });
        errors::masked(py, made, mask)
    }

    /// Opens a sandbox: a folder, or a TOML file that describes one. Reads the description and nothing else.
    #[staticmethod]
    #[pyo3(signature = (path, *, mask=None))]
    fn open(py: Python<'_>, path: PathBuf, mask: Option<&str>) -> PyResult<Self> {
        let made = Recipe { base: Base::Folder(path), files: Vec::new(), baseline: None }.sandbox(py);
        errors::masked(py, made, mask)
    }

    /// The same sandbox with one file more, or another one in its place: `box.with_file("x12/271.edi", b"…")`.
    #[pyo3(signature = (path, contents, *, mask=None))]
    fn with_file(&self, path: String, contents: &Bound<'_, PyAny>, mask: Option<&str>) -> PyResult<Self> {
        let before = self.sandbox()?;
        let made = bytes_of(contents).and_then(|bytes| {
            let sandbox = laid_over(&before, &path, &bytes).map_err(|error| errors::sandbox(&error))?;
            Ok((bytes, sandbox))
        });
        let (bytes, sandbox) = errors::masked(contents.py(), made, mask)?;
        let mut recipe = self.recipe.clone();
        recipe.files.push((path, bytes));
        Ok(Self { recipe, sandbox, process: std::process::id() })
    }

    /// The same sandbox with the one from before the work, which `state-unchanged` compares it with.
    fn with_baseline(&self, before: &Self) -> PyResult<Self> {
        let sandbox = self.sandbox()?.with_baseline(&before.sandbox()?);
        let recipe = Recipe { baseline: Some(Box::new(before.recipe.clone())), ..self.recipe.clone() };
        Ok(Self { recipe, sandbox, process: std::process::id() })
    }

    fn __repr__(&self) -> String {
        match &self.recipe.base {
            Base::Folder(path) => format!("<candor.Sandbox {}>", path.display()),
            Base::Memory { given, .. } => {
                format!("<candor.Sandbox in memory, files: {}>", given.len() + self.recipe.files.len())
            }
        }
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyDict>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        let made = py.import("candor._native")?.getattr("sandbox_of")?;
        Ok((made, (self.recipe.pickled(py)?,)))
    }
}

/// A sandbox with one file more.
///
/// # Errors
/// A path that no file of a sandbox in memory can have: laid over another sandbox, it would add nothing.
fn laid_over(sandbox: &candor::Sandbox, path: &str, bytes: &Bytes) -> Result<candor::Sandbox, candor::SandboxError> {
    candor::Sandbox::builder().with_file(path, bytes.clone()).build()?;
    Ok(sandbox.with_file(path, bytes.clone()))
}

/// The files of a part: names and contents. A part that is bytes or text is not one of names.
fn named(kind: &str, part: &Bound<'_, PyAny>) -> PyResult<Vec<Given>> {
    let Ok(files) = part.cast::<PyMapping>() else {
        let found = part.get_type().name()?;
        let example = if kind == "portal" { "{\"orders\": rows}" } else { "{\"name\": b\"…\"}" };
        return Err(pyo3::exceptions::PyTypeError::new_err(format!(
            "{kind} is a {found}; expected names with contents, such as {example}"
        )));
    };
    let mut given = Vec::new();
    for item in files.items()?.iter() {
        let (name, of): (String, Bound<'_, PyAny>) = item.extract()?;
        let bytes = match kind {
            "portal" => records(&of)?,
            // Neither is JSON: a list of messages would be written as something that no reader takes.
            "hl7" | "x12" => bytes_or_text(&of)?.ok_or_else(|| not_text(kind, &name, &of))?,
            _ => bytes_of(&of)?,
        };
        given.push((kind.to_owned(), name, bytes));
    }
    // A part without a file is there all the same.
    if given.is_empty() {
        given.push(("folder".to_owned(), kind.to_owned(), Vec::new().into()));
    }
    Ok(given)
}

fn not_text(kind: &str, name: &str, of: &Bound<'_, PyAny>) -> PyErr {
    let found = of.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    pyo3::exceptions::PyTypeError::new_err(format!(
        "{kind}/{name} is a {found}; expected the text or the bytes of a file"
    ))
}

/// Makes a sandbox from what a pickle has of it.
#[pyfunction]
pub(crate) fn sandbox_of(py: Python<'_>, pickled: &Bound<'_, PyAny>) -> PyResult<Sandbox> {
    Recipe::unpickled(pickled)?.sandbox(py)
}
