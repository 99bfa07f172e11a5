"""Grading with Ray: a Dataset of sandboxes to a Dataset of task runs, and a benchmark score of it.

Each row has an `id`, and either

- a `sandbox`: the path of one, or the JSON of what `candor.Sandbox` takes (`{"portal": {"orders": […]}}`), or
- a `bundle`: the path or the bytes of an evidence bundle, whose observations are judged by the task.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Union

from . import BundleError, Run, Sandbox, StoredScore, Task, bench, replay
from . import score as score_of
from ._api import TaskLike, _task

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["check_dataset", "score"]


def _opened(given: Union[str, bytes]) -> Sandbox:
    text = given.decode() if isinstance(given, bytes) else given
    if text.lstrip().startswith("{"):
        parts: Mapping[str, Any] = json.loads(text)
        return Sandbox(**parts)
    return Sandbox.open(text)


def _replayed(name: str, bundle: Union[str, bytes], task: Task) -> Run:
    replayed = replay(bundle, task=task)
    if replayed.run is None:
        first = replayed.differences[0]
        raise BundleError(f"the bundle of {name} was changed: {first['where']}: {first['stored']} is stored")
    return replayed.run


class _Grader:
    """Grades batches; a worker of Ray has one of it."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __call__(self, batch: Dict[str, Any]) -> Dict[str, List[Any]]:
        ids = [str(one) for one in batch["id"]]
        if "bundle" in batch:
            runs = [_replayed(name, given, self.task) for name, given in zip(ids, batch["bundle"])]
        else:
            entries = [(name, self.task, _opened(given)) for name, given in zip(ids, batch["sandbox"])]
            # Ray counts a worker as one core.
            runs = bench(entries, jobs=1).runs
        return {
            "id": ids,
            "verdict": [run.verdict for run in runs],
            "score": [float(run.score) for run in runs],
            "conclusive": [run.conclusive for run in runs],
            "task_run": [run.to_json() for run in runs],
            "criterion_runs": [run.to_ndjson() for run in runs],
        }


def check_dataset(ds: "Dataset", task: TaskLike, *, batch_size: int = 256, done: Optional[Iterable[str]] = None) -> "Dataset":
    """Grades a Dataset: the result has a row for each of its rows, with `id`, `verdict`, `score`, `conclusive`, `task_run`
    (JSON) and `criterion_runs` (NDJSON).

    `done` are ids that an earlier run already graded; they are left out. A sandbox that cannot be opened and a bundle that
    was changed raise: no row is left out in silence.
    """
    grader = _Grader(_task(task))
    if done is not None:
        known = frozenset(done)
        ds = ds.filter(lambda row: str(row["id"]) not in known)
    return ds.map_batches(grader, batch_size=batch_size, batch_format="numpy")


def score(ds: "Dataset") -> StoredScore:
    """The score of all task runs of a Dataset: what `candor score` makes of their criterion runs in the order of the ids."""
    columns = ds.select_columns(["id", "criterion_runs"]).take_all()
    rows = sorted(columns, key=lambda row: str(row["id"]))
    return score_of(row["criterion_runs"].encode() for row in rows)
