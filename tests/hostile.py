"""Names that terminals, browsers, parsers and shells would interpret."""

from __future__ import annotations

from typing import Final

from hypothesis import settings
from hypothesis import strategies as st

PIECES: Final = (
    "[red]", "[/]", "[/red]", "orders[dlq]", "[link=x]", "]]>", "</script>", "</style>", "<!--", "-->", "<b>", "&amp;",
    "\x00", "\x07", "\x1b[31m", "\x1b]0;x\x07", "\x7f", "\x85", "\x9b1m", "\n", "\r", "\t", "\v", "\u2028",
    "\u202e", "\u200f", "\u200b", "\u061c", "\ufeff", "\ufffe", "\ud800", "\udcff", "\udfff", "\U000e0001",
    "|", "`", "```", "*", "_", "#", "~", "\\", "'", '"', "$(id)", "${x}", "%s", "{0}", ":smile:", "@name", "1.", "-",
    "?q=a b#c", "a:b", "//", "..", " ", "  ", "é", "日本語", "م", "😀", "x" * 300,
)  # fmt: skip
"""Texts that break some format."""

TEXTS: Final = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join)
"""Texts composed of such pieces."""

SOME: Final = settings(max_examples=max(20, settings.default.max_examples // 4))  # type: ignore[union-attr]
"""Settings for a test that is slow on each text."""

ALL: Final = "".join(piece for piece in PIECES if len(piece) < 100)
"""All pieces in one text."""
