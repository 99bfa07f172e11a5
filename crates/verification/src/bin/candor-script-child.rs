//! Runs one script and nothing else: what a `Runner` starts, for harnesses that do not call `script::child` themselves.

fn main() -> std::process::ExitCode {
    candor_verification::script::child(std::io::stdin(), std::io::stdout())
}
