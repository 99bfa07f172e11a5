//! Programs as verifiers, in the process that runs them: what they see, and what hostile ones do not get.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use crate::common;

use std::time::{Duration, Instant};

use candor_verification::script::{Grants, Limits, Runner};
use candor_verification::verifiers::Script;
use candor_verification::{Claim, Verifier, VerifierInput, VerifierVerdict};

use common::{Workspace, http, limits, runner, runtime, says, server};

const HOUR: Duration = Duration::from_secs(3600);

fn failed(reason: &str) -> Result<VerifierVerdict, String> {
    Ok(VerifierVerdict::Failed { reason: reason.to_owned() })
}

#[test]
fn a_program_says_whether_the_work_is_done() {
    let workspace = Workspace::new();
    let program = "def run(result):\n    report = fs.stat(\"report.md\")\n    if not report:\n        \
                   return json.encode({\"verified\": False, \"reason\": \"report.md is not there\"})\n    \
                   return json.encode({\"verified\": True, \"reason\": \"\"})\n";
    let none = runner(Grants::default());
    assert_eq!(workspace.verify(program, &none), failed("report.md is not there"));
    std::fs::write(workspace.path("report.md"), "all done").unwrap();
    assert_eq!(workspace.verify(program, &none), Ok(VerifierVerdict::Passed));
    assert_eq!(workspace.verify("def run(result):\n    return True\n", &none), Ok(VerifierVerdict::Passed));
    let no = workspace.verify("def run(result):\n    return False\n", &none);
    assert_eq!(no, failed("the script says that the work is not done, and not why"));
}

#[test]
fn a_program_sees_what_it_is_given() {
    let workspace = Workspace::new();
    std::fs::write(workspace.path("a.json"), "{\"rows\": [{\"n\": 12345678901234567890123}]}").unwrap();
    for seen in [
        "result[\"response\"] == \"Done.\"",
        "result[\"tool_calls\"][0][\"amount\"] == 1.5",
        "result[\"tool_results\"] == [\"ok\"]",
        "result[\"eval_result\"] == None",
        "result[\"iteration\"] == 2",
        "fs.stat(result[\"workspace\"])[\"is_dir\"]",
        "json.decode(fs.read(\"a.json\"))[\"rows\"][0][\"n\"] == 12345678901234567890123",
        "json.decode(\"[1e999, 1.5]\") == [\"1e+999\", 1.5]",
        "json.encode({\"a\": [1, None, True, \"x\"]}) == '{\"a\":[1,null,true,\"x\"]}'",
        "fs.stat(\"a.json\")[\"is_file\"] and fs.stat(\"a.json\")[\"size\"] == 42",
        "fs.stat(\"a.json\")[\"modified\"].startswith(\"2\")",
        "fs.stat(\"b.json\") == None and fs.stat(\"a.json/b\") == None and fs.stat(\"no/such/file\") == None",
        "fs.stat(\"a.json\")[\"exists\"]",
        "args == {} and args.get(\"x\") == None",
        "json.decode(\"{\", default = None) == None",
        "json.decode(\"{\", None) == None and json.decode(\"\", default = [1]) == [1]",
        "json.decode(\"null\", default = 1) == None and json.decode(\"[1]\", default = None) == [1]",
        "print(\"nobody sees this\") == None",
    ] {
        workspace.passes(&format!("return {seen}"), Grants::default());
    }
    let mut input = workspace.input();
    input.eval_result = Some(candor_verification::Claim { response: "PASS".to_owned(), ..Default::default() });
    let program = "def run(result):\n    return result[\"eval_result\"][\"response\"] == \"PASS\"\n";
    let script = Script::new("check.star", program, runner(Grants::default()));
    assert_eq!(runtime().block_on(script.verify(&input)), Ok(VerifierVerdict::Passed));
}

