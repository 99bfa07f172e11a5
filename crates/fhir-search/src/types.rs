//! Names of resource types and data types.

use std::sync::LazyLock;

/// The resource types of R4, R4B and R5, one a line, sorted.
const RESOURCES: &str = include_str!("../data/resource-types.txt");

/// The data types that an element with a choice of types (`value[x]`) can have, as its name ends. Source: FHIR R4, Open Type
/// Element, and the choices of all elements of R4; `Integer64`, `CodeableReference`, `RatioRange`, `Availability` and
/// `ExtendedContactDetail` are R4B's and R5's.
pub(crate) const CHOICES: &[&str] = &[
    "Address",
    "Age",
    "Annotation",
    "Attachment",
    "Availability",
    "Base64Binary",
    "Boolean",
    "Canonical",
    "Code",
    "CodeableConcept",
    "CodeableReference",
    "Coding",
    "ContactDetail",
    "ContactPoint",
    "Contributor",
    "Count",
    "DataRequirement",
    "Date",
    "DateTime",
    "Decimal",
    "Distance",
    "Dosage",
    "Duration",
    "Expression",
    "ExtendedContactDetail",
    "HumanName",
    "Id",
    "Identifier",
    "Instant",
    "Integer",
    "Integer64",
    "Markdown",
    "Meta",
    "Money",
    "Oid",
    "ParameterDefinition",
    "Period",
    "PositiveInt",
    "Quantity",
    "Range",
    "Ratio",
    "RatioRange",
    "Reference",
    "RelatedArtifact",
    "SampledData",
    "Signature",
    "String",
    "Time",
    "Timing",
    "TriggerDefinition",
    "UnsignedInt",
    "Uri",
    "Url",
    "UsageContext",
    "Uuid",
];

static SORTED: LazyLock<Vec<&str>> = LazyLock::new(|| RESOURCES.lines().collect());

/// True if a name is a resource type of R4, R4B or R5.
#[must_use]
pub fn is_resource(name: &str) -> bool {
    SORTED.binary_search(&name).is_ok()
}

/// The names of all resource types.
pub fn resources() -> impl Iterator<Item = &'static str> {
    RESOURCES.lines()
}

/// The data type that the end of an element's name tells, when the element is the choice `name[x]`: `Quantity` for
/// `valueQuantity` of `value`.
pub(crate) fn choice(element: &str, name: &str) -> Option<&'static str> {
    let ending = element.strip_prefix(name)?;
    CHOICES.binary_search(&ending).ok().and_then(|at| CHOICES.get(at)).copied()
}

/// The known name that is most like `name`, when one is like it at all.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let folded = name.to_lowercase();
    known
        .map(|known| (strsim::damerau_levenshtein(&folded, &known.to_lowercase()), known))
        .filter(|(distance, known)| *distance <= 1 + known.len().max(name.len()) / 3)
        .min()
        .map(|(_, known)| known)
}
