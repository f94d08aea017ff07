"""Clients from the classic to the consumer protocol one by one, and back, under each migration policy.

What should happen is predicted from the coordinator's rules, and stands next to what was seen. Source:
`GroupMetadataManager` of the releases (`getOrMaybeCreateConsumerGroup`, `validateOnlineUpgrade`,
`validateOnlineDowngradeWithFencedMembers`, `throwIfClassicMemberCannotJoinConsumerGroup`); KIP-848. A Java
client of the consumer protocol that is refused gives up; one of the classic protocol tries again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kassay.engines.clusters.rollout import POLICIES, POLICY
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.program import Failed, Protocol, Timeouts
from kassay.engines.live.recording import MS, Life, LiveStep, Recording
from kassay.engines.live.result import LiveResult
from kassay.engines.live.run import LiveOptions, Progress, live
from kassay.engines.live.script import LiveAction, LiveScript, LiveSeat
from kassay.model.errors import InputError
from kassay.model.protocols.values.releases import RELEASES
from kassay.model.protocols.values.requests import Config

SCHEMA: Final = "kassay/migration/1"
TIMEOUTS: Final = Timeouts(session_ms=4000, max_poll_ms=6000)
"""A member that is refused takes the limit of a step: 16 s."""
LETS_IN: Final = "disabled_lets_classic_in"
ALWAYS: Final = ("exclusive", "progress")
"""The live claims that a refused member does not break."""


@dataclass(frozen=True)
class GroupThen:
    """A group after an action: its protocol, its members, and those that run and were refused.

    `late` are members of which nothing is known, as they had not joined yet.
    """

    protocol: str
    members: frozenset[str]
    out: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()

    @property
    def words(self) -> str:
        """The group in a few words."""
        text = f"{self.protocol or 'no group'}: {' '.join(sorted(self.members)) or 'no member'}"
        more = (("refused", self.out), ("not yet there", self.late))
        return "; ".join([text, *(f"{word}: {' '.join(sorted(who))}" for word, who in more if who)])


@dataclass
class MigratingGroup:
    """The group as the coordinator's rules have it; protocols by member, of those that are in and out."""

    config: Config
    lets_in: bool
    protocol: str = ""
    members: dict[str, str] = field(default_factory=dict)
    out: dict[str, str] = field(default_factory=dict)

    def leave(self, name: str) -> None:
        """A member leaves; the last one of the consumer protocol may turn the group back."""
        self.members.pop(name, None)
        self.out.pop(name, None)
        if self.members and "consumer" not in self.members.values() and self.config.downgrade:
            self.protocol = "classic"
        self._try_again()

    def join(self, name: str, protocol: str) -> None:
        """A member joins, or is refused."""
        (self.members if self._admits(protocol) else self.out)[name] = protocol
        if name in self.members and (len(self.members) == 1 or protocol == "consumer"):
            self.protocol = protocol
        self._try_again()

    def _admits(self, protocol: str) -> bool:
        if not self.members or protocol == self.protocol:
            return True
        if protocol == "consumer":
            return self.config.upgrade
        return self.config.upgrade or self.config.downgrade or self.lets_in

    def _try_again(self) -> None:
        for name in [each for each, protocol in self.out.items() if protocol == "classic"]:
            if name in self.out and self._admits("classic"):
                del self.out[name]
                self.join(name, "classic")

    @property
    def then(self) -> GroupThen:
        """The group as it is now."""
        return GroupThen(self.protocol, frozenset(self.members), frozenset(self.out))


