//! Results as bytes: one file per output format.
