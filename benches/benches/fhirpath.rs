//! FHIRPath: compiled expressions, each over one resource, compared with fhirpath.js and fhirpathpy in one run.
//!
//! Everyone gets the same resources as its own JSON values, R4's types, and expressions that were parsed before. Where
//! `CANDOR_PEERS_NODE` (a folder of node modules) and `CANDOR_PEERS_PYTHON` are set, as `cargo xtask bench` does, the others run
//! too, and the factors are printed.

use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use candor_fhirpath::{Context, Expression};
use candor_json::{Value, json};

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> Value {
    candor_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

/// Nanoseconds an evaluation, the fastest of several passes.
fn ours(resource: &Value, expression: &str) -> f64 {
    let (expression, context) = (Expression::parse(expression).expect("an expression"), Context::new());
    let pass = |times: u32| {
        let start = Instant::now();
        for _ in 0..times {
            black_box(expression.evaluate(black_box(resource), &context).expect("a result"));
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(times)
    };
    pass(1000);
    (0..7).map(|_| pass(5000)).fold(f64::INFINITY, f64::min)
}

/// The times that another implementation prints for the same cases.
fn others(mut command: Command, cases: &Value) -> Vec<f64> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("its input").write_all(cases.to_string().as_bytes()).expect("its input");
    let output = child.wait_with_output().expect("its end");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| line.parse().expect("a number")).collect()
}

fn mean(of: impl Iterator<Item = f64> + Clone) -> f64 {
    (of.clone().map(f64::ln).sum::<f64>() / of.count() as f64).exp()
}

fn main() {
    let inputs = here().join("../conformance/fhirpath/inputs/r4");
    let Value::Array(rows) = read(&here().join("fhirpath_expressions.json")) else { panic!("a list") };
    let cases: Vec<(Value, String)> = rows
        .iter()
        .map(|row| {
            let text = |at: usize| row[at].as_str().expect("a text");
            (read(&inputs.join(format!("{}.json", text(0)))), text(1).to_owned())
        })
        .collect();
    let ours: Vec<f64> = cases.iter().map(|(resource, expression)| ours(resource, expression)).collect();
    let list = json!(cases);
    let mut columns: Vec<(&str, Vec<f64>)> = Vec::new();
    if let Some(modules) = std::env::var_os("CANDOR_PEERS_NODE") {
        let mut node = Command::new("node");
        node.arg(here().join("fhirpath_js.cjs")).env("NODE_PATH", modules);
        columns.push(("fhirpath.js", others(node, &list)));
    }
    if let Some(python) = std::env::var_os("CANDOR_PEERS_PYTHON") {
        let mut python = Command::new(python);
        python.arg(here().join("fhirpath_py.py"));
        columns.push(("fhirpathpy", others(python, &list)));
    }
    for (at, (_, expression)) in cases.iter().enumerate() {
        print!("{:>10.0} ns", ours[at]);
        for (name, theirs) in &columns {
            print!("   {name} {:>12.0} ns {:>7.0}x", theirs[at], theirs[at] / ours[at]);
        }
        println!("   {expression}");
    }
    for (name, theirs) in &columns {
        let factors = theirs.iter().zip(&ours).map(|(theirs, ours)| theirs / ours);
        let least = factors.clone().fold(f64::INFINITY, f64::min);
        println!("{name}: {:.0} times as long in the geometric mean, {least:.0} times at least", mean(factors));
    }
}
