"""The forms of a user's class by name: which method is called, with which arguments, and for which kind.

Standard library only and light: the child process that runs users' code imports it too.
"""

from __future__ import annotations

from typing import Any, Final

METHODS: Final = ("assign", "place", "partition")
PLAIN, FULL, PLACER, PARTITIONER = "plain", "full", "placer", "partitioner"
PROCESSES, MEMBERS, WORKERS = "processes", "members", "workers"

DOCUMENTS: Final = {PROCESSES: "application", MEMBERS: "group", WORKERS: "cluster"}
"""The forms that take one document and return one, and the name of that argument."""

_OF_GROUPS: Final = "assign(self, partitions_per_topic, members)"
CALLED: Final = {
    "assignor": _OF_GROUPS,
    "server-assignor": _OF_GROUPS,
    "share-assignor": _OF_GROUPS,
    "placer": "place(self, num_partitions, replication_factor, brokers, existing=None)",
    "partitioner": "partition(self, topic, key, value, num_partitions, available)",
    "task-assignor": "assign(self, application), by level: member assign(self, group)",
    "connect-assignor": "assign(self, cluster)",
}
"""The kinds that a target may declare, and the method that its class then has."""
LEVELLED: Final = "task-assignor"
"""The one of them that has levels."""
FORM_BY_METHOD: Final = {"place": PLACER, "partition": PARTITIONER}
"""The form of a class with one of these methods; one with `assign` has several to choose from."""
ASSIGN: Final = f"{_OF_GROUPS} or assign(self, cluster, group)"
TAKES: Final = {
    "assign": (2, 2, f"{ASSIGN}, or one argument and a META of kind task-assignor or connect-assignor"),
    "place": (3, 4, CALLED["placer"]),
    "partition": (5, 5, CALLED["partitioner"]),
}
"""For each method the fewest and the most arguments that it may need, and how it is written."""


def document_form(meta: dict[Any, Any]) -> str | None:
    """The form of `DOCUMENTS` that a target's META declares; None if it declares none.

    A task assignor works on processes unless its level is `member`; one that declares a level need not
    declare its kind.
    """
    kind = meta.get("kind")
    if kind == "connect-assignor":
        return WORKERS
    if kind == "task-assignor" or (kind is None and meta.get("level") is not None):
        return MEMBERS if meta.get("level") == "member" else PROCESSES
    return None


def parameters(target: type, method: str) -> tuple[list[str], set[str]]:
    """The names of the bound method's parameters, and of its required ones; `*` stands for any number."""
    import inspect

    raw = inspect.getattr_static(target, method)
    function = getattr(target, method)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ["*"], set()
    if not isinstance(raw, staticmethod | classmethod) and parameters:
        variadic = parameters[0].kind is inspect.Parameter.VAR_POSITIONAL
        parameters = parameters if variadic else parameters[1:]
    names, needed = [], set()
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            names.append("*")
        elif parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            names.append(parameter.name)
            if parameter.default is inspect.Parameter.empty:
                needed.add(parameter.name)
    return names, needed
