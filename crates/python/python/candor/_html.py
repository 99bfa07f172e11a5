"""Results as tables in a notebook. What comes from the system under test is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Iterable, List

if TYPE_CHECKING:
    from ._results import BenchmarkRun, Run

_MARKS = {"passed": "✓", "failed": "✗", "unverifiable": "?"}
_COLOURS = {"passed": "#1a7f37", "failed": "#cf222e", "unverifiable": "#9a6700"}


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = "".join(f"<th style='text-align:left'>{name}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def run(of: "Run") -> str:
    rows: List[List[str]] = []
    for one in of.criterion_runs:
        mark = f"<span style='color:{_COLOURS[one.status]}'>{_MARKS[one.status]}</span>"
        why = escape(one.details) if one.reason is None else f"<b>{escape(one.reason)}</b>: {escape(one.details)}"
        rows.append([mark, escape(one.label), escape(one.axis or ""), f"{one.weight:g}", f"{one.score:.4g}", why])
    low, high = of.interval
    interval = "" if low == high else f", between {low:.4g} and {high:.4g}"
    sure = "" if of.conclusive else ", <b>not conclusive</b>"
    title = f"<p>{escape(of.task_id)}: <b>{escape(of.verdict)}</b>, score {of.score:.4g}{interval}{sure}</p>"
    return title + _table(["", "criterion", "axis", "weight", "score", "details"], rows)


def benchmark(of: "BenchmarkRun") -> str:
    rows = [
        [escape(one.task_id), escape(one.verdict), f"{one.score:.4g}", "" if one.conclusive else "not conclusive"]
        for one in of.runs
    ]
    title = f"<p><b>{escape(of.verdict)}</b>, score {of.score:.4g}</p>"
    return title + _table(["task", "verdict", "score", ""], rows)
