//! Scripts and hooks as existing harnesses write them: they work unchanged, or are refused with a sentence.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use crate::common;

use candor_json::{Map, Value, json};
use candor_verification::script::{Grants, HookFile};
use candor_verification::verifiers::Script;
use candor_verification::{Claim, HookAnswer, HookPayload, PostVerifyHook, Verifier, VerifierVerdict};

use common::{Workspace, http, runner, runtime, says};

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// The verdict of a script over a response, with `args`.
fn verdict(
    workspace: &Workspace,
    program: &str,
    args: &Value,
    response: &str,
    grants: Grants,
) -> Result<VerifierVerdict, String> {
    let script = Script::new("check.star", program, runner(grants)).with_args(object(args));
    let mut input = workspace.input();
    input.build_result.response = response.to_owned();
    runtime().block_on(script.verify(&input)).map_err(|error| error.message)
}

fn failed(reason: &str) -> Result<VerifierVerdict, String> {
    Ok(VerifierVerdict::Failed { reason: reason.to_owned() })
}

const PASSED: Result<VerifierVerdict, String> = Ok(VerifierVerdict::Passed);

#[test]
fn a_file_is_asked_for_by_its_stat() {
    let workspace = Workspace::new();
    let program = "def run(result):\n    found = fs.stat(args[\"path\"])\n    return json.encode({\n        \
                   \"verified\": found != None,\n        \"reason\": \"\" if found else \"no such file\",\n    })\n";
    let args = json!({"path": "out/report.md"});
    let look = || verdict(&workspace, program, &args, "I created it.", Grants::default());
    assert_eq!(look(), failed("no such file"));
    std::fs::create_dir(workspace.path("out")).unwrap();
    assert_eq!(look(), failed("no such file"));
    std::fs::write(workspace.path("out/report.md"), "x").unwrap();
    assert_eq!(look(), PASSED);
    // Without the argument it is broken, and no verdict.
    let broken = verdict(&workspace, program, &json!({}), "", Grants::default()).unwrap_err();
    assert!(broken.starts_with("check.star:2:21: "), "{broken}");
    // By a bare bool, and by the size.
    let bare = "def run(result):\n    return fs.stat(\"none.md\") != None\n";
    assert!(matches!(verdict(&workspace, bare, &json!({}), "", Grants::default()), Ok(VerifierVerdict::Failed { .. })));
    let size = "def run(result):\n    info = fs.stat(args[\"path\"])\n    if not info or info[\"size\"] < args[\"least\"]:\n        \
                return {False: False}[False]\n    return True\n";
    let args = json!({"path": "out/report.md", "least": 2});
    assert!(matches!(verdict(&workspace, size, &args, "", Grants::default()), Ok(VerifierVerdict::Failed { .. })));
}

#[test]
fn an_endpoint_is_asked_for_its_status() {
    let workspace = Workspace::new();
    let (there, gone) = (says("200 OK", "{}"), says("404 Not Found", "{}"));
    let program = "def run(result):\n    resp = http.get(args[\"url\"])\n    ok = resp[\"status\"] in [200, 204]\n    \
                   return json.encode({\"verified\": ok, \"reason\": \"\" if ok else \"it answered %d\" % resp[\"status\"]})\n";
    let look = |url: &str, grants| verdict(&workspace, program, &json!({"url": url}), "It is up.", grants);
    assert_eq!(look(&there, http(&there)), PASSED);
    assert_eq!(look(&gone, http(&gone)), failed("it answered 404"));
    let refused = look(&there, Grants::default()).unwrap_err();
    assert!(refused.contains("grant it with --allow-http"), "{refused}");
}

