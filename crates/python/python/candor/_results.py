"""Results. Each keeps the JSON of the command line, byte for byte, and reads it when a member is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, overload

if TYPE_CHECKING:
    from fractions import Fraction

    from .types import BenchmarkRunDict, CriterionRunDict, TaskRunDict

__all__ = [
    "Axis",
    "Audit",
    "BenchmarkRun",
    "Capture",
    "CriterionRun",
    "Diff",
    "Finding",
    "Findings",
    "Replay",
    "Rubric",
    "Run",
    "Score",
    "StoredScore",
]


def loads(text: str) -> Any:
    """Reads JSON. The module is imported when it is needed: `import candor` is to take a moment only."""
    import json

    return json.loads(text)


class Score(float):
    """A score between 0 and 1: the nearest float, and the fraction that it is."""

    exact: Fraction
    """The exact value: two thirds is `Fraction(2, 3)`."""

    def __new__(cls, exact: Union[str, Fraction], nearest: Optional[float] = None) -> "Score":
        from fractions import Fraction

        fraction = Fraction(exact)
        score = super().__new__(cls, fraction if nearest is None else nearest)
        score.exact = fraction
        return score

    def __eq__(self, other: object) -> bool:
        return float.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return float.__hash__(self)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Score, (f"{self.exact.numerator}/{self.exact.denominator}", float(self)))


def _interval(floats: Sequence[float], exact: Sequence[str]) -> Tuple[Score, Score]:
    return (Score(exact[0], floats[0]), Score(exact[1], floats[1]))


class Axis(NamedTuple):
    """The sums of the criteria on one axis."""

    score: Score
    weight: Union[int, float]
    interval: Tuple[Score, Score]
    coverage: Score


class _Json:
    """A result that is a JSON document."""

    def __init__(self, text: str, exact: str = "{}") -> None:
        self._text, self._exact_text = text, exact
        self._read: Optional[Any] = None
        self._exact_read: Optional[Any] = None

    @property
    def _data(self) -> Any:
        if self._read is None:
            self._read = loads(self._text)
        return self._read

    @property
    def _exact(self) -> Any:
        if self._exact_read is None:
            self._exact_read = loads(self._exact_text)
        return self._exact_read

    def to_json(self) -> str:
        """The JSON document that the command line writes with `--format json`, byte for byte."""
        return self._text

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, _Json) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_read": None, "_exact_read": None}


class _Document(_Json):
    """A result whose document is a dict."""

    def to_dict(self) -> Dict[str, Any]:
        """The same document as a new dict."""
        read: Dict[str, Any] = loads(self._text)
        return read


class CriterionRun:
    """The outcome of one criterion."""

    __slots__ = ("_data", "_exact")

    def __init__(self, data: Mapping[str, Any], exact: Sequence[str]) -> None:
        self._data, self._exact = data, exact

    @property
    def id(self) -> str:
        """The id of this run: `cr_…`."""
        return str(self._data["id"])

    @property
    def criterion_id(self) -> str:
        """The id of the criterion."""
        return str(self._data["criterion_id"])

    @property
    def label(self) -> str:
        """The label of the criterion; its id if it has none."""
        return str(self._data["label"])

    @property
    def axis(self) -> Optional[str]:
        """The axis of the criterion, if it has one."""
        axis: Optional[str] = self._data["axis"]
        return axis

    @property
    def weight(self) -> Union[int, float]:
        """The weight of the criterion."""
        weight: Union[int, float] = self._data["weight"]
        return weight

    @property
    def gate(self) -> bool:
        """Whether the verdict is `fail` unless this criterion passes."""
        return bool(self._data.get("gate", False))

    @property
    def status(self) -> str:
        """`passed`, `failed` or `unverifiable`."""
        return str(self._data["status"])

    @property
    def passed(self) -> bool:
        """Whether it passed."""
        return bool(self._data["passed"])

    @property
    def score(self) -> Score:
        """1 of a pass, else 0; the share with `partial_credit`."""
        return Score(self._exact[0], self._data["score"])

    @property
    def share(self) -> Score:
        """The weighted share of results that passed."""
        return Score(self._exact[1], self._data["share"])

    @property
    def reason(self) -> Optional[str]:
        """Why it did not pass, for programs: `field_mismatch`, `no_source`, …."""
        reason: Optional[str] = self._data["reason"]
        return reason

    @property
    def details(self) -> str:
        """What was found, what was expected, and where, in one or two sentences."""
        return str(self._data["details"])

    @property
    def evidence(self) -> Dict[str, Any]:
        """Everything that decided the outcome. The keys are those of the check."""
        evidence: Dict[str, Any] = self._data["evidence"]
        return evidence

    def to_dict(self) -> CriterionRunDict:
        """The criterion run as a dict."""
        run: Any = dict(self._data)
        return run  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        why = "" if self.reason is None else f" {self.reason}"
        return f"<candor.CriterionRun {self.criterion_id} {self.status}{why}>"


class Run(_Json):
    """The outcome of one task: a verdict, a score, and the evidence of every criterion."""

    broken: bool
    """Whether a check broke, which is a defect of Candor: its criterion is unverifiable."""
    bundle: Optional[bytes]
    """The evidence bundle, if `check` was called with `bundle=True`: the bytes of a `.candor` file."""

    def __init__(self, text: str, exact: str, lines: str, broken: bool = False, *, bundle: Optional[bytes] = None) -> None:
        super().__init__(text, exact)
        self._lines, self.broken, self.bundle = lines, broken, bundle

    @property
    def id(self) -> str:
        """The id of this run: `tr_…`."""
        return str(self._data["task_run_id"])

    @property
    def task_id(self) -> str:
        """The id of the task."""
        return str(self._data["task_id"])

    @property
    def verdict(self) -> str:
        """`pass`, `partial` or `fail`. Look at `conclusive` as well."""
        return str(self._data["verdict"])

    @property
    def score(self) -> Score:
        """The weighted score. Criteria that could not be verified count as 0."""
        return Score(self._exact["score"], self._data["score"])

    @property
    def interval(self) -> Tuple[Score, Score]:
        """The score at worst and at best: if nothing that could not be verified holds, and if all of it does."""
        return _interval(self._data["interval"], self._exact["interval"])

    @property
    def coverage(self) -> Score:
        """The share of weight that was verified."""
        return Score(self._exact["coverage"], self._data["coverage"])

    @property
    def conclusive(self) -> bool:
        """Whether the verdict is the same however the criteria that could not be verified turn out."""
        return bool(self._data["conclusive"])

    @property
    def unverifiable(self) -> bool:
        """Whether nothing was verified: there are criteria, and none passed or failed."""
        return self.coverage.exact == 0

    @property
    def axes(self) -> Dict[str, Axis]:
        """The scores by axis, in the order of the task."""
        exact = self._exact["axes"]
        return {
            name: Axis(
                Score(exact[name]["score"], axis["score"]),
                axis["weight"],
                _interval(axis["interval"], exact[name]["interval"]),
                Score(exact[name]["coverage"], axis["coverage"]),
            )
            for name, axis in self._data["axes"].items()
        }

    @property
    def criterion_runs(self) -> List[CriterionRun]:
        """The outcome of each criterion, in the order of the task. Empty for a hidden rubric."""
        return [CriterionRun(run, exact) for run, exact in zip(self._data["criterion_runs"], self._exact["criterion_runs"])]

    def to_dict(self) -> TaskRunDict:
        """The document as a new dict."""
        return loads(self._text)  # type: ignore[no-any-return]

    def to_ndjson(self) -> str:
        """A line for each criterion run, as `--format ndjson` writes them and `candor.score` reads them."""
        return self._lines

    def __getitem__(self, criterion_id: str) -> CriterionRun:
        for run in self.criterion_runs:
            if run.criterion_id == criterion_id:
                return run
        raise KeyError(criterion_id)

    def __repr__(self) -> str:
        sure = "" if self.conclusive else ", not conclusive"
        return f"<candor.Run {self.task_id} {self.verdict} {float(self.score):.4g}{sure}>"

    def _repr_html_(self) -> str:
        from . import _html

        return _html.run(self)


class BenchmarkRun(_Json):
    """The outcome of a benchmark: the mean of its scores, and a run of each task."""

    runs: List[Run]
    """The runs of its tasks, in the order of the benchmark."""

    def __init__(self, text: str, exact: str, runs: Sequence[Tuple[str, str, str, bool]]) -> None:
        super().__init__(text, exact)
        self.runs = [Run(*parts) for parts in runs]

    @property
    def broken(self) -> bool:
        """Whether a check broke in one of its tasks."""
        return any(run.broken for run in self.runs)

    @property
    def verdict(self) -> str:
        """`pass`, `partial` or `fail`."""
        return str(self._data["verdict"])

    @property
    def score(self) -> Score:
        """The mean of the scores of its tasks."""
        return Score(self._exact["score"], self._data["score"])

    @property
    def conclusive(self) -> bool:
        """Whether the verdict is the same however the criteria that could not be verified turn out."""
        return bool(self._data["conclusive"])

    def to_dict(self) -> BenchmarkRunDict:
        """The document as a new dict."""
        return loads(self._text)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<candor.BenchmarkRun {self._data['benchmark_id']} {self.verdict} {float(self.score):.4g}>"

    def _repr_html_(self) -> str:
        from . import _html

        return _html.benchmark(self)


class StoredScore(_Document):
    """What stored criterion runs come to: the result of one task run, or of many."""

    notes: Tuple[str, ...]
    """What a reader should know about the reading."""

    def __init__(self, text: str, exact: str, notes: Sequence[str] = ()) -> None:
        super().__init__(text, exact)
        self.notes = tuple(notes)

    @property
    def verdict(self) -> str:
        """`pass`, `partial` or `fail`."""
        return str(self._data["verdict"])

    @property
    def score(self) -> Score:
        """The score of the task run, or the mean of many."""
        return Score(self._exact["score"], self._data["score"])

    @property
    def conclusive(self) -> bool:
        """Whether the verdict is the same however the criteria that could not be verified turn out."""
        return bool(self._data["conclusive"])

    def __repr__(self) -> str:
        return f"<candor.StoredScore {self.verdict} {float(self.score):.4g}>"


class Finding(NamedTuple):
    """Something that is wrong or weak in a task."""

    file: str
    line: Optional[int]
    column: Optional[int]
    severity: str
    code: str
    message: str

    def __str__(self) -> str:
        place = "" if self.line is None else f":{self.line}:{self.column}"
        return f"{self.file}{place}: {self.severity}[{self.code}]: {self.message}"


class Findings(_Json, Sequence[Finding]):
    """What a lint found, as a sequence. It is empty if there is nothing to say."""

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Finding, Sequence[Finding]]:
        return list(self)[index]

    def __len__(self) -> int:
        return len(self._data)

    def __iter__(self) -> Iterator[Finding]:
        return (Finding(**finding) for finding in self._data)

    @property
    def complains(self) -> bool:
        """Whether one of them is more than a note."""
        return any(finding.severity != "note" for finding in self)

    def to_dict(self) -> Dict[str, Any]:
        """The findings, under the name `findings`."""
        return {"findings": loads(self._text)}

    def __repr__(self) -> str:
        return f"<candor.Findings {len(self)}>"


class Audit(_Document):
    """Whether each criterion goes red when the work is wrong."""

    told: str
    """The report as a person reads it."""
    badge: str
    """One line of Markdown."""

    def __init__(self, text: str, parts: Tuple[str, str, bool, bool]) -> None:
        super().__init__(text)
        self.told, self.badge, self._holds, self._proven = parts

    def holds(self, strict: bool = False) -> bool:
        """Whether there is nothing to complain about; with `strict` every criterion must be proven."""
        return self._proven if strict else self._holds

    @property
    def grade(self) -> str:
        """The grade of the whole task."""
        return str(self._data["grade"])

    def __str__(self) -> str:
        return self.told


class Diff(_Document):
    """What differs between two sandboxes."""

    told: str
    """The difference as a person would tell it, a line a record."""
    complete: bool
    """Whether everything could be read on both sides."""

    def __init__(self, text: str, parts: Tuple[str, bool, Tuple[int, int, int]]) -> None:
        super().__init__(text)
        self.told, self.complete, (self.added, self.removed, self.changed) = parts

    def __bool__(self) -> bool:
        return (self.added, self.removed, self.changed) != (0, 0, 0)

    def __str__(self) -> str:
        return self.told


class Capture(_Document):
    """What was captured of a sandbox."""

    complete: bool
    """Whether everything could be captured."""

    def __init__(self, text: str, complete: bool) -> None:
        super().__init__(text)
        self.complete = complete


class Rubric(_Document):
    """A task file that was mended or drafted."""

    text: str
    """The task file."""
    complete: bool
    """Whether nothing is left that no addition mends."""

    def __init__(self, text: str, file: str, complete: bool) -> None:
        super().__init__(text)
        self.text, self.complete = file, complete

    def __str__(self) -> str:
        return self.text


class Replay(_Document):
    """An evidence bundle, judged again."""

    judged: bool
    """Whether everything that the bundle still has could be judged again."""
    run: Optional[Run]
    """The run of the task that `replay` was given, if the bundle is unchanged. None without a task."""

    def __init__(self, text: str, not_judged: bool, run: Optional[Tuple[str, str, str, bool]] = None) -> None:
        super().__init__(text)
        self.judged, self.run = not not_judged, None if run is None else Run(*run)

    @property
    def same(self) -> bool:
        """Whether what is stored is what comes out."""
        return bool(self._data["same"])

    @property
    def differences(self) -> List[Dict[str, Any]]:
        """Where the two differ: `where`, `stored`, `recomputed`."""
        return list(self._data["differences"])

    def __bool__(self) -> bool:
        return self.same and self.judged