#[test]
fn a_program_that_is_no_verifier_is_broken_and_says_where() {
    let workspace = Workspace::new();
    for (program, expected) in [
        ("def run(result)\n    return True\n", "check.star:1:16: "),
        ("def run(result):\n    return nowhere\n", "check.star:2:12: "),
        ("x = 1\n", "check.star: it defines no `run(result)`"),
        ("run = 1\n", "check.star: "),
        ("def run():\n    return True\n", "check.star"),
        ("def run(result):\n    return 1 // 0\n", "check.star:2:12: "),
        ("def run(result):\n    fail(\"the portal\", \"is down\")\n", "check.star:2:5: it failed: the portal is down"),
        ("load(\"other.star\", \"x\")\ndef run(result):\n    return True\n", "check.star:1:1: "),
        ("def run(result):\n    return None\n", "check.star: `run` returned a value of type NoneType"),
        ("def run(result):\n    return 1\n", "check.star: `run` returned a value of type int"),
        ("def run(result):\n    return {\"verified\": True}\n", "check.star: `run` returned a dict"),
        ("def run(result):\n    return \"yes\"\n", "check.star: `run` returned a text that says no verdict"),
        ("def run(result):\n    return json.encode({\"verified\": 1})\n", "check.star: `run` returned a text"),
        ("def run(result):\n    return allow()\n", "check.star:2:12: "),
        ("def run(result):\n    return open(\"x\")\n", "check.star:2:12: "),
        ("def run(result):\n    return json.decode(\"{\")\n", "check.star:2:12: this is not JSON"),
    ] {
        let message = workspace.verify(program, &runner(Grants::default())).unwrap_err();
        assert!(message.starts_with(expected), "{program}: {message}");
        assert!(!message.contains('\n') || message.lines().count() <= 3, "{program}: {message}");
    }
}

#[test]
fn a_program_that_takes_too_much_is_ended() {
    let workspace = Workspace::new();
    let deep = format!("x = {}1{}", "(".repeat(200_000), ")".repeat(200_000));
    let lists = format!("x = {}{}", "[".repeat(200_000), "]".repeat(200_000));
    let minus = format!("x = {}1", "-".repeat(300_000));
    for (lines, expected) in [
        ("for i in range(1 << 30):\n    for j in range(1 << 30):\n        pass", ""),
        ("x = sorted(range(100000000))", "512 MiB of memory"),
        ("x = [str(n) for n in range(100000000)]", ""),
        ("x = \"a\" * (1 << 40)", "too big"),
        ("x = [0] * (1 << 30)", ""),
        ("x = list(range(2000000000))", ""),
        ("x = 1 << 2000000000", ""),
        ("x = \"a\"\nfor i in range(100):\n    x = x + x", "512 MiB of memory"),
        ("x = [1]\nfor i in range(100):\n    x = x + x", "512 MiB of memory"),
        ("x = []\nfor i in range(9000000):\n    x = [x]\nreturn json.encode(x)", ""),
        ("x = [0]\nfor i in range(60):\n    x = [x, x]\nreturn json.encode(x)", ""),
        ("x = [0]\nfor i in range(60):\n    x = [x, x]\nreturn str(x)", ""),
        ("x = []\nx.append(x)\nreturn json.encode(x)", ""),
        ("x = \"a\" * 1024\nfor i in range(15):\n    x = x + x\nreturn x", "it returned more than"),
        ("x = \"a\" * 1024\nfor i in range(15):\n    x = x + x\nfail(x)", "it failed: aaa"),
        ("return json.decode(\"[\" * 100000)", "not JSON"),
        ("return json.decode(\"[\" * 100000 + \"]\" * 100000)", "not JSON"),
        (&deep, ""),
        (&lists, ""),
        (&minus, ""),
    ] {
        let body: String = lines.lines().map(|line| format!("    {line}\n")).collect();
        // What ends by another limit than time has as much time as it needs.
        let short = match expected {
            "" => Limits { processor: Duration::from_secs(1), ..limits() },
            _ => Limits { processor: Duration::from_secs(60), ..limits() },
        };
        let runner = runner(Grants::default()).limits(short);
        let message = workspace.verify(&format!("def run(result):\n{body}"), &runner).unwrap_err();
        let shown: String = lines.chars().take(60).collect();
        assert!(message.starts_with("check.star") && message.contains(expected), "{shown}: {message}");
        assert!(message.len() < 20_000, "{shown}");
        assert!(!message.contains("panicked at"), "{shown}: {message}");
    }
}

#[test]
fn deep_calls_end_the_program_and_nothing_else() {
    let workspace = Workspace::new();
    let program = "def f(n):\n    return f(n + 1)\n\ndef run(result):\n    return f(0)\n";
    let message = workspace.verify(program, &runner(Grants::default())).unwrap_err();
    assert!(message.contains("call each other more than 200 deep"), "{message}");
    let fine = "def f(n):\n    return n == 0 or f(n - 1)\n\ndef run(result):\n    return f(100)\n";
    assert_eq!(workspace.verify(fine, &runner(Grants::default())), Ok(VerifierVerdict::Passed));
}

