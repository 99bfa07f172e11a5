"""What docs/python.md and the README show runs."""

import functools
import hashlib
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

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


def recipes():
    """GitHub Actions, GitLab CI and pre-commit, in the order of the page."""
    section = (ROOT / "docs/results.md").read_text().split("\n## Continuous integration\n")[1].split("\n## ")[0]
    return dict(zip(["github", "gitlab", "pre-commit"], re.findall(r"```yaml\n(.*?)```", section, re.S), strict=True))


@pytest.mark.parametrize(
    "name, schema, right, wrong",
    [
        ("github", "vendor.github-workflows", "runs-on", "run-on"),
        ("gitlab", "vendor.gitlab-ci", "when: always", "when: ever"),
    ],
)
def test_the_recipe_fits_its_schema(tmp_path, name, schema, right, wrong):
    file = tmp_path / "recipe.yml"
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, file]
    for text, code in ((recipes()[name], 0), (recipes()[name].replace(right, wrong), 1)):
        file.write_text(text)
        done = subprocess.run(check, capture_output=True, text=True)
        assert done.returncode == code, done.stdout


@pytest.fixture
def archives(tmp_path):
    """The URL of a folder with `install.sh`, an archive of the command line that is tested, and its SHA-256."""
    served, machine = tmp_path / "served", os.uname().machine
    folder = tmp_path / f"candor-0.1.0-{machine}-unknown-linux-gnu"
    program, archive = folder / "candor", served / f"{folder.name}.tar.gz"
    (folder / "completions").mkdir(parents=True)
    served.mkdir()
    for text in ("LICENSE-APACHE", "LICENSE-MIT", "completions/candor.bash", "completions/candor.fish", "completions/_candor"):
        (folder / text).write_text("")
    program.write_text(f'#!/bin/sh\nexec \'{os.environ["CANDOR"]}\' "$@"\n')
    program.chmod(0o755)
    subprocess.run(["tar", "-czf", archive, "-C", tmp_path, folder.name], check=True)
    (served / "SHA256SUMS").write_text(f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n")
    (served / "install.sh").write_text((ROOT / "install.sh").read_text())
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=served)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.mark.parametrize("name", ["github", "gitlab"])
def test_the_commands_of_the_recipe_run(name, archives, tmp_path):
    """Every command in one folder, over the example: `candor` is the one that the recipe installs."""
    work, local, added = tmp_path / "work", tmp_path / "home/.local", tmp_path / "path"
    shutil.copytree(ROOT / "fixtures/examples/prior-auth", work / "prior-auth")
    (work / "tasks").mkdir()
    shutil.copy(work / "prior-auth/task.yaml", work / "tasks")
    (work / "bench.yaml").write_text("id: b\ntasks:\n- {task: prior-auth/task.yaml, sandbox: prior-auth/done-wrong}\n")
    path = os.pathsep.join(folder for folder in os.environ["PATH"].split(os.pathsep) if not (pathlib.Path(folder) / "candor").exists())
    given = {"CANDOR_ARCHIVES": archives, "HOME": str(tmp_path / "home"), "GITHUB_PATH": str(added)}
    lines = [line.strip().removeprefix("- ").removeprefix("run: ") for line in recipes()[name].splitlines()]
    lines = [line for line in lines if line.startswith(("curl ", "sh ", "echo ", "candor "))]
    assert len(lines) == {"github": 5, "gitlab": 4}[name]
    for line in lines:
        line = line.replace("/usr/local", "$HOME/.local")
        if added.exists() or name == "gitlab":
            path = f"{added.read_text().strip() if added.exists() else local / 'bin'}{os.pathsep}{path}"
        done = subprocess.run(["sh", "-c", line], cwd=work, env={**os.environ, **given, "PATH": path}, capture_output=True, text=True)
        # The work of the example is wrong, which fails the job.
        assert done.returncode == (1 if line.startswith("candor bench") else 0), (line, done.stdout, done.stderr)
    for name_of, begins in (("candor.xml", "<testsuite"), ("candor.html", "<html")):
        assert recipes()[name].count(name_of) >= 2 and begins in (work / name_of).read_text()


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
    file, hook = tmp_path / "config.yaml", recipes()["pre-commit"]
    for text, code in ((hook, 0), (hook.replace("entry:", "entri:"), 1)):
        file.write_text(text)
        assert subprocess.run([sys.executable, "-m", "pre_commit", "validate-config", str(file)], capture_output=True).returncode == code
