"""Files of named claims: TOML, `NAME = "SENTENCE"`, read in the form that every list of claims accepts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kassay.model.errors import InputError
from kassay.reading.documents import read_toml
from kassay.reading.fields import wrong

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_EXPECTED: Final = 'a file of named claims, NAME = "SENTENCE"'


def read_sentences(path: Path) -> tuple[str, ...]:
    """The file's sentences as `NAME = SENTENCE`, in its order; raises `InputError`, which names the place."""
    table = read_toml(path, _EXPECTED)
    if not table:
        raise InputError(f"{path}: empty, expected {_EXPECTED}")
    for name, text in table.items():
        if not _NAME.fullmatch(name):
            raise wrong(str(path), name, "a name of small letters, digits and dashes")
        if not isinstance(text, str) or not text.strip():
            raise wrong(f"{path}: {name}", text, "a sentence in quotes, as moved <= 2")
    return tuple(f"{name} = {text.strip()}" for name, text in table.items())
