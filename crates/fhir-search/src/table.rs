//! The specification's search parameters.
//!
//! The table is `data/search-parameters.tsv`; `data/README.md` names its source. A look-up reads the lines of one
//! resource type only.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// The parameters, a row for each parameter on a resource type. Tab-separated: type, code, kind, data types, targets,
/// expression.
const TABLE: &str = include_str!("../data/search-parameters.tsv");

/// The composite parameters, a row for each composite parameter on a resource type. Tab-separated: type, code, then of
/// each component its parameter's code and its expression, which begins at the element that the composite parameter
/// selects.
const COMPOSITES: &str = include_str!("../data/composite-parameters.tsv");

/// The compartments, a row for each resource type in a compartment. Tab-separated: compartment, type, codes of the
/// parameters that put it there.
const COMPARTMENTS: &str = include_str!("../data/compartments.tsv");

/// The kind of a search parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A code, an identifier, a flag.
    Token,
    /// Text.
    String,
    /// A reference to a resource.
    Reference,
    /// A date or a period.
    Date,
    /// A number.
    Number,
    /// A quantity.
    Quantity,
    /// A URI.
    Uri,
    /// Several parameters of one element.
    Composite,
    /// By its own rules.
    Special,
}

impl Kind {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "token" => Self::Token,
            "string" => Self::String,
            "reference" => Self::Reference,
            "date" => Self::Date,
            "number" => Self::Number,
            "quantity" => Self::Quantity,
            "uri" => Self::Uri,
            "composite" => Self::Composite,
            "special" => Self::Special,
            _ => return None,
        })
    }

    /// The kind as the specification names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::String => "string",
            Self::Reference => "reference",
            Self::Date => "date",
            Self::Number => "number",
            Self::Quantity => "quantity",
            Self::Uri => "uri",
            Self::Composite => "composite",
            Self::Special => "special",
        }
    }
}

/// A search parameter on a resource type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in a search.
    pub code: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// The data types of the elements it selects.
    pub types: Vec<&'static str>,
    /// The resource types its references can be to; empty for any.
    pub targets: Vec<&'static str>,
    /// The FHIRPath expression that selects its elements; empty where the specification gives none.
    pub expression: &'static str,
}

/// The range of [`TABLE`] that holds the rows of each type.
static OF_TYPES: LazyLock<HashMap<&str, Range<usize>>> = LazyLock::new(|| {
    let (mut types, mut at) = (HashMap::<&str, Range<usize>>::new(), 0);
    for line in TABLE.split_inclusive('\n') {
        let name = line.split('\t').next().unwrap_or_default();
        types.entry(name).or_insert(at..at).end = at + line.len();
        at += line.len();
    }
    types
});

fn rows(of: &str) -> impl Iterator<Item = Parameter> {
    let rows = OF_TYPES.get(of).and_then(|range| TABLE.get(range.clone())).unwrap_or_default();
    rows.lines().filter_map(move |line| {
        let rest = line.strip_prefix(of)?.strip_prefix('\t')?;
        let mut cells = rest.split('\t');
        let mut cell = || cells.next().unwrap_or_default();
        let list = |cell: &'static str| cell.split(',').filter(|name| !name.is_empty()).collect();
        Some(Parameter {
            code: cell(),
            kind: Kind::named(cell())?,
            types: list(cell()),
            targets: list(cell()),
            expression: cell(),
        })
    })
}

/// The parameters of a resource type, those of every resource included.
pub fn parameters(resource_type: &str) -> impl Iterator<Item = Parameter> {
    rows(resource_type).chain(rows("Resource")).chain(rows("DomainResource"))
}

/// A parameter of a resource type by its name.
#[must_use]
pub fn find(resource_type: &str, code: &str) -> Option<Parameter> {
    parameters(resource_type).find(|parameter| parameter.code == code)
}

/// The components of a composite parameter, each with the expression that selects its elements.
#[must_use]
pub fn components(resource_type: &str, code: &str) -> Vec<(Parameter, &'static str)> {
    let row = COMPOSITES.lines().find_map(|line| {
        let rest = line.strip_prefix(resource_type)?.strip_prefix('\t')?;
        rest.strip_prefix(code)?.strip_prefix('\t')
    });
    let mut cells = row.into_iter().flat_map(|row| row.split('\t'));
    std::iter::from_fn(|| Some((find(resource_type, cells.next()?)?, cells.next()?))).collect()
}

/// The codes of the parameters that put a resource type into a compartment (`Patient`); `None` when nothing does.
#[must_use]
pub fn compartment(compartment: &str, resource_type: &str) -> Option<Vec<&'static str>> {
    COMPARTMENTS.lines().find_map(|line| {
        let codes =
            line.strip_prefix(compartment)?.strip_prefix('\t')?.strip_prefix(resource_type)?.strip_prefix('\t')?;
        Some(codes.split(',').filter(|code| !code.is_empty()).collect())
    })
}

/// The kinds of compartments.
#[must_use]
pub fn compartments() -> Vec<&'static str> {
    let mut all: Vec<&str> = COMPARTMENTS.lines().filter_map(|line| line.split('\t').next()).collect();
    all.dedup();
    all
}
