"""Tasks, sandboxes and results."""

import copy
import datetime
import decimal
import enum
import pickle
import subprocess
import sys
import uuid
from fractions import Fraction

import candor
import pytest
from conftest import EXAMPLES, RIGHT, WRONG, order_task
from fhir.resources.observation import Observation
from fhir.resources.patient import Patient


def test_an_import_takes_a_moment_and_warns_of_a_debug_build():
    program = """
import sys, threading
has_lock = getattr(sys, "_is_gil_enabled", lambda: True)
before, had_lock = set(sys.modules), has_lock()
import candor
new = set(sys.modules) - before
slow = {"asyncio", "decimal", "fractions", "html", "inspect", "json", "logging", "socket", "subprocess", "weakref"}
assert not new & slow, new & slow
assert has_lock() == had_lock
assert threading.active_count() == 1 and len(__import__("os").listdir("/proc/self/task")) == 1
print(candor._native.features()[1])
"""
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert ("debug build" in done.stderr) == (done.stdout.strip() == "True"), done.stderr
    assert not done.stderr or "<string>:5: RuntimeWarning" in done.stderr


def test_a_right_and_a_wrong_sandbox(task):
    right = candor.check(task, candor.Sandbox(portal={"orders": RIGHT}))
    assert (right.verdict, right.score, right.conclusive) == ("pass", 1.0, True)
    wrong = candor.check(task, candor.Sandbox(portal={"orders": WRONG}))
    assert wrong.verdict == "partial" and wrong.score.exact == Fraction(1, 3) and wrong.score == 1 / 3
    sent = wrong["sent"]
    assert (sent.status, sent.reason, sent.passed, sent.weight, sent.axis) == ("failed", "field_mismatch", False, 2, "correctness")
    assert '"draft"' in sent.details
    assert sent.evidence["assertionResults"][0]["actual"] == "draft"
    assert wrong.axes["correctness"].score == 0 and wrong.axes["billing"].score.exact == 1
    assert wrong.to_dict()["task_id"] == "order" and wrong.to_dict() is not wrong.to_dict()
    with pytest.raises(KeyError):
        wrong["nothing"]


def test_what_is_missing_is_unverifiable_and_no_exception(task):
    run = candor.check(task, candor.Sandbox(hl7={}))
    assert (run.verdict, run.conclusive, run.unverifiable) == ("fail", False, True)
    assert {one.reason for one in run.criterion_runs} == {"no_source"}
    assert run.interval == (0.0, 1.0) and run.coverage == 0


def test_a_part_with_nothing_in_it_is_ground_truth():
    task = {
        "id": "nothing",
        "criteria": [
            {"id": part, "assertion": {"assert": check, **members}}
            for part, check, members in (
                ("hl7", "hl7-structural", {"correlate_by": {"message_type": "ORM^O01"}, "count": 0}),
                ("files", "sftp-file-present", {"path": "out/*", "count": 0}),
            )
        ],
    }
    run = candor.check(task, candor.Sandbox(hl7={}, files={}, fhir=[], portal={"orders": []}))
    assert not any(one.reason == "no_source" for one in run.criterion_runs), [one.details for one in run.criterion_runs]


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    "value, expected",
    [
        (decimal.Decimal("120.50"), 120.5),
        (decimal.Decimal("1E+2"), 100),
        (datetime.date(2026, 11, 25), "2026-11-25"),
        (datetime.datetime(2026, 11, 25, 9, 30, tzinfo=datetime.timezone.utc), "2026-11-25T09:30:00+00:00"),
        (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (Colour.RED, "red"),
        (True, True),
        (2**70, 2**70),
        (None, None),
        ("ß", "ß"),
    ],
)
def test_values_keep_what_they_are(value, expected):
    task = order_task()
    task["criteria"] = [{**task["criteria"][0], "assertion": {**task["criteria"][0]["assertion"], "assertions": [{"path": "value", "expected": expected}]}}]
    run = candor.check(task, candor.Sandbox(portal={"orders": [{"id": 1, "value": value}]}))
    assert run.verdict == "pass", run["sent"].details


def test_decimals_are_exact(task):
    digits = "0.1000000000000000055511151231257827"
    task["criteria"][1]["assertion"]["assertions"] = [{"path": "total", "expected": decimal.Decimal(digits)}]
    box = candor.Sandbox(portal={"orders": [{"id": 1, "status": "sent", "total": 0.1}]})
    assert candor.check(task, box)["billed"].status == "failed"
    box = candor.Sandbox(portal={"orders": [{"id": 1, "status": "sent", "total": decimal.Decimal(digits)}]})
    assert candor.check(task, box)["billed"].status == "passed"


def test_rows_in_every_form(task):
    rows = iter(RIGHT)
    for given in (RIGHT, tuple(RIGHT), rows, RIGHT[0], b'{"id": 1, "status": "sent", "total": 120.50}', '[{"id": 1, "status": "sent", "total": 120.5}]', bytearray(b'[{"id": 1, "status": "sent", "total": 120.5}]')):
        assert candor.check(task, candor.Sandbox(portal={"orders": given})).verdict == "pass", type(given)


