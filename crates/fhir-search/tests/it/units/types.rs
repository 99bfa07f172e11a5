//! Names of resource types and data types.

use crate::types::{CHOICES, choice, is_resource, nearest, resources};

#[test]
fn the_choices_are_sorted_so_that_they_can_be_looked_up() {
    assert!(CHOICES.is_sorted() && resources().is_sorted());
    assert_eq!(choice("valueQuantity", "value"), Some("Quantity"));
    assert_eq!(choice("valueSet", "value"), None);
    assert_eq!(choice("value", "value"), None);
}

#[test]
fn resource_types() {
    assert!(is_resource("Appointment") && is_resource("Transport") && is_resource("MedicinalProductDefinition"));
    assert!(!is_resource("appointment") && !is_resource("") && !is_resource("Resource") && !is_resource("Quantity"));
    assert_eq!(nearest("Appointmnt", resources()), Some("Appointment"));
    assert_eq!(nearest("patient", resources()), Some("Patient"));
    assert_eq!(nearest("zzzzzz", resources()), None);
}
