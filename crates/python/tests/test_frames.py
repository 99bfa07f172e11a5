"""Results as tables."""

import candor
import pytest
from conftest import RIGHT, WRONG


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_two_tables(library, task):
    run = candor.bench([("right", task, candor.Sandbox(portal={"orders": RIGHT})), ("wrong", task, candor.Sandbox(portal={"orders": WRONG}))])
    runs, fields = candor.frame(run, library=library)
    assert list(runs.columns)[:4] == ["task_id", "task_run_id", "criterion_id", "label"]
    assert list(runs["task_id"]) == ["right", "right", "wrong", "wrong"]
    assert list(runs["status"]) == ["passed", "passed", "failed", "passed"]
    assert list(runs["weight"]) == [2.0, 1.0, 2.0, 1.0]
    assert list(fields["path"]) == ["status", "total", "status", "total"]
    assert list(fields["actual"])[2] == '"draft"' and list(fields["expected"])[2] == '"sent"'
    assert list(fields["passed"]) == [True, True, False, True]


def test_another_library():
    with pytest.raises(ValueError, match="pandas"):
        candor.frame([], library="excel")
