//! Items of collections: elements of the document, borrowed, and values that an expression made.

use std::borrow::Cow;

use candor_json::{Map, Number, Value, json};

use crate::decimal::Decimal;
use crate::model::{Primitive, TypeId, model};
use crate::place::ElementPaths;
use crate::quantity::{CalendarUnit, Quantity, Unit};
use crate::temporal::{Temporal, TemporalKind};
use crate::text::Text;
use crate::types::{SystemType, TypeName};

/// A value of FHIRPath's own types.
#[derive(Clone, Debug)]
pub enum System<'a> {
    /// `System.Boolean`
    Boolean(bool),
    /// `System.Integer`
    Integer(i32),
    /// `System.Long`
    Long(i64),
    /// `System.Decimal`
    Decimal(Decimal),
    /// `System.String`
    String(Text<'a>),
    /// `System.Date`, `System.DateTime` and `System.Time`
    Temporal(Temporal),
    /// `System.Quantity`
    Quantity(Quantity),
}

impl System<'_> {
    pub(crate) fn system_type(&self) -> SystemType {
        match self {
            Self::Boolean(_) => SystemType::Boolean,
            Self::Integer(_) => SystemType::Integer,
            Self::Long(_) => SystemType::Long,
            Self::Decimal(_) => SystemType::Decimal,
            Self::String(_) => SystemType::String,
            Self::Temporal(value) => match value.kind() {
                TemporalKind::Date => SystemType::Date,
                TemporalKind::DateTime => SystemType::DateTime,
                TemporalKind::Time => SystemType::Time,
            },
            Self::Quantity(_) => SystemType::Quantity,
        }
    }

    /// The number, whatever its type. A quantity is not a number.
    pub(crate) fn number(&self) -> Option<Decimal> {
        match self {
            Self::Integer(number) => Some(Decimal::from(i64::from(*number))),
            Self::Long(number) => Some(Decimal::from(*number)),
            Self::Decimal(number) => Some(number.clone()),
            _ => None,
        }
    }

    /// The value as JSON writes it: quantities and dates as their text.
    fn to_json(&self) -> Value {
        match self {
            Self::Boolean(value) => Value::Bool(*value),
            Self::Integer(number) => Value::from(*number),
            Self::Long(number) => Value::from(*number),
            Self::Decimal(number) => {
                let text = number.to_string();
                text.parse::<Number>().map_or(Value::String(text), Value::Number)
            }
            Self::String(text) => Value::String(text.to_string()),
            Self::Temporal(value) => Value::String(value.to_string()),
            Self::Quantity(quantity) => Value::String(quantity.to_string()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementType<'a> {
    Known(TypeId),
    /// A resource that no release this crate knows has.
    Foreign(&'a str),
    /// An element that R4 does not have: what it is shows in the JSON only.
    Unknown,
}

/// An element of the document: its JSON, and for a primitive the member next to it, under the name with `_`.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    pub(crate) value: Option<&'a Value>,
    pub(crate) beside: Option<&'a Value>,
    pub(crate) of: ElementType<'a>,
    /// The resource that contains it, contained ones aside: `#id` is looked up there.
    pub(crate) resource: Option<&'a Value>,
}

/// An item of a collection.
#[derive(Clone, Debug)]
pub enum Item<'a> {
    /// An element of a document.
    Node(Node<'a>),
    /// A value that the expression made.
    System(System<'a>),
    /// The type that `type()` gives.
    Type(TypeName<'a>),
}

impl<'a> Item<'a> {
    /// The item's JSON, borrowed if it is in a document. `null` for a primitive that has only extensions.
    #[must_use]
    pub fn json(&self) -> Cow<'a, Value> {
        match self {
            Self::Node(node) => node.value.map_or(Cow::Owned(Value::Null), Cow::Borrowed),
            Self::System(system) => Cow::Owned(system.to_json()),
            Self::Type(name) => {
                let mut members = Map::new();
                members.insert("namespace".to_owned(), Value::String(name.namespace.to_owned()));
                members.insert("name".to_owned(), Value::String(name.name.to_owned()));
                Cow::Owned(Value::Object(members))
            }
        }
    }

    /// The same, and a quantity that the expression made as FHIR writes one.
    #[must_use]
    pub fn fhir_json(&self) -> Cow<'a, Value> {
        let Self::System(System::Quantity(quantity)) = self else { return self.json() };
        let code = match &quantity.unit {
            Unit::Calendar(unit) => unit.ucum_code(),
            Unit::Ucum(code) => code,
        };
        let value = System::Decimal(quantity.value.clone()).to_json();
        Cow::Owned(json!({"value": value, "unit": code, "system": "http://unitsofmeasure.org", "code": code}))
    }

    /// The item's JSON if it is in a document.
    #[must_use]
    pub fn element(&self) -> Option<&'a Value> {
        match self {
            Self::Node(node) => node.value,
            Self::System(_) | Self::Type(_) => None,
        }
    }

    /// The name of the item's type.
    #[must_use]
    pub fn type_name(&self) -> TypeName<'a> {
        match self {
            Self::Node(node) => TypeName { namespace: "FHIR", name: node.type_name() },
            Self::System(system) => TypeName { namespace: "System", name: system.system_type().name() },
            Self::Type(_) => TypeName { namespace: "System", name: "TypeInfo" },
        }
    }

    /// A resource, or another element whose type its JSON says.
    #[must_use]
    pub fn of_element(value: &'a Value) -> Self {
        Self::Node(Node::root(value))
    }

    /// True if the item's type has a definition. For other elements, those of later releases, only the JSON is known.
    #[must_use]
    pub fn is_defined(&self) -> bool {
        matches!(self, Self::Node(node) if node.type_id().is_some())
    }

    /// True if the item is an element of the FHIR type of that name, or of one derived from it.
    ///
    /// ```
    /// use candor_fhirpath::Item;
    /// let observation = candor_json::json!({"resourceType": "Observation", "valueQuantity": {"value": 5}});
    /// let items = Item::of_element(&observation).children();
    /// assert!(items.iter().any(|item| item.is_of("Quantity")));
    /// ```
    #[must_use]
    pub fn is_of(&self, name: &str) -> bool {
        model().named(name).is_some_and(|named| crate::evaluate::is_of(self, named))
    }

    /// The child elements, in the order of the JSON. A value that the expression made does not have children.
    #[must_use]
    pub fn children(&self) -> Vec<Item<'a>> {
        let Self::Node(node) = self else { return Vec::new() };
        crate::evaluate::children_of(node)
    }

    /// The item as a value of FHIRPath's own types, where it is a primitive or a quantity.
    #[must_use]
    pub fn system(&self) -> Option<Cow<'_, System<'a>>> {
        match self {
            Self::System(system) => Some(Cow::Borrowed(system)),
            Self::Node(node) => node.system().map(Cow::Owned),
            Self::Type(_) => None,
        }
    }

    /// The item's text, where it is a string.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::System(System::String(text)) => Some(text),
            Self::Node(node) => match node.primitive() {
                None | Some(Primitive::Text) => node.value.and_then(Value::as_str),
                Some(_) => None,
            },
            _ => None,
        }
    }

    /// The place of the item in `document`, as `name[0].given[1]`; empty for the document itself. `None` for a value
    /// that the expression made, and for elements of other documents.
    ///
    /// The whole document is searched: for several items, use [`ElementPaths`].
    #[must_use]
    pub fn path(&self, document: &'a Value) -> Option<String> {
        ElementPaths::of(document).find(self)
    }

    pub(crate) fn boolean(value: bool) -> Self {
        Self::System(System::Boolean(value))
    }

    pub(crate) fn string(text: impl Into<Text<'a>>) -> Self {
        Self::System(System::String(text.into()))
    }

    pub(crate) fn kind(&self) -> String {
        self.type_name().to_string()
    }
}

