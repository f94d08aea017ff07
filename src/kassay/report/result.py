"""What a function of the package root returns: frozen, short in a shell, a page in a notebook, a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from kassay.model.errors import InputError

if TYPE_CHECKING:
    import pandas

    from kassay.report.blocks import Described
    from kassay.report.plot import Plot


class Progress(Protocol):
    """Is called during long work with what is done, and in words."""

    def __call__(self, done: float, words: str = "", /) -> object:
        """Take note of it; what comes back is ignored."""


def no_progress(_done: float, _words: str = "", /) -> None:
    """The progress that no one looks at."""


class Result(ABC):
    """The base of all results; each is a frozen dataclass (`repr=False`) of what was found."""

    __slots__ = ()

    @abstractmethod
    def summary(self) -> str:
        """What was found, in a few words."""

    @abstractmethod
    def to_json(self) -> Any:
        """The document that the command writes with `--json`: dicts, lists, texts and numbers."""

    @abstractmethod
    def rows(self) -> Sequence[Mapping[str, Any]]:
        """The rows of `to_frame`, all with the same columns."""

    @abstractmethod
    def page(self, again: str = "") -> str:
        """The result as an HTML page, the one that the command writes; `again` reproduces it, if given."""

    def to_frame(self) -> pandas.DataFrame:
        """The rows as a data frame; raises `ImportError` without pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_frame() needs pandas: pip install pandas") from None
        return pandas.DataFrame(list(self.rows()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary()}>"

    def _repr_html_(self) -> str:
        """The page inside a frame of its own, so that its style and the notebook's stay apart."""
        from kassay.report.pages.layout import framed

        return framed(self.page())


class DescribedResult(Result):
    """A result whose page consists of blocks."""

    __slots__ = ()

    @abstractmethod
    def described(self) -> Described:
        """The result as blocks."""

    def page(self, again: str = "") -> str:
        """The blocks as an HTML page; `again` is the command that reproduces the result, if given."""
        from kassay.report.pages.blocks import render

        return render(self.described(), again)


class PlottedResult(Result):
    """A result with plots."""

    __slots__ = ()

    @abstractmethod
    def plots(self) -> Mapping[str, Plot]:
        """The plots of the page by name."""

    def plot(self, name: str | None = None) -> Plot:
        """The plot of this name, or the first; raises `InputError` for an unknown name."""
        plots = self.plots()
        chosen = next(iter(plots), "a plot") if name is None else name
        if chosen not in plots:
            raise InputError(f"plot: found {chosen!r}, expected one of {', '.join(plots) or 'none'}")
        return plots[chosen]
