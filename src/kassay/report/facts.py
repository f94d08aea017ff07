"""What every report says of a certificate, in the same words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from kassay.certify.runs.certificate import Certificate, ClaimResult, Counterexample
from kassay.kinds.frames import guilty_at
from kassay.model.kinds import Kind
from kassay.model.trace import Conditions
from kassay.model.verdict import Verdict
from kassay.properties.promises import claim_of
from kassay.properties.registry import situations_of
from kassay.writing.text import counted, shell_command

STORY_COLUMNS: Final = ("member", "subscribed", "claims", "is given")
_BYTES_SHOWN: Final = 4
"""Bytes of user data that a line shows."""
_EXTRAS: Final = (("static", "instance_id"), ("rack", "rack"))


def played(certificate: Certificate) -> str:
    """What was played, and for how long."""
    nouns = certificate.kind.nouns
    cases, calls = certificate.histories, certificate.rebalances
    counts = [f"{cases} {nouns.case if cases == 1 else nouns.cases}"]
    counts += [f"{calls} {nouns.call if calls == 1 else nouns.calls}"] if nouns.call else []
    return (
        f"{certificate.protocol}, profile {certificate.profile}, seed {certificate.seed}, "
        f"{', '.join(counts)}, {certificate.elapsed_s:.1f} s"
    )


def mark(result: ClaimResult) -> str:
    """The verdict in a word; `known` for one that was accepted."""
    return result.verdict.value if result.known is None else "known"


def reason(result: ClaimResult) -> str:
    """Why the verdict is what it is, and why it was accepted."""
    return result.why + (f"; accepted: {result.known}" if result.known is not None else "")


def judged(results: Iterable[ClaimResult]) -> list[tuple[ClaimResult, str, str]]:
    """Every claim with its mark and its reason."""
    return [(result, mark(result), reason(result)) for result in results]


def size(example: Counterexample) -> str:
    """How small the smallest case is, in the words of its kind, and on what input it breaks the claim."""
    nouns = example.trace.kind.nouns
    counts = ((example.members, nouns.who), (example.partitions, nouns.what), (example.events, nouns.event))
    return (
        f"{', '.join(counted(number, noun) for number, noun in counts if noun)}; "
        f"{'contradictory' if example.trace.contradictory else 'ordinary'} input"
    )


def fix_of(kind: Kind, claim_id: str) -> str:
    """What a fix of a target that breaks the claim must do; empty for a claim that is not known."""
    claim = claim_of(kind, claim_id)
    return "" if claim is None else claim.fix


def replay_command(example: Counterexample | None) -> str:
    """The command that plays the history again; empty where it was not saved."""
    return (
        "" if example is None or example.path is None else shell_command(("kassay", "replay", example.path))
    )


def conditions(trace: Mapping[str, Any]) -> list[str]:
    """Under what the trace of the document was recorded, a line each: what a replay plays it under.

    Of a trace that keeps no conditions, what stands in their place.
    """
    kept = trace["conditions"]
    lines = [_recorded(trace)]
    if kept is None:
        usual = Conditions()
        lines.append(
            "no conditions kept, as by earlier versions; played without configuration, "
            f"{usual.call_timeout_s:g} s a call, {usual.memory_mib} MiB"
        )
    else:
        lines += _kept(kept)
    if trace["seed"] is not None:
        lines.append(f"history {trace['index']} of the run with seed {trace['seed']}")
    return [*lines, *_versions(trace)]


def conditions_of_both(difference: Mapping[str, Any]) -> list[str]:
    """Under what the difference of the document was recorded, a line each, for both sides what is theirs."""
    lines = [line for side in difference["sides"] for line in (_recorded(side), *_versions(side))]
    lines += _kept(difference["conditions"])
    if difference["seed"] is not None:
        lines.append(f"history {difference['index']} of the run with seed {difference['seed']}")
    return lines


def _recorded(side: Mapping[str, Any]) -> str:
    source = "" if side["digest"] is None else f", source SHA-256 {side['digest']}"
    return f"recorded against {side['target']}, {side['protocol']}{source}"


def _kept(conditions: Mapping[str, Any]) -> Iterator[str]:
    config = ", ".join(f"{key}={value}" for key, value in sorted(conditions["config"].items()))
    place = "kassay's own process" if conditions["in_process"] else "a child process"
    seed = "not known" if conditions["hash_seed"] is None else conditions["hash_seed"]
    yield f"configuration: {config or 'none'}"
    yield f"limits: {conditions['call_timeout_s']:g} s a call, {conditions['memory_mib']} MiB"
    yield f"a user's code runs in {place}, hash seed {seed}"
    yield f"assumed of inputs: {', '.join(conditions['assume']) or 'nothing'}"
    if conditions["beside"]:
        yield f"judged beside: {', '.join(conditions['beside'])}"


def _versions(side: Mapping[str, Any]) -> list[str]:
    if not side["versions"]:
        return []
    named = (f"{name} {version}" for name, version in sorted(side["versions"].items()))
    return [f"versions: {', '.join(named)}"]


def interrupted(certificate: Certificate) -> str:
    """That the run was interrupted, and when; empty for one that was not."""
    if not certificate.interrupted:
        return ""
    return f"interrupted after {counted(certificate.histories, certificate.kind.nouns.case)}"


def unreached(certificate: Certificate) -> str:
    """The situations that never came up; empty if all did."""
    return ", ".join(name for name, count in certificate.reached.items() if not count)


def controls(certificate: Certificate) -> str:
    """How many of the built-in faulty assignors the same budget caught; empty if none was asked."""
    counts = certificate.controls
    if not (counts.get("of") or counts.get("unknown")):
        return ""
    text = f"{counts['caught']} of {counts['of']} built-in faulty assignors caught"
    if counts.get("unknown"):
        text += f", {counts['unknown']} not run for lack of budget"
    if counts.get("missed"):
        text += f"; missed: {', '.join(counts['missed'])}"
    if counts.get("unproven"):
        text += f"; without a caught control: {', '.join(counts['unproven'])}"
    return text


def _lacking(certificate: Certificate) -> list[str]:
    """The situations that never came up although a claim that was judged needs them."""
    never = {name for name, count in certificate.reached.items() if not count}
    judged, assume = [c.id.partition(":")[0] for c in certificate.claims], frozenset(certificate.assume)
    return [
        each.id
        for each in (situations_of(certificate.kind) if never else ())
        if each.id in never and any(each.is_required(claim, assume) for claim in judged)
    ]


def warnings(certificate: Certificate) -> list[str]:
    """What could make a pass mean less than it seems to, a line each; empty where nothing does."""
    counts = certificate.controls
    unknown = (
        [] if certificate.interrupted else [c.id for c in certificate.claims if c.verdict is Verdict.UNKNOWN]
    )
    undecided = f"{len(unknown)} claims" if len(unknown) > 5 else ", ".join(unknown)
    narrowed, never = ", ".join(certificate.assume), ", ".join(_lacking(certificate))
    holding = [c.id.partition(":")[0] for c in certificate.claims if c.verdict is Verdict.HOLDS]
    unproven = ", ".join(each for each in counts.get("unproven") or () if each in holding)
    missed = ", ".join(counts.get("missed") or ())
    said = (
        (interrupted(certificate), "{}: nothing is certified"),
        (undecided, "unknown: {}; a larger --time or --histories may decide"),
        (narrowed, "assumed of inputs: {}; nothing is said of others"),
        (never, "never reached: {}"),
        (missed, "built-in faulty assignors that were not caught: {}"),
        (unproven, "no built-in faulty assignor was caught that breaks: {}"),
        (counts.get("unknown"), "{} built-in faulty assignors were not run for lack of budget"),
    )
    return [text.format(value) for value, text in said if value] + list(certificate.notes)


class NotLoaded(NamedTuple):
    """A target that could not be put to the test, and why: every report has it."""

    target: str
    why: str


class MemberFacts(NamedTuple):
    """A member in one round: what it subscribes to, claims and is given; `given` None without an entry.

    `user_data` is told apart: bytes that only the assignor can read.
    """

    member_id: str
    extras: str
    topics: Sequence[str]
    claims: Sequence[tuple[str, int]]
    generation: int
    given: Sequence[tuple[str, int]] | None
    answered: bool
    user_data: str = ""

    @property
    def since(self) -> str:
        """The generation of what is claimed, of an empty list too: `@3`; empty for a member without one."""
        return f"@{self.generation}" if self.claims or self.generation >= 0 else ""

    def row(self) -> tuple[str, str, str, str]:
        """The texts of `STORY_COLUMNS`."""
        extras = ", ".join(filter(None, (self.extras, self.user_data)))
        who = f"{self.member_id} ({extras})" if extras else self.member_id
        claims = " ".join(filter(None, (_tiles(self.claims), self.since)))
        given = "no entry" if self.given is None else _tiles(self.given)
        return who, " ".join(self.topics) or "-", claims, given if self.answered else "no answer"


class RoundFacts(NamedTuple):
    """One round of a trace; `failure` says why the target gave no answer.

    `withheld` are the partitions that a share group may not give out. `place` has the numbers of the
    rebalance and of the round in it, from 0. `guilty` are the partitions and members that the evidence
    names, as texts (`t0-1`, `m0`); None in a round that breaks nothing.
    """

    generation: int
    topics: Mapping[str, int]
    members: Sequence[MemberFacts]
    failure: str
    withheld: str = ""
    place: tuple[int, int] = (0, 0)
    guilty: frozenset[str] | None = None


def rounds_of(
    steps: Iterable[Mapping[str, Any]], broken: Iterable[Mapping[str, Any]] = ()
) -> list[RoundFacts]:
    """The rounds of a trace, those marked that break its claim; none for a kind that has no rounds."""
    guilty = guilty_at(broken)
    return [
        _round(step, (number, turn), guilty.get((number, turn)))
        for number, rebalance in enumerate(steps)
        for turn, step in enumerate(rebalance.get("rounds", ()))
    ]


def window(marked: Sequence[bool], most: int) -> tuple[int, int]:
    """How many to leave out at the start, and how many to show, so that the first that is marked is there."""
    first = next((place for place, mark in enumerate(marked) if mark), 0)
    return max(0, first + 1 - most), min(most, len(marked))


class CouldBe(NamedTuple):
    """An answer that keeps the claim in place of the one at `place`: of a step, of a group's in a round.

    `by` says whose it is, and `certified` whether a solver proved that none is better. `answer` is in
    the form of the told step's answer; `measures` are its goals, `instead_of` those of the wrong answer.
    """

    place: tuple[int, int | None]
    by: str
    certified: bool
    words: str
    answer: Any
    measures: Mapping[str, Any]
    instead_of: Mapping[str, Any]

    @property
    def line(self) -> str:
        """In one line."""
        return f"could be: {self.words}" + ("" if self.certified else f" ({self.by})")


def could_be_of(document: Mapping[str, Any] | None) -> CouldBe | None:
    """The value of `could_be` in a trace or a counterexample; None where nothing is known."""
    if document is None:
        return None
    fields = {name: document[name] for name in CouldBe._fields if name != "place"}
    return CouldBe((document["step"], document["round"]), **fields)


def optimum_round(rounds: Iterable[RoundFacts], possible: CouldBe | None) -> RoundFacts | None:
    """The broken round as it could be: the same members and claims, with what each would be given."""
    if possible is None:
        return None
    for each in rounds:
        if each.place == possible.place:
            members = [
                member._replace(given=_pairs(possible.answer.get(member.member_id)), answered=True)
                for member in each.members
            ]
            return each._replace(members=members, failure="", guilty=None)
    return None


def _round(step: Mapping[str, Any], place: tuple[int, int], guilty: frozenset[str] | None) -> RoundFacts:
    answer, failure = step.get("answer"), step.get("failure")
    members, configs = [], step.get("configs") or {}
    for each in step.get("members", ()):
        extras = [f"{word} {each[name]}" for word, name in _EXTRAS if each.get(name)]
        extras += [f"{key}={value}" for key, value in configs.get(each["id"], {}).items()]
        user_data = _user_data(each["user_data"]) if each.get("user_data") else ""
        claims, given = _pairs(each["owned"]), _pairs((answer or {}).get(each["id"]))
        facts = each["id"], ", ".join(extras), each["topics"], claims or (), each["generation"], given
        members.append(MemberFacts(*facts, answer is not None, user_data))
    said = f"{failure['kind']}: {failure['message']}" if failure else ""
    topics = step.get("topics", {})
    generation = step.get("generation", 0)
    return RoundFacts(generation, topics, members, said, _withheld(step, topics), place, guilty)


def _user_data(digits: str) -> str:
    """User data by its first bytes and its length."""
    size = len(digits) // 2
    return f"user data {digits[: 2 * _BYTES_SHOWN]}" + (f".. ({size} bytes)" if size > _BYTES_SHOWN else "")


def _withheld(step: Mapping[str, Any], topics: Mapping[str, int]) -> str:
    """The partitions of a round that may not be given out, as text."""
    if step.get("assignable") is None:
        return ""
    able = set(_pairs(step["assignable"]) or ())
    return _tiles(
        [(topic, p) for topic, count in topics.items() for p in range(count) if (topic, p) not in able]
    )


def _pairs(tps: Iterable[Iterable[Any]] | None) -> list[tuple[str, int]] | None:
    return None if tps is None else [(topic, partition) for topic, partition in tps]


def _tiles(tps: Iterable[tuple[str, int]]) -> str:
    return " ".join(f"{topic}-{partition}" for topic, partition in tps) or "-"


def event_words(event: Mapping[str, Any]) -> str:
    """What happened, out of the event's document: `failed sync`, `withhold t0 3`."""
    name = re.sub("(?<!^)(?=[A-Z])", " ", event["event"]).lower()
    return " ".join(
        [name, *filter(None, (_field_words(*field) for field in event.items() if field[0] != "event"))]
    )


def _field_words(field: str, value: Any) -> str:
    """A field of an event; empty where it says nothing. Numbers stand behind their field."""
    if field == "config":
        return " ".join(f"{key}={text}" for key, text in value.items())
    if isinstance(value, Mapping):
        return " ".join(filter(None, (_field_words(*inner) for inner in value.items())))
    if isinstance(value, list):
        return " ".join("-".join(map(str, each)) if isinstance(each, list) else str(each) for each in value)
    if value is None or (field == "generation" and value < 0):
        return ""
    return f"{field} {value}" if isinstance(value, int) else str(value)