#[test]
fn a_program_s_time_is_bounded_whatever_it_does() {
    let workspace = Workspace::new();
    let slow = server(|_, _| std::thread::sleep(HOUR));
    let lines = format!("return http.get(\"{slow}/\", timeout = 3600)[\"status\"] == 200");
    let short = Limits { time: Duration::from_millis(700), ..limits() };
    let program = format!("def run(result):\n    {lines}\n");
    let message = workspace.verify(&program, &runner(http(&slow)).limits(short)).unwrap_err();
    assert!(message.contains("took longer than 0.7 s") || message.contains("cannot be asked"), "{message}");
    let little = Limits { memory: 300 << 20, steps: 1000, ..limits() };
    let program = "def run(result):\n    for i in range(100000):\n        pass\n    return True\n";
    let message = workspace.verify(program, &runner(Grants::default()).limits(little)).unwrap_err();
    assert!(message.contains("1000"), "{message}");
}

#[test]
fn source_that_is_no_program_is_refused_before_anything_runs() {
    let workspace = Workspace::new();
    let path = workspace.outside("check.star");
    let read = || Script::read(&path, runner(Grants::default())).unwrap_err().message;
    assert!(read().contains("cannot be read"));
    std::fs::write(&path, b"def run(result):\n    return \"\xff\"\n").unwrap();
    assert!(read().ends_with("check.star: line 2 is not UTF-8"), "{}", read());
    std::fs::write(&path, " ".repeat(2 << 20)).unwrap();
    assert!(read().contains("larger than"));
    std::fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    assert!(read().ends_with("it is not a file"));
}

#[test]
fn files_that_are_not_granted_are_not_read() {
    let workspace = Workspace::new();
    std::fs::write(workspace.outside("secret"), "hunter2").unwrap();
    std::fs::write(workspace.path("public"), "fine").unwrap();
    std::os::unix::fs::symlink(workspace.outside("secret"), workspace.path("link")).unwrap();
    std::os::unix::fs::symlink(workspace.outside(""), workspace.path("folder-link")).unwrap();
    std::os::unix::fs::symlink("public", workspace.path("inside")).unwrap();
    for path in [
        "/etc/passwd",
        "../secret",
        "../../..",
        "x/../../secret",
        "folder-link/../secret",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "/dev/zero",
        "/",
    ] {
        for call in ["read", "stat"] {
            let message = workspace.breaks(&format!("return fs.{call}(\"{path}\") == \"\""), Grants::default());
            assert!(message.contains("not granted; grant it with --allow-read"), "{call} {path}: {message}");
            assert!(!message.contains("hunter2") && message.starts_with("check.star:2:12: "), "{message}");
        }
    }
    // A link out of the workspace is made by who did the work.
    let whole = workspace.path("link").display().to_string();
    for path in ["link", "./link", "folder-link", "folder-link/secret", "folder-link/nothing", whole.as_str()] {
        for call in ["read", "stat"] {
            let program = format!("def run(result):\n    return fs.{call}(\"{path}\") == \"\"\n");
            let expected = format!("`{path}` leads out of the workspace by a link");
            assert_eq!(workspace.verify(&program, &runner(Grants::default())), failed(&expected), "{call}");
        }
    }
    workspace.passes("return fs.read(\"inside\") == \"fine\"", Grants::default());
    // A path that the answer names and no operator is the delegate's, wherever it leads.
    for (response, asks, is_charged) in [
        ("../secret", "result['response']", true),
        ("see /etc/passwd", "result['response'].split(' ')[1]", true),
        ("/etc/passwd", "'/etc/passwd'", false),
        ("report.md", "'/etc/' + result['response']", false),
    ] {
        let program = format!("def run(result):\n    return fs.read({asks}) == ''\n");
        let said = Script::new("check.star", program, runner(Grants::default()));
        let input = VerifierInput {
            build_result: Claim { response: response.to_owned(), ..Claim::default() },
            ..workspace.input()
        };
        let verdict = runtime().block_on(said.verify(&input)).map_err(|error| error.message);
        assert_eq!(matches!(verdict, Ok(VerifierVerdict::Failed { .. })), is_charged, "{response}: {verdict:?}");
        assert_eq!(verdict.is_err(), !is_charged, "{response}");
    }
    let all = Grants { read: vec![workspace.outside("secret")], ..Grants::default() };
    workspace.passes("return fs.read(\"link\") == \"hunter2\" and fs.read(\"../secret\") == \"hunter2\"", all);
}

