//! Weaknesses that the settings alone show.

use candor_check::review::{Review, Unchanged, Weakness, WeaknessKind};

use crate::except::Exception;
use crate::settings::Settings;

pub(crate) fn review(settings: &Settings) -> Review {
    let mut weaknesses = Vec::new();
    // An exception of a part that is not compared excepts nothing.
    let stray = settings
        .parts
        .as_ref()
        .and_then(|parts| settings.except.iter().find(|one| !parts.iter().any(|part| part == one.part())));
    if let Some(stray) = stray {
        let message = format!("an exception is about the part `{}`, which `parts` leaves out", stray.part());
        weaknesses.push(Weakness::new(WeaknessKind::AssertsNothing, "except", message));
    }
    let open = settings.except.iter().filter_map(Exception::opens).collect();
    let unchanged = Some(Unchanged { parts: settings.parts.clone(), open });
    Review { weaknesses, passes_on_nothing: true, unchanged, ..Review::default() }
}
