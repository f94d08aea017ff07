"""What all results have in common."""

import sys
from dataclasses import dataclass

import pytest

from kassay.report.result import Result


@dataclass(frozen=True, repr=False)
class Sizes(Result):
    sizes: tuple[int, ...]

    def summary(self):
        return f"{len(self.sizes)} sizes"

    def to_json(self):
        return {"sizes": list(self.sizes)}

    def rows(self):
        return [{"size": each} for each in self.sizes]

    def page(self, again=""):
        return f"<p>{self.summary()} {again}</p>"


def test_a_result_is_short_in_a_shell_and_a_frame_in_a_notebook():
    sizes = Sizes((3, 4))
    assert repr(sizes) == "<Sizes: 2 sizes>"
    assert '<iframe srcdoc="&lt;p&gt;2 sizes' in sizes._repr_html_()
    assert sizes.to_frame()["size"].tolist() == [3, 4]


def test_without_pandas_there_is_no_frame_and_all_the_rest(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        Sizes((3,)).to_frame()
    assert Sizes((3,)).rows() == [{"size": 3}]
