"""The functions of Candor: the same results as the command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from . import _native
from ._errors import Error, masked
from ._native import Engine, Job, Sandbox, Task
from ._results import Audit, BenchmarkRun, Capture, Diff, Findings, Replay, Rubric, Run, StoredScore, loads

if TYPE_CHECKING:
    import asyncio
    import weakref

    from .types import Progress

__all__ = [
    "acheck",
    "audit",
    "bench",
    "capture",
    "check",
    "checks",
    "diff",
    "draft",
    "explain_x12",
    "harden",
    "lint",
    "normalize",
    "replay",
    "schema",
    "score",
]

Path = Union[str, "os.PathLike[str]"]
TaskLike = Union[Task, Path, Mapping[str, Any]]
"""A task, a task file, or a dict in the shape of one."""
SandboxLike = Union[Sandbox, Path]
"""A sandbox, or the path of a folder or of a TOML file that describes one."""
_T = TypeVar("_T")


def _masking(mask: Optional[str], work: Callable[[], _T]) -> _T:
    """Does the work. With a mask, its errors quote nothing."""
    if mask is None:
        return work()
    try:
        return work()
    except (Error, TypeError, ValueError) as error:
        hidden = masked(error, mask)
    # Out of the handler, so that the error that quotes is not kept as its context.
    raise hidden


def _engine(settings: Dict[str, Any]) -> Engine:
    return Engine(**settings)


_standard: Optional[Engine] = None


def _engine_of(engine: Optional[Engine], verifier_id: Optional[str], agent_id: Optional[str]) -> Engine:
    global _standard
    if verifier_id is not None or agent_id is not None:
        if engine is not None:
            raise TypeError("give the ids to the engine: Engine(verifier_id=…, agent_id=…)")
        return Engine(verifier_id=verifier_id, agent_id=agent_id)
    if engine is not None:
        return engine
    if _standard is None:
        _standard = Engine()
    return _standard


def _task(task: TaskLike) -> Task:
    if isinstance(task, Task):
        return task
    if isinstance(task, (str, os.PathLike)):
        return Task.read(task)
    if isinstance(task, (bytes, bytearray, memoryview)):
        raise TypeError("the task is bytes; expected a path, a dict or a Task (Task.from_json reads text)")
    return Task(task)


def _entry(entry: Any) -> Tuple[Optional[str], Task, Sandbox]:
    expected = "expected (task, sandbox) or (id, task, sandbox)"
    if not isinstance(entry, (tuple, list)):
        raise TypeError(f"an entry of the benchmark is a {type(entry).__name__}; {expected}")
    if len(entry) not in (2, 3):
        raise ValueError(f"an entry of the benchmark has length {len(entry)}; {expected}")
    *name, task, sandbox = entry
    return (name[0] if name else None, _task(task), _sandbox(sandbox))


def _sandbox(sandbox: SandboxLike, baseline: Optional[SandboxLike] = None) -> Sandbox:
    if isinstance(sandbox, (str, os.PathLike)):
        sandbox = Sandbox.open(sandbox)
    elif not isinstance(sandbox, Sandbox):
        kind = type(sandbox).__name__
        raise TypeError(f"the sandbox is a {kind}; expected a path or a Sandbox, such as Sandbox(portal={{…}})")
    return sandbox if baseline is None else sandbox.with_baseline(_sandbox(baseline))


class _Waiting:
    """The jobs that one event loop waits for. A bell wakes the loop: no thread of Candor's enters the interpreter."""

    def __init__(self) -> None:
        self.bell, self.number = _native.Bell(), 0
        self.jobs: Dict[int, "asyncio.Future[None]"] = {}

    def wake(self) -> None:
        for number in self.bell.ended():
            future = self.jobs.get(number)
            if future is not None and not future.done():
                future.set_result(None)

    async def ended(self, loop: asyncio.AbstractEventLoop, job: Job) -> None:
        if not self.jobs:
            loop.add_reader(self.bell.fileno(), self.wake)
        self.number += 1
        number, future = self.number, loop.create_future()
        self.jobs[number] = future
        job.ring(self.bell, number)
        try:
            await future
        finally:
            del self.jobs[number]
            if not self.jobs:
                loop.remove_reader(self.bell.fileno())


