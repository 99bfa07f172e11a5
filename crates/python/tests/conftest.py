"""What all tests of the package share. `CANDOR` is the command line of the same build."""

import os
import pathlib
import re
import signal
import subprocess

import pytest

# A shell has programs in the background ignore Ctrl-C, and Python then raises nothing.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "fixtures" / "examples"

RIGHT = [{"id": 1, "status": "sent", "total": 120.5}]
WRONG = [{"id": 1, "status": "draft", "total": 120.5}]


def masked(text):
    """JSON without ids and times, which differ from run to run."""
    text = re.sub(r'"(tr|cr|br)_[0-9a-f]{32}"', r'"\1"', text)
    return re.sub(r'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"', '"time"', text)


@pytest.fixture(scope="session")
def command():
    """Runs the command line, and gives what it printed. Any exit code of a result is one."""

    def run(*arguments):
        done = subprocess.run([os.environ["CANDOR"], *map(str, arguments)], capture_output=True, cwd=ROOT)
        assert done.returncode in (0, 1, 3), done.stderr.decode()
        return done.stdout.decode()

    return run


@pytest.fixture(scope="session")
def types_cache(tmp_path_factory):
    """Where mypy keeps what it knows of the standard library, which takes it seconds to read."""
    return str(tmp_path_factory.mktemp("types"))


@pytest.fixture
def task():
    return order_task()


def order_task(**members):
    return {
        "id": "order",
        "criteria": [
            {
                "id": "sent",
                "axis": "correctness",
                "weight": 2,
                "assertion": {
                    "assert": "portal-state-match",
                    "correlate_by": {"resource": "orders", "key": "id", "value": 1},
                    "assertions": [{"path": "status", "expected": "sent"}],
                },
            },
            {
                "id": "billed",
                "axis": "billing",
                "assertion": {
                    "assert": "portal-state-match",
                    "correlate_by": {"resource": "orders", "key": "id", "value": 1},
                    "assertions": [{"path": "total", "expected": 120.5}],
                },
            },
        ],
        **members,
    }