@dataclass(frozen=True)
class MigrationStep:
    """An action, the group predicted and the group seen after it; `errors` are of members that are out."""

    action: str
    predicted: GroupThen
    seen: GroupThen
    errors: tuple[str, ...]

    @property
    def is_unknown(self) -> bool:
        """Whether a member had not joined yet, so that nothing can be said."""
        return bool(self.seen.late)

    @property
    def differs(self) -> bool:
        """Whether something else was seen than predicted."""
        return not self.is_unknown and self.predicted != self.seen

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the step."""
        return {
            "action": self.action,
            "predicted": _document(self.predicted),
            "seen": _document(self.seen),
            "differs": self.differs,
            "unknown": self.is_unknown,
            "errors": list(self.errors),
        }


def _document(then: GroupThen) -> dict[str, Any]:
    return {
        "protocol": then.protocol,
        "members": sorted(then.members),
        "refused": sorted(then.out),
        "late": sorted(then.late),
    }


@dataclass(frozen=True)
class Migration:
    """What became of the clients under each policy; `broken`: live claims that must hold all the same."""

    policies: Mapping[str, tuple[MigrationStep, ...]]
    broken: tuple[str, ...]
    result: LiveResult

    @property
    def differs(self) -> bool:
        """Whether something else was seen than predicted."""
        return any(step.differs for steps in self.policies.values() for step in steps)

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        if self.result.interrupted or self.result.failed:
            return self.result.exit_code
        if self.differs or self.broken:
            return 1
        return 3 if any(step.is_unknown for steps in self.policies.values() for step in steps) else 0

    def to_json(self) -> dict[str, Any]:
        """The migration as JSON."""
        policies = {name: [step.to_json() for step in steps] for name, steps in self.policies.items()}
        return {
            "schema": SCHEMA,
            "release": self.result.release,
            "clients": self.result.clients,
            "differs": self.differs,
            "policies": policies,
            "broken": list(self.broken),
            "seconds": round(self.result.seconds, 1),
            "folder": self.result.folder,
        }


def migration_scripts(seats: Sequence[LiveSeat], options: LiveOptions) -> tuple[LiveScript, ...]:
    """A script for each policy: all join, restart one by one in the consumer protocol, and back."""
    actions = [LiveAction("join", seat.name) for seat in seats]
    actions += [LiveAction("restart", seat.name, protocol="consumer") for seat in seats]
    actions += [
        LiveAction("restart", seat.name, strategies=seat.strategies, protocol="classic") for seat in seats
    ]
    shape = options.cluster
    return tuple(
        LiveScript(
            {"orders": 6},
            tuple(seats),
            tuple(actions),
            TIMEOUTS,
            title=f"{POLICY}={policy}",
            cluster=replace(shape, settings={**shape.settings, POLICY: policy}),
        )
        for policy in POLICIES
    )


def require_classic(seats: Sequence[LiveSeat], programs: ClientPrograms) -> None:
    """Raise `InputError` for a member that is not classic now, or cannot be of the consumer protocol."""
    for seat in seats:
        name = seat.client.partition("@")[0]
        if seat.protocol != "classic" or not (name in programs.own or programs.library(name).consumer):
            raise InputError(
                f"--migrate: expected classic members whose library has consumer groups, such as "
                f"java:range*3, found {seat.client}:{'+'.join(seat.strategies) or seat.protocol}"
            )


def predicted(script: LiveScript, policy: str, release: str) -> list[GroupThen]:
    """The group after each action of the script."""
    rules = RELEASES.get(release, frozenset())
    group = MigratingGroup(POLICIES[policy], LETS_IN in rules)
    thens = []
    for action in script.actions:
        protocol: Protocol | str = action.protocol or "classic"
        group.leave(action.member)
        group.join(action.member, protocol)
        thens.append(group.then)
    return thens


def seen(recording: Recording, step: LiveStep) -> GroupThen:
    """The group after a step; nothing is known of members whose group could not be described."""
    members = frozenset(step.group.members)
    if not step.group.state:
        return GroupThen(step.group.type, members, late=frozenset(step.present))
    out = frozenset(step.present) - members
    late = frozenset(name for name in out if _is_late(_life(recording, step, name), step))
    return GroupThen(step.group.type, members, out - late, late)


def _life(recording: Recording, step: LiveStep, name: str) -> Life:
    """The life of a member that runs at the end of the step."""
    return [each for each in recording.lives if each.seat.name == name and each.started <= step.ended][-1]


def _is_late(life: Life, step: LiveStep) -> bool:
    """Whether a member has met no error, and exists for less than half of a step's limit."""
    refused = any(isinstance(event, Failed) and event.t <= step.ended for event in life.events)
    since = step.ended if life.ready is None else life.ready.t
    return not refused and step.ended - since < TIMEOUTS.settle_ms * MS // 2


def migrate(
    options: LiveOptions, programs: ClientPrograms, progress: Progress = lambda _, __: None
) -> Migration:
    """Play the scripts on brokers of kassay's own; raises `InputError` and `LiveFailed`."""
    require_classic(options.seats, programs)
    recordings: list[Recording] = []
    first, *more = migration_scripts(options.seats, options)
    chosen = replace(
        options, seats=(), script=first, more=tuple(more), timeouts=TIMEOUTS, again=0, shrink=False
    )
    result = live(chosen, programs, progress, recordings.append)
    policies = {
        policy: tuple(_steps(recording, policy, programs.release))
        for policy, recording in zip(POLICIES, recordings)
    }
    broken = tuple(
        f"{played.title}: {each.claim}, step {each.step}: {each.text}"
        for played in result.played
        for each in played.verdict.violated
        if each.claim in ALWAYS
    )
    return Migration(policies, broken, result)


def _steps(recording: Recording, policy: str, release: str) -> Iterator[MigrationStep]:
    for step, then in zip(recording.steps, predicted(recording.script, policy, release)):
        now = seen(recording, step)
        errors = tuple(_errors(recording, step, now.out))
        yield MigrationStep(step.action.words, then, now, errors)


def _errors(recording: Recording, step: LiveStep, out: frozenset[str]) -> Iterator[str]:
    """The last error of each member that is not in the group."""
    for name in sorted(out):
        events = _life(recording, step, name).events
        texts = [each.text for each in events if isinstance(each, Failed) and each.t <= step.ended]
        if texts:
            yield f"{name}: {texts[-1]}"
