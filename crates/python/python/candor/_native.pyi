import os
from typing import Any, Callable, Iterable, List, Mapping, Optional, Sequence, Tuple, Union, final

_Path = Union[str, os.PathLike[str]]
_File = Union[str, bytes, bytearray, memoryview, Mapping[str, Any], Sequence[Any]]

@final
class Job:
    def wait(self, progress: Optional[Callable[[int, int, str, str], object]] = None) -> Any: ...
    def cancel(self) -> None: ...
    def ring(self, bell: Bell, number: int) -> None: ...
    def result(self) -> Any: ...

@final
class Bell:
    def __new__(cls) -> Bell: ...
    def fileno(self) -> int: ...
    def ended(self) -> List[int]: ...

@final
class Task:
    """A task: what was to be done, and the criteria that decide whether it was."""

    def __new__(cls, value: Any, *, mask: Optional[str] = None) -> Task: ...
    @staticmethod
    def read(path: _Path, *, mask: Optional[str] = None) -> Task:
        """Reads a task file: JSON or YAML."""

    @staticmethod
    def from_json(text: str, *, mask: Optional[str] = None) -> Task:
        """Reads the JSON of a task."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> Optional[str]: ...
    @property
    def prompt(self) -> Optional[str]: ...

@final
class Sandbox:
    """The ground truth that one task left."""

    def __new__(
        cls,
        *,
        fhir: Any = None,
        hl7: Optional[Mapping[str, _File]] = None,
        portal: Optional[Mapping[str, Any]] = None,
        files: Optional[Mapping[str, Any]] = None,
        voice: Optional[Mapping[str, Any]] = None,
        x12: Optional[Mapping[str, _File]] = None,
        workspace: Optional[Mapping[str, Any]] = None,
        baseline: Optional[Sandbox] = None,
        events: Any = None,
        settings: Optional[str] = None,
        mask: Optional[str] = None,
    ) -> Sandbox: ...
    @staticmethod
    def open(path: _Path, *, mask: Optional[str] = None) -> Sandbox:
        """Opens a sandbox: a folder, or a TOML file that describes one."""

    def with_file(self, path: str, contents: Any, *, mask: Optional[str] = None) -> Sandbox:
        """The same sandbox with one file more, or another one in its place."""

    def with_baseline(self, before: Sandbox) -> Sandbox:
        """The same sandbox with the one from before the work."""

@final
class Engine:
    """Runs tasks within one budget of threads and memory."""

    def __new__(
        cls,
        *,
        verifier_id: Optional[str] = None,
        agent_id: Optional[str] = None,
        threads: Optional[int] = None,
        waiting: Optional[int] = None,
        memory: Optional[int] = None,
        proxy_from_env: bool = False,
    ) -> Engine: ...
    @property
    def verifier_id(self) -> str: ...
    def start_check(self, task: Task, sandbox: Sandbox, scored: bool, bundle: bool) -> Job: ...
    def start_bench(self, benchmark: Any, jobs: Optional[int], scored: bool) -> Job: ...
    def start_audit(self, task: Task, sandbox: Sandbox, probes: Optional[List[str]], mutants: int, seed: int) -> Job: ...

def harden(engine: Engine, file: str, text: str, sandbox: Sandbox, widen: bool) -> Job: ...
def draft(
    engine: Engine, before: Sandbox, afters: List[Sandbox], id: Optional[str] = None, prompt: Optional[str] = None
) -> Job: ...
def replay(
    engine: Engine, contents: bytes, verify: Optional[bytes] = None, task: Optional[Task] = None
) -> Job: ...
def lint(engine: Engine, tasks: List[Any], notes: bool) -> Job: ...
def diff(before: Sandbox, after: Sandbox, parts: Optional[List[str]] = None) -> Job: ...
def capture(sandbox: Sandbox, into: _Path, parts: Optional[List[str]] = None) -> Job: ...
def score(inputs: Iterable[Tuple[_Path, Optional[bytes]]]) -> Job: ...
def x12(contents: Any) -> Job: ...
def call(contents: Any, name: Optional[str] = None) -> Job: ...
def checks() -> str: ...
def schema(name: Optional[str] = None) -> str: ...
def end() -> None: ...
def features() -> Tuple[str, bool]: ...
