//! The native half of the Python package `candor-checks`: tasks, sandboxes and engines of the facade, and their results as
//! the bytes that the command line writes. What Python code sees is in `python/candor`, which is written in Python.
//!
//! - Work runs on threads of Candor's own ([`job`]), never while the thread holds Python's lock.
//! - A panic does not cross the border: it is `candor.InternalError`.
//! - After a fork nothing waits for a thread of the parent: the runtime, engines and sandboxes are made anew.
//!
//! PyO3's macros expand to code that the workspace's `forbid(unsafe_code)` accepts, so this crate has the lints of all others.

mod contents;
mod ending;
mod engine;
mod errors;
mod functions;
mod job;
mod outcome;
mod rubric;
mod sandbox;
mod task;
mod value;

/// The module `candor._native`.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::ending::end;
    #[pymodule_export]
    use crate::engine::Engine;
    #[cfg(debug_assertions)]
    #[pymodule_export]
    use crate::functions::panic_for_test;
    #[pymodule_export]
    use crate::functions::{call, capture, checks, diff, features, lint, schema, score, x12};
    #[pymodule_export]
    use crate::job::{Bell, Job};
    #[pymodule_export]
    use crate::rubric::{draft, harden, replay};
    #[pymodule_export]
    use crate::sandbox::{Sandbox, sandbox_of};
    #[pymodule_export]
    use crate::task::Task;
}
