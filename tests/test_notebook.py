"""The notebook of the examples runs from top to bottom, in 20 lines of code."""

import json

import pytest

from tests.paths import ROOT

NOTEBOOK = ROOT / "examples/gap_study.ipynb"


def test_it_is_twenty_lines_of_code():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len([line for source in code for line in source.splitlines() if line.strip()]) <= 20


@pytest.mark.slow
def test_it_runs_and_exports(tmp_path):
    import nbformat
    import pandas
    from nbclient import NotebookClient

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}
    ran = NotebookClient(notebook, kernel_name="python3", resources=place).execute()
    plot = next(cell for cell in ran.cells if cell.id == "plot")
    assert "<svg" in plot.outputs[0].data["image/svg+xml"]
    out = tmp_path / "gap_study"
    levels = {"level-1-balance.mps", "level-2-movement.mps", "level-3-rack.mps"}
    assert {path.name for path in out.iterdir()} == {"balance.svg", "gaps.csv", "gaps.parquet", *levels}
    table = pandas.read_parquet(out / "gaps.parquet")
    assert table.equals(pandas.read_csv(out / "gaps.csv").astype(table.dtypes))
    assert len(table) == 48 and table.balance.min() == 0
