"""The dicts that `candor.types` describes are those that are written."""

import json
import subprocess
import sys
import typing

import candor
import candor.types as types
from conftest import EXAMPLES, RIGHT, WRONG, order_task

DESCRIBED = {
    "TaskDict": ("task", None),
    "CriterionDict": ("task", "criterion"),
    "TaskRunDict": ("result", "task_run"),
    "BenchmarkRunDict": ("result", "benchmark_run"),
    "CriterionRunDict": ("result", "criterion_run"),
    "EvidenceDict": ("result", "evidence"),
    "FieldResultDict": ("result", "field_result"),
    "PhraseResultDict": ("result", "phrase_result"),
}


def test_the_members_are_those_of_the_schemas(command):
    for name, (document, definition) in DESCRIBED.items():
        schema = json.loads(command("schema", document))
        schema = schema if definition is None else schema["$defs"][definition]
        described, members = getattr(types, name), set(schema["properties"])
        # Results have these two as well, which the schema leaves open.
        written = {"pass"} if name == "TaskRunDict" else {"task_pass"} if name == "CriterionRunDict" else set()
        assert set(typing.get_type_hints(described)) == members | written, name
        assert described.__required_keys__ == set(schema.get("required", ())), name


def is_a(value, kind):
    """Whether a value of JSON is of a type."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any or kind is object:
        return True
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind)
        return kind.__required_keys__ <= set(value) and all(is_a(value[name], of) for name, of in hints.items() if name in value)
    if origin is typing.Union:
        return any(is_a(value, one) for one in arguments)
    if origin is typing.Literal:
        return value in arguments
    if origin is list:
        return isinstance(value, list) and all(is_a(one, arguments[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict) and all(is_a(one, arguments[1]) for one in value.values())
    return isinstance(value, (int, float) if kind is float else kind)


def test_results_are_of_their_types():
    runs = [candor.check(task, task.parent / folder) for task in EXAMPLES.glob("*/task.yaml") for folder in ("done-right", "done-wrong") if (task.parent / folder).is_dir()]
    assert len(runs) > 10
    runs.append(candor.check(order_task(), candor.Sandbox(portal={"orders": RIGHT}), scored=True))
    for run in runs:
        assert is_a(run.to_dict(), types.TaskRunDict), run
        for one, criterion in zip(run.to_dict()["criterion_runs"], run.criterion_runs):
            assert is_a(one, types.CriterionRunDict) and is_a(criterion.to_dict(), types.CriterionRunDict), criterion
    bench = candor.bench([(order_task(), candor.Sandbox(portal={"orders": rows})) for rows in (RIGHT, WRONG)])
    assert is_a(bench.to_dict(), types.BenchmarkRunDict)
    assert not is_a({**bench.to_dict(), "verdict": "maybe"}, types.BenchmarkRunDict)


def test_a_checker_finds_what_is_wrong(tmp_path, types_cache):
    program = tmp_path / "program.py"
    right = (
        "import candor\n"
        "from candor.types import CriterionDict, Progress, TaskDict, TaskRunDict\n"
        "criterion: CriterionDict = {'id': 'c', 'assertion': {'assert': 'tests-pass'}}\n"
        "task: TaskDict = {'id': 't', 'pass': 'all', 'criteria': [criterion]}\n"
        "run: TaskRunDict = candor.check(task, 'box', mask='…').to_dict()\n"
        "def heard(done: int, total: int, id: str, verdict: str) -> None: ...\n"
        "progress: Progress = heard\n"
        "candor.bench([(task, 'box')], progress=heard)\n"
    )
    wrong = (
        "typo: CriterionDict = {'id': 'c', 'assertion': {}, 'wieght': 2}\n"
        "run['verdit']\n"
        "candor.bench([(task, 'box')], progress=lambda done: None)\n"
        "number: int = run['criterion_runs'][0]['details']\n"
    )
    program.write_text(right + wrong)
    for checker in (["mypy", "--strict", "--cache-dir", types_cache], ["pyright", "--pythonpath", sys.executable]):
        done = subprocess.run([sys.executable, "-m", *checker, str(program)], capture_output=True, text=True)
        lines = {int(line.split("program.py:")[1].split(":")[0]) for line in done.stdout.splitlines() if "program.py:" in line and "error" in line}
        assert lines == {9, 10, 11, 12}, done.stdout + done.stderr
