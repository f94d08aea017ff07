"""The planted faults: read from `planted/*.toml`, a file an area.

A fault replaces `old` by `new` in a file of the package; `tests` are the pytest arguments that must fail with
it. One that changes nothing that anybody could see is `equivalent`, with the reason.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.paths import ROOT

PLANTED = Path(__file__).parent / "planted"
SOURCE = ROOT / "src"


@dataclass(frozen=True)
class Fault:
    """One fault; `file` is relative to the package."""

    id: str
    area: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    equivalent: str | None = None

    @property
    def path(self) -> Path:
        """The file that it changes, relative to the folder of sources."""
        return Path("kassay", self.file)

    def planted(self, text: str) -> str:
        """The file's text with the fault; raises `ValueError` unless what it replaces stands there once."""
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.id}: stands {count} times in {self.file}, expected once: {self.old!r}")
        return text.replace(self.old, self.new)


def read(path: Path) -> list[Fault]:
    """The faults of a file, whose name is their area."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["fault"]
    return [Fault(area=path.stem, **{**entry, "tests": tuple(entry["tests"])}) for entry in entries]


def faults() -> list[Fault]:
    """Every planted fault, in the order of the files."""
    return [fault for path in sorted(PLANTED.glob("*.toml")) for fault in read(path)]