#[test]
fn an_answer_is_asked_for_its_shape() {
    let workspace = Workspace::new();
    let program = "def run(result):\n    parsed = json.decode(result.get(\"response\", \"\"), default=None)\n    \
                   if parsed == None:\n        return json.encode({\"verified\": False, \"reason\": \"not JSON\"})\n    \
                   if \"id\" not in parsed:\n        return json.encode({\"verified\": False, \"reason\": \"no id\"})\n    \
                   return json.encode({\"verified\": True})\n";
    let look = |response: &str| verdict(&workspace, program, &json!({}), response, Grants::default());
    assert_eq!(look("Done."), failed("not JSON"));
    assert_eq!(look(""), failed("not JSON"));
    assert_eq!(look("{\"name\": 1}"), failed("no id"));
    assert_eq!(look("{\"id\": 1}"), PASSED);
}

#[test]
fn a_file_is_held_against_what_was_claimed() {
    let workspace = Workspace::new();
    std::fs::write(workspace.path("calls.json"), "[{\"name\": \"book\"}]").unwrap();
    let program = "def run(result):\n    want = json.decode(fs.read(\"calls.json\"))\n    got = [c[\"amount\"] for c in \
                   result[\"tool_calls\"] if c.get(\"amount\")]\n    missing = [w[\"name\"] for w in want if w[\"name\"] not in got]\n    \
                   return json.encode({\"verified\": not missing, \"reason\": \"missing: \" + \", \".join(missing)})\n";
    assert_eq!(verdict(&workspace, program, &json!({}), "", Grants::default()), failed("missing: book"));
}

#[test]
fn what_means_nothing_here_is_refused_with_its_place() {
    let workspace = Workspace::new();
    for (body, at) in [
        ("return fs.exists(\"x\")", "check.star:2:12: "),
        ("return not fs.glob(\"*.md\")", "check.star:2:16: "),
        ("return json.indent(\"{}\") != None", "check.star:2:12: "),
        ("return shell(\"test -e x\") == 0", "check.star:2:12: "),
        ("log(\"looking\")\n    return True", "check.star:2:5: "),
        ("return re.match(\"x\", result[\"response\"])", "check.star:2:12: "),
        ("return result[\"artifacts\"] != None", "check.star:2:12: "),
        ("return time.now() != None", "check.star:2:12: "),
        ("return env.get(\"HOME\") != None", "check.star:2:12: "),
        ("return http.post(\"http://127.0.0.1\") != None", "check.star:2:12: "),
    ] {
        let program = format!("def run(result):\n    {body}\n");
        let broken = verdict(&workspace, &program, &json!({}), "", Grants::default()).unwrap_err();
        assert!(broken.starts_with(at), "{body}: {broken}");
    }
}

/// The decision of a hook in a file about a response.
fn answer(workspace: &Workspace, name: &str, file: &str, response: &str) -> Result<HookAnswer, String> {
    let folder = workspace.outside("hooks");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), file).unwrap();
    let hook = HookFile::read(&folder.join(name), runner(Grants::default())).map_err(|error| error.message)?;
    let payload = HookPayload {
        result: Claim { response: response.to_owned(), ..workspace.input().build_result },
        verdict: VerifierVerdict::Passed,
        workspace: workspace.path(""),
        iteration: 0,
    };
    runtime().block_on(hook.handle(&payload)).map_err(|error| error.message)
}

fn blocked(reason: &str) -> Result<HookAnswer, String> {
    Ok(HookAnswer::Block { reason: reason.to_owned() })
}

const BLOCKS: &str = "---\nevent: delegation.post_verify   # after the child\npriority: 10\nscript: |\n  def handle(event, payload):\n      \
                      claims = payload.get(\"response\", \"\")\n      if \"I created\" in claims:\n          \
                      return {\"action\": \"block\", \"reason\": \"a claim without a path\"}\n      \
                      return {\"action\": \"allow\"}\n---\n\n# Claims name paths\n\nBlocks *claims* without one: `def handle`.\n";