impl<'a> Node<'a> {
    /// A resource, or a value whose type is not known.
    pub(crate) fn root(value: &'a Value) -> Self {
        let of = resource_type(value);
        let resource = of.is_some().then_some(value);
        Self { value: Some(value), beside: None, of: of.unwrap_or(ElementType::Unknown), resource }
    }

    pub(crate) fn type_id(&self) -> Option<TypeId> {
        match self.of {
            ElementType::Known(id) => Some(id),
            ElementType::Foreign(_) | ElementType::Unknown => None,
        }
    }

    /// The form in which the primitive is read; `None` for other elements than primitives, and for unknown types.
    pub(crate) fn primitive(&self) -> Option<Primitive> {
        self.type_id().and_then(|id| model().get(id)).and_then(|definition| definition.primitive)
    }

    pub(crate) fn type_name(&self) -> &'a str {
        match self.of {
            ElementType::Known(id) => model().name(id),
            ElementType::Foreign(name) => name,
            ElementType::Unknown => match self.value {
                Some(Value::String(_)) => "string",
                Some(Value::Bool(_)) => "boolean",
                Some(Value::Number(number)) if number.is_i64() => "integer",
                Some(Value::Number(_)) => "decimal",
                _ => "Element",
            },
        }
    }

    pub(crate) fn member(&self, name: &str) -> Option<&'a Value> {
        self.value.and_then(Value::as_object).and_then(|members| members.get(name))
    }

    /// The value of a primitive or a quantity. A text that is not of its type's form stays text.
    pub(crate) fn system(&self) -> Option<System<'a>> {
        match self.value? {
            Value::Bool(value) => Some(System::Boolean(*value)),
            Value::String(text) => Some(self.of_text(text)),
            Value::Number(number) => Some(self.of_number(number)),
            Value::Object(_) => self.quantity().map(System::Quantity),
            Value::Null | Value::Array(_) => None,
        }
    }

    fn of_text(&self, text: &'a str) -> System<'a> {
        let read = match self.primitive() {
            Some(Primitive::Date) => Temporal::date(text),
            Some(Primitive::DateTime) => Temporal::date_time(text),
            Some(Primitive::Time) => Temporal::time(text),
            Some(Primitive::Long) => return text.parse().map_or(System::String(text.into()), System::Long),
            _ => None,
        };
        read.map_or(System::String(text.into()), System::Temporal)
    }

    fn of_number(&self, number: &Number) -> System<'a> {
        let text = number.as_str();
        let whole = match self.primitive() {
            Some(Primitive::Decimal) => None,
            Some(Primitive::Long) => text.parse().ok().map(System::Long),
            _ => text.parse().ok().map(System::Integer),
        };
        whole
            .or_else(|| Decimal::parse(text).map(System::Decimal))
            .unwrap_or_else(|| System::String(text.to_owned().into()))
    }

    /// A FHIR Quantity whose unit is a UCUM code, without a comparator, as FHIRPath's. UCUM's codes for durations are
    /// taken for the calendar's, as https://hl7.org/fhir/R4/fhirpath.html#quantity has it.
    pub(crate) fn quantity(&self) -> Option<Quantity> {
        let quantity = model().named("Quantity")?;
        let is_quantity = match self.of {
            ElementType::Known(id) => model().is_a(id, quantity),
            ElementType::Foreign(_) => false,
            ElementType::Unknown => self.member("value").is_some_and(Value::is_number),
        };
        if !is_quantity || self.member("comparator").is_some() {
            return None;
        }
        let value = Decimal::parse(self.member("value")?.as_number()?.as_str())?;
        let text = |name: &str| self.member(name).and_then(Value::as_str);
        let unit = match (text("system"), text("code")) {
            (Some("http://unitsofmeasure.org"), Some(code)) => {
                CalendarUnit::of_ucum(code).map(Unit::Calendar).or_else(|| Unit::ucum(code))?
            }
            (None, None) if text("unit").is_none() => Unit::one(),
            _ => return None,
        };
        Some(Quantity { value, unit })
    }
}

pub(crate) fn resource_type(value: &Value) -> Option<ElementType<'_>> {
    let name = value.as_object()?.get("resourceType")?.as_str()?;
    let known = model().named(name).filter(|&id| model().is_resource(id));
    Some(known.map_or(ElementType::Foreign(name), ElementType::Known))
}
