"""A claim, a trace or a rule in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from kassay.engines.diff.upgrade import Upgrade, upgrade
from kassay.engines.explain import Explanation
from kassay.engines.explain import explain as run
from kassay.engines.listing import ListedItem, item_named
from kassay.model.protocols.values.releases import require_released
from kassay.reading.documents import wrong
from kassay.report.result import DescribedResult
from kassay.writing.text import shortened

if TYPE_CHECKING:
    from kassay.report.blocks import Described


@dataclass(frozen=True, repr=False)
class Explained(DescribedResult):
    """An explanation of what has this name."""

    what: str
    explanation: Explanation | Upgrade | ListedItem

    def summary(self) -> str:
        """The name, and what has it."""
        document = self.to_json()
        return f"{document.get('what', document.get('thing'))} {shortened(self.what)}"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/explain/7`, `kassay/upgrade/1` with `against`, or `kassay/list/3`."""
        return self.explanation.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """The readings of a claim, the changes of an upgrade; else one row."""
        document = self.to_json()
        rows: list[dict[str, Any]] = (
            document.get("readings") or document.get("changes") or document.get("items") or [document]
        )
        return rows

    def described(self) -> Described:
        """The explanation as blocks."""
        from kassay.report.explained import explanation_described

        return explanation_described(self.explanation)


def explain(what: str | PathLike[str], *, against: str | None = None) -> Explained:
    """Explain a claim with its source, a trace step by step, or a rule with numbers from a run.

    `what` is an id, a sentence, a path, or any name of `kassay list`. With `against` a release, it shows by
    example what an upgrade from that release changes for a rule. Returns the document with a page. Raises
    `InputError` for an unknown name.

    >>> import kassay
    >>> explained = kassay.explain("topic-even")
    >>> explained
    <Explained: claim topic-even>
    >>> explained.rows()[0]["sentence"]
    'For each topic, the counts of its subscribers differ by at most one.'
    >>> kassay.explain("kip848").to_json()["items"][0]["what"]
    'consumer groups by ConsumerGroupHeartbeat'
    """
    name = fspath(what)
    if not name.strip():
        raise wrong("what", name, "an id, a sentence, a path, or any name of `kassay list`")
    if against is not None:
        require_released(against, "--against")
        return Explained(name, upgrade(name, against))
    return Explained(name, item_named(name) or run(name))
