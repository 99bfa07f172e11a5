"""Results as tables: criterion runs and field results, for pandas, Polars or Arrow."""

from __future__ import annotations

import json
from typing import Any, Iterable, List, Mapping, NamedTuple, Union

from ._results import BenchmarkRun, Run

__all__ = ["Frames", "frame"]

_RUN = ("task_run_id", "criterion_id", "label", "axis", "weight", "status", "passed", "score", "share", "reason", "details")
_RUN_END = ("verifier_id", "started_at", "completed_at")
_COLUMNS = ("task_id", *_RUN, *_RUN_END)
_FIELDS = ("task_run_id", "task_id", "criterion_id", "number", "path", "expected", "actual", "passed", "reason", "source")
_RESULTS = ("fieldResults", "field_results", "assertionResults", "phraseResults")


class Frames(NamedTuple):
    """Two tables of the same library."""

    criterion_runs: Any
    """A row for each criterion run."""
    field_results: Any
    """A row for each comparison. `expected`, `actual` and `source` are JSON."""


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _fields(run: Run, one: Mapping[str, Any]) -> Iterable[List[Any]]:
    for key in _RESULTS:
        for number, result in enumerate(one["evidence"].get(key, ())):
            path = result.get("path", result.get("phrase"))
            passed = result.get("passed", result.get("found"))
            actual = result.get("actual", result.get("quote"))
            yield [
                *(one["task_run_id"], run.task_id, one["criterion_id"], number, path),
                *(_text(result.get("expected")), _text(actual), passed, result.get("reason"), _text(result.get("source"))),
            ]


def frame(runs: Union[Run, BenchmarkRun, Iterable[Run]], library: str = "pandas") -> Frames:
    """Criterion runs and field results of task runs as two tables.

    `library` is `pandas`, `polars` or `arrow`; it must be installed.
    """
    if isinstance(runs, BenchmarkRun):
        runs = runs.runs
    elif isinstance(runs, Run):
        runs = [runs]
    criteria: List[List[Any]] = []
    fields: List[List[Any]] = []
    for run in runs:
        if not isinstance(run, Run):
            raise TypeError(f"a {type(run).__name__} is not a task run; expected Run objects, or one BenchmarkRun")
        rows: List[Any] = list(run.to_dict()["criterion_runs"])
        for one in rows:
            criteria.append([run.task_id, *(one[name] for name in (*_RUN, *_RUN_END))])
            # Weights are whole numbers or not; a column has one type.
            criteria[-1][5] = float(criteria[-1][5])
            fields.extend(_fields(run, one))
    return Frames(_table(criteria, _COLUMNS, library), _table(fields, _FIELDS, library))


def _table(rows: List[List[Any]], names: Iterable[str], library: str) -> Any:
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    if library == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    if library == "polars":
        import polars

        return polars.DataFrame(columns, strict=False)
    if library == "arrow":
        import pyarrow

        return pyarrow.table(columns)
    raise ValueError(f"library is {library!r}; expected 'pandas', 'polars' or 'arrow'")
