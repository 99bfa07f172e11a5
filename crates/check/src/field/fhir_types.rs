//! The needs of an assertion about FHIR's own types, so that it can be judged.

use candor_json::Value;

use crate::compare::{CompareAs, Operator, Quantity, Rule, code_problem};

pub(super) fn is_quantity(value: &Value) -> bool {
    let ends: Vec<&Value> =
        ["low", "high", "numerator", "denominator"].iter().filter_map(|end| value.get(end)).collect();
    Quantity::read(value).is_some() || (!ends.is_empty() && ends.iter().all(|end| Quantity::read(end).is_some()))
}

/// Refuses the rules that are about FHIR's types where they could never make a difference.
pub(super) fn typed_rules(
    rules: &[Rule],
    operator: Operator,
    expected: Option<&Value>,
    read_as: Option<CompareAs>,
) -> Result<(), String> {
    let nothing = Value::Null;
    let expected = expected.unwrap_or(&nothing);
    if rules.contains(&Rule::Code) {
        let fits = matches!(operator, Operator::Equals | Operator::NotEquals | Operator::In | Operator::NotIn);
        if !fits || read_as.is_some() || rules.contains(&Rule::Ucum) {
            let name = operator.name();
            return Err(if fits {
                "`using: [code]` goes neither with `as` nor with `ucum`".to_owned()
            } else {
                format!("`using: [code]` goes with `equals`, `notEquals`, `in` and `notIn`, not with `{name}`")
            });
        }
        if let Some(wanted) = code_problem(expected) {
            return Err(format!("`expected` is {expected}; `using: [code]` needs {wanted}"));
        }
    }
    if rules.contains(&Rule::Ucum) {
        if read_as.is_some_and(|kind| kind != CompareAs::Quantity) {
            return Err("`using: [ucum]` goes with `as: quantity`, or without `as`".to_owned());
        }
        ucum_quantities(expected)?;
    }
    Ok(())
}

/// Refuses `using: [ucum]` for what holds no quantity in UCUM units.
fn ucum_quantities(expected: &Value) -> Result<(), String> {
    let mut open = vec![expected];
    let mut found = false;
    while let Some(value) = open.pop() {
        if let Some(quantity) = Quantity::read(value) {
            if let Some(why) = quantity.not_ucum() {
                return Err(format!("`expected` holds {value}, which `using: [ucum]` cannot compare: {why}"));
            }
            found = true;
            continue;
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    if found {
        Ok(())
    } else {
        Err(format!(
            "`expected` is {expected}; `using: [ucum]` needs a quantity: an object with `value` and `code` or `unit`"
        ))
    }
}
