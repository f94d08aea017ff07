"""What a campaign is asked to do: a TOML file, checked field by field."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from kassay.model.errors import InputError
from kassay.properties.groups.assumptions import parse_assumptions
from kassay.properties.groups.shapes import SHAPES

PROFILES: Final = ("small", "mixed", "large")
SHAPE: Final = "shape:"


@dataclass(frozen=True)
class TargetSpec:
    """A target as the spec names it."""

    spec: str
    protocol: str | None = None
    config: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Pace:
    """How the work is cut; none of it changes a result.

    A batch is so many `batch_seconds` of work for every core, or `batch_histories` of each profile
    where that is given; a task is about `task_seconds`.
    """

    batch_seconds: float = 60.0
    batch_histories: int | None = None
    task_seconds: float = 4.0


@dataclass(frozen=True)
class Spec:
    """A campaign: these targets, so many histories of each profile, judged by these claims.

    `claims` None means validity and what each target declares. `shrink_tries` bounds the work that
    goes into making one finding small, whatever the machine.
    """

    name: str
    targets: tuple[TargetSpec, ...]
    histories: tuple[tuple[str, int], ...]
    seed: int = 0
    claims: tuple[str, ...] | None = None
    assume: tuple[str, ...] = ()
    gap: bool = False
    shrink: bool = True
    shrink_tries: int = 2000
    call_timeout_s: float | None = None
    memory_mib: int = 512
    pace: Pace = Pace()

    def to_json(self) -> dict[str, Any]:
        """What decides the results; the pace is left out, as it does not."""
        return {
            "name": self.name,
            "seed": self.seed,
            "targets": [
                {"spec": t.spec, "protocol": t.protocol, "config": dict(t.config)} for t in self.targets
            ],
            # Pairs, as their order is that of the lanes, and an object's order is nobody's promise.
            "histories": [list(pair) for pair in self.histories],
            "claims": None if self.claims is None else list(self.claims),
            "assume": list(self.assume),
            "gap": self.gap,
            "shrink": self.shrink,
            "shrink_tries": self.shrink_tries,
            "call_timeout_s": self.call_timeout_s,
            "memory_mib": self.memory_mib,
        }

    @property
    def identity(self) -> str:
        """A digest of what decides the results."""
        text = json.dumps(self.to_json(), sort_keys=True)
        return blake2b(text.encode(), digest_size=16).hexdigest()


def read_spec(path: Path) -> Spec:
    """The spec in the file; raises `InputError` naming file and field."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file, expected a campaign's spec in TOML") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text, expected a campaign's spec in TOML") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not TOML ({error})") from None
    return spec_of(document, str(path))


def spec_of(document: Mapping[str, Any], path: str) -> Spec:
    """The spec that a document holds."""
    top = Fields(document, path, "")
    campaign = top.table("campaign", required=True)
    limits, pace, histories = top.table("limits"), top.table("pace"), top.table("histories", required=True)
    made = Spec(
        name=campaign.text("name"),
        seed=campaign.whole("seed", 0, low=None),
        targets=_targets(campaign, top),
        claims=campaign.texts("claims"),
        assume=campaign.texts("assume") or (),
        gap=campaign.flag("gap", False),
        shrink=campaign.flag("shrink", True),
        shrink_tries=limits.whole("shrink_tries", 2000),
        call_timeout_s=limits.seconds("call_timeout", None),
        memory_mib=limits.whole("memory", 512, low=32),
        histories=_histories(histories),
        pace=Pace(
            batch_seconds=pace.seconds("batch_seconds", 60.0) or 60.0,
            batch_histories=pace.whole("batch_histories", 0) or None,
            task_seconds=pace.seconds("task_seconds", 4.0) or 4.0,
        ),
    )
    for fields in (top, campaign, limits, pace):
        fields.finish()
    try:
        parse_assumptions(list(made.assume))
    except InputError as error:
        raise InputError(f"{path}: campaign.assume: {error}") from None
    return made


