//! The process that runs a program.

use std::io::{Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use super::answer::MOST_REASON;
use super::protocol::{Answer, Call, Came, Returned};

#[cfg(feature = "script")]
/// Room for what the program calls and what the interpreter nests.
const STACK: usize = 64 << 20;

/// The entry point of a program that runs scripts ([`Runner`](super::Runner)): reads what to run, holds itself to its
/// limits, runs it, and writes one answer. It changes the limits of the whole process for good, so the process must do
/// nothing else.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     if std::env::args().nth(1).as_deref() == Some("script-child") {
///         return candor_verification::script::child(std::io::stdin(), std::io::stdout());
///     }
///     // What the harness does otherwise.
///     std::process::ExitCode::SUCCESS
/// }
/// ```
pub fn child(mut stdin: impl Read, mut stdout: impl Write) -> ExitCode {
    let mut bytes = Vec::new();
    let call: Call = match stdin.read_to_end(&mut bytes).map(|_| candor_json::from_slice(&bytes)) {
        Ok(Ok(call)) => call,
        // Without a request there is no nonce to answer with.
        Ok(Err(error)) => return unasked(&error),
        Err(error) => return unasked(&error),
    };
    drop(bytes);
    let nonce = call.nonce.clone();
    let (name, time, most) = (call.name.clone(), call.limits.time, call.limits.answer);
    let came = ran(call, time).unwrap_or_else(|why| Came::Broke(format!("{name}: {why}")));
    let came = match came {
        Came::Returned(Returned::Text(text) | Returned::Dict(text)) if text.len() > most => {
            Came::Broke(format!("{name}: it returned more than {most} bytes"))
        }
        Came::Broke(why) => Came::Broke(why.chars().take(MOST_REASON).collect()),
        came => came,
    };
    match candor_json::to_vec(&Answer { nonce, came })
        .map(|answer| stdout.write_all(&answer).and_then(|()| stdout.flush()))
    {
        Ok(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::from(3),
    }
}

/// If standard error is gone, the message is lost.
fn unasked(why: &dyn std::fmt::Display) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "standard input holds no script to run: {why}");
    ExitCode::from(2)
}

#[cfg(feature = "script")]
fn ran(call: Call, time: Duration) -> Result<Came, String> {
    // A parent that was killed does not end this process, so this process ends itself.
    let unthreaded = |error: std::io::Error| format!("no thread can be started for it: {error}");
    let watch = move || {
        std::thread::sleep(time.saturating_add(Duration::from_secs(1)));
        std::process::exit(4);
    };
    std::thread::Builder::new().name("watch".to_owned()).stack_size(256 << 10).spawn(watch).map_err(unthreaded)?;
    let limits = call.limits;
    let (hold, held) = std::sync::mpsc::channel();
    let work = move || {
        // Its stack is there before the limits are.
        match held.recv() {
            Ok(()) => super::evaluate::evaluate(call),
            Err(_) => Came::Broke(String::new()),
        }
    };
    let running =
        std::thread::Builder::new().name("script".to_owned()).stack_size(STACK).spawn(work).map_err(unthreaded)?;
    limits.hold()?;
    hold.send(()).map_err(|_| "the thread that runs it is gone")?;
    running.join().map_err(|panic| {
        let what = panic.downcast_ref::<String>().cloned();
        let what = what.or_else(|| panic.downcast_ref::<&str>().map(|&what| what.to_owned()));
        match what.unwrap_or_default() {
            what if what.contains("out of memory") => limits.too_much_memory(),
            what => format!("the interpreter broke: {what}"),
        }
    })
}

#[cfg(not(feature = "script"))]
fn ran(_: Call, _: Duration) -> Result<Came, String> {
    Err(candor_check::feature::missing_feature("run scripts", "script"))
}
