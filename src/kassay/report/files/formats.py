"""The report formats by name, and the files that they write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Final

from kassay.certify.runs.certificate import Certificate
from kassay.model.errors import InputError
from kassay.report.facts import NotLoaded

FILES: Final[dict[str, tuple[str, str]]] = {
    "html": ("kassay.report.pages.certificates", "report.html"),
    "junit": ("kassay.report.files.junit", "junit.xml"),
    "sarif": ("kassay.report.files.sarif", "report.sarif"),
    "markdown": ("kassay.report.files.markdown", "report.md"),
    "badge": ("kassay.report.files.badge", "badge.json"),
}
"""For each format, the module with its `render` and the name of its file."""


def parse_formats(names: Sequence[str]) -> tuple[str, ...]:
    """The formats by name; raises `InputError` for an unknown one."""
    for name in names:
        if name not in FILES:
            raise InputError(f"--report {name!r}: expected one of {', '.join(FILES)}")
    return tuple(dict.fromkeys(names))


def reports(
    certificates: Sequence[Certificate], formats: Sequence[str], missing: Sequence[NotLoaded] = ()
) -> Iterator[tuple[str, str]]:
    """The file name and the text of each format, in order; `missing` targets were not tested."""
    for name in formats:
        module, file = FILES[name]
        render: Callable[[Sequence[Certificate], Sequence[NotLoaded]], str] = import_module(module).render
        yield file, render(certificates, missing)
