//! What this project's maintainers run.
fn main() {}
