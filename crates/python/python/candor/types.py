"""The shapes of tasks and results as dicts, and of what a caller hands in. Only type checkers need this module.

The keys are those of `candor schema task` and `candor schema result`. Later versions only add members.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, Protocol, Sequence, TypedDict, Union

__all__ = [
    "AxisDict",
    "BenchmarkRunDict",
    "CriterionDict",
    "CriterionRunDict",
    "EvidenceDict",
    "FieldResultDict",
    "Model",
    "PhraseResultDict",
    "Progress",
    "Status",
    "TaskDict",
    "TaskRunDict",
    "Verdict",
]

Verdict = Literal["pass", "partial", "fail"]
Status = Literal["passed", "failed", "unverifiable"]
Number = Union[int, float]


class Progress(Protocol):
    """Called after each task of a benchmark: how many have ended, of how many, and the id and the verdict of this one."""

    def __call__(self, done: int, total: int, id: str, verdict: str, /) -> object: ...


class Model(Protocol):
    """A pydantic model, such as those of `fhir.resources`: its members become JSON by their aliases."""

    def model_dump(self, *, by_alias: bool = ..., exclude_none: bool = ...) -> Dict[str, Any]: ...


class _Criterion(TypedDict):
    id: str
    assertion: Mapping[str, Any]


class CriterionDict(_Criterion, total=False):
    """A criterion of a task."""

    label: str
    weight: Number
    axis: str
    input_entity_id: str
    gate: bool
    partial_credit: bool
    undecidable: Literal["fail", "unverifiable"]
    zone: str


# `pass` is a keyword of Python.
_Pass = TypedDict("_Pass", {"pass": Union[Literal["all"], Number]}, total=False)


class _Task(TypedDict):
    id: str


class TaskDict(_Task, _Pass, total=False):
    """A task file as a dict. """

    name: str
    prompt: str
    timeout: str
    zone: str
    inputs: Mapping[str, Any]
    entities: Mapping[str, Mapping[str, Any]]
    criteria: Sequence[CriterionDict]
    loop: Mapping[str, Any]
    lint: Mapping[str, Any]
    audit: Mapping[str, Any]
    sandbox: Union[str, Mapping[str, Any]]
    agent_writes: Sequence[str]


class _FieldResult(TypedDict):
    path: str
    expected: Any
    actual: Any
    passed: bool


class FieldResultDict(_FieldResult, total=False):
    """One comparison of a criterion."""

    op: str
    rule: List[Any]
    reason: str
    source: Dict[str, Any]


class _PhraseResult(TypedDict):
    phrase: str
    found: bool


class PhraseResultDict(_PhraseResult, total=False):
    """One phrase of a criterion about a call."""

    turn: Optional[int]
    passed: bool
    forbidden: bool
    quote: Optional[str]


class EvidenceDict(TypedDict, total=False):
    """What decided a criterion. Each check has further members of its own."""

    fieldResults: List[FieldResultDict]
    field_results: List[FieldResultDict]
    assertionResults: List[FieldResultDict]
    phraseResults: List[PhraseResultDict]
    matchedPaths: List[str]
    cut: Dict[str, int]
    candidates: Dict[str, Any]
    sources: List[Any]


class _CriterionRun(TypedDict):
    id: str
    task_run_id: str
    criterion_id: str
    weight: Number
    status: Status
    score: float


class CriterionRunDict(_CriterionRun, total=False):
    """The outcome of one criterion."""

    label: str
    axis: Optional[str]
    gate: bool
    task_pass: Union[Literal["all"], Number]
    passed: bool
    share: float
    reason: Optional[str]
    details: str
    evidence: EvidenceDict
    verifier_id: str
    started_at: str
    completed_at: str


class AxisDict(TypedDict, total=False):
    """The sums of one axis. Those of a benchmark have no weight."""

    score: float
    weight: Number
    interval: List[float]
    coverage: float
    task_runs: int


class _TaskRun(TypedDict):
    task_run_id: str
    task_id: str
    phase: str
    verdict: Verdict
    score: float
    interval: List[float]
    coverage: float
    conclusive: bool
    axes: Dict[str, AxisDict]
    criterion_runs: List[CriterionRunDict]


class TaskRunDict(_TaskRun, _Pass, total=False):
    """The outcome of one task: what `Run.to_dict` gives."""

    task_name: str
    scored: bool
    passed_with_failures: List[str]
    invalid_criteria: List[str]


class _BenchmarkRun(TypedDict):
    benchmark_run_id: str
    benchmark_id: str
    phase: str
    verdict: Verdict
    score: float
    interval: List[float]
    coverage: float
    conclusive: bool
    axes: Dict[str, AxisDict]
    tasks: int
    task_runs: List[TaskRunDict]
    verdicts: Dict[str, int]


class BenchmarkRunDict(_BenchmarkRun, total=False):
    """The outcome of a benchmark: what `BenchmarkRun.to_dict` gives."""

    pass_rate: Optional[Dict[str, Any]]
    confidence: Optional[Dict[str, Any]]
    pass_hat_k: Optional[List[float]]
    notes: List[str]
