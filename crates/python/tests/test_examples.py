"""The examples run, and their types hold."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
PLAIN = ["in_memory.py", "many_at_once.py"]


@pytest.mark.parametrize("name", PLAIN)
def test_it_runs(name):
    done = subprocess.run([sys.executable, EXAMPLES / name], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_the_types_hold(tmp_path, types_cache):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", types_cache, *(str(EXAMPLES / name) for name in PLAIN)],
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stdout
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import candor\ncandor.check('task.yaml', 7)\nx: int = candor.check('task.yaml', 'box').verdict\ny: bool = candor.check('task.yaml', 'box').score == 1\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", types_cache, str(wrong)], capture_output=True, text=True)
    assert "wrong.py:2" in done.stdout and "wrong.py:3" in done.stdout and "wrong.py:4" not in done.stdout, done.stdout


def test_the_types_hold_for_pyright(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import candor\ncandor.check('task.yaml', 7)\n")
    for files, code in (([str(EXAMPLES / name) for name in PLAIN], 0), ([str(wrong)], 1)):
        done = subprocess.run([sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *files], capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr
