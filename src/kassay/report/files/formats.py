"""The report formats by name, and one call to write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from kassay.certify.runs.certificate import Certificate
from kassay.model.errors import InputError

FILES: Final[dict[str, tuple[str, str]]] = {
    "html": ("kassay.report.pages.html", "report.html"),
    "junit": ("kassay.report.files.junit", "junit.xml"),
    "sarif": ("kassay.report.files.sarif", "report.sarif"),
    "markdown": ("kassay.report.files.markdown", "report.md"),
}
"""For each format, the module whose `render` makes it and the name of its file."""


def parse_formats(names: Sequence[str]) -> tuple[str, ...]:
    """The formats by name; raises `InputError` for one that there is not."""
    for name in names:
        if name not in FILES:
            raise InputError(f"--report {name!r}: expected one of {', '.join(FILES)}")
    return tuple(dict.fromkeys(names))


def write_reports(certificates: Sequence[Certificate], formats: Sequence[str], out: Path) -> list[Path]:
    """Write each format into the folder; the paths written, in order."""
    written = []
    for name in formats:
        module, file = FILES[name]
        render: Callable[[Sequence[Certificate]], str] = import_module(module).render
        path = out / file
        try:
            out.mkdir(parents=True, exist_ok=True)
            path.write_text(render(certificates), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror})") from None
        written.append(path)
    return written
