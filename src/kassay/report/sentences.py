"""Evidence as one English sentence: what is wrong, of whom, with the numbers.

Evidence is a subject and named facts about it (`properties/registry.Evidence`), and the same facts mean the
same of every kind of target. A set of facts without a sentence of its own is printed as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from kassay.model.trace import Trace
from kassay.properties.registry import as_text
from kassay.writing.text import counted

LISTED_MAX: Final = 6
"""A sentence lists at most this many names."""
_OTHERWISE: Final = {
    "again": "when the same object is called again with the same input",
    "other": "from another object with the same configuration",
    "permuted": "when the same input is listed in another order",
    "process": "in another process",
}
Facts = Mapping[str, Any]


def sentence_of(trace: Trace) -> str:
    """The first piece of evidence of a trace as a sentence; without evidence, its first message."""
    if trace.broken:
        first = trace.broken[0]
        return sentence(str(first["subject"]), first["facts"], trace.kind.nouns.what or "item")
    return next(iter(trace.violations), "").partition(": ")[2] or "It breaks the claim."


def sentence(subject: str, facts: Facts, noun: str) -> str:
    """What is wrong with the subject; `noun` is that of what is assigned, such as a partition.

    >>> sentence("m0", {"has": 2, "while": "m1", "with": 0, "loads": {}}, "partition")
    'm0 has 2 partitions, m1 has none.'
    >>> sentence("t0-1", {"given to": "m0", "partitions of the topic": 1}, "partition")
    'm0 was assigned t0-1, but topic t0 has 1 partition.'
    """
    for wanted, words in _SENTENCES:
        if wanted <= facts.keys():
            return _filled(words, subject, facts) if isinstance(words, str) else words(subject, facts, noun)
    parts = ", ".join(f"{name} {as_text(value)}" for name, value in facts.items())
    return f"{subject}: {parts}." if parts else f"{subject} breaks the claim."


def _filled(template: str, subject: str, facts: Facts) -> str:
    values = {name.replace(" ", "_"): as_text(value) for name, value in facts.items()}
    return template.format_map({**values, "subject": subject, "Subject": _opened(subject)})


def _opened(words: str) -> str:
    return words[:1].upper() + words[1:]


def names(values: object) -> str:
    """Names as a list in words.

    >>> names(["m0", "m1", "m2"]), names([])
    ('m0, m1 and m2', 'nothing')
    """
    listed = [as_text(each) for each in values] if isinstance(values, Sequence | set) else []
    if isinstance(values, str) or not isinstance(values, Sequence | set):
        listed = [as_text(values)]
    if len(listed) > LISTED_MAX:
        listed[LISTED_MAX:] = [f"{len(listed) - LISTED_MAX} more"]
    if not listed:
        return "nothing"
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"


def _uneven(subject: str, facts: Facts, noun: str) -> str:
    return f"{subject} has {counted(facts['has'], noun)}, {facts['while']} has {facts['with'] or 'none'}."


def _unknown(subject: str, facts: Facts, noun: str) -> str:
    topic, count = subject.rpartition("-")[0], facts["partitions of the topic"]
    has = (
        f"topic {topic} has {counted(count, noun)}"
        if isinstance(count, int)
        else f"topic {topic} does not exist"
    )
    return f"{facts['given to']} was assigned {subject}, but {has}."


def _unread(subject: str, facts: Facts, _: str) -> str:
    reads = names(facts["which reads"])
    return f"{facts['given to']} was assigned {subject} but subscribes to {reads}."


def _still_owned(subject: str, facts: Facts, _: str) -> str:
    return (
        f"{subject} was assigned to {facts['given to']} while {names(facts['still owned by'])} still owns it."
    )


def _owners(subject: str, facts: Facts, _: str) -> str:
    owners = facts["owners"]
    if len(set(owners)) == 1:
        times = "twice" if len(owners) == 2 else f"{len(owners)} times"
        return f"{subject} was assigned to {owners[0]} {times}."
    return f"{subject} was assigned to {names(owners)}."


def _otherwise(subject: str, facts: Facts, _: str) -> str:
    first, then = names(facts["first"]), names(facts["then"])
    how = _OTHERWISE.get(str(facts["second call"]), f"in the second call ({facts['second call']})")
    return f"{subject} gets {first}, but {then} {how}."


def _unowned(subject: str, facts: Facts, _: str) -> str:
    if "subscribers" not in facts:
        return f"{subject} has no owner once the group is stable."
    return f"{subject} has no owner, though {names(facts['subscribers'])} subscribed to it."


def _moved(_: str, facts: Facts, noun: str) -> str:
    moved, needed = facts["moved"], facts["needed to move"]
    return f"{counted(len(moved), noun)} moved where {needed or 'none'} had to: {names(moved)}."


def _unsettled(subject: str, facts: Facts, _: str) -> str:
    return (
        f"{subject[:1].upper()}{subject[1:]} is not stable after {facts['not at rest after rounds']} rounds."
    )


def _entry(subject: str, facts: Facts, _: str) -> str:
    if facts["entry"] == "missing":
        return f"{subject} has no entry in the answer."
    return f"The answer names {subject}, which is not a member."


_SENTENCES: Final[tuple[tuple[frozenset[str], str | Callable[[str, Facts, str], str]], ...]] = (
    (frozenset({"has", "while", "with"}), _uneven),
    (frozenset({"given to", "partitions of the topic"}), _unknown),
    (frozenset({"given to", "which reads"}), _unread),
    (frozenset({"given to", "still owned by"}), _still_owned),
    (frozenset({"owners"}), _owners),
    (frozenset({"second call", "first", "then"}), _otherwise),
    (frozenset({"owner"}), _unowned),
    (frozenset({"moved", "needed to move"}), _moved),
    (frozenset({"not at rest after rounds"}), _unsettled),
    (frozenset({"entry"}), _entry),
    (frozenset({"twice to"}), "{twice_to} was assigned {subject} twice."),
    (frozenset({"no answer"}), "The call {no_answer}."),
    (frozenset({"changed"}), "The target changed its input: {changed}."),
    (frozenset({"are", "could be"}), "{Subject} are {are}, could be {could_be}."),
    (
        frozenset({"of", "could go to", "with only"}),
        "{of} has {with} with {subject}; {could_go_to} has only {with_only} and could take it.",
    ),
    (
        frozenset({"sent to", "by Kafka to"}),
        "{Subject} goes to partition {sent_to}; Kafka sends it to {by_Kafka_to}.",
    ),
)
"""The sentence of each set of facts: a function, or a template of the subject and the facts by name."""
