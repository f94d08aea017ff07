"""The group when it has settled, or at the limit: complete, stable, and no member stuck."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kassay.engines.live.claims.rulings import Ruling, Word
from kassay.engines.live.claims.scene import Scene, listed
from kassay.engines.live.program import Called, Failed
from kassay.engines.live.recording import LiveStep, Recording
from kassay.model.cluster import TopicPartition
from kassay.writing.text import counted


def complete(_: Recording, scenes: Sequence[Scene]) -> Iterator[Ruling]:
    """Every partition of a topic that a member reads has an owner."""
    for scene in scenes:
        step = scene.step
        read = set().union(*step.present.values()) if step.present else set()
        wanted = {TopicPartition(topic, p) for topic in read for p in range(step.topics.get(topic, 0))}
        if not wanted:
            yield scene.ruling("complete", Word.VACUOUS)
        elif scene.unable:
            yield scene.ruling("complete", Word.UNKNOWN, scene.unable)
        elif lacking := sorted(wanted - scene.owner.keys()):
            text = f"without an owner: {listed(map(str, lacking))}"
            yield scene.unless_stalled(scene.ruling("complete", Word.VIOLATED, text))
        else:
            yield scene.ruling("complete")


def settles(recording: Recording, scenes: Sequence[Scene]) -> Iterator[Ruling]:
    """The group is stable, and every member has what the coordinator assigned to it, before the limit."""
    for scene in scenes:
        step = scene.step
        if not step.present or step.settled:
            yield scene.ruling("settles", Word.HOLDS if step.present else Word.VACUOUS)
            continue
        times = counted(rounds(recording, step), "round")
        text = f"{step.group.state or 'no group'} after {step.seconds:.0f} s and {times}"
        text = "; ".join([text, *_unread(step)])
        yield scene.unless_stalled(scene.ruling("settles", Word.VIOLATED, text))


def _unread(step: LiveStep) -> list[str]:
    """What members were assigned of topics that they do not read."""
    every = {
        name: [each for each in assigned if each.topic not in step.present[name]]
        for name, assigned in sorted(step.group.members.items())
        if name in step.present
    }
    return [
        f"{name} was assigned {_names(some)} and does not read it" for name, some in every.items() if some
    ]


def rounds(recording: Recording, step: LiveStep) -> int:
    """The most assignments that one member learned of in the step."""
    counts = [
        sum(
            isinstance(event, Called)
            and (event.kind, event.phase) == ("assigned", "end")
            and step.began <= event.t <= step.ended
            for event in life.events
        )
        for life in recording.lives
    ]
    return max(counts, default=0)


def no_stuck_member(recording: Recording, scenes: Sequence[Scene]) -> Iterator[Ruling]:
    """Every member that runs is in the group, and owns what the coordinator assigned to it."""
    for scene in scenes:
        yield _stuck(recording, scene)


def _stuck(recording: Recording, scene: Scene) -> Ruling:
    claim, step = "no-stuck-member", scene.step
    if not step.present or step.settled:
        return scene.ruling(claim, Word.HOLDS if step.present else Word.VACUOUS)
    if scene.unable:
        return scene.ruling(claim, Word.UNKNOWN, scene.unable)
    stuck: dict[str, str] = {}
    for name in sorted(step.present):
        assigned, owned = step.group.members.get(name), scene.owned.get(name)
        if name not in scene.lives:
            stuck[name] = f"{name} ended by itself{_last_error(recording, name)}"
        elif assigned is None or owned is None:
            stuck[name] = f"{name} is not in the group{_last_error(recording, name)}"
        elif assigned != owned and step.group.state.upper() == "STABLE":
            only = f"was assigned {_names(assigned)} and owns {_names(owned)}"
            stuck[name] = f"{name} {only}{_last_error(recording, name)}"
    if not stuck:
        return scene.ruling(claim)
    clients = {life.seat.client for life in recording.lives if life.seat.name in stuck}
    return scene.unless_stalled(scene.ruling(claim, Word.VIOLATED, listed(stuck.values()), clients))


def _last_error(recording: Recording, name: str) -> str:
    errors = [
        event.text
        for life in recording.lives
        if life.seat.name == name
        for event in life.events
        if isinstance(event, Failed)
    ]
    return f" (its last error: {errors[-1][:120]})" if errors else ""


def _names(partitions: Iterable[TopicPartition]) -> str:
    return ", ".join(map(str, sorted(partitions))) or "nothing"
