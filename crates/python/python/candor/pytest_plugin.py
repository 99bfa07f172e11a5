"""Plugin for pytest: a criterion that did not pass is an assertion, its evidence the message.

    def test_the_order(candor_check):
        candor_check("task.yaml", "sandbox/")

`--candor-report FILE` writes the criterion runs of all tests, a line each, which `candor score` reads.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any, Callable, Iterator, List

import pytest

from . import CriterionRun, Run, check

_REPORT = pytest.StashKey[List[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("candor")
    group.addoption("--candor-report", metavar="FILE", help="write the criterion runs of candor_check there, a line each")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_REPORT] = []


def pytest_sessionfinish(session: pytest.Session) -> None:
    # A worker of pytest-xdist hands its lines to the process that writes the file.
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["candor"] = session.config.stash[_REPORT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[_REPORT].extend(getattr(node, "workeroutput", {}).get("candor", ()))


def pytest_unconfigure(config: pytest.Config) -> None:
    file = config.getoption("--candor-report")
    if file is not None and not hasattr(config, "workeroutput"):
        pathlib.Path(file).write_text("".join(config.stash[_REPORT]), encoding="utf-8")


def _told(run: CriterionRun) -> Iterator[str]:
    yield f"{run.label} ({run.criterion_id}) {run.status}: {run.reason}: {run.details}"
    for name in ("fieldResults", "field_results", "assertionResults", "phraseResults"):
        for result in run.evidence.get(name, ()):
            if not result.get("passed", result.get("found")):
                path = result.get("path", result.get("phrase"))
                expected, actual = (json.dumps(result.get(key), ensure_ascii=False) for key in ("expected", "actual"))
                yield f"    {path}: expected {expected}, actual {actual}"


def message(run: Run) -> str:
    """What did not pass in a run, and the evidence for it."""
    wrong = [one for one in run.criterion_runs if not one.passed]
    lines = [f"{run.task_id}: {run.verdict}, {len(wrong)} of {len(run.criterion_runs)} criteria did not pass"]
    for one in wrong:
        lines.extend(f"  {line}" for line in _told(one))
    return "\n".join(lines)


@pytest.fixture
def candor_check(request: pytest.FixtureRequest) -> Callable[..., Run]:
    """Runs a task against a sandbox, as `candor.check` does, and fails the test unless every criterion passed."""

    def checked(task: Any, sandbox: Any, **settings: Any) -> Run:
        __tracebackhide__ = True
        run = check(task, sandbox, **settings)
        request.config.stash[_REPORT].append(run.to_ndjson())
        if not run.criterion_runs and not settings.get("scored"):
            pytest.fail(f"{run.task_id}: there is no criterion, so nothing was checked", pytrace=False)
        if run.verdict != "pass" or any(not one.passed for one in run.criterion_runs):
            pytest.fail(message(run), pytrace=False)
        return run

    return checked
