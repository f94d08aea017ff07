"""Options and option types shared by several commands."""

from __future__ import annotations

import codecs
import errno
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource

from kassay.cli import completing
from kassay.model.errors import InputError
from kassay.reading.documents import YEAR_S, shown
from kassay.writing.text import visible

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from kassay.report.screen.console import View

F = TypeVar("F", bound=Callable[..., Any])
_UNITS: Final = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


GRAVEST: Final = (70, 4, 1, 130, 3, 0)
"""Exit codes in order of gravity: a call with several targets exits with the first one that occurred."""

SOLVERS: Final = ("flow", "networkx", "z3")
"""Solvers for the optimum of a consumer group: the default first, the others as second opinions."""


class Duration(click.ParamType[float]):
    """A time such as `60s`, `1.5m`, `500ms` or `90`, in seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The duration in seconds."""
        if isinstance(value, int | float):
            return float(value)
        match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h|)", str(value).strip())
        if match is None or not 0 < (seconds := float(match[1]) * _UNITS[match[2]]) <= YEAR_S:
            self.fail(f"{shown(value)} is not a duration; expected e.g. 60s, 2m or 1h", param, ctx)
        return seconds


class Whole(click.IntRange):
    """A whole number within limits."""

    name = "whole number"


class Seed(click.ParamType[int]):
    """An integer, or `random` for a random one, which is printed on standard error."""

    name = "seed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The seed."""
        if value == "random":
            from random import SystemRandom  # its imports take a tenth of the start-up time

            drawn = SystemRandom().randrange(2**32)
            say(f"kassay: random seed: --seed {drawn}", err=True)
            return drawn
        try:
            return int(value)
        except ValueError:
            self.fail(f"{shown(value)} is not a seed; expected a whole number or `random`", param, ctx)


