"""Markdown as a type of its own: any other text is escaped when it enters, so that it shows as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from kassay.writing.text import visible

_ACTIVE: Final = re.compile(r"[\\`*_\[\]<>|~#&!$]|^[-+=]")
"""Characters that are syntax in GitHub's Markdown within a line, or at the start of one."""
_NUMBERED: Final = re.compile(r"^(\d+)([.)])")


class Markdown(str):
    """Markdown of one line that can be joined with other Markdown."""

    __slots__ = ()


def inline(text: str) -> Markdown:
    """The text as Markdown that shows it in one line; Markdown as it is.

    >>> print(inline("orders[dlq] | *"))
    orders\\[dlq\\] \\| \\*
    """
    if isinstance(text, Markdown):
        return text
    return Markdown(_NUMBERED.sub(r"\1\\\2", _ACTIVE.sub(r"\\\g<0>", visible(text))))


def code(text: str) -> Markdown:
    """The text as a code span, also within a table.

    >>> print(code("a`b|c"))
    ``a`b\\|c``
    """
    shown = visible(text).replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    pad = " " if shown[:1] in ("", "`", " ") or shown[-1] in "` " else ""
    return Markdown(f"{fence}{pad}{shown}{pad}{fence}")


def joined(*parts: str) -> Markdown:
    """The parts, concatenated."""
    return Markdown("".join(map(inline, parts)))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    dashes = [Markdown("---")] * len(head)
    return [f"| {' | '.join(map(inline, row))} |" for row in (head, dashes, *rows)]
