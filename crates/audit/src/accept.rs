//! Survivors that the author of a task accepts, each with a reason: `audit: {accept: [{operator, locator, because}]}`.

use candor_json::Value;
use serde::Deserialize;

use crate::report::{CriterionReport, Finding};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    accept: Vec<Accepted>,
}

/// Survivors that the author accepts: those of an operator, in one file or in any.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    operator: String,
    locator: Option<String>,
    because: String,
}

/// Reads the member `audit` of a task.
pub(crate) fn read(settings: Option<&Value>) -> Result<Vec<Accepted>, String> {
    let Some(settings) = settings else { return Ok(Vec::new()) };
    let settings: Settings = candor_json::from_value(settings.clone()).map_err(|error| error.to_string())?;
    match settings.accept.iter().find(|accepted| accepted.because.trim().is_empty()) {
        Some(accepted) => Err(format!("`{}` is accepted without a reason; say why in `because`", accepted.operator)),
        None => Ok(settings.accept),
    }
}

/// Marks what is accepted. One that is about no survivor is stale.
pub(crate) fn apply(accepted: &[Accepted], criteria: &mut [CriterionReport]) -> Vec<Finding> {
    let mut stale = Vec::new();
    for one in accepted {
        let covers = |operator: &str, locator: &str| {
            one.operator == operator && one.locator.as_deref().is_none_or(|accepted| accepted == locator)
        };
        let mut used = false;
        for survivor in criteria.iter_mut().flat_map(|criterion| &mut criterion.survivors) {
            if covers(&survivor.operator, &survivor.locator) {
                survivor.accepted = Some(one.because.clone());
                used = true;
            }
        }
        if !used {
            let message = format!("`audit.accept` names `{}`, and no such mutant survives; take it out", one.operator);
            stale.push(Finding { code: "stale_accept", message });
        }
    }
    stale
}
