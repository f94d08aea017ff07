"""The files of a result: a linear model in MPS for each level of its lexicographic order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from kassay.solver.instances.families import family_of
from kassay.solver.linear.consumers import consumer_models, share_models
from kassay.solver.linear.model import LinearModel, mps
from kassay.solver.linear.placements import placement_models
from kassay.solver.linear.tasks import task_models

_MODELS: Final[dict[str, Callable[[Any, dict[str, Any]], Iterator[LinearModel]]]] = {
    "A": consumer_models,
    "B": placement_models,
    "C": task_models,
    "D": share_models,
}


class LevelFile(NamedTuple):
    """The file of a level: its name, the proven optimum of its objective or None, and its lines."""

    name: str
    value: int | None
    lines: Iterator[str]

    def text(self) -> str:
        """The file; the lines are consumed."""
        return "".join(f"{line}\n" for line in self.lines)


def level_files(result: Mapping[str, Any]) -> Iterator[LevelFile]:
    """The files of a result of `kassay optimum` with an assignment, in order; the last may lack a value.

    Raises `InputError` for an instance that is too large.
    """
    instance = result["certificate"]["instance"]
    problem = family_of(instance).parse(instance)
    number = 0
    for model in _MODELS[instance["family"]](problem, dict(result)):
        for position, level in enumerate(model.levels):
            number += 1
            name = f"level-{number}-{level.name}.mps".replace(" ", "-")
            yield LevelFile(name, level.value, mps(model, position, instance["name"]))
            if level.value is None:
                return
