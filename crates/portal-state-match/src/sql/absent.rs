//! Databases that this build leaves out: none of them opens, and each says which feature brings it.

use std::time::Instant;

use candor_check::Obstacle;
use candor_check::feature::missing_feature;

use super::engine::Engine;
use super::trouble::{Reach, Trouble};

/// Makes an engine that does not open.
macro_rules! absent {
    ($name:ident, $feature:literal, $cannot:literal, ($($argument:ty),*)) => {
        pub(crate) enum $name {}

        impl $name {
            /// Refuses: this build leaves it out.
            ///
            /// # Errors
            /// Always, with the sentence that names the feature.
            pub(crate) fn open($(_: $argument,)* _: Instant) -> Result<Box<dyn Engine>, Trouble> {
                let what = format!("cannot be read: {}", missing_feature($cannot, $feature));
                Err(Trouble::new(Obstacle::NoSource, Reach::Connection, what))
            }
        }
    };
}

#[cfg(not(feature = "sqlite"))]
absent!(Sqlite, "sqlite", "read SQLite files", (super::file::SqliteFile<'_>, &candor_check::sandbox::Limits));
#[cfg(not(feature = "databases"))]
absent!(Postgres, "databases", "read PostgreSQL databases", (&candor_check::sandbox::Remote));
#[cfg(not(feature = "databases"))]
absent!(Mysql, "databases", "read MySQL databases", (&candor_check::sandbox::Remote));
