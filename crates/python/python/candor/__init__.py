"""Did the work actually happen? Typed criteria against ground truth in healthcare systems.

>>> import candor
>>> task = {"id": "order", "criteria": [{"id": "sent", "assertion": {
...     "assert": "portal-state-match", "correlate_by": {"resource": "orders", "key": "id", "value": 1},
...     "assertions": [{"path": "status", "expected": "sent"}]}}]}
>>> box = candor.Sandbox(portal={"orders": [{"id": 1, "status": "sent"}]})
>>> candor.check(task, box).verdict
'pass'
"""

from __future__ import annotations

import atexit
from typing import Any

from . import _native
from ._api import (
    acheck,
    audit,
    bench,
    capture,
    check,
    checks,
    diff,
    draft,
    explain_x12,
    harden,
    lint,
    normalize,
    replay,
    schema,
    score,
)
from ._errors import BundleError, Error, InternalError, Problem, SandboxError, TaskError
from ._native import Engine, Sandbox, Task
from ._results import (
    Audit,
    Axis,
    BenchmarkRun,
    Capture,
    CriterionRun,
    Diff,
    Finding,
    Findings,
    Replay,
    Rubric,
    Run,
    Score,
    StoredScore,
)

atexit.register(_native.end)

__version__: str = _native.features()[0]

if _native.features()[1]:
    import warnings

    warnings.warn(
        "this is a debug build of Candor, which is many times slower than a released one",
        RuntimeWarning,
        stacklevel=2,
    )

__all__ = [
    "Audit",
    "Axis",
    "BenchmarkRun",
    "BundleError",
    "Capture",
    "CriterionRun",
    "Diff",
    "Engine",
    "Error",
    "Finding",
    "Findings",
    "InternalError",
    "Problem",
    "Replay",
    "Rubric",
    "Run",
    "Sandbox",
    "SandboxError",
    "Score",
    "StoredScore",
    "Task",
    "TaskError",
    "acheck",
    "audit",
    "bench",
    "capture",
    "check",
    "checks",
    "diff",
    "draft",
    "explain_x12",
    "frame",
    "harden",
    "lint",
    "normalize",
    "replay",
    "schema",
    "score",
]


def frame(runs: Any, *, library: str = "pandas") -> Any:
    """Criterion runs and field results as two tables: see `candor.frames.frame`."""
    from .frames import frame as tables

    return tables(runs, library=library)
