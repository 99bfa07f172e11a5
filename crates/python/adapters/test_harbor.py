"""Harbor: the task folder of the template, its test run as far as it goes without containers, the reward as Harbor reads it.
harbor-rewardkit: a criterion, and the reward file that rewardkit writes."""

import json
import os
import pathlib
import shutil
import subprocess

import forked
import pytest
from conftest import HERE, TASK
from harbor.models.task.task import Task
from harbor.models.trial.paths import TrialPaths
from harbor.verifier.verifier import Verifier

FOLDER = HERE.parent / "harbor-task"


def rewarded(tmp_path, work):
    """Runs the template's own test over a copy of its environment, and lets Harbor read what it left."""
    app, paths = tmp_path / "app", TrialPaths(tmp_path / "trial")
    paths.mkdir()
    shutil.copytree(FOLDER / "environment" / "sandbox", app / "sandbox")
    places = {**os.environ, "APP": str(app), "TESTS": str(FOLDER / "tests"), "LOGS": str(paths.verifier_dir)}
    places["PATH"] = f"{pathlib.Path(os.environ['CANDOR']).parent}:{places['PATH']}"
    work(app, places)
    done = subprocess.run(["bash", FOLDER / "tests" / "test.sh"], env=places, capture_output=True, text=True)
    verdict = json.loads((paths.verifier_dir / "verdict.json").read_text())
    if not paths.reward_json_path.exists():
        return None, verdict, done.returncode
    verifier = Verifier(task=Task(FOLDER), trial_paths=paths, environment=None)
    return verifier._parse_reward_json(), verdict, done.returncode


def solved(app, places):
    subprocess.run(["bash", FOLDER / "solution" / "solve.sh"], env=places, check=True)


def test_the_template_is_a_task():
    task = Task(FOLDER)
    assert "Send order 1" in task.instruction


def test_right_and_wrong_differ(tmp_path):
    right = rewarded(tmp_path / "right", solved)
    wrong = rewarded(tmp_path / "wrong", lambda app, places: None)
    assert right[0] == {"reward": 1.0, "correctness": 1.0, "billing": 1.0} and right[2] == 0
    assert wrong[0] == {"reward": 0.0, "correctness": 0.0, "billing": 0.0} and wrong[2] == 1
    assert wrong[1]["criterion_runs"][0]["reason"] == "field_mismatch"


def test_what_could_not_be_verified_has_no_reward(tmp_path):
    reward, verdict, code = rewarded(tmp_path, lambda app, places: shutil.rmtree(app / "sandbox" / "portal"))
    assert reward is None and verdict["conclusive"] is False and code == 3


def kit(tmp_path, box, task=TASK):
    tests = tmp_path / "tests"
    tests.mkdir(exist_ok=True)
    (tests / "check.py").write_text(f"import candor.rewardkit\nimport rewardkit\n\nrewardkit.candor_check({str(task)!r})\n")
    out, said = tmp_path / "reward.json", tmp_path / "said"
    code = forked.rewardkit([str(tests), "--workspace", str(box), "--output", str(out)], said)
    return json.loads(out.read_text()) if out.exists() else None, code, said.read_text()


def test_rewardkit_right_and_wrong_differ(boxes, tmp_path):
    right, *_ = kit(tmp_path, boxes["right"])
    (tmp_path / "reward.json").unlink()
    wrong, *_ = kit(tmp_path, boxes["wrong"])
    assert list(right.values()) == [1.0] and list(wrong.values()) == [pytest.approx(1 / 3, abs=1e-3)], (right, wrong)


def test_rewardkit_writes_no_zero_for_what_could_not_be_verified(boxes, tmp_path):
    reward, code, said = kit(tmp_path, boxes["missing"])
    assert reward is None and code != 0 and "no_source" in said


def test_rewardkit_writes_nothing_for_a_wrong_task_or_an_open_score(boxes, spoiled, tmp_path):
    task, why = spoiled
    for name in ("right", "wrong"):
        reward, code, said = kit(tmp_path, boxes[name], task)
        assert reward is None and code != 0 and why in said, (reward, code, said)
