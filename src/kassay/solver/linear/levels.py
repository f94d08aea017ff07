"""The files of a result: a linear model in MPS for each level of its lexicographic order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

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


def level_files(result: Mapping[str, Any]) -> Iterator[tuple[str, int | None, Iterator[str]]]:
    """The name of each level's file, the proven optimum of its objective, if any, and its lines.

    The last file is that of the first level without a proof. `result` is a result of `kassay optimum` with an
    assignment. Raises `InputError` for an instance that is too large.
    """
    instance = result["certificate"]["instance"]
    problem = family_of(instance).parse(instance)
    number = 0
    for model in _MODELS[instance["family"]](problem, dict(result)):
        for position, level in enumerate(model.levels):
            number += 1
            name = f"level-{number}-{level.name}.mps".replace(" ", "-")
            yield name, level.value, mps(model, position, instance["name"])
            if level.value is None:
                return
