"""What the tests of the adapters share: a right sandbox, a wrong one, and one that lacks what it should hold."""

import json
import os
import pathlib

import pytest

# Several frameworks import it, and each import fetches a list of prices, unless it reads its own.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

HERE = pathlib.Path(__file__).resolve().parent
TASK = HERE / "order.yaml"


def lay(folder, status):
    """A sandbox: `sent` is right, `draft` is wrong, `None` has no portal."""
    if status is not None:
        (folder / "portal").mkdir(parents=True)
        (folder / "portal" / "orders.json").write_text(json.dumps([{"id": 1, "status": status}]))
        (folder / "files" / "outbound").mkdir(parents=True)
        (folder / "files" / "outbound" / "1.json").write_text("{}")
    else:
        folder.mkdir(parents=True)
    return folder


LOST = "  - { id: lost, axis: correctness, assertion: { assert: voice-transcript, contains: [done] } }\n"


@pytest.fixture(params=["unknown field", "no_source"])
def spoiled(request, tmp_path):
    """A task that has no reward, and why: a mistake in a criterion, or one more, whose source is missing."""
    text = TASK.read_text()
    text = text.replace("key: id,", "kay: id,") if request.param == "unknown field" else text + LOST
    task = tmp_path / "spoiled.yaml"
    task.write_text(text)
    return task, request.param


@pytest.fixture
def boxes(tmp_path):
    return {name: lay(tmp_path / name, status) for name, status in (("right", "sent"), ("wrong", "draft"), ("missing", None))}
