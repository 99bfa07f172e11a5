//! The examples run to their ends.

#[path = "../../examples/in_memory.rs"]
pub mod in_memory;
#[path = "../../examples/server.rs"]
pub mod server;
#[path = "../../examples/seventh_check.rs"]
pub mod seventh_check;

#[test]
fn in_memory() {
    in_memory::main().unwrap();
}

#[test]
fn seventh_check() {
    seventh_check::main().unwrap();
}

#[test]
fn server() {
    server::main().unwrap();
}

#[test]
fn every_example_is_here() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["in_memory.rs", "server.rs", "seventh_check.rs"]);
}
