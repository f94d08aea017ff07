"""The independent checker of share groups; it shares no code with the solver.

Where all members read the same topics, all assignable partitions with readers are shared together, else topic
by topic. A cover names members and partitions: a copy that stays is of one of the named partitions (at most
the number of members that share each), or of one of the named members (at most the number they may have
together), or one of those that are held by neither.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, NamedTuple

from kassay.solver.check.shapes import (
    ANYTHING,
    COUNT,
    NAME,
    SIZE,
    TEXT,
    Document,
    Posed,
    ProofKind,
    Proven,
    ProvenQuestion,
    by_name,
    fit,
    met,
    one_of,
    pair,
    record,
    require,
    rows,
    squares,
    within,
)

SCHEMA: Final = "kassay/share-certificate/1"
FAMILY: Final = "D"

_Copy = tuple[str, str, int]
"""A member, a topic and the number of a partition."""

_INSTANCE: Final = record(
    {
        "family": one_of(FAMILY),
        "members": rows(record({"id": NAME, "topics": rows(TEXT)}, {"owned": rows(pair(TEXT, COUNT))})),
        "topics": rows(record({"name": NAME, "partitions": SIZE}, {"assignable": rows(COUNT)})),
    },
    {"name": TEXT},
)


class Shared(NamedTuple):
    """A part that is shared by itself: its topic or none, its readers and partitions, and the copies held.

    Each partition gets `sharing` copies, each reader `least` or one more, and `longer` readers one more.
    """

    topic: str | None
    readers: list[str]
    targets: list[tuple[str, int]]
    held: set[_Copy]

    @property
    def sharing(self) -> int:
        """The members of each partition: readers divided by partitions, rounded up."""
        return -(-len(self.readers) // len(self.targets))

    @property
    def least(self) -> int:
        """The copies of a reader, rounded down."""
        return self.sharing * len(self.targets) // len(self.readers)

    @property
    def longer(self) -> int:
        """The number of readers that have one more."""
        return self.sharing * len(self.targets) % len(self.readers)


def pose(document: Any) -> Posed:
    """The instance of a document; raises `RefusedError` for one that is none.

    Its canonical form has members by id and topics by name, only the copies that their owner may keep, and
    only the size of a topic without readers.
    """
    fit(_INSTANCE, document, "instance")
    members = sorted(document["members"], key=lambda member: str(member["id"]))
    topics = sorted(document["topics"], key=lambda topic: str(topic["name"]))
    counts = {topic["name"]: topic["partitions"] for topic in topics}
    require(bool(members), "the instance has no members")
    require(len({member["id"] for member in members}) == len(members), "member ids are not distinct")
    require(len(counts) == len(topics), "topics are not distinct")
    within(counts.values(), "topics", "partitions")
    given_out = {topic["name"]: _assignable(topic) for topic in topics}
    read = {name for member in members for name in member["topics"]}
    require(read <= counts.keys(), "a member reads a topic that is not in the instance")
    for member in members:
        owned = [(name, number) for name, number in member.get("owned") or ()]
        require(len(set(owned)) == len(owned), f"{member['id']} owns a partition twice")
        for name, number in owned:
            require(number < counts.get(name, 0), f"{member['id']} owns {name}-{number}, which is not there")
    form = {
        "family": FAMILY,
        "members": [
            {
                "id": member["id"],
                "topics": sorted(set(member["topics"])),
                "owned": sorted(
                    [name, number]
                    for name, number in member.get("owned") or ()
                    if name in member["topics"] and number in given_out[name]
                ),
            }
            for member in members
        ],
        "topics": [
            {
                "name": name,
                "partitions": counts[name],
                "assignable": sorted(numbers) if name in read else [],
            }
            for name, numbers in given_out.items()
        ],
    }
    number = sum(len(numbers) for name, numbers in given_out.items() if name in read)
    return Posed(form, f"{len(members)} members, {number} partitions to share")


def _assignable(topic: Document) -> set[int]:
    """The assignable partitions of a topic."""
    named = topic.get("assignable")
    numbers = set(range(topic["partitions"]) if named is None else named)
    require(
        all(number < topic["partitions"] for number in numbers),
        f"a partition of {topic['name']} is assignable and does not exist",
    )
    return numbers


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves; raises `RefusedError` if its statements are wrong."""
    given = _copies(form, certificate["assignment"])
    parts = _parts(form)
    covers = {cover.get("topic"): cover for cover in certificate["covers"]}
    require(len(covers) == len(certificate["covers"]), "a part has two covers")
    require(covers.keys() == {part.topic for part in parts}, "covers are not given for exactly the parts")
    taken_back = bound = 0
    even = []
    for part in parts:
        inside = {copy for copy in given if part.topic is None or copy[1] == part.topic}
        even += _counts(part, inside)
        taken_back += len(part.held - inside)
        bound += max(0, len(part.held) - _most_kept(part, covers[part.topic]))
    require(
        certificate["moved"] == taken_back,
        f"{taken_back} copies are taken back, not {certificate['moved']}",
    )
    loads = Counter(member for member, _, _ in given)
    sharing = sum(part.sharing * len(part.targets) for part in parts)
    optimal = bound == taken_back
    figures = squares([loads[member["id"]] for member in form["members"]])
    return Proven(
        f"optimal: {sharing} copies evenly shared, {taken_back} taken back"
        if optimal
        else f"interval: {sharing} copies evenly shared, {bound} to {taken_back} taken back",
        ProvenQuestion(("sharing", "balance", "movement"), {"copy taken back": 1}),
        {
            **figures,
            "status": "optimal" if optimal else "interval",
            "goals": [
                met("sharing", sharing),
                met("balance", sorted(even, reverse=True)),
                {"goal": "movement", "value": taken_back, "bound": bound, "proven": optimal},
            ],
            "lower": bound,
            "upper": taken_back,
            "moved": taken_back,
            "rack_mismatch": 0,
            "bound": "covers prove how few copies must be taken back",
            "assignment": certificate["assignment"],
        },
    )


