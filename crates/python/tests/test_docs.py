"""What docs/python.md and the README show runs."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import ROOT

PAGES = ["docs/python.md", "crates/python/README.md"]
BLOCKS = [
    (page, number, block)
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S))
    if not block.startswith(("# skip", "# mine.py"))
]


@pytest.mark.parametrize("page, number, block", BLOCKS, ids=[f"{page}-{number}" for page, number, _ in BLOCKS])
def test_it_runs(page, number, block):
    exec(compile(block, f"{page}:{number}", "exec"), {})


def test_they_are_there():
    assert len(BLOCKS) == 3


def blocks():
    section = (ROOT / "docs/results.md").read_text().split("\n## Continuous integration\n")[1]
    return re.findall(r"```yaml\n(.*?)```", section, re.S)


def test_the_workflow_is_one(tmp_path):
    workflow = blocks()[0]
    file = tmp_path / "workflow.yml"
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", file]
    for text, code in ((workflow, 0), (workflow.replace("runs-on", "run-on"), 1)):
        file.write_text(text)
        assert subprocess.run(check, capture_output=True).returncode == code


def committed(folder, files):
    """A repository with one commit."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.invalid"]
    for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--no-verify", "--message", "files"]):
        subprocess.run([*git, *arguments], cwd=folder, check=True, capture_output=True)


def test_the_hook_stops_a_wrong_task(tmp_path, monkeypatch):
    """The hook of this repository and the `candor` that is installed, as pre-commit runs them."""
    hooks, work = tmp_path / "hooks", tmp_path / "work"
    manifest = ROOT / ".pre-commit-hooks.yaml"
    pre_commit = [sys.executable, "-m", "pre_commit"]
    assert subprocess.run([*pre_commit, "validate-manifest", str(manifest)], capture_output=True).returncode == 0
    committed(hooks, {manifest.name: manifest.read_text()})
    task = (ROOT / "fixtures/examples/prior-auth/task.yaml").read_text()
    committed(work, {"tasks/task.yaml": task, "other.txt": "not a task"})
    monkeypatch.setenv("PATH", f"{pathlib.Path(os.environ['CANDOR']).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))
    run = [*pre_commit, "try-repo", str(hooks), "candor-lint", "--all-files", "--verbose"]
    right = subprocess.run(run, cwd=work, capture_output=True, text=True)
    assert right.returncode == 0 and "Passed" in right.stdout, right.stdout + right.stderr
    (work / "tasks/task.yaml").write_text(task.replace("criteria:", "criterias:"))
    wrong = subprocess.run(run, cwd=work, capture_output=True, text=True)
    assert wrong.returncode == 1 and "criterias" in wrong.stdout, wrong.stdout + wrong.stderr


def test_the_hook_of_the_page_is_one(tmp_path):
    file = tmp_path / "config.yaml"
    for text, code in ((blocks()[1], 0), (blocks()[1].replace("entry:", "entri:"), 1)):
        file.write_text(text)
        assert subprocess.run([sys.executable, "-m", "pre_commit", "validate-config", str(file)], capture_output=True).returncode == code


def test_the_commands_of_the_workflow_run(command, tmp_path):
    """The steps that call `candor`, over the example: their options exist, and they write what is uploaded."""
    lines = [line.strip().removeprefix("- run: ") for line in blocks()[0].splitlines() if "run: candor" in line]
    assert len(lines) == 2
    lint = [*lines[0].replace("tasks/*.yaml", "fixtures/examples/prior-auth/task.yaml").split()][1:]
    command(*lint)
    bench = lines[1].replace("bench.yaml", "fixtures/examples/bench.yaml")
    for name in ("candor.xml", "candor.html"):
        assert name in blocks()[0].split("path: |")[1]
        bench = bench.replace(name, str(tmp_path / name))
    command(*bench.split()[1:])
    assert "<testsuite" in (tmp_path / "candor.xml").read_text()
    assert "<html" in (tmp_path / "candor.html").read_text()
