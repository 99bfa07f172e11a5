"""The notebook runs from its first cell to its last, and shows what its text says."""

import json

import nbclient
import nbformat
from conftest import ROOT

NOTEBOOK = ROOT / "crates/python/examples/ten_runs.ipynb"
MOST_BYTES = 100_000


def test_ten_runs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "what it shows is not stored"
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert len(json.dumps(shown)) < MOST_BYTES
    text = "\n".join(str(output.get("text", output.get("data", {}).get("text/plain", ""))) for output in shown)
    html = "\n".join(output["data"].get("text/html", "") for output in shown if "data" in output)
    # The table: a wrong order, a portal that was down, a letter that was not written.
    assert "failed" in text and "unverifiable" in text and "passed" in text
    assert html.count("<table") == 3 and "run-9" in html
    # The plot.
    assert sum("image/png" in output.get("data", {}) for output in shown) == 1
    # The criterion that failed.
    assert "run-0" in text and "OBR.4.1 expected 72148 actual 72141" in text
