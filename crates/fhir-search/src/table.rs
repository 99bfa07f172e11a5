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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        let mut types: Vec<&str> = TABLE.lines().filter_map(|line| line.split('\t').next()).collect();
        types.dedup();
        assert_eq!(types.iter().map(|name| rows(name).count()).sum::<usize>(), 1709);
        assert!(types.is_sorted());
        assert!(TABLE.lines().all(|line| line.split('\t').count() == 6));
    }

    /// The published parameter of `DocumentReference.relationship` has the expressions of its two components exchanged.
    #[test]
    fn every_component_selects_what_its_parameter_does() {
        for line in COMPOSITES.lines() {
            let mut cells = line.split('\t');
            let (resource_type, code) = (cells.next().unwrap(), cells.next().unwrap());
            for (parameter, selected) in components(resource_type, code) {
                let plain = selected.strip_prefix("%resource.").unwrap_or(selected);
                let plain = plain.split(".as(").next().unwrap_or_default();
                let element = plain.rsplit('.').next().unwrap_or_default();
                let own = format!("{:?}", parameter.expression);
                assert!(own.contains(&format!(".{element}")), "{line}: {} is {own}", parameter.code);
            }
        }
    }

    #[test]
    fn every_composite_has_its_components() {
        let composites = || TABLE.lines().filter(|line| line.split('\t').nth(2) == Some("composite"));
        assert_eq!((composites().count(), COMPOSITES.lines().count()), (72, 72));
        for line in composites() {
            let cells: Vec<&str> = line.split('\t').collect();
            assert!(components(cells[0], cells[1]).len() >= 2, "{line}");
        }
        assert_eq!(components("Observation", "code-value-quantity")[1].1, "value.as(Quantity)");
        assert!(components("Observation", "code-value").is_empty());
    }

    #[test]
    fn compartments_name_reference_parameters() {
        assert_eq!(compartments(), ["Device", "Encounter", "Patient", "Practitioner", "RelatedPerson"]);
        assert_eq!(COMPARTMENTS.lines().count(), 214);
        for line in COMPARTMENTS.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            for code in compartment(cells[0], cells[1]).unwrap() {
                assert_eq!(find(cells[1], code).unwrap().kind, Kind::Reference, "{line}");
            }
        }
        assert_eq!(compartment("Patient", "Appointment").unwrap(), ["actor"]);
        assert_eq!(compartment("Patient", "Organization"), None);
    }

    #[test]
    fn a_parameter_is_the_one_of_its_resource_type() {
        let status = find("Appointment", "status").unwrap();
        assert_eq!((status.kind, status.expression), (Kind::Token, "Appointment.status"));
        assert_eq!(find("Patient", "_id").unwrap().expression, "Resource.id");
        assert_eq!(find("Patient", "status"), None);
        assert_eq!(find("Pat", "ient"), None);
        assert_eq!(find("Condition", "code").unwrap().expression, "Condition.code");
        assert_eq!(find("Account", "patient").unwrap().targets, ["Patient"]);
    }
}
