"""Pages from templates: one self-contained file that loads nothing, and shows every name as text.

Keeps a page small: pieces are compressed in parcels, which the browser opens on demand. The board of a
trace of any kind of target.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

from kassay import __version__
from kassay.kinds.frames import Board, board
from kassay.kinds.views import frames_of_trace
from kassay.model.trace import Trace
from kassay.writing.files import json_text
from kassay.writing.text import visible

PAGE_BYTES_MAX: Final = 1_000_000
"""The maximum size of a page: people mail it, attach it and open it on phones."""

TEMPLATES: Final = files(__package__) / "templates"
"""Package resources, which exist as well in a wheel that Spark passes to its workers unopened."""
_ALWAYS: Final = "page"


def render(template: str, /, parts: tuple[str, ...] = (), **values: object) -> str:
    """The page of `templates/TEMPLATE.html.j2`, complete, with the style and the script of each part.

    A part `board` means `board.css` and `board.js`, of which one may be missing; those of `page` are always
    included. The browser runs and applies only these: the page's policy names them by their hashes, so that
    nothing else runs, whatever its source. Every text of `values` is escaped, and invisible characters appear
    as escapes; raises `jinja2.UndefinedError` for a value that the template lacks.
    """
    return whole(environment().get_template(f"{template}.html.j2"), parts, values)


def whole(template: Template, parts: tuple[str, ...], values: Mapping[str, object]) -> str:
    """`render` for a template that is not a file of kassay's."""
    names = (_ALWAYS, *parts)
    style, script = (_joined(names, ending) for ending in ("css", "js"))
    frame = {
        "version": __version__,
        "policy": _policy(style, script),
        "style": Markup(style),
        "script": Markup(script),
    }
    return template.render({**values, **frame})


def fragment(template: str, macro: str, /, *arguments: object) -> Markup:
    """The result of a macro of the template: a piece of a page, escaped."""
    module = environment().get_template(f"{template}.html.j2").module
    return Markup(getattr(module, macro)(*arguments))


def framed(page: str) -> str:
    """The page as an inline frame, for a notebook."""
    frame = Markup('<iframe srcdoc="{}" title="kassay" style="width:100%;height:36em;border:0"></iframe>')
    return str(frame.format(page))


@cache
def environment() -> Environment:
    """The templates with their filters: `lines` displays a text of several lines, `number` a count."""
    pages = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    pages.filters |= {"lines": lines, "number": number}
    return pages


def lines(text: str) -> Markup:
    """The text as HTML with its line ends kept, for `pre`; other invisible characters appear as escapes."""
    return Markup("\n").join(visible(line) for line in text.split("\n"))


def number(count: float) -> str:
    """The number with separators of thousands."""
    return f"{count:,}"


def _shown(value: object) -> object:
    """A text with invisible characters escaped; HTML and other values stay unchanged."""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _joined(names: tuple[str, ...], ending: str) -> str:
    parts = (_source(f"{name}.{ending}") for name in dict.fromkeys(names))
    return "\n".join(part for part in parts if part is not None)


def _source(name: str) -> str | None:
    """The text of a template file, None if there is none of that name."""
    return (TEMPLATES / name).read_text(encoding="utf-8") if name in _names() else None


@cache
def _names() -> frozenset[str]:
    return frozenset(file.name for file in TEMPLATES.iterdir())


def _policy(style: str, script: str) -> str:
    """A policy that allows only this style and this script, by their hashes."""
    rules = ["default-src 'none'", f"style-src '{_hash(style)}'", f"script-src '{_hash(script)}'"]
    return "; ".join([*rules, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


PIECES: Final = 24
"""Pieces in a parcel: similar pieces compress well together, and opening one does not open all parcels."""


class Parcels(NamedTuple):
    """Parcels, each base64 of a deflated JSON list of HTML, and how many pieces they contain."""

    parcels: tuple[str, ...]
    pieces: int

    def place(self, number: int) -> str:
        """Where the piece of this number, from 0, is: `parcel/place`; empty if it was left out."""
        return f"{number // PIECES}/{number % PIECES}" if number < self.pieces else ""


def packed(pieces: Iterable[str], bytes_max: int) -> Parcels:
    """The pieces in parcels, up to the first parcel that would exceed `bytes_max`."""
    parcels: list[str] = []
    count = weight = 0
    waiting: list[str] = []

    def close() -> bool:
        nonlocal count, weight
        parcel = _parcel(waiting)
        if weight + len(parcel) > bytes_max:
            return False
        parcels.append(parcel)
        count, weight = count + len(waiting), weight + len(parcel)
        waiting.clear()
        return True

    for piece in pieces:
        waiting.append(piece)
        if len(waiting) == PIECES and not close():
            return Parcels(tuple(parcels), count)
    if waiting:
        close()
    return Parcels(tuple(parcels), count)


def _parcel(pieces: Sequence[str]) -> str:
    data = zlib.compress(json_text(list(pieces), compact=True).encode(), 9)
    return base64.b64encode(data).decode()


def board_of(trace: Trace, anchor: str) -> Board | None:
    """The board of a trace, with `anchor` for links into it; None if the trace has no frames."""
    frames = frames_of_trace(trace)
    return board(anchor, frames) if frames else None
