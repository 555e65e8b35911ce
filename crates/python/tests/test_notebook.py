"""The notebook of the guide runs, and displays its pictures."""

import os
from pathlib import Path

import pytest

GUIDE = Path(os.environ.get("NUBBIN_GUIDE") or Path(__file__).parents[3] / "docs" / "guide")


def test_the_notebook_runs_and_shows_a_curve_and_a_tree(program):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(GUIDE / "notebook.ipynb", as_version=4)
    client.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [
        output.get("data", {}).get("text/html", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    assert any("tokens over probes" in text for text in shown)
    assert any("the syntax tree" in text for text in shown)
    assert [cell.outputs[0]["data"]["text/plain"] for cell in notebook.cells[-1:]] == ["([64, 5, 33], [3, 41, 7, 5, 33])"]
