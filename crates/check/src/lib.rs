//! The contract between a check and everything that runs it.
