"""`candor check --reward-dir`, which Harbor and NeMo Gym read."""

import json
import os
import subprocess

import pytest
from conftest import RIGHT, WRONG, order_task


@pytest.fixture
def rewarded(tmp_path):
    (tmp_path / "task.json").write_text(json.dumps(order_task()))
    out = tmp_path / "made" / "verifier"

    def run(rows, *more, task="task.json"):
        box = tmp_path / "box"
        (box / "portal").mkdir(parents=True, exist_ok=True)
        file = box / "portal" / "orders.json"
        file.unlink(missing_ok=True)
        if rows is not None:
            file.write_text(rows if isinstance(rows, str) else json.dumps(rows))
        command = [os.environ["CANDOR"], "check", tmp_path / task, "--sandbox", box, "--reward-dir", out, *more]
        code = subprocess.run(command, capture_output=True).returncode
        reward = out / "reward.json"
        return code, json.loads(reward.read_text()) if reward.exists() else None, json.loads((out / "verdict.json").read_text())

    return run


def test_a_conclusive_verdict_has_a_reward(rewarded):
    assert rewarded(RIGHT)[:2] == (0, {"correctness": 1.0, "billing": 1.0, "reward": 1.0})
    code, reward, verdict = rewarded(WRONG)
    assert code == 1 and reward == {"correctness": 0.0, "billing": 1.0, "reward": pytest.approx(1 / 3)}
    assert verdict["verdict"] == "partial" and verdict["criterion_runs"]


def test_no_reward_is_left_from_before(rewarded):
    assert rewarded(RIGHT)[1] is not None
    code, reward, verdict = rewarded("[{]")
    assert (code, reward, verdict["conclusive"]) == (3, None, False)
    assert rewarded(RIGHT)[1] is not None
    code, reward, verdict = rewarded(RIGHT, task="nothing.json")
    assert (code, reward, verdict["phase"]) == (2, None, "refused") and "nothing.json" in verdict["error"]


def test_closed_it_is_zero(rewarded):
    assert rewarded("[{]", "--fail-closed")[:2] == (3, {"reward": 0.0})
    assert rewarded(RIGHT, "--fail-closed", task="nothing.json")[:2] == (2, {"reward": 0.0})
    assert rewarded(RIGHT, "--fail-closed")[1]["reward"] == 1.0


def test_a_hidden_rubric_stays_hidden(rewarded):
    _, reward, verdict = rewarded(WRONG, "--scored")
    assert verdict["criterion_runs"] == [] and reward["reward"] == pytest.approx(1 / 3)
