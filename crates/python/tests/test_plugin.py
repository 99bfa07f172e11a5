"""The plugin for pytest, in a pytest of its own."""

import json
import subprocess
import sys

import candor
import pytest

TESTS = """
import pytest

TASK = {"id": "order", "criteria": [{"id": "sent", "label": "The order was sent", "assertion": {
    "assert": "portal-state-match", "correlate_by": {"resource": "orders", "key": "id", "value": 1},
    "assertions": [{"path": "status", "expected": "sent"}]}}]}


def box(status):
    import candor
    return candor.Sandbox(portal={"orders": [{"id": 1, "status": status}]})


def test_right(candor_check):
    assert candor_check(TASK, box("sent")).verdict == "pass"


def test_wrong(candor_check):
    candor_check(TASK, box("draft"))


def test_missing(candor_check):
    import candor
    candor_check(TASK, candor.Sandbox(hl7={}))


def test_nothing(candor_check):
    candor_check({"id": "empty", "criteria": []}, box("sent"))
"""


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_right_passes_and_wrong_fails_with_its_evidence(tmp_path, workers):
    (tmp_path / "test_order.py").write_text(TESTS)
    report, xml = tmp_path / "runs.ndjson", tmp_path / "junit.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--candor-report={report}", f"--junitxml={xml}"]
    done = subprocess.run([*command, *workers, "test_order.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "3 failed, 1 passed" in done.stdout, done.stdout
    assert 'status: expected "sent", actual "draft"' in done.stdout
    assert "The order was sent (sent) failed: field_mismatch" in done.stdout
    assert "unverifiable: no_source" in done.stdout and "there is no criterion" in done.stdout
    # In pytest's own file of results the wrong sandbox is a failure, with its evidence.
    assert xml.read_text().count("<failure") == 3 and "field_mismatch" in xml.read_text()
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    assert sorted(line["status"] for line in lines) == ["failed", "passed", "unverifiable"]
    assert candor.score(report).to_dict()["task_runs"] == 3