class FilePath(click.ParamType[Path]):
    """A valid path of a file or folder; opening it shows whether it exists."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path."""
        try:
            possible = b"\0" not in os.fsencode(value)
        except UnicodeEncodeError:
            possible = False
        if not possible:
            self.fail(f"{value!r} is not a path: no file can have this name", param, ctx)
        return Path(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave the completion of a file to the shell."""
        return completing.file(ctx, param, incomplete)


class ScopeType(click.ParamType[tuple[int, int]]):
    """A scope `MxP`: a number of members and of partitions."""

    name = "MxP"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """The numbers of members and of partitions."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"([1-9]\d{0,8})x([1-9]\d{0,8})", str(value))
        if match is None:
            self.fail(f"{shown(value)} is not a scope; expected members x partitions, e.g. 3x4", param, ctx)
        return int(match[1]), int(match[2])


def typed_again(context: click.Context) -> str:
    """The command line as typed, with the seed that was drawn in place of `random`."""
    from kassay.writing.text import shell_command

    seed, typed, words = str(context.params["seed"]), list(context.find_root().obj), ["kassay"]
    for before, word in pairwise(["", *typed]):
        if word == "--seed=random":
            words.append(f"--seed={seed}")
        else:
            words.append(seed if (before, word) == ("--seed", "random") else word)
    if context.get_parameter_source("seed") is ParameterSource.DEFAULT_MAP:
        words += ["--seed", seed]
    return shell_command(words)


def written_file(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """Callback of an option that names an output file; `-` is standard output.

    Raises InputError if the file could not be written; checked before any work.
    """
    if value == "":
        raise click.BadParameter("expected a file, or `-`", context, option)
    if value not in (None, "-") and not context.resilient_parsing:
        require_writable(str(value), option.opts[-1], folder=False)
    return value


def written_folder(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """Callback of an option that names an output folder; Spark checks addresses such as `hdfs://`.

    Raises InputError if the folder could not be written; checked before any work.
    """
    if value is not None and "://" not in str(value) and not context.resilient_parsing:
        require_writable(str(value), option.opts[-1], folder=True)
    return value


def _mode(path: Path) -> int | None:
    """The mode of the file at the path; None if it is missing. Raises OSError if the path is impossible."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def require_writable(path: str, option: str, *, folder: bool) -> None:
    """Raises InputError if the nearest existing folder does not accept a new file; leaves nothing behind."""
    from tempfile import TemporaryFile

    try:
        place = there = Path(os.path.realpath(path))
        while (mode := _mode(there)) is None:
            there = there.parent
        if S_ISDIR(mode):
            if there == place and not folder:
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            TemporaryFile(dir=there).close()
        elif folder or there != place:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        elif not os.access(there, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise InputError(f"{option} {path}: cannot be written ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"{option} {path}: cannot be written ({error})") from None


def narrowing_settings(*names: str) -> tuple[str, ...]:
    """The options of these names that a settings file gave to the running command, each with its value."""
    context, given = click.get_current_context(), []
    defaults = context.default_map or {}
    for option in context.command.params:
        name = max((each.removeprefix("--") for each in option.opts), key=len)
        source = context.get_parameter_source(option.name) if option.name else None
        if name in names and source is ParameterSource.DEFAULT_MAP:
            given.append(f"{name} = {defaults[option.name]}")
    return tuple(given)


def gravest(codes: Iterable[int]) -> int:
    """The exit code of a call whose targets ended with these codes."""
    return min(codes, key=GRAVEST.index)


def fault(error: Exception) -> int:
    """Report an internal error of kassay in one line; returns the exit code."""
    if os.environ.get("KASSAY_TRACEBACK"):
        raise error
    complain(f"a fault of kassay itself: {type(error).__name__}: {error} (KASSAY_TRACEBACK=1 shows where)")
    return 70


def commas(value: str | None, option: str) -> tuple[str, ...] | None:
    """The parts of a comma-separated option; None if it was not given; raises for an empty list."""
    if value is None:
        return None
    parts = tuple(part.strip() for part in value.split(",") if part.strip())
    if not parts:
        raise InputError(f"{option} {value!r}: expected at least one")
    return parts


def pairs(values: tuple[str, ...], option: str) -> dict[str, str]:
    """The `key=value` pairs of a repeatable option; raises `InputError` for a repeated key."""
    by_key = {}
    for key, given in _by_key(values, option).items():
        if len(given) > 1:
            raise InputError(f"{option} '{key}={given[1]}': {key} is given twice, expected once")
        (by_key[key],) = given
    return by_key


def pairs_in_rotation(
    values: tuple[str, ...], option: str
) -> tuple[dict[str, str], tuple[tuple[str, tuple[str, ...]], ...]]:
    """The pairs of a repeatable option; apart, keys that are given again, with their values in order."""
    by_key = _by_key(values, option)
    once = {key: given[0] for key, given in by_key.items() if len(given) == 1}
    return once, tuple((key, tuple(given)) for key, given in by_key.items() if len(given) > 1)


def _by_key(values: tuple[str, ...], option: str) -> dict[str, list[str]]:
    by_key: dict[str, list[str]] = {}
    for value in values:
        key, equals, text = value.partition("=")
        if not equals or not key:
            raise InputError(f"{option} {value!r}: expected key=value")
        by_key.setdefault(key, []).append(text)
    return by_key


def say(text: str, *, err: bool = False) -> None:
    """Print a line with all characters made visible, on standard output or standard error."""
    click.echo(text if text.isprintable() else visible(text), err=err)


def paste(text: str) -> None:
    """Print lines for copying, unwrapped and unchanged; invisible characters appear as escapes."""
    click.echo("\n".join(map(visible, text.rstrip("\n").split("\n"))))


def tabbed(rows: Iterable[Sequence[str]]) -> None:
    """Print a line a row for other programs: cells between tabs, no blanks at the end."""
    click.echo("\n".join("\t".join(map(visible, row)).rstrip() for row in rows))


def complain(error: object) -> None:
    """Report an error in one line on standard error."""
    say(f"kassay: {' '.join(str(error).split())}", err=True)


def write_json(document: Any, path: str) -> None:
    """Write the document to the file, or to standard output for `-`."""
    from kassay.writing.files import json_text, write_text

    if path == "-":
        sys.stdout.write(json_text(document, indent=1, ascii_only=_ascii_only()) + "\n")
    else:
        write_text(json_text(document, indent=1) + "\n", path)


def _ascii_only() -> bool:
    """Whether standard output is not UTF-8: JSON then escapes all other characters."""
    return codecs.lookup(sys.stdout.encoding or "ascii").name != "utf-8"


def present(document: Any, view: Callable[[], View], json_path: str | None) -> None:
    """Write the document if requested, and show the view unless the document goes to standard output."""
    from kassay.report.screen.console import console

    if json_path:
        write_json(document, json_path)
    if json_path != "-":
        console().show(view())


def write_line(document: Any) -> None:
    """Write the document as one line of standard output, flushed at once."""
    from kassay.writing.files import json_text

    sys.stdout.write(json_text(document, compact=True, ascii_only=_ascii_only()) + "\n")
    sys.stdout.flush()


class JsonLines:
    """A context that writes one document per line: to a file, to standard output for `-`, or nowhere.

    A file is written at the end, if there was no error. `plain` documents consist of JSON's own types with
    finite floats, which makes large ones faster to write.
    """

    def __init__(self, path: str | None, *, plain: bool = False) -> None:
        self._path = path
        self._plain = plain
        self._lines: list[bytes] = []

    def write(self, document: Any) -> None:
        """Add a line; standard output receives it at once."""
        if self._path is None:
            return
        if self._path == "-":
            write_line(document)
        else:
            from kassay.writing.files import json_text, plain_bytes

            line = plain_bytes(document) if self._plain else json_text(document, compact=True).encode()
            self._lines += line, b"\n"

    def __enter__(self) -> JsonLines:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and self._path not in (None, "-"):
            from kassay.writing.files import write_bytes

            write_bytes(self._lines, str(self._path))
