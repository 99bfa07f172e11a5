//! The specification's search parameters.
//!
//! The table is `data/search-parameters.tsv`; where it comes from stands in `data/README.md`. A look-up reads the lines of
//! one resource type only.

/// One row for a parameter on a resource type, tab-separated: type, code, kind, data types, targets, expression.
const TABLE: &str = include_str!("../data/search-parameters.tsv");

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

fn rows(of: &str) -> impl Iterator<Item = Parameter> {
    TABLE.lines().filter_map(move |line| {
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
