//! Weaknesses that the settings alone show.

use candor_check::review::{Review, Weakness, WeaknessKind};

use crate::settings::Settings;

pub(crate) fn review(settings: &Settings) -> Review {
    let mut weaknesses = Vec::new();
    if settings.parts.as_ref().is_some_and(Vec::is_empty) {
        let message = "`parts` is empty, so that nothing is compared; name parts, or leave it out to compare all";
        weaknesses.push(Weakness::new(WeaknessKind::AssertsNothing, "parts", message));
    }
    // An exception of a part that is not compared excepts nothing.
    let stray = settings.parts.as_ref().and_then(|parts| {
        settings.except.iter().find(|one| !parts.is_empty() && !parts.iter().any(|part| part == one.part()))
    });
    if let Some(stray) = stray {
        let message = format!("an exception is about the part `{}`, which `parts` leaves out", stray.part());
        weaknesses.push(Weakness::new(WeaknessKind::AssertsNothing, "except", message));
    }
    Review { weaknesses, ..Review::default() }
}
