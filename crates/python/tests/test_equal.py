"""The same results as the command line, byte for byte."""

import base64
import json
import os
import resource
import zipfile

import candor
from conftest import EXAMPLES, ROOT, masked, order_task

FULL = os.environ.get("CANDOR_TEST_SIZE") == "full"

# These run commands or ask servers.
ELSEWHERE = {"code-compiles", "lint-passes", "tests-pass", "endpoint-responds", "response-time"}


def sandboxes():
    for task in sorted(EXAMPLES.glob("*/task.yaml")):
        for folder in sorted(task.parent.iterdir()):
            if folder.is_dir() and any((folder / part).exists() for part in ("fhir", "hl7", "portal", "files", "voice", "x12")):
                yield task, folder


def test_every_example(command, monkeypatch):
    monkeypatch.chdir(ROOT)
    pairs = list(sandboxes())
    assert len(pairs) >= 20
    for number, (task, folder) in enumerate(pairs):
        printed = command("check", task.relative_to(ROOT), "--sandbox", folder.relative_to(ROOT), "--format", "json")
        run = candor.check(os.path.relpath(task, ROOT), os.path.relpath(folder, ROOT))
        assert masked(run.to_json()) == masked(printed), folder
        # In small size every fourth: it is the same run, written otherwise.
        if FULL or number % 4 == 0:
            lines = command("check", task.relative_to(ROOT), "--sandbox", folder.relative_to(ROOT), "--format", "ndjson")
            assert masked(run.to_ndjson()) == masked(lines)


def test_scored_and_bench_and_score(command, tmp_path):
    bench = EXAMPLES / "bench.yaml"
    run = candor.bench(bench)
    assert masked(run.to_json()) == masked(command("bench", bench, "--format", "json"))
    hidden = candor.bench(bench, scored=True)
    assert masked(hidden.to_json()) == masked(command("bench", bench, "--scored", "--format", "json"))
    assert all(one.criterion_runs == [] for one in hidden.runs)
    file = tmp_path / "runs.ndjson"
    file.write_text("".join(one.to_ndjson() for one in run.runs))
    printed = command("score", file, "--format", "json")
    assert candor.score(file).to_json() == candor.score(run.runs).to_json() == printed
    assert candor.score(file.read_bytes()).score.exact == run.score.exact


def test_what_needs_no_result(command, tmp_path):
    task, folder = EXAMPLES / "prior-auth" / "task.yaml", EXAMPLES / "prior-auth" / "done-right"
    wrong = EXAMPLES / "prior-auth" / "done-wrong"
    assert json.loads(command("checks", "--format", "json")) == candor.checks()
    assert json.loads(command("schema")) == candor.schema()
    for name in ("x12-response", "task", "benchmark", "sandbox", "loop", "result"):
        assert json.loads(command("schema", name)) == candor.schema(name)
    assert candor.lint(task, notes=True).to_json() == command("lint", task, "--notes", "--format", "json")
    assert candor.diff(folder, wrong).to_json() == command("diff", folder, wrong, "--format", "json")
    audit = candor.audit(task, folder, mutants=3)
    assert audit.to_json() == command("audit", task, "--sandbox", folder, "--mutants", "3", "--format", "json")
    capture = candor.capture(folder, tmp_path / "python")
    printed = json.loads(command("capture", "--sandbox", folder, "--into", tmp_path / "command", "--format", "json"))
    without_time = [{**one, "at": None} for one in (capture.to_dict(), printed)]
    assert without_time[0] == without_time[1] and capture.complete
    x12 = next((folder / "x12").iterdir())
    assert candor.explain_x12(x12) == json.loads(command("explain", x12, "--format", "json"))
    call = next((folder / "voice").iterdir())
    assert candor.normalize(call) == json.loads(command("explain", "--voice", call, "--format", "json"))