def _copies(form: Document, assignment: Document) -> set[_Copy]:
    """The assigned copies, each of a topic that its member reads and of an assignable partition."""
    ids = {member["id"]: set(member["topics"]) for member in form["members"]}
    able = {topic["name"]: set(topic["assignable"]) for topic in form["topics"]}
    require(assignment.keys() == ids.keys(), "the assignment is not for exactly the members")
    listed = [
        (member, topic, number)
        for member, topics in assignment.items()
        for topic, numbers in topics.items()
        for number in numbers
    ]
    given = set(listed)
    require(len(given) == len(listed), "a member is given a partition twice")
    for member, topic, number in given:
        require(topic in ids[member], f"{member} is given {topic}-{number}, which it does not read")
        require(number in able[topic], f"{topic}-{number} is assigned and not assignable")
    return given


def _parts(form: Document) -> list[Shared]:
    """The parts that are shared by themselves, where there is something to share."""
    members, topics = form["members"], form["topics"]
    held = {(member["id"], name, number) for member in members for name, number in member["owned"]}
    targets = [(topic["name"], number) for topic in topics for number in topic["assignable"]]
    if all(member["topics"] == members[0]["topics"] for member in members):
        parts = [Shared(None, [member["id"] for member in members], targets, held)]
    else:
        parts = [
            Shared(
                topic["name"],
                [member["id"] for member in members if topic["name"] in member["topics"]],
                [(topic["name"], number) for number in topic["assignable"]],
                {copy for copy in held if copy[1] == topic["name"]},
            )
            for topic in topics
        ]
    return [part for part in parts if part.targets]


def _counts(part: Shared, given: set[_Copy]) -> list[int]:
    """The copies of each reader; refused unless partitions and readers have even counts."""
    sharing = Counter((topic, number) for _, topic, number in given)
    for topic, number in part.targets:
        has = sharing[topic, number]
        require(has == part.sharing, f"{topic}-{number} has {has} members, not {part.sharing}")
    counts = Counter(member for member, _, _ in given)
    even = [counts[reader] for reader in part.readers]
    require(max(even) - min(even) <= 1, f"members have {min(even)} to {max(even)} partitions")
    return even


def _most_kept(part: Shared, cover: Document) -> int:
    """The most copies that can stay, by the cover; superfluous entries only weaken the bound."""
    members, targets = set(cover["members"]), {(topic, number) for topic, number in cover["partitions"]}
    outside = sum(
        member not in members and (topic, number) not in targets for member, topic, number in part.held
    )
    room = part.least * len(members) + min(part.longer, len(members))
    return part.sharing * len(targets) + room + outside


KIND: Final = ProofKind(
    schema=SCHEMA,
    family=FAMILY,
    pose=pose,
    takes=lambda _: True,
    shape=record(
        {
            "schema": one_of(SCHEMA),
            "instance": ANYTHING,
            "assignment": by_name(by_name(rows(COUNT))),
            "covers": rows(
                record(
                    {"members": rows(TEXT), "partitions": rows(pair(TEXT, COUNT))},
                    {"topic": TEXT},
                )
            ),
            "moved": COUNT,
        }
    ),
    check=check,
)