#[test]
fn what_is_no_text_file_fails_the_attempt_and_is_not_waited_for() {
    let workspace = Workspace::new();
    let made = std::process::Command::new("mkfifo").arg(workspace.path("pipe")).status().unwrap();
    assert!(made.success());
    std::fs::write(workspace.path("image"), b"abc\xff\xfe").unwrap();
    std::fs::write(workspace.path("large"), "a".repeat((8 << 20) + 1)).unwrap();
    std::os::unix::fs::symlink("/dev/zero", workspace.path("zero")).unwrap();
    std::os::unix::fs::symlink("round", workspace.path("round")).unwrap();
    let dev = || Grants { read: vec!["/dev".into()], ..Grants::default() };
    for (path, expected) in [
        ("pipe", "`pipe` is not a file"),
        (".", "`.` is not a file"),
        ("image", "not UTF-8 from byte 3 on"),
        ("large", "larger than"),
        ("missing", "`missing` is not there"),
        ("pipe/x", "`pipe/x` is not there"),
        ("round", "`round` cannot be read: "),
    ] {
        // One that was waited for would be ended by the time limit, which says something else.
        let program = format!("def run(result):\n    return fs.read(\"{path}\") == \"\"\n");
        match workspace.verify(&program, &runner(dev())) {
            Ok(VerifierVerdict::Failed { reason }) => assert!(reason.contains(expected), "{path}: {reason}"),
            other => panic!("{path}: {other:?}"),
        }
    }
    // The operator's own file.
    let message = workspace.breaks("return fs.read(\"zero\") == \"\"", dev());
    assert!(message.contains("`zero` is not a file"), "{message}");
}

#[test]
fn variables_are_read_as_granted() {
    let workspace = Workspace::new();
    let grants = Grants { env: vec!["CARGO_PKG_NAME".to_owned(), "CANDOR_NOT_SET".to_owned()], ..Grants::default() };
    let lines = "return env(\"CARGO_PKG_NAME\") == \"candor-verification\" and env(\"CANDOR_NOT_SET\") == None";
    workspace.passes(lines, grants.clone());
    for name in ["PATH", "HOME", "CANDOR_SCRIPT_CHILD"] {
        let message = workspace.breaks(&format!("return env(\"{name}\") == None"), grants.clone());
        assert!(message.contains(&format!("{name} is not granted; grant it with --allow-env {name}")), "{message}");
    }
}

