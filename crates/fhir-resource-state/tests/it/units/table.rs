//! The table of unsafe elements.

use candor_check::records::SafetyRow;

use crate::table::{Scope, TABLE};

#[test]
fn every_row_is_a_rule() {
    assert_eq!(TABLE.faults(), &[] as &[String]);
    assert!(TABLE.rows().iter().all(|row| row.source.starts_with('R') && row.undoes.is_none()));
}

#[test]
fn every_modifier_element_of_the_specification_has_its_row() {
    let elements = include_str!("../../../data/modifier-elements.txt");
    assert_eq!(elements.lines().count(), 145);
    for path in elements.lines() {
        let (parent, element) = path.rsplit_once('.').unwrap();
        let about = |row: &&SafetyRow| {
            row.element == element
                && match Scope::read(row.at) {
                    Scope::Anywhere => true,
                    Scope::BesideValue => ["Quantity", "Age", "Count", "Distance", "Duration"].contains(&parent),
                    Scope::OnlyItem => ["HumanName", "ContactPoint", "Address", "Identifier"].contains(&parent),
                    Scope::Of(path) => path.is_empty() && !parent.contains('.'),
                    Scope::Types(types) => types.contains(&(parent, None)),
                    Scope::Below(path) | Scope::ReadBelow(path) => path.join(".") == parent,
                    Scope::Rival { .. } => false,
                }
        };
        assert!(TABLE.rows().iter().any(|row| about(&row)), "{path}");
    }
}

#[test]
fn the_codes_of_a_row_are_codes_of_its_elements() {
    // A type that the row names must be able to have one of its codes, or the row is about nothing.
    let rule = |element: &str, value: &str| {
        let rows = TABLE.rows().iter().filter(|row| row.element == element && row.values.words().contains(&value));
        rows.filter_map(|row| match Scope::read(row.at) {
            Scope::Types(types) => Some(types.into_iter().map(|(name, _)| name).collect::<Vec<_>>()),
            _ => None,
        })
        .flatten()
        .collect::<Vec<_>>()
    };
    assert!(
        rule("status", "cancelled").contains(&"Appointment") && rule("status", "stopped").contains(&"Communication")
    );
    assert!(!rule("status", "draft").iter().any(|name| ["Questionnaire", "ValueSet", "PlanDefinition"].contains(name)));
    assert!(!rule("intent", "plan").iter().any(|name| ["CarePlan", "RequestGroup"].contains(name)));
}
