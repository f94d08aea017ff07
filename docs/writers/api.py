"""The reference page of the functions of the package root, from their docstrings."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import kassay.api
from kassay.report.result import Result

OF_ALL: Final = ("page", "to_frame", "summary", "described")
"""What every result has; `docs/api.md` says what it is."""


def api_page() -> str:
    """Each function: how it is called, what it does, an example, and what it returns."""
    parts = ["# Functions", "[The Python API](../api.md) says what all results have in common."]
    for each in pkgutil.iter_modules(kassay.api.__path__):
        home = import_module(f"kassay.api.{each.name}")
        parts += _function(each.name, home)
    return "\n\n".join(parts) + "\n"


def _function(name: str, home: ModuleType) -> Iterator[str]:
    function = getattr(home, name)
    yield f"## kassay.{name}"
    yield f"```python\n{called(name, function)}\n```"
    yield from prose(function)
    for result in results_of(home):
        yield f"### {result.__name__} {{ #{name}-{result.__name__.lower()} }}"
        yield from prose(result)
        rows = "\n".join(f"| <code>{member}</code> | {words} |" for member, words in members(result))
        yield f"| | |\n| --- | --- |\n{rows}"


def called(name: str, function: Callable[..., Any]) -> str:
    """The call with its arguments, one a line, and what it returns."""
    signature = inspect.signature(function)
    lines: list[str] = []
    keyword_only = False
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            if not any("*" in line for line in lines):
                lines.append("*")
        lines.append(_argument(each))
    inner = "".join(f"    {line},\n" for line in lines)
    return f"kassay.{name}(\n{inner}) -> {signature.return_annotation}"


def _argument(each: inspect.Parameter) -> str:
    star = "*" if each.kind is each.VAR_POSITIONAL else ""
    default = (
        "" if each.default is each.empty else f" = {getattr(each.default, '__name__', repr(each.default))}"
    )
    return f"{star}{each.name}: {each.annotation}{default}"


def results_of(home: ModuleType) -> list[type[Result]]:
    """The results of the file, in its order."""
    return [
        each
        for each in vars(home).values()
        if isinstance(each, type) and issubclass(each, Result) and each.__module__ == home.__name__
    ]


def members(result: type[Result]) -> Iterator[tuple[str, str]]:
    """The fields, properties and methods of a result, with what they are."""
    described = result.__dict__
    for name, member in described.items():
        if name.startswith("_") and name != "__getitem__":
            continue
        doc = member.fget.__doc__ if isinstance(member, property) else getattr(member, "__doc__", None)
        if name in OF_ALL or not (isinstance(member, property) or inspect.isfunction(member)) or not doc:
            continue
        call = "[...]" if name == "__getitem__" else name if isinstance(member, property) else f"{name}()"
        yield call, _inline(doc)
    if is_dataclass(result):
        for each in fields(result):
            yield each.name, _inline(f"`{each.type}`")


def prose(documented: object) -> Iterator[str]:
    """The paragraphs of a docstring, its examples as code."""
    for paragraph in inspect.cleandoc(documented.__doc__ or "").split("\n\n"):
        yield f"```pycon\n{paragraph}\n```" if paragraph.startswith(">>>") else _inline(paragraph)


def _inline(text: str) -> str:
    """The text on one line, as Markdown that a table may hold."""
    parts = (
        " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;").split("`")
    )
    return "".join(f"<code>{each}</code>" if number % 2 else each for number, each in enumerate(parts))