_waiting: Optional[weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Waiting]] = None


async def _finish(job: Job) -> Any:
    """The result of a job, while the event loop goes on. A cancelled task stops its job."""
    global _waiting
    import asyncio
    import weakref

    if _waiting is None:
        _waiting = weakref.WeakKeyDictionary()
    loop = asyncio.get_running_loop()
    waiting = _waiting.get(loop)
    if waiting is None:
        waiting = _waiting[loop] = _Waiting()
    try:
        await waiting.ended(loop, job)
    except BaseException:
        job.cancel()
        raise
    return job.result()


def _run(given: Tuple[Tuple[str, str, str, bool], Optional[bytes]]) -> Run:
    parts, bundle = given
    return Run(*parts, bundle=bundle)


def check(
    task: TaskLike,
    sandbox: SandboxLike,
    *,
    baseline: Optional[SandboxLike] = None,
    scored: bool = False,
    bundle: bool = False,
    engine: Optional[Engine] = None,
    verifier_id: Optional[str] = None,
    agent_id: Optional[str] = None,
    mask: Optional[str] = None,
) -> Run:
    """Runs a task's criteria against a sandbox, as `candor check` does.

    `baseline` is the sandbox from before the work. `scored` hides the rubric: the result has no criterion runs. With
    `bundle` the result has its evidence bundle, which `replay` judges again. What could not be read or decided is an
    unverifiable criterion, not an exception.

    Raises `TaskError` if the task is wrong, and `SandboxError` if the sandbox cannot be opened. Their sentences may quote
    data; with `mask` they say this text instead.
    """
    runs = _engine_of(engine, verifier_id, agent_id)
    return _masking(mask, lambda: _run(runs.start_check(_task(task), _sandbox(sandbox, baseline), scored, bundle).wait()))


async def acheck(
    task: TaskLike,
    sandbox: SandboxLike,
    *,
    baseline: Optional[SandboxLike] = None,
    scored: bool = False,
    bundle: bool = False,
    engine: Optional[Engine] = None,
    verifier_id: Optional[str] = None,
    agent_id: Optional[str] = None,
    mask: Optional[str] = None,
) -> Run:
    """As `check`, while the event loop goes on. Cancelling the task stops the work."""
    engine = _engine_of(engine, verifier_id, agent_id)
    try:
        if any(isinstance(one, (str, os.PathLike)) for one in (task, sandbox, baseline)):
            import asyncio

            # Reading files may take its time, which is not the event loop's.
            opened = await asyncio.to_thread(lambda: (_task(task), _sandbox(sandbox, baseline)))
        else:
            opened = (_task(task), _sandbox(sandbox, baseline))
        return _run(await _finish(engine.start_check(*opened, scored, bundle)))
    except (Error, TypeError, ValueError) as error:
        if mask is None:
            raise
        hidden = masked(error, mask)
    raise hidden


def bench(
    benchmark: Union[Path, Iterable[Union[Tuple[TaskLike, SandboxLike], Tuple[str, TaskLike, SandboxLike]]]],
    *,
    jobs: Optional[int] = None,
    scored: bool = False,
    progress: Optional[Progress] = None,
    id: str = "benchmark",
    engine: Optional[Engine] = None,
    verifier_id: Optional[str] = None,
    agent_id: Optional[str] = None,
    mask: Optional[str] = None,
) -> BenchmarkRun:
    """Runs every task of a benchmark, as `candor bench` does: a benchmark file, or pairs of a task and a sandbox.

    An entry with three members begins with its id; entries of one id are several runs of a task. `jobs` is how many
    tasks run at a time. `progress` is called after each task, in this thread; if it raises, the benchmark ends with
    that exception. With `mask`, errors say this text instead of a sentence that may quote data.
    """
    runs = _engine_of(engine, verifier_id, agent_id)

    def work() -> BenchmarkRun:
        given: Any = benchmark
        if not isinstance(benchmark, (str, os.PathLike)):
            given = (id, [_entry(entry) for entry in benchmark])
        return BenchmarkRun(*runs.start_bench(given, jobs, scored).wait(progress))

    return _masking(mask, work)


