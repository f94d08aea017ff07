"""A finding as a page for the maintainer of a library: what was seen, script, command, timeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from kassay.engines.live.claims.rulings import Ruling
from kassay.engines.live.group_types import one_type, type_of
from kassay.engines.live.program import Called, Closed, Closing, Event, Failed, Ready, Stall
from kassay.engines.live.recording import Life, LiveStep, Recording
from kassay.engines.live.result import LiveFinding
from kassay.engines.live.script import LiveScript, script_toml
from kassay.model.cluster import TopicPartition
from kassay.writing.text import counted, shell_command

MEANING: Final[Mapping[str, str]] = {
    "exclusive": "No two members own a partition at the same time.",
    "complete": "When the group has settled, every partition of a topic that a member reads has an owner.",
    "settles": "The group is stable, and every member owns what the coordinator assigned to it, before the "
    "limit that the clients' timeouts give.",
    "no-stuck-member": "Every member that runs is in the group and owns what the coordinator assigned to it.",
    "balanced": "The loads are what the strategy promises.",
    "moves": "A sticky strategy moves nothing of members that were not cut off where the least is 0.",
    "progress": "No record is lost, and no commit goes backwards.",
}
OF_SHARE_GROUPS: Final[Mapping[str, str]] = {
    **MEANING,
    "exclusive": "No two members hold a record at the same time, while its lock lasts.",
    "complete": "When the group has settled, every partition of a topic that is read has a member.",
    "settles": "The group is stable before the limit that the clients' timeouts give.",
    "no-stuck-member": "Every member that runs is in the group.",
    "balanced": "Members have counts of partitions within one, and partitions counts of members.",
    "progress": "Every record is acknowledged, and by one member.",
}
LINES: Final = 80
"""The longest timeline."""


def finding_report(
    finding: LiveFinding, ruling: Ruling, script: LiveScript, recording: Recording, command: Sequence[str]
) -> str:
    """The page, as Markdown: `ruling` and `recording` are those of a play of `script` that shows it."""
    claim, versions = ruling.claim, recording.versions
    libraries = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    number = ruling.step or len(recording.steps)
    action = script.actions[number - 1].words
    meaning = MEANING if one_type(script.seats).callbacks else OF_SHARE_GROUPS
    parts = [
        f"# {claim}: {action}",
        f"{meaning[claim]} In step {number}, {action}:",
        f"    {ruling.text}",
        *_seen(finding),
        f"Clients: {libraries or 'none started'}.",
        "## Reproduce",
        f"Save the script as `{command[-1]}`, then:",
        f"```console\n$ pip install 'kassay[clients]'\n$ {shell_command(list(command))}\n```",
        f"```toml\n{script_toml(script)}```",
        f"## Step {number} as the members reported it",
        "Seconds since the action, member, event:",
        "```text\n" + "\n".join(timeline(recording, number)) + "\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _seen(finding: LiveFinding) -> list[str]:
    """In how many plays it was seen."""
    texts = [f"Seen in {finding.seen} of {finding.plays} plays of the history."]
    if (shrunk := finding.shrunk) is not None:
        size = counted(len(shrunk.script.actions), "action")
        minimal = "; without any of them it was not seen" if shrunk.minimal else ""
        texts.append(f"The script below has {size}{minimal}: seen in {shrunk.seen} of {shrunk.plays} plays.")
    elif finding.unstable:
        texts.append("Too rare to be shrunk.")
    return [" ".join(texts)]


def timeline(recording: Recording, number: int) -> list[str]:
    """The callbacks, errors and stalls of the step (from 1 on), and what the coordinator said at its end."""
    step = recording.steps[number - 1]
    later = [each.began for each in recording.steps[number:]]
    end = later[0] if later else step.ended + 1
    rows = sorted(
        (
            (event.t, life.name, words)
            for life in recording.lives
            for event in life.events
            if step.began <= event.t < end
            for words in _words(event)
        ),
        key=lambda row: row[0],
    )
    lines = [f"{(t - step.began) / 1e9:8.3f}  {name:<6} {words}" for t, name, words in rows]
    if len(lines) > LINES:
        lines = [*lines[: LINES // 2], f"          ... {len(lines) - LINES} more", *lines[-LINES // 2 :]]
    return [*lines, *_end(recording, step)]


def _words(event: Event) -> Iterator[str]:
    """The event in a line; none of records and commits."""
    match event:
        case Called(_, kind, phase, partitions):
            yield f"{kind} {phase}: {_listed(partitions)}"
        case Ready(_, library, version, _):
            yield f"started: {library} {version}"
        case Failed(_, fatal, text):
            yield f"{'fatal' if fatal else 'error'}: {text[:160]}"
        case Stall(_, ms):
            yield f"stalled for {ms} ms"
        case Closing():
            yield "closing"
        case Closed():
            yield "closed"


def _end(recording: Recording, step: LiveStep) -> list[str]:
    """The coordinator's view, and what each member that should be in the group owned."""
    from kassay.engines.live.owners import owned_at

    seconds = (step.ended - step.began) / 1e9
    settled = "settled" if step.settled else "not settled"
    lines = [f"{seconds:8.3f}  group  {settled}, the coordinator says {step.group.state or 'no group'}"]
    for name, topics in sorted(step.present.items()):
        life = _last(recording.lives, name, step.ended)
        assigned = step.group.members.get(name)
        assignment = "not a member" if assigned is None else f"assigned {_listed(assigned)}"
        owned = _listed(owned_at(life, step.ended)) if life is not None else "nothing"
        if life is not None and not type_of(life.seat).callbacks:
            owned = "what it is assigned"
        lines.append(f"{'':8}  {name:<6} reads {', '.join(sorted(topics))}; {assignment}; owns {owned}")
    return lines


def _last(lives: Iterable[Life], name: str, t: int) -> Life | None:
    """The life of the member at this time."""
    mine = [each for each in lives if each.seat.name == name and each.started <= t]
    return mine[-1] if mine else None


def _listed(partitions: Iterable[TopicPartition]) -> str:
    return " ".join(map(str, sorted(partitions))) or "nothing"