#[test]
fn a_hook_reads_the_answer_at_the_top_of_its_payload() {
    let workspace = Workspace::new();
    assert_eq!(answer(&workspace, "claims.md", BLOCKS, "I created a file."), blocked("a claim without a path"));
    assert_eq!(answer(&workspace, "claims.md", BLOCKS, "Done."), Ok(HookAnswer::Allow));
    let body = "---\nevent: delegation.post_verify\n---\ndef handle(event, payload):\n    \
                return block(reason=\"no path\") if \"I created\" in payload.get(\"response\", \"\") else allow()\n";
    assert_eq!(answer(&workspace, "body.star", body, "I created a file."), blocked("no path"));
    let both = body.replace("payload.get(\"response\", \"\")", "payload[\"result\"][\"response\"]");
    assert_eq!(answer(&workspace, "old.star", &both, "I created a file."), blocked("no path"));
    let lists = body.replace(
        "\"I created\" in payload.get(\"response\", \"\")",
        "payload[\"tool_calls\"] and payload[\"tool_results\"]",
    );
    assert_eq!(answer(&workspace, "lists.star", &lists, ""), blocked("no path"));
    let read = HookFile::read_all(&workspace.outside("hooks"), &runner(Grants::default())).unwrap();
    assert_eq!(read.iter().filter(|hook| hook.priority() == 10).count(), 1, "of the block's front matter");
}

#[test]
fn a_hook_modifies_the_payload_that_it_was_given() {
    let workspace = Workspace::new();
    for last in [
        "return modify(payload)",
        "return modify(payload = payload)",
        "return {\"action\": \"modify\", \"payload\": payload}",
    ] {
        let file = format!(
            "---\nevent: delegation.post_verify\nscript: |\n  def handle(event, payload):\n      \
             payload[\"response\"] = payload[\"response\"].strip().upper()\n      {last}\n---\n"
        );
        let Ok(HookAnswer::Modify(result)) = answer(&workspace, "upper.md", &file, " done ") else { panic!("{last}") };
        assert_eq!(result, Claim { response: "DONE".to_owned(), ..workspace.input().build_result });
    }
}

#[test]
fn a_hook_that_means_something_else_is_refused_with_its_place() {
    let workspace = Workspace::new();
    let front = |line: &str| BLOCKS.replace("priority: 10", line);
    for (file, expected) in [
        (front("when: 'payload[\"name\"] == \"x\"'"), "claims.md:3: there is no `when` here"),
        (front("description: x"), "claims.md:3: there is no `description` here"),
        (front("handler: guard"), "claims.md:3: there is no `handler` here"),
        (front("verify: |\n  def run(result):\n      return True"), "claims.md:3: there is no `verify` here"),
        (front("priority: high"), "claims.md:3: the priority `high` is not a whole number"),
        (BLOCKS.replace("post_verify", "post"), "claims.md:2: there is no event `delegation.post`"),
        (BLOCKS.replace("post_verify", "pre"), "claims.md:2: there is no event `delegation.pre`"),
        (BLOCKS.replace("def handle(event", "def on_event(event"), "it defines no `handle(event, payload)`"),
        (BLOCKS.replace("claims = payload.get", "claims = args.get"), "claims.md:6:16: Variable `args` not found"),
        (BLOCKS.replace("payload.get(\"response\", \"\")", "payload[\"content\"]"), "claims.md:6:16: "),
        (
            BLOCKS.replace("return {\"action\": \"allow\"}", "emit(\"custom.seen\", {})"),
            "claims.md:9:7: Variable `emit` not found",
        ),
        (BLOCKS.replace("return {\"action\": \"allow\"}", "pass"), "`handle` returned a value of type NoneType"),
        (
            BLOCKS.replace("\"action\": \"allow\"", "\"action\": \"delegate\""),
            "the action `delegate`, which there is not",
        ),
        (
            BLOCKS.replace("\"action\": \"allow\"", "\"action\": \"continue\""),
            "the action `continue`, which there is not",
        ),
    ] {
        let broken = answer(&workspace, "claims.md", &file, "Done.").unwrap_err();
        assert!(broken.contains(expected), "{file}\n{broken}");
    }
}