def _targets(campaign: Fields, top: Fields) -> tuple[TargetSpec, ...]:
    """The targets: plain specs under `campaign.targets`, and `[[target]]` tables with settings."""
    found = [TargetSpec(spec) for spec in campaign.texts("targets") or ()]
    for entry in top.tables("target"):
        protocol = entry.text("protocol", "") or None
        if protocol not in (None, "eager", "cooperative"):
            raise entry.wrong("protocol", "eager or cooperative", protocol)
        config = entry.table("config")
        settings = tuple(sorted((key, config.text(key)) for key in config.document))
        found.append(TargetSpec(entry.text("spec"), protocol, settings))
        entry.finish()
    if not found:
        raise campaign.wrong("targets", "at least one target", [])
    specs = [target.spec for target in found]
    if len(set(specs)) < len(specs):
        twice = next(spec for spec in specs if specs.count(spec) > 1)
        raise campaign.wrong("targets", "each target once", twice)
    return tuple(found)


def _histories(fields: Fields) -> tuple[tuple[str, int], ...]:
    """So many histories of each profile; `shape:*` stands for every shape."""
    shapes = [SHAPE + shape.id for shape in SHAPES]
    known = [*PROFILES, *shapes, SHAPE + "*"]
    found: dict[str, int] = {}
    for name in fields.document:
        if name not in known:
            raise InputError(
                f"{fields.path}: histories: no profile {name!r}, expected one of {', '.join(known)}"
            )
        for each in shapes if name == SHAPE + "*" else [name]:
            if each not in fields.document or each == name:
                found[each] = fields.whole(name, 0)
    made = tuple((name, count) for name, count in found.items() if count)
    if not made:
        raise InputError(
            f"{fields.path}: histories: nothing to do, expected a number for at least one profile"
        )
    return made


class Fields:
    """A table of the document; each reader names the field that is wrong."""

    def __init__(self, document: Mapping[str, Any], path: str, prefix: str) -> None:
        self.document = document
        self.path = path
        self._prefix = prefix
        self._read: set[str] = set()

    def wrong(self, name: str, expected: str, got: object) -> InputError:
        """The error about one field."""
        return InputError(f"{self.path}: {self._prefix}{name}: expected {expected}, got {got!r}")

    def finish(self) -> None:
        """Raise `InputError` for a field that nobody read."""
        for name in self.document:
            if name not in self._read:
                known = ", ".join(sorted(self._read))
                raise InputError(f"{self.path}: {self._prefix}{name}: unknown field, expected one of {known}")

    def _get(self, name: str) -> Any:
        self._read.add(name)
        return self.document.get(name)

    def table(self, name: str, *, required: bool = False) -> Fields:
        """A table inside this one; an empty one where it is missing."""
        value = self._get(name)
        if value is None and not required:
            value = {}
        if not isinstance(value, dict):
            if value is None:
                raise InputError(f"{self.path}: [{name}] is missing, expected a table")
            raise self.wrong(name, "a table", value)
        return Fields(value, self.path, f"{self._prefix}{name}.")

    def tables(self, name: str) -> list[Fields]:
        """An array of tables; empty where it is missing."""
        value = self._get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.wrong(name, f"[[{name}]] tables", value)
        return [Fields(item, self.path, f"{self._prefix}{name}[{i}].") for i, item in enumerate(value)]

    def text(self, name: str, default: str | None = None) -> str:
        """A text; required without a default."""
        value = self._get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise self.wrong(name, "a text", value)
        return value

    def texts(self, name: str) -> tuple[str, ...] | None:
        """A list of texts; None where it is missing."""
        value = self._get(name)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
            raise self.wrong(name, "a list of texts", value)
        return tuple(value)

    def whole(self, name: str, default: int, low: int | None = 0) -> int:
        """A whole number of at least `low`."""
        value = self._get(name)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or (low is not None and value < low):
            raise self.wrong(name, "a whole number" + (f" from {low} on" if low is not None else ""), value)
        return value

    def seconds(self, name: str, default: float | None) -> float | None:
        """A time in seconds, more than 0."""
        value = self._get(name)
        if value is None:
            return default
        if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
            raise self.wrong(name, "seconds, more than 0", value)
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""
        value = self._get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false", value)
        return value
