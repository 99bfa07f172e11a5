"""What is wrong becomes an exception with a sentence, and nothing else does."""

import asyncio
import atexit
import json
import pathlib
import pickle
import shutil
import tempfile
import threading
import traceback

import candor
import pytest
from candor import _native
from conftest import RIGHT, order_task


def test_a_wrong_task_file_has_a_place(tmp_path):
    file = tmp_path / "task.yaml"
    file.write_text("id: t\ncriteria:\n  - id: a\n    wieght: 2\n    assertion: {}\n")
    with pytest.raises(candor.TaskError) as raised:
        candor.check(file, candor.Sandbox(portal={}))
    error = raised.value
    assert (error.path, error.line, error.column) == (str(file), 4, 5)
    assert "did you mean `weight`?" in str(error) and len(error.problems) >= 1
    again = pickle.loads(pickle.dumps(error))
    assert (again.line, str(again), again.problems) == (4, str(error), error.problems)
    with pytest.raises(candor.TaskError, match="nothing.yaml"):
        candor.check(tmp_path / "nothing.yaml", candor.Sandbox(portal={}))
    with pytest.raises(candor.TaskError):
        candor.Task.from_json("{")


def test_a_wrong_setting_of_a_loop_is_an_error_of_its_task(tmp_path, task):
    wrong, box = {**task, "loop": {"disclose": "all"}}, candor.Sandbox(portal={"orders": RIGHT})
    file, bench = tmp_path / "task.json", tmp_path / "bench.yaml"
    file.write_text(json.dumps(wrong))
    bench.write_text(f"id: b\ntasks: [{{task: {file}, sandbox: {tmp_path}}}]\n")
    for given in (
        lambda: candor.check(wrong, box),
        lambda: candor.check(file, box),
        lambda: candor.bench(bench),
        lambda: candor.audit(file, box),
        lambda: candor.lint(file),
        lambda: candor.lint(wrong),
    ):
        with pytest.raises(candor.TaskError, match="`loop`: `disclose` is `all`; expected one of"):
            given()
    assert candor.check({**task, "loop": {"disclose": "count"}}, box).verdict == "pass"


def test_a_wrong_sandbox(tmp_path, task):
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "nothing"):
        with pytest.raises(candor.SandboxError) as raised:
            candor.check(task, path)
        assert str(path) in str(raised.value)
    (tmp_path / "sandbox.toml").write_text("[limits]\ntimeot = 1\n")
    with pytest.raises(candor.SandboxError) as raised:
        candor.Sandbox.open(tmp_path)
    assert raised.value.line == 2
    with pytest.raises(candor.SandboxError):
        candor.Sandbox(files={"../out": b""})
    for path in ("../x", "/x", "hl7/../../x", "hl7/", "sandbox.toml"):
        with pytest.raises(candor.SandboxError, match=path):
            candor.Sandbox(portal={}).with_file(path, b"")
    with pytest.raises(candor.SandboxError, match="limits"):
        candor.Sandbox(portal={}, settings="[limits]\ntimeot = 1\n")


def test_values_of_the_wrong_kind(task):
    with pytest.raises(TypeError, match="bytes"):
        candor.check(b"task", candor.Sandbox(portal={}))
    with pytest.raises(TypeError, match="Sandbox"):
        candor.check(task, {"portal": {}})
    with pytest.raises(TypeError, match="names with contents"):
        candor.Sandbox(hl7=b"MSH|")
    for kind in ("hl7", "x12"):
        with pytest.raises(TypeError, match=f"{kind}/a is a list; expected the text or the bytes"):
            candor.Sandbox(**{kind: {"a": ["MSH|"]}})
    with pytest.raises(TypeError, match="not a JSON value"):
        candor.Sandbox(portal={"orders": [{"id": b"1"}]})
    with pytest.raises(TypeError, match="not a JSON value"):
        candor.Sandbox(portal={"orders": [{"id": object()}]})
    with pytest.raises(TypeError, match="names are text"):
        candor.Sandbox(portal={"orders": [{1: 2}]})
    with pytest.raises(ValueError, match="not a JSON number"):
        candor.Sandbox(portal={"orders": [{"id": float("nan")}]})
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="levels deep"):
        candor.Sandbox(portal={"orders": endless})
    with pytest.raises(TypeError):
        candor.score([7])
    with pytest.raises(TypeError, match="a int is not a task run; expected Run objects"):
        candor.frame([3])
    box = candor.Sandbox(portal={})
    with pytest.raises(ValueError, match=r"has length 1; expected \(task, sandbox\)"):
        candor.bench([(task,)])
    with pytest.raises(TypeError, match=r"is a str; expected \(task, sandbox\)"):
        candor.bench(task)
    for argument, wrong in (
        ("jobs", lambda: candor.bench([(task, box)], jobs=0)),
        ("mutants", lambda: candor.audit(task, box, mutants=0)),
        ("threads", lambda: candor.Engine(threads=0)),
        ("waiting", lambda: candor.Engine(waiting=-1)),
    ):
        with pytest.raises(ValueError, match=f"{argument} is (0|-1); expected 1 or more"):
            wrong()
    with pytest.raises(candor.Error, match="runs:1"):
        candor.score(b"{}\n")
    with pytest.raises(FileNotFoundError, match="nothing.ndjson"):
        candor.score("nothing.ndjson")