def vectors():
    """Conformance vectors that any folder can hold: `(assertion, {path: bytes or None})`."""
    for file in sorted((ROOT / "conformance").glob("*/*.json")):
        document = json.loads(file.read_text())
        if not isinstance(document, dict) or "vectors" not in document or document.get("check") in ELSEWHERE:
            continue
        for vector in (one for one in document["vectors"] if "files" in one and "assertion" in one):
            files = {path: contents(of) for path, of in vector["files"].items()}
            plain = "serves" not in vector and "settings" not in vector and not any(path.startswith("/") for path in files)
            if plain and all(of is not NotImplemented for of in files.values()) and isinstance(vector["assertion"], dict):
                yield vector["assertion"], files


def contents(of):
    if of is None or isinstance(of, str):
        return of if of is None else of.encode()
    if set(of) == {"text"}:
        return of["text"].encode()
    if set(of) == {"base64"}:
        return base64.b64decode(of["base64"])
    return NotImplemented


def test_conformance_vectors(command, tmp_path):
    every = list(vectors())
    chosen = every[:: max(1, len(every) // 220)][:220]
    tasks = []
    for number, (assertion, files) in enumerate(chosen):
        folder = tmp_path / str(number)
        try:
            for path, data in files.items():
                place = folder / "box" / path
                if data is None:
                    place.mkdir(parents=True, exist_ok=True)
                else:
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(data)
            (folder / "box").mkdir(parents=True, exist_ok=True)
            task = {"id": str(number), "criteria": [{"id": "one", "assertion": assertion}]}
            (folder / "task.json").write_text(json.dumps(task))
            candor.Task.read(folder / "task.json")
            candor.Sandbox.open(folder / "box")
        except (candor.Error, OSError):
            # A vector about a wrong assertion or description, or a name that this system does not take.
            continue
        tasks.append({"task": f"{number}/task.json", "sandbox": f"{number}/box"})
    assert len(tasks) >= 200
    bench = tmp_path / "bench.json"
    bench.write_text(json.dumps({"id": "vectors", "tasks": tasks}))
    printed = command("bench", bench, "--keep-going", "--format", "json")
    run = candor.bench(bench)
    assert masked(run.to_json()) == masked(printed)
    statuses = {one.criterion_runs[0].status for one in run.runs}
    assert statuses == {"passed", "failed", "unverifiable"}
    in_memory = 0
    for one in run.runs:
        assertion, files = chosen[int(one.task_id)]
        if None in files.values() or "sandbox.toml" in files:
            continue
        box = candor.Sandbox()
        for path, data in files.items():
            box = box.with_file(path, data)
        again = candor.check({"id": one.task_id, "criteria": [{"id": "one", "assertion": assertion}]}, box)
        expected = one.criterion_runs[0]
        assert (again["one"].status, again["one"].reason, again["one"].share) == (expected.status, expected.reason, expected.share)
        in_memory += 1
    assert in_memory >= 150


def test_no_command_and_no_child(monkeypatch):
    monkeypatch.setenv("PATH", "")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for task, folder in sandboxes():
        assert candor.check(task, folder).criterion_runs
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (before.ru_utime, before.ru_maxrss) == (after.ru_utime, after.ru_maxrss)
    threads = os.listdir("/proc/self/task")
    assert all(open(f"/proc/self/task/{thread}/children").read() == "" for thread in threads if os.path.exists(f"/proc/self/task/{thread}"))


def test_rubrics(command, tmp_path):
    folder = ROOT / "tests" / "cli"
    weak = folder / "harden.in" / "weak.yaml"
    right = folder / "harden.in" / "magnesium" / "done-right"
    hardened = candor.harden(weak, right)
    assert hardened.to_json() == command("harden", weak, "--sandbox", right, "--format", "json")
    assert str(hardened) == hardened.text != weak.read_text()
    elements = folder / "harden.in" / "elements.yaml"
    widened = candor.harden(elements, right, widen=True)
    assert widened.to_json() == command("harden", elements, "--sandbox", right, "--widen", "--format", "json")
    assert widened.text != candor.harden(elements, right).text
    before, after = folder / "draft.in" / "before", folder / "draft.in" / "after"
    drafted = candor.draft(before, after, id="drafted", prompt="Do it.")
    printed = command("draft", "--before", before, "--after", after, "--id", "drafted", "--prompt", "Do it.")
    assert drafted.text == printed
    task = tmp_path / "task.yaml"
    task.write_text(drafted.text)
    assert candor.check(task, after, baseline=before).verdict == "pass"
    assert candor.check(task, before, baseline=before).verdict != "pass"


def test_shards_score_as_the_whole(command, tmp_path):
    right, wrong = (EXAMPLES / "prior-auth" / name for name in ("done-right", "done-wrong"))
    task = str(EXAMPLES / "prior-auth" / "task.yaml")
    # Two runs of one task, which stay together, and three tasks.
    ids = ["a", "b", "a", "c", "d"]
    bench = tmp_path / "bench.json"
    entries = [{"id": id, "task": task, "sandbox": str(box)} for id, box in zip(ids, [right, wrong, wrong, right, wrong])]
    bench.write_text(json.dumps({"id": "five", "tasks": entries}))
    whole = command("bench", bench, "--format", "ndjson")
    for parts in (1, 2, 4):
        lines = [command("bench", bench, "--shard", f"{part}/{parts}", "--format", "ndjson") for part in range(1, parts + 1)]
        assert sorted(masked("".join(lines)).splitlines()) == sorted(masked(whole).splitlines())
        of_parts = candor.score(text.encode() for text in lines)
        assert of_parts.to_json() != "" and of_parts.score.exact == candor.bench(bench).score.exact
        runs_of_a = [sum('"task_id":"a"' in line for line in text.splitlines()) for text in lines]
        assert sorted(runs_of_a)[:-1] == [0] * (parts - 1)


def test_a_bundle_is_that_of_the_command(command, tmp_path):
    task, folder = EXAMPLES / "prior-auth" / "task.yaml", EXAMPLES / "prior-auth" / "done-wrong"
    run = candor.check(task, folder, bundle=True, verifier_id="v", agent_id="a")
    assert candor.check(task, folder).bundle is None
    replayed = candor.replay(run.bundle)
    assert replayed and replayed.to_dict()["task_run"] == run.to_dict()
    stored = tmp_path / "run.candor"
    stored.write_bytes(run.bundle)
    assert json.loads(command("replay", stored, "--format", "json")) == replayed.to_dict()
    command("check", task, "--sandbox", folder, "--verifier-id", "v", "--agent-id", "a", "--bundle", tmp_path / "command.candor")
    manifests = [json.loads(zipfile.ZipFile(file).read("manifest.json")) for file in (stored, tmp_path / "command.candor")]
    assert manifests[0].keys() == manifests[1].keys() and {one["agent_id"] for one in manifests} == {"a"}
    # Another task over the same observations.
    other = json.loads(json.dumps(order_task()))
    box = candor.Sandbox(portal={"orders": [{"id": 1, "status": "draft", "total": 120.5}]})
    bundle = candor.check(other, box, bundle=True).bundle
    assert candor.replay(bundle).run is None
    other["criteria"][0]["assertion"]["assertions"][0]["expected"] = "draft"
    again = candor.replay(bundle, task=other)
    assert again.run.verdict == "pass" and again.to_dict()["task_run"]["verdict"] == "pass"
    stored.write_bytes(bundle)
    (tmp_path / "other.json").write_text(json.dumps(other))
    assert again.to_json() == command("replay", stored, "--task", tmp_path / "other.json", "--format", "json")


def test_replay(command, tmp_path):
    task, folder = EXAMPLES / "prior-auth" / "task.yaml", EXAMPLES / "prior-auth" / "done-wrong"
    bundle = tmp_path / "run.candor"
    command("check", task, "--sandbox", folder, "--bundle", bundle, "--format", "json")
    replayed = candor.replay(bundle)
    assert replayed and replayed.same and replayed.judged and replayed.differences == []
    assert replayed.to_json() == candor.replay(bundle.read_bytes()).to_json() == command("replay", bundle, "--format", "json")
    bytes_ = bytearray(bundle.read_bytes())
    bytes_[len(bytes_) // 2] ^= 1
    assert not candor.replay(bytes(bytes_))
    for wrong in (b"", b"PK", b"not a bundle"):
        try:
            candor.replay(wrong)
        except candor.BundleError:
            continue
        raise AssertionError(wrong)
