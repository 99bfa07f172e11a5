"""Commands of criteria are confined by the program next to the module, as those of the command line are."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import candor
import pytest
from conftest import masked

PROGRAM = """
import sys, candor
run = candor.check(sys.argv[1], sys.argv[2])
sys.stdout.write(run.to_json())
"""


@pytest.fixture
def world(tmp_path):
    """A task with one command, which writes next to the sandbox if it can."""
    outside = tmp_path / "outside.txt"
    work = tmp_path / "sandbox" / "workspace"
    work.mkdir(parents=True)
    (work / "run.sh").write_text(f"echo there > {outside}; cat {tmp_path}/task.json\nexit 0\n")
    (tmp_path / "task.json").write_text(json.dumps({"id": "t", "criteria": [{"id": "c", "assertion": {"assert": "code-compiles", "command": ["sh", "run.sh"]}}]}))
    return tmp_path / "task.json", tmp_path / "sandbox", outside


def checked(task, sandbox, **environment):
    done = subprocess.run([sys.executable, "-c", PROGRAM, task, sandbox], capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["criterion_runs"][0], done.stdout


def test_the_program_is_next_to_the_module():
    program = pathlib.Path(candor.__file__).with_name("candor-confine")
    assert os.access(program, os.X_OK)


def test_a_command_reaches_nothing_else(world, command):
    task, sandbox, outside = world
    one, document = checked(task, sandbox)
    assert one["status"] == "passed" and boundary(one) in ("namespaces", "landlock"), one
    assert not outside.exists() and "criteria" not in one["evidence"]["evidence"]["evidence_data"]["stdout"]
    printed = command("check", task, "--sandbox", sandbox, "--format", "json")
    assert without_times(document) == without_times(printed) and not outside.exists()


def boundary(one):
    return one["evidence"]["evidence"]["evidence_data"]["boundary"]


def without_times(document):
    return re.sub(r'"took_ms": \d+', "", masked(document))


def test_a_system_without_it_says_so(world, tmp_path):
    """A copy of the package that lacks the program: the command runs, and the evidence says that nothing held it."""
    task, sandbox, outside = world
    shutil.copytree(pathlib.Path(candor.__file__).parent, tmp_path / "copy" / "candor")
    (tmp_path / "copy" / "candor" / "candor-confine").unlink()
    one, _ = checked(task, sandbox, PYTHONPATH=str(tmp_path / "copy"))
    assert one["status"] == "passed" and boundary(one) == "none" and outside.exists()


@pytest.mark.parametrize("program", ["/bin/true", "/no/such/program", "candor-confine", ""])
def test_a_wrong_program_is_refused(world, program):
    task, sandbox, outside = world
    one, _ = checked(task, sandbox, CANDOR_CONFINE=program)
    assert (one["status"], one["reason"]) == ("unverifiable", "source_unavailable"), one
    assert "no command is started" in one["details"] and "CANDOR_CONFINE" in one["details"], one["details"]
    assert not outside.exists()


def test_a_program_that_is_named_is_used(world):
    task, sandbox, outside = world
    program = pathlib.Path(candor.__file__).with_name("candor-confine")
    one, _ = checked(task, sandbox, CANDOR_CONFINE=str(program))
    assert one["status"] == "passed" and boundary(one) != "none" and not outside.exists()