def test_a_generator_that_raises(task):
    def rows():
        yield RIGHT[0]
        raise LookupError("in the middle")

    with pytest.raises(LookupError, match="in the middle"):
        candor.Sandbox(portal={"orders": rows()})

    def pairs():
        yield task, candor.Sandbox(portal={"orders": RIGHT})
        raise LookupError("in the middle")

    with pytest.raises(LookupError, match="in the middle"):
        candor.bench(pairs())


def test_progress_that_raises_ends_the_benchmark(task):
    def progress(*_):
        raise LookupError("no more")

    box = candor.Sandbox(portal={"orders": RIGHT})
    with pytest.raises(LookupError, match="no more"):
        candor.bench([(task, box)] * 50, jobs=1, progress=progress)


def test_a_panic_is_an_exception():
    _, is_test_build = _native.features()
    if not is_test_build:
        assert not hasattr(_native, "panic_for_test")
        return
    with pytest.raises(candor.InternalError, match="for a test"):
        _native.panic_for_test().wait()
    # Nothing is broken by it.
    assert candor.check(order_task(), candor.Sandbox(portal={"orders": RIGHT})).verdict == "pass"


def test_errors_share_a_class():
    assert issubclass(candor.TaskError, candor.Error) and issubclass(candor.SandboxError, candor.Error)
    assert issubclass(candor.BundleError, candor.Error) and issubclass(candor.InternalError, candor.Error)


SECRET = "MRN-774410"


def written(name, text):
    """A file in a folder of its own, which the test ends with."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = pathlib.Path(folder) / name
    file.write_text(text)
    return file


def everything(error):
    """What a log would show of an exception."""
    while error is not None:
        yield "".join(traceback.format_exception_only(type(error), error)) + repr(error.__dict__) + repr(error.args)
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize(
    "kind, wrong",
    [
        (TypeError, lambda **mask: candor.Sandbox(portal={"orders": [{(SECRET,): 1}]}, **mask)),
        (candor.SandboxError, lambda **mask: candor.Sandbox(files={f"../{SECRET}": b""}, **mask)),
        (candor.TaskError, lambda **mask: candor.Task({"id": "t", "criteria": [], SECRET: 1}, **mask)),
        (candor.TaskError, lambda **mask: candor.check({"id": "t", SECRET: 1}, candor.Sandbox(portal={}), **mask)),
        (candor.TaskError, lambda **mask: asyncio.run(candor.acheck({"id": "t", SECRET: 1}, candor.Sandbox(portal={}), **mask))),
        (candor.TaskError, lambda **mask: candor.Task.from_json(json.dumps({"id": "t", SECRET: 1}), **mask)),
        (candor.TaskError, lambda **mask: candor.bench([({"id": "t", SECRET: 1}, candor.Sandbox(portal={}))], **mask)),
        (candor.SandboxError, lambda **mask: candor.Sandbox.open(written("sandbox.toml", f"[{SECRET}]\n"), **mask)),
        (candor.TaskError, lambda **mask: candor.Task.read(written("task.json", json.dumps({"id": "t", SECRET: 1})), **mask)),
        (TypeError, lambda **mask: candor.Sandbox(portal={}).with_file("portal/a.json", {(SECRET,): 1}, **mask)),
        (candor.SandboxError, lambda **mask: candor.Sandbox(portal={}).with_file(f"../{SECRET}", b"", **mask)),
        (candor.Error, lambda **mask: candor.score(json.dumps({"task_run_id": SECRET, "id": 1}).encode(), **mask)),
    ],
)
def test_a_mask_takes_the_place_of_what_is_quoted(kind, wrong):
    with pytest.raises(kind) as raised:
        wrong(mask="[hidden]")
    assert "[hidden]" in str(raised.value) and SECRET not in "".join(everything(raised.value))
    with pytest.raises(kind) as raised:
        wrong()
    assert "[hidden]" not in str(raised.value)


def test_a_mask_keeps_the_place(tmp_path):
    file = tmp_path / "task.yaml"
    file.write_text(f"id: t\ncriteria:\n  - id: a\n    {SECRET}: 2\n    assertion: {{}}\n")
    with pytest.raises(candor.TaskError) as raised:
        candor.check(file, candor.Sandbox(portal={}), mask="[hidden]")
    error = raised.value
    assert (error.path, error.line, error.column, str(error)) == (str(file), 4, 5, f"{file}:4:5: [hidden]")
    assert {problem.message for problem in error.problems} == {"[hidden]"}


def test_threads(task):
    box, verdicts = candor.Sandbox(portal={"orders": RIGHT}), []
    threads = [threading.Thread(target=lambda: verdicts.append(candor.check(task, box).verdict)) for _ in range(16)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert verdicts == ["pass"] * 16