def test_fhir_resources_models():
    patient = Patient(id="p", birthDate=datetime.date(1970, 1, 2), active=True)
    assertion = {"assert": "fhir-resource-state", "resource_type": "Patient", "search": {"_id": "p"}}
    task = {"id": "t", "criteria": [{"id": "c", "assertion": {**assertion, "fields": [{"path": "birthDate", "expected": "1970-01-02"}]}}]}
    quantity = Observation(
        id="o", status="final", code={"text": "x"}, valueQuantity={"value": decimal.Decimal("1.10"), "unit": "g"}
    )
    run = candor.check(task, candor.Sandbox(fhir=[patient, quantity, {"resourceType": "Patient", "id": "q"}]))
    assert run.verdict == "pass", run["c"].details
    task["criteria"][0]["assertion"] = {
        "assert": "fhir-resource-state", "resource_type": "Observation", "search": {"_id": "o"},
        "fields": [{"path": "valueQuantity.value", "expected": decimal.Decimal("1.10")}],
    }
    run = candor.check(task, candor.Sandbox(fhir=[b'{"resourceType": "Patient", "id": "q"}', quantity]))
    assert run.verdict == "pass", run["c"].details


def test_with_file_makes_another_sandbox(task):
    box = candor.Sandbox.open(EXAMPLES / "prior-auth" / "done-right")
    other = box.with_file("portal/orders.json", RIGHT)
    assert candor.check(task, other).verdict == "pass"
    assert candor.check(task, box).verdict == "fail"


def test_baseline():
    task = {"id": "t", "criteria": [{"id": "c", "assertion": {"assert": "state-unchanged", "parts": ["portal"]}}]}
    before, after = candor.Sandbox(portal={"orders": WRONG}), candor.Sandbox(portal={"orders": RIGHT})
    changed = candor.check(task, after, baseline=before)
    same = candor.check(task, before, baseline=candor.Sandbox(portal={"orders": WRONG}))
    assert changed["c"].status == "failed" and same["c"].status == "passed", (changed["c"].details, same["c"].details)


def test_pickles_and_copies(task):
    box = candor.Sandbox(portal={"orders": RIGHT}, hl7={}, fhir=[], baseline=candor.Sandbox(portal={"orders": WRONG})).with_file("files/a.bin", b"\x00\xff")
    made = candor.Task(task)
    run = candor.check(made, box)
    for again in (pickle.loads(pickle.dumps((made, box, candor.Engine(verifier_id="v")))), copy.deepcopy((made, box, candor.Engine(verifier_id="v")))):
        other = candor.check(again[0], again[1], engine=again[2])
        assert other.verdict == "pass" and other.to_dict()["criterion_runs"][0]["verifier_id"] == "v"
    loaded = pickle.loads(pickle.dumps(run))
    assert loaded == run and loaded.score.exact == 1 and hash(loaded) == hash(run)
    assert pickle.loads(pickle.dumps(run.score)).exact == Fraction(1)
    read = candor.Task.read(EXAMPLES / "prior-auth" / "task.yaml")
    assert pickle.loads(pickle.dumps(read)).id == read.id
    opened = candor.Sandbox.open(EXAMPLES / "prior-auth" / "done-right")
    assert candor.check(read, pickle.loads(pickle.dumps(opened))).verdict == "pass"


def test_a_notebook_gets_a_table_and_nothing_is_interpreted(task):
    run = candor.check(task, candor.Sandbox(portal={"orders": [{"id": 1, "status": "<script>alert(1)</script>"}]}))
    html = run._repr_html_()
    assert "<table>" in html and "✗" in html and "<script>" not in html and "&lt;script&gt;" in html
    bench = candor.bench([(task, candor.Sandbox(portal={"orders": RIGHT}))])
    assert "order" in bench._repr_html_()


def test_bench_of_pairs_with_progress(task):
    boxes = [candor.Sandbox(portal={"orders": RIGHT if number % 2 else WRONG}) for number in range(6)]
    seen = []
    run = candor.bench([(f"t{number}", task, box) for number, box in enumerate(boxes)], jobs=2, progress=lambda *told: seen.append(told), id="six")
    assert [one.verdict for one in run.runs] == ["partial", "pass"] * 3
    assert run.score.exact == Fraction(2, 3) and run.to_dict()["benchmark_id"] == "six"
    assert [done for done, *_ in seen] == [1, 2, 3, 4, 5, 6]
    assert {total for _, total, *_ in seen} == {6} and {verdict for *_, verdict in seen} == {"pass", "partial"}


def test_an_engine_has_names_and_a_budget(task):
    engine = candor.Engine(verifier_id="grader", agent_id="agent", threads=1, waiting=1, memory=1 << 20)
    run = candor.check(task, candor.Sandbox(portal={"orders": RIGHT}), engine=engine)
    assert run.to_dict()["criterion_runs"][0]["verifier_id"] == "grader" and engine.verifier_id == "grader"
    with pytest.raises(candor.Error, match="no agent may verify its own work"):
        candor.Engine(verifier_id="same", agent_id=" SAME ")
    with pytest.raises(candor.Error, match="may verify its own work"):
        candor.check(task, candor.Sandbox(portal={}), verifier_id="a", agent_id="a")


def test_checks_schema_and_lint(task):
    assert {"assert", "about", "part", "evidence_key"} <= set(candor.checks()[0])
    assert candor.schema("portal-state-match")["properties"]
    with pytest.raises(candor.Error, match="did you mean"):
        candor.schema("portal-state-mach")
    task["criteria"][0]["weight"] = 0
    findings = candor.lint(task)
    assert findings.complains and findings[0].code and len(list(findings)) == len(findings)


def test_normalize_and_explain():
    turns = candor.normalize("Agent: It's twenty-one.\nCaller: OK.")
    assert [turn["speaker"] for turn in turns] == ["agent", "caller"] and turns[0]["normalized"]
    assert candor.normalize([{"speaker": "agent", "text": "Hello."}])[0]["text"] == "Hello."
    with pytest.raises(candor.Error, match="X12"):
        candor.explain_x12("not X12 at all" * 0)
