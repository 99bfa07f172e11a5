//! The result of an evaluation.

use candor_json::Value;

use crate::item::{Item, Node, System};

/// Items, in order.
#[derive(Clone, Debug, Default)]
pub struct Collection<'a> {
    items: Vec<Item<'a>>,
    looked_at: Vec<&'a Value>,
    named: Vec<&'a Value>,
    undecided: Option<[String; 2]>,
}

impl<'a> Collection<'a> {
    pub(crate) fn new(items: Vec<Item<'a>>) -> Self {
        Self { items, ..Self::default() }
    }

    pub(crate) fn with_notes(
        self,
        looked_at: Vec<&'a Value>,
        named: Vec<&'a Value>,
        undecided: Option<[String; 2]>,
    ) -> Self {
        Self { looked_at, named, undecided, ..self }
    }

    /// The elements that the evaluation reached by name, those that are not among the items too. Empty without
    /// [`Context::with_notes`](crate::Context::with_notes).
    #[must_use]
    pub fn looked_at(&self) -> &[&'a Value] {
        &self.looked_at
    }

    /// The elements that a comparison found equal to a literal: their values are written in the expression. Empty without
    /// [`Context::with_notes`](crate::Context::with_notes).
    ///
    /// ```
    /// use candor_fhirpath::{Context, Expression};
    /// let task = candor_json::json!({"resourceType": "Task", "status": "cancelled"});
    /// let named = |text: &str| {
    ///     let result = Expression::parse(text).unwrap().evaluate(&task, &Context::new().with_notes()).unwrap();
    ///     result.named().len()
    /// };
    /// assert_eq!(named("status = 'cancelled'"), 1);
    /// assert_eq!(named("status in ('cancelled' | 'failed')"), 1);
    /// assert_eq!(named("status.exists() and status != 'completed'"), 0);
    /// ```
    #[must_use]
    pub fn named(&self) -> &[&'a Value] {
        &self.named
    }

    /// True if the precision of dates left a comparison open on the way. The result may depend on it.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.undecided.is_some()
    }

    /// The values of the first comparison that was left open.
    #[must_use]
    pub fn undecided(&self) -> Option<&[String; 2]> {
        self.undecided.as_ref()
    }

    /// A resource, or another element whose type its JSON tells, as a variable's value.
    #[must_use]
    pub fn of_element(value: &'a Value) -> Self {
        Self::new(vec![Item::Node(Node::root(value))])
    }

    /// A collection of one item that another expression gave.
    #[must_use]
    pub fn of_item(item: Item<'a>) -> Self {
        Self::new(vec![item])
    }

    /// A value of FHIRPath's own types, as a variable's value.
    #[must_use]
    pub fn of_system(value: System<'a>) -> Self {
        Self::new(vec![Item::System(value)])
    }

    /// The items.
    #[must_use]
    pub fn items(&self) -> &[Item<'a>] {
        &self.items
    }

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Item<'a>> {
        self.items.iter()
    }

    /// The one boolean that the collection is.
    #[must_use]
    pub fn boolean(&self) -> Option<bool> {
        match self.items.as_slice() {
            [one] => match one.system().as_deref() {
                Some(System::Boolean(value)) => Some(*value),
                _ => None,
            },
            _ => None,
        }
    }
}

impl<'a> IntoIterator for Collection<'a> {
    type Item = Item<'a>;
    type IntoIter = std::vec::IntoIter<Item<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'s, 'a> IntoIterator for &'s Collection<'a> {
    type Item = &'s Item<'a>;
    type IntoIter = std::slice::Iter<'s, Item<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a> FromIterator<Item<'a>> for Collection<'a> {
    fn from_iter<I: IntoIterator<Item = Item<'a>>>(items: I) -> Self {
        Self::new(items.into_iter().collect())
    }
}
