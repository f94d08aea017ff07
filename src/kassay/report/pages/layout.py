"""Pages from templates: one self-contained file that asks for nothing, and shows every name as text."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

from kassay import __version__
from kassay.writing.text import visible

PAGE_BYTES_MAX: Final = 1_000_000
"""What a page may weigh: it is mailed, attached and opened on telephones."""

TEMPLATES: Final = files(__package__) / "templates"
"""As resources, which are there in a wheel that Spark hands to its workers unopened too."""
_ALWAYS: Final = "page"


def render(template: str, /, parts: tuple[str, ...] = (), **values: object) -> str:
    """The page of `templates/TEMPLATE.html.j2`, whole, with the style and the script of each part.

    A part `board` stands for `board.css` and `board.js`, of which one may be missing; those of `page` come
    always. What the browser may run and obey is these alone: the policy in the page names them by their
    hashes, so that nothing else starts, wherever it came from. Every text of `values` is escaped, and what
    cannot be seen shows as its escape; raises `jinja2.UndefinedError` for a value that the template lacks.
    """
    return whole(environment().get_template(f"{template}.html.j2"), parts, values)


def whole(template: Template, parts: tuple[str, ...], values: Mapping[str, object]) -> str:
    """`render` for a template that is no file of ours."""
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
    """What a macro of the template makes of the arguments: a piece of a page, escaped."""
    module = environment().get_template(f"{template}.html.j2").module
    return Markup(getattr(module, macro)(*arguments))


@cache
def environment() -> Environment:
    """The templates with what they may use: `lines` shows a text of several lines, `number` a count."""
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
    """The text as HTML with its line ends kept, for `pre`; all else that cannot be seen as its escape."""
    return Markup("\n").join(visible(line) for line in text.split("\n"))


def number(count: float) -> str:
    """The number with its thousands apart."""
    return f"{count:,}"


def _shown(value: object) -> object:
    """A text as it can be seen; what is HTML already, and what is no text, as it is."""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _joined(names: tuple[str, ...], ending: str) -> str:
    parts = (_source(f"{name}.{ending}") for name in dict.fromkeys(names))
    return "\n".join(part for part in parts if part is not None)


def _source(name: str) -> str | None:
    """The text of a file of the templates, None where there is none of that name."""
    return (TEMPLATES / name).read_text(encoding="utf-8") if name in _names() else None


@cache
def _names() -> frozenset[str]:
    return frozenset(file.name for file in TEMPLATES.iterdir())


def _policy(style: str, script: str) -> str:
    """Nothing but this style and this script, known by what they are."""
    rules = ["default-src 'none'", f"style-src '{_hash(style)}'", f"script-src '{_hash(script)}'"]
    return "; ".join([*rules, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
