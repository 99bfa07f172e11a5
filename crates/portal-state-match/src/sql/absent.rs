//! Databases that this build leaves out: none of them opens, and each says which feature brings it.

use std::convert::Infallible;
use std::time::Instant;

use candor_check::Obstacle;
use candor_check::feature::missing_feature;

use super::clause::{Clause, Dialect};
use super::engine::{Described, Each, Engine, Table};
use super::trouble::{Reach, Trouble};

/// Makes an engine that does not exist.
macro_rules! absent {
    ($(#[$about:meta])* $name:ident, $feature:literal, $cannot:literal, ($($argument:ty),*)) => {
        $(#[$about])*
        pub(crate) enum $name {}

        impl $name {
            /// Refuses: this build leaves it out.
            ///
            /// # Errors
            /// Always, with the sentence that names the feature.
            pub(crate) fn open($(_: $argument,)* _: Instant) -> Result<Self, Trouble> {
                let what = format!("cannot be read: {}", missing_feature($cannot, $feature));
                Err(Trouble::new(Obstacle::NoSource, Reach::Connection, what))
            }
        }

        impl Engine for $name {
            type Id = Infallible;
            const DIALECT: Dialect = Dialect { zero_one: false, quote: '"', compared: |_| None };

            fn describe(&mut self, _: &str, _: Instant) -> Result<Described<Infallible>, Trouble> {
                match *self {}
            }

            fn rows(
                &mut self,
                _: &Table<Infallible>,
                _: &[Clause],
                _: Option<u64>,
                _: &mut Each<'_>,
            ) -> Result<(), Trouble> {
                match *self {}
            }

            fn done(&mut self) {
                match *self {}
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
