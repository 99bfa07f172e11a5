//! Parts that a build can leave out: the one sentence that names the feature, and how a criterion ends that needs it.

use crate::outcome::{Obstacle, Unverifiable};

/// Says that this build leaves a part out, and which command brings it. `cannot` completes "this build of Candor cannot";
/// the sentence has neither a capital nor a full stop, so that it can follow a place.
///
/// ```
/// assert_eq!(
///     candor_check::feature::missing_feature("read SFTP servers", "sftp"),
///     "this build of Candor cannot read SFTP servers: build it with the feature `sftp`, as in `cargo build --release --features sftp`"
/// );
/// ```
#[must_use]
pub fn missing_feature(cannot: &str, feature: &str) -> String {
    format!(
        "this build of Candor cannot {cannot}: build it with the feature `{feature}`, as in `cargo build --release \
         --features {feature}`"
    )
}

/// How a criterion ends that asks for a part which this build leaves out: unverifiable, because the source cannot be read.
/// Never as if the source were empty.
#[must_use]
pub fn left_out(cannot: &str, feature: &str) -> Unverifiable {
    Unverifiable::new(Obstacle::NoSource, missing_feature(cannot, feature))
}
