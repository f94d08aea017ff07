"""Documents with one thing less, each with the removed thing in words, for counterfactuals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kassay.model.shape.cuts import without_items
from kassay.model.shape.names import counted_parts, without_parts
from kassay.model.shape.nodes import (
    LeafKind,
    LeafNode,
    ManyNode,
    MaybeNode,
    Node,
    NodePlace,
    Path,
    RecordNode,
    TableNode,
    VariantNode,
    inside,
    places,
    put,
    without_item,
)


@dataclass(frozen=True)
class Removal:
    """The removed thing, in words, and the remaining case.

    `event` says whether it is an event. An `extent` is a count instead: the number of such things, and their
    noun in the singular.
    """

    words: str
    case: Any
    event: bool = False
    extent: tuple[int, str] | None = None


EventWords = Callable[[Mapping[str, Any]], str]


def plain_event(event: Mapping[str, Any]) -> str:
    """The event, in its own words.

    >>> plain_event({"event": "ProcessLeave", "process": "p1"})
    'the process leave p1'
    """
    name = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in event["event"]).strip()
    rest = [str(value) for key, value in event.items() if key != "event" and value not in (None, {}, [])]
    return " ".join(["the", name, *rest])


def event_removals(case: Mapping[str, Any], words: EventWords = plain_event) -> Iterator[Removal]:
    """The case without each event of a history, and without each change in which nothing happens."""
    for number, change in enumerate(case.get("changes", ())):
        for place, event in enumerate(change.get("events", ())):
            less = without_item(case, ("changes", number, "events"), place)
            yield Removal(words(event), less, event=True)
        if not change.get("events"):
            less = without_item(case, ("changes",), number)
            yield Removal(f"rebalance {number + 2}", less, event=True)


def removals(node: Node, document: Any, words: EventWords = plain_event) -> Iterator[Removal]:
    """The case without each removable thing: events, rarely set values, parts and items."""
    every = [place for place in places(node, document) if place.field is None or not place.field.fixed]
    parents = _named_parents(node, document)
    for place in every:
        yield from _events(node, document, place, words)
    for place in every:
        yield from _settings(document, place, parents)
    for place in every:
        yield from _items(node, document, place, parents)
    for place in every:
        yield from _numbers(node, document, place, parents)


def _events(node: Node, document: Any, place: NodePlace, words: EventWords) -> Iterator[Removal]:
    many = place.node
    if isinstance(many, ManyNode) and isinstance(many.item, VariantNode):
        for number, event in enumerate(place.value):
            less = without_items(node, document, place, number)
            yield Removal(words(event), less, event=True)


def _settings(document: Any, place: NodePlace, parents: Mapping[Path, str]) -> Iterator[Removal]:
    """Optional values, flags, choices, texts and tables that are set, and each entry of a table."""
    if place.field is None or place.path[-1:] != (place.field.name,):
        return
    held, noun, about = place.node, place.field.noun, _of(place.path, parents)
    if isinstance(held, MaybeNode):
        if place.value is not None:
            yield Removal(f"the {noun}{about}", put(document, place.path, None))
    elif isinstance(held, TableNode) and place.value:
        yield Removal(f"the {noun}{about}", put(document, place.path, {}))
        for name in place.value if len(place.value) > 1 else ():
            rest = {key: value for key, value in place.value.items() if key != name}
            yield Removal(f"the {singular(noun)} {name}{about}", put(document, place.path, rest))
    elif isinstance(held, LeafNode) and not held.space and _is_set(held):
        plain = held.plain if held.choices else ""
        if place.value != plain:
            yield Removal(f"the {noun}{about}", put(document, place.path, plain))


def _is_set(leaf: LeafNode) -> bool:
    """Whether the value is a setting: a choice, a text or bytes, but not a number."""
    return bool(leaf.choices) or leaf.kind in (LeafKind.BYTES, LeafKind.TEXT)


def _items(node: Node, document: Any, place: NodePlace, parents: Mapping[Path, str]) -> Iterator[Removal]:
    """Each item that is a thing by itself; of other lists, all items at once."""
    many = inside(place.node, place.value)
    if (
        not isinstance(many, ManyNode)
        or place.field is None
        or isinstance(many.item, VariantNode)
        or not place.value
    ):
        return
    which, about = _which(place), _of(place.path, parents)
    if not _is_extent(many.item):
        if not isinstance(place.node, MaybeNode) and not many.least and not isinstance(many.item, ManyNode):
            yield Removal(f"the {place.field.noun}{which}{about}", put(document, place.path, []))
        return
    noun = singular(place.field.noun)
    for number, item in enumerate(place.value if len(place.value) > many.least else ()):
        less = without_items(node, document, place, number)
        label = _label(many.item, item, number)
        yield Removal(f"{noun}{which} {label}{about}", less, extent=(1, noun))


def _is_extent(item: Node) -> bool:
    return isinstance(item, RecordNode) or (isinstance(item, LeafNode) and item.defines)


def _numbers(node: Node, document: Any, place: NodePlace, parents: Mapping[Path, str]) -> Iterator[Removal]:
    leaf = place.node
    if not isinstance(leaf, LeafNode) or leaf.kind is not LeafKind.WHOLE or place.field is None or leaf.space:
        return
    if leaf.plain is None or place.value is None or place.value <= leaf.plain:
        return
    less = put(document, place.path, place.value - 1)
    if leaf.counts:
        less = without_parts(node, less, leaf.counts, counted_parts(node, less, leaf.counts))
    noun = f"{singular(place.field.noun)}{_which(place)}{_of(place.path, parents)}"
    yield Removal(f"one {noun}", less, extent=(place.value, noun))


def _which(place: NodePlace) -> str:
    """The number (from 1) or name of the item or entry in its field; empty for the field itself."""
    steps: list[str] = []
    for step in reversed(place.path):
        if place.field is None or step == place.field.name:
            break
        steps.append(str(step + 1) if isinstance(step, int) else step)
    return "".join(f" {step}" for step in reversed(steps))


def _label(node: Node, item: Any, number: int) -> str:
    held = inside(node, item)
    if isinstance(held, RecordNode) and held.identity is not None:
        return str(item[held.identity.name])
    return str(item) if isinstance(held, LeafNode) else str(number + 1)


def _named_parents(node: Node, document: Any) -> dict[Path, str]:
    """What to call each record: its name, else its noun and number."""
    names: dict[Path, str] = {}
    seen: Counter[str] = Counter()
    for place in places(node, document):
        held = inside(place.node, place.value)
        if isinstance(held, RecordNode) and held.identity is not None and place.path:
            name = str(place.value[held.identity.name])
            seen[name] += 1
            names[place.path] = name if seen[name] == 1 else f"{name} ({seen[name]})"
        elif isinstance(held, RecordNode) and place.path and place.field is not None and _which(place):
            names[place.path] = f"{singular(place.field.noun)}{_which(place)}{_of(place.path, names)}"
    return names


def _of(path: Path, parents: Mapping[Path, str]) -> str:
    """The record that it belongs to, in words."""
    for length in range(len(path) - 1, 0, -1):
        if path[:length] in parents:
            return f" of {parents[path[:length]]}"
    return ""


def singular(noun: str) -> str:
    """The noun for one: `processes` is `process`.

    >>> [singular(noun) for noun in ("records", "processes", "replicas", "histories", "wait ms")]
    ['record', 'process', 'replica', 'history', 'wait ms']
    """
    for plural, one in (("ies", "y"), ("sses", "ss"), ("s", "")):
        if noun.endswith(plural) and not noun.endswith(("ss", " ms")):
            return noun.removesuffix(plural) + one
    return noun


def differences(before: Any, after: Any, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """The differences between two documents: the path and both values; None for a missing value."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys((*before, *after)):
            yield from differences(before.get(name), after.get(name), (*path, name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after)):
            yield from differences(one, other, (*path, number))
    elif before != after:
        yield path, before, after


def difference_words(before: Any, after: Any) -> list[str]:
    """The differences between two documents, a line each.

    >>> difference_words({"n": 1, "m": [1, 2]}, {"n": 2, "m": [1, 2]})
    ['n: 1, 2']
    """
    return [f"{place(path)}: {one}, {other}" for path, one, other in differences(before, after)]


def place(path: Path) -> str:
    """The path in words.

    >>> place(("records", 0, "key"))
    'records[0].key'
    """
    words = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return words.removeprefix(".")
