"""What a run of the campaign plays: members over all libraries, a history, and perhaps a fault; all from a seed."""

from dataclasses import dataclass, replace
from random import Random

from kassay.engines.live.clients import LIBRARIES
from kassay.engines.live.program import Timeouts
from kassay.engines.live.schedule import draw_script
from kassay.engines.live.script import LiveAction, LiveSeat

CONSUMER = "consumer"
STRATEGIES = {"range": 4, "roundrobin": 3, "cooperative-sticky": 3, CONSUMER: 2}
"""How often each is drawn; sticky is left out, as its leaders move more than the least (finding 4)."""


def libraries_of(strategy, libraries):
    """Those of the libraries that have this strategy, or consumer groups."""
    known = [LIBRARIES[name] for name in libraries]
    return [e.name for e in known if (e.consumer if strategy == CONSUMER else strategy in e.strategies)]


def seats_of(random: Random, strategy, libraries, count):
    """So many members of different libraries, as far as there are enough."""
    names = libraries_of(strategy, libraries)
    picked = random.sample(names, min(count, len(names)))
    picked += [random.choice(names) for _ in range(count - len(picked))]
    how = ((), "consumer") if strategy == CONSUMER else ((strategy,), "classic")
    return [LiveSeat(f"m{n}", name, *how) for n, name in enumerate(picked, start=1)]


def draw_clean(seed, number, libraries):
    """The history of a clean run, without what is known to break a claim (docs/live-findings.md)."""
    random = Random(f"{seed}-clean-{number}")
    names = [each for each in STRATEGIES if libraries_of(each, libraries)]
    strategy = random.choices(names, [STRATEGIES[each] for each in names])[0]
    seats = seats_of(random, strategy, libraries, random.choice((2, 3, 3)))
    script = draw_script(random.randrange(2**32), seats)
    return replace(without_known(script), title=f"clean {seed}-{number}")


def without_known(script):
    """The script without the actions that findings need."""
    seats, actions = script.seats, script.actions
    libraries = {each.client for each in seats}
    if "kafka-python" in libraries and any(each.instance for each in seats):
        seats = tuple(replace(each, instance=None) for each in seats)  # finding C
    returned = any(each.do == "return" for each in actions) and libraries != {"java"}
    leave_out = {
        "return": not any(each.instance for each in seats),
        "grow": returned and any(each.instance for each in seats),  # finding D
        "subscribe": any("roundrobin" in each.strategies for each in seats),  # finding 5
    }
    actions = tuple(each for each in actions if not leave_out.get(each.do, False))
    return replace(script, seats=seats, actions=actions)


SHORT = Timeouts(max_poll_ms=8000)
WRAPPED = ("keeps", "early", "late", "forgets")
FAULTS = (*WRAPPED, "differs", "broker")
"""Keeps a revoked partition, acknowledges early, commits late, forgets what it owned, an assignor that differs
between members, a killed broker."""


@dataclass(frozen=True)
class PlantedFault:
    """A fault of one member, or of the broker; `variant` is a number that the fault may use."""

    kind: str
    member: str
    library: str
    variant: int


def draw_fault(seed, number, libraries):
    """A short history and the fault that is planted in it."""
    random = Random(f"{seed}-fault-{number}")
    kind = random.choice(FAULTS)
    strategy = "range" if kind == "differs" else random.choice(("range", "roundrobin", "cooperative-sticky"))
    seats = seats_of(random, strategy, libraries, 3)
    if kind == "differs":
        picked = ["kafka-python", "kafka-python", random.choice(libraries_of(strategy, libraries))]
        seats = [replace(seat, client=name) for seat, name in zip(seats, picked, strict=True)]
    member = {"keeps": "m1", "late": "m1", "early": "m2", "differs": "m2", "broker": ""}.get(kind, "")
    if kind == "forgets":
        member = random.choice(seats).name
    script = draw_script(random.randrange(2**32), [replace(seat, instance="") for seat in seats])
    script = replace(script, seats=tuple(replace(seat, instance=None) for seat in script.seats))
    skipped = {"pause", "resume", "return", "restart-broker", "subscribe", "pace"}
    actions = [each for each in script.actions if each.do not in skipped]
    if kind == "differs":  # the second member is alone when the first one has left, so it leads
        do = (("join", "m1"), ("join", "m2"), ("leave", "m1"), ("join", "m3"))
        actions = [LiveAction(*each) for each in do]
    library = next((seat.client for seat in seats if seat.name == member), "")
    script = replace(
        script,
        actions=tuple(actions[: 3 if kind in ("early", "keeps") else 4]),
        timeouts=SHORT,
        title=f"fault {seed}-{number}: {kind} {library}".strip(),
    )
    return script, PlantedFault(kind, member, library, random.randrange(1000))