def score(runs: Union[Path, bytes, Iterable[Any]], *, mask: Optional[str] = None) -> StoredScore:
    """Scores stored criterion runs, as `candor score` does.

    `runs` is a file of criterion runs (NDJSON), its bytes, or an iterable of files, bytes, `Run` objects and criterion
    runs as dicts. The criterion runs of a task run follow each other. With `mask`, errors say this text instead of a
    sentence that may quote them.
    """
    import json

    given = [runs] if isinstance(runs, (str, os.PathLike, bytes, bytearray, memoryview, Run)) else runs
    inputs: List[Tuple[str, Optional[bytes]]] = []
    lines: List[str] = []

    def flush() -> None:
        if lines:
            inputs.append(("runs", "".join(lines).encode()))
            lines.clear()

    for one in given:
        if isinstance(one, Run):
            lines.append(one.to_ndjson())
        elif isinstance(one, Mapping):
            lines.append(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n")
        elif isinstance(one, (str, os.PathLike)):
            flush()
            inputs.append((os.fspath(one), None))
        elif isinstance(one, (bytes, bytearray, memoryview)):
            flush()
            inputs.append(("runs", bytes(one)))
        else:
            raise TypeError(f"a {type(one).__name__} is not a criterion run; expected a Run, a dict, a path or bytes")
    flush()
    return StoredScore(*_masking(mask, lambda: _native.score(inputs).wait()))


def lint(tasks: Union[TaskLike, Sequence[TaskLike]], *, notes: bool = False) -> Findings:
    """Says what is wrong or weak in task files before they are run, as `candor lint` does.

    `notes` adds what may well be meant. Raises `TaskError` if a file cannot be read as a task.
    """
    several = tasks if isinstance(tasks, (list, tuple)) else [tasks]
    engine = _engine_of(None, None, None)
    return Findings(_native.lint(engine, list(several), notes).wait())


def audit(
    task: TaskLike,
    sandbox: SandboxLike,
    *,
    baseline: Optional[SandboxLike] = None,
    probes: Optional[Sequence[str]] = None,
    mutants: int = 500,
    seed: int = 1,
    engine: Optional[Engine] = None,
) -> Audit:
    """Proves that a task's criteria go red when the work is wrong, as `candor audit` does.

    `sandbox` is one in which the work was done. It is changed in memory, one thing at a time.
    """
    engine = _engine_of(engine, None, None)
    names = None if probes is None else list(probes)
    return Audit(*engine.start_audit(_task(task), _sandbox(sandbox, baseline), names, mutants, seed).wait())


def harden(
    task: Path,
    sandbox: SandboxLike,
    *,
    baseline: Optional[SandboxLike] = None,
    widen: bool = False,
    engine: Optional[Engine] = None,
) -> Rubric:
    """Adds to a task file what kills the survivors of its audit, as `candor harden` does. The file itself stays as it is.

    `sandbox` is one in which the work was done. Comments, order and layout of the file stay in the text that is returned.
    With `widen` the task also accepts other forms of the same work, where no wrong work passes by it.
    """
    name = os.fspath(task)
    with open(name, encoding="utf-8") as file:
        text = file.read()
    engine = _engine_of(engine, None, None)
    return Rubric(*_native.harden(engine, name, text, _sandbox(sandbox, baseline), widen).wait())


def draft(
    before: SandboxLike,
    after: Union[SandboxLike, Sequence[SandboxLike]],
    *,
    id: Optional[str] = None,
    prompt: Optional[str] = None,
    engine: Optional[Engine] = None,
) -> Rubric:
    """Writes a task file from one or several demonstrations of the same work, as `candor draft` does.

    Raises `Error` if nothing changed between `before` and `after`, or if a state could not be read.
    """
    several = after if isinstance(after, (list, tuple)) else [after]
    engine = _engine_of(engine, None, None)
    afters = [_sandbox(one) for one in several]
    return Rubric(*_native.draft(engine, _sandbox(before), afters, id, prompt).wait())


def replay(
    bundle: Union[Path, bytes],
    *,
    task: Optional[TaskLike] = None,
    verify: Union[Path, bytes, None] = None,
    engine: Optional[Engine] = None,
) -> Replay:
    """Judges an evidence bundle again, without its sandbox, as `candor replay` does.

    `bundle` is its path or its bytes. With `verify`, a public key in PEM or its path, it is also different if that key did
    not sign it. With `task`, the same observations are judged by that task, and the result has its `run`. Raises
    `BundleError` if it is not a bundle, or not one that another task can judge.
    """

    def contents(given: Union[Path, bytes]) -> bytes:
        if isinstance(given, bytes):
            return given
        with open(given, "rb") as file:
            return file.read()

    engine = _engine_of(engine, None, None)
    key = None if verify is None else contents(verify)
    return Replay(*_native.replay(engine, contents(bundle), key, None if task is None else _task(task)).wait())


def diff(before: SandboxLike, after: SandboxLike, *, parts: Optional[Sequence[str]] = None) -> Diff:
    """Says what differs between two sandboxes, record by record, as `candor diff` does."""
    names = None if parts is None else list(parts)
    return Diff(*_native.diff(_sandbox(before), _sandbox(after), names).wait())


def capture(sandbox: SandboxLike, into: Path, *, parts: Optional[Sequence[str]] = None) -> Capture:
    """Writes what the sources of a sandbox hold into a new or empty folder, as `candor capture` does."""
    names = None if parts is None else list(parts)
    return Capture(*_native.capture(_sandbox(sandbox), into, names).wait())


def checks() -> List[Dict[str, Any]]:
    """The table of checks, as `candor checks` has it."""
    table: List[Dict[str, Any]] = loads(_native.checks())
    return table


def schema(name: Optional[str] = None) -> Dict[str, Any]:
    """The JSON Schema of one kind of assertion, or of all, as `candor schema` prints it.

    `name` may also be `task`, `benchmark`, `sandbox`, `loop` or `result`.
    """
    read: Dict[str, Any] = loads(_native.schema(name))
    return read


def normalize(transcript: Any, *, mask: Optional[str] = None) -> List[Dict[str, Any]]:
    """What a transcript is compared as: its turns, each with its text beside the two forms in which phrases are looked for.

    `transcript` is the text or the bytes of one, a list of turns, or the path of a file as an `os.PathLike`. With `mask`,
    errors say this text instead of a sentence that may quote it.
    """
    name, contents = None, transcript
    if isinstance(transcript, os.PathLike):
        name = os.fspath(transcript)
        with open(transcript, "rb") as file:
            contents = file.read()
    turns: List[Dict[str, Any]] = loads(_masking(mask, lambda: _native.call(contents, name).wait()))
    return turns


def explain_x12(
    interchange: Union[str, bytes, "os.PathLike[str]"], *, mask: Optional[str] = None
) -> List[Dict[str, Any]]:
    """An X12 file as its transaction sets: segments with their loops, and what their codes mean.

    `interchange` is its text or bytes, or the path of a file as an `os.PathLike`. With `mask`, errors say this text instead
    of a sentence that may quote it.
    """
    if isinstance(interchange, os.PathLike):
        with open(interchange, "rb") as file:
            interchange = file.read()
    contents = interchange
    entries: List[Dict[str, Any]] = loads(_masking(mask, lambda: _native.x12(contents).wait()))
    return entries