#[test]
fn servers_are_asked_as_granted() {
    let workspace = Workspace::new();
    let open = server(|request, out| {
        let body = if request.contains("x-key: k1") { "{\"rows\": 1}" } else { "no key" };
        let _ = write!(out, "HTTP/1.1 200 OK\r\nX-Rows: 1\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    });
    let lines = format!(
        "got = http.get(\"{open}/rows?x=1\", headers = {{\"X-Key\": \"k1\"}}, timeout = 60)\n\
         return got[\"status\"] == 200 and got[\"headers\"][\"x-rows\"] == \"1\" and json.decode(got[\"body\"])[\"rows\"] == 1"
    );
    workspace.passes(&lines, http(&open));
    let other = says("200 OK", "secret");
    for url in [
        format!("{other}/"),
        open.replace("127.0.0.1", "localhost"),
        open.replace("http://", "https://"),
        open.replace("http://", "http://user@"),
        open.replace("http://", "file://"),
        "/etc/passwd".to_owned(),
        "not an address".to_owned(),
        format!("{open}@{}", other.trim_start_matches("http://")),
    ] {
        let message = workspace.breaks(&format!("return http.get(\"{url}\")[\"status\"] == 200"), http(&open));
        assert!(message.contains("is not granted") || message.contains("is not an address"), "{url}: {message}");
    }
    workspace.passes(&format!("return http.get(\"{}/\")[\"status\"] == 404", says404()), http(&says404()));
}

/// A server of its own for every call would be another origin.
fn says404() -> String {
    static ADDRESS: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    ADDRESS.get_or_init(|| says("404 Not Found", "")).clone()
}

#[test]
fn a_redirect_is_an_answer_and_leads_nowhere() {
    let workspace = Workspace::new();
    let (asked, was_asked) = std::sync::mpsc::channel();
    let secret = server(move |_, out| {
        asked.send(()).unwrap();
        let _ = out.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret");
    });
    let open = server(move |_, out| {
        let _ = write!(out, "HTTP/1.1 302 Found\r\nLocation: {secret}/\r\nContent-Length: 0\r\n\r\n");
    });
    let lines = format!("got = http.get(\"{open}/\")\nreturn got[\"status\"] == 302 and got[\"body\"] == \"\"");
    workspace.passes(&lines, http(&open));
    assert!(was_asked.try_recv().is_err(), "the redirect was followed");
}

#[test]
fn a_server_that_does_not_end_ends_in_an_error() {
    let workspace = Workspace::new();
    let silent = server(|_, _| std::thread::sleep(HOUR));
    let endless = server(|_, out| {
        let _ = out.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while out.write_all(&[b'a'; 65536]).is_ok() {}
    });
    let dripping = server(|_, out| {
        let _ = out.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        while out.write_all(b"a").is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let headers = server(|_, out| {
        let _ = out.write_all(b"HTTP/1.1 200 OK\r\n");
        while out.write_all(b"X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n").is_ok() {}
    });
    let binary = says("200 OK", "\u{0}");
    workspace.passes(&format!("return http.get(\"{binary}/\")[\"body\"] == \"\\0\""), http(&binary));
    for address in [silent, endless, dripping, headers, "http://127.0.0.1:1".to_owned()] {
        // The time limit of the whole program names no address.
        let lines = format!("return http.get(\"{address}/a?token=hunter2\", timeout = 1)[\"status\"] == 200");
        let message = workspace.breaks(&lines, http(&address));
        assert!(message.contains(&format!("{address}/a ")) && !message.contains("hunter2"), "{message}");
    }
}

#[test]
fn no_answer_is_forged_and_no_other_program_taken_for_the_runner() {
    let workspace = Workspace::new();
    let forged = "{\\\"nonce\\\": \\\"x\\\", \\\"came\\\": {\\\"returned\\\": {\\\"bool\\\": true}}}";
    let lines = format!("print(\"{forged}\")\nprint(\"{forged}\\n\")\nreturn False");
    let body: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    let verdict = workspace.verify(&format!("def run(result):\n{body}"), &runner(Grants::default()));
    assert_eq!(verdict, failed("the script says that the work is not done, and not why"));
    let program = "def run(result):\n    return True\n";
    for (command, expected) in [
        (vec!["sh", "-c", "echo '{\"nonce\":\"x\",\"came\":{\"returned\":{\"bool\":true}}}'"], "another question"),
        (vec!["sh", "-c", "echo true"], "answered with something else"),
        (vec!["sh", "-c", "exit 0"], "answered with something else"),
        (vec!["sh", "-c", "echo no >&2; exit 9"], "ended with 9: no"),
        (vec!["sh", "-c", "yes"], ""),
        (vec!["/candor-no-such"], "cannot be started"),
    ] {
        let arguments: Vec<std::ffi::OsString> = command[1..].iter().map(Into::into).collect();
        let limits = match expected {
            // It never ends.
            "" => Limits { time: Duration::from_secs(2), ..limits() },
            _ => limits(),
        };
        let runner = Runner::default().program(command[0], arguments).limits(limits);
        let message = workspace.verify(program, &runner).unwrap_err();
        assert!(message.contains(expected), "{command:?}: {message}");
    }
}

#[test]
fn a_program_s_process_is_gone_when_nobody_waits_for_it() {
    let workspace = Workspace::new();
    let (came, asked) = std::sync::mpsc::channel();
    let slow = server(move |_, _| {
        came.send(()).unwrap();
        std::thread::sleep(HOUR);
    });
    let program = format!("def run(result):\n    return http.get(\"{slow}/\", timeout = 3600) == 1\n");
    // An argument without effect marks its process among those of other tests.
    let mark = format!("nobody-waits-{}", std::process::id());
    let runner = runner(http(&slow)).program(common::CHILD, [mark.clone().into()]);
    let script = Script::new("check.star", &program, runner);
    let input = workspace.input();
    runtime().block_on(async {
        let asked = async {
            while asked.try_recv().is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            at_work(&mark)
        };
        tokio::select! {
            verdict = script.verify(&input) => panic!("it ended: {verdict:?}"),
            then = asked => assert_eq!(then, 1),
        }
    });
    let began = Instant::now();
    while at_work(&mark) > 0 {
        // By itself it ends with the time limit, after ten minutes.
        assert!(began.elapsed() < Duration::from_secs(120), "it is still at work");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Counts the processes with an argument; a process that has ended has no arguments.
fn at_work(argument: &str) -> usize {
    let commands = std::fs::read_dir("/proc").unwrap().flatten();
    let commands = commands.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    commands.filter(|command| command.split(|&byte| byte == 0).any(|word| word == argument.as_bytes())).count()
}
