"""Settings are checked when they are made, and told as JSON; documents of explore/1 still mean the same."""

import json

import pytest

from kassay.engines.protocols.settings import ExploreSettings
from kassay.model.errors import InputError
from kassay.model.explore.values import Action, run
from kassay.model.protocols.faults import KNOWN, Faults
from kassay.model.protocols.world.clock import Timing
from kassay.model.protocols.world.context import NetworkLevel
from kassay.model.protocols.world.streams.threads import StreamsOptions
from tests.explored import OLD_RULES, build, settings
from tests.paths import HELD


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (
            {"mode": "eager", "model": "kip848"},
            "--protocol: kip848 has no eager mode; expected classic or migration",
        ),
        ({"faults": Faults(stale=1)}, "--faults: classic has no fault stale"),
        ({"faults": Faults(rollout=1)}, "--faults: classic has no fault rollout"),
        ({"faults": Faults(rollout=1), "model": "kip848"}, "--faults: kip848 has no fault rollout"),
        (
            {"faults": Faults(rollout=1), "model": "migration", "kinds": (("classic",), ("consumer",))},
            "--faults: rollout restarts clients into another protocol; expected group.protocol with one",
        ),
        (
            {"faults": Faults(subscribe=1)},
            "--faults: subscribe leaves one of several topics; expected --topic",
        ),
        (
            {"faults": Faults(subscribe=1), "topics": 2, "reads": (1, 1)},
            "--faults: subscribe leaves one of several topics",
        ),
        (
            {"faults": Faults(subscribe=1, topic=1), "topics": 2, "pattern": "t"},
            "--faults: subscribe leaves a topic that is read by name",
        ),
        (
            {"release": "4.3"},
            "--release: unknown release '4.3'; expected one of 4.4.0, 4.3.1, 4.2.1, 4.1.2, 4.0.2, 2024-10",
        ),
        ({"release": "2024-10", "model": "draft"}, "--release: draft is older than all of them; expected "),
        ({"remote_assignors": ("range", "")}, "group.remote.assignor: classic has none; expected kip848 or "),
        (
            {"model": "kip848", "remote_assignors": ("range",)},
            "group.remote.assignor: 1 names for 2 clients; ",
        ),
        ({"model": "kip848", "remote_assignors": ("x", "")}, "group.remote.assignor: unknown assignor 'x'; "),
        ({"records": 1}, "--records: commits are sent on --network steps and astray only, not on atomic"),
        ({"records": 9, "network": NetworkLevel.STEPS}, "--records: 9 is out of range; expected 0 to 3"),
        ({"timing": Timing(), "network": NetworkLevel.STEPS}, "--network: steps has no integer clock"),
        ({"timing": Timing(session=0)}, "session.timeout.ms: 0 is out of range"),
        ({"timing": Timing(), "model": "migration"}, "--clock: migration has no integer clock"),
        (
            {"timing": Timing(), "faults": Faults(write=1)},
            "--faults: write is unsupported on the integer clock",
        ),
        (
            {"release": "2024-10", "model": "streams"},
            "--release: the rules of streams are those of 4.4.0; expected 4.4.0",
        ),
        (
            {"streams": StreamsOptions(standby=1)},
            "num.standby.replicas: classic has no Streams group; expected streams",
        ),
        (
            {"streams": StreamsOptions(fresh=True)},
            "fresh_topics: classic has no Streams group; expected streams",
        ),
        (
            {"streams": StreamsOptions(standby=4), "model": "streams"},
            "num.standby.replicas: 4 is out of range",
        ),
        ({"streams": StreamsOptions(processes=3), "model": "streams"}, "process.id: 3 is out of range"),
        (
            {"streams": StreamsOptions(endpoints=3), "model": "streams"},
            "application.server: 3 is out of range",
        ),
        ({"topics": 2, "model": "streams"}, "--topics: the topology of streams reads one topic"),
        ({"faults": Faults(subscribe=1), "model": "streams"}, "--faults: streams has no fault subscribe"),
        ({"timing": Timing(), "model": "streams"}, "--clock: streams has no integer clock"),
        ({"log": "short"}, "log: unknown log 'short'; expected one of whole, compacted"),
        (
            {"log": "compacted"},
            "compacted_log: only a new coordinator reads the log; expected --faults failover=1",
        ),
        (
            {"log": "compacted", "model": "draft"},
            "compacted_log: draft has no compacted log; expected classic, kip848",
        ),
        (
            {"log": "compacted", "timing": Timing(), "faults": Faults(failover=1)},
            "compacted_log: unsupported on the integer clock",
        ),
        ({"static": 1, "model": "zookeeper"}, "group.instance.id: zookeeper has no static members"),
        ({"reads": (1, 1), "model": "draft"}, "--topics: all clients of draft read its one topic"),
        ({"reads": (1,)}, "--topics: 1 numbers for 2 clients; expected one for each"),
        ({"reads": (1, 2)}, "--topics: 2 is out of range; expected 1 to 1"),
        ({"reads": (0, 1)}, "--topics: 0 is out of range; expected 1 to 1"),
        ({"reads": (1, 1), "pattern": "t"}, "--topics: clients subscribe by a pattern"),
    ],
)
def test_what_makes_no_sense_is_refused_when_the_settings_are_made(chosen, words):
    with pytest.raises(InputError, match=words) as refused:
        ExploreSettings(**{"model": "classic"} | chosen)
    assert "\n" not in str(refused.value)


def test_the_json_holds_every_option_and_what_else_is_set():
    plain = ExploreSettings("classic").to_json()
    assert plain["release"] == "4.4.0"
    assert (plain["network"], plain["clock"], plain["faults"]) == ("atomic", "timeless", {})
    assert not {"timing", "reads", "pattern", "kinds"} & set(plain)
    assert ExploreSettings("classic", topics=2, reads=(1, 2)).to_json()["reads"] == (1, 2)
    told = ExploreSettings("classic", timing=Timing(), faults=Faults(crash=1), pattern="t").to_json()
    assert (told["clock"], told["timing"]["session"]) == ("ticks", 6)
    assert (told["faults"], told["pattern"]) == ({"crash": 1}, "t")


@pytest.mark.parametrize("path", sorted((HELD / "explorations").glob("*.json")), ids=lambda p: p.stem)
def test_the_traces_of_explore_1_still_replay(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["schema"] == "kassay/explore/1"
    chosen = {k: v for k, v in document["settings"].items() if k not in ("symmetry", "seed")}
    if timing := chosen.pop("timing", None):
        chosen["timing"] = Timing(**timing)
    rules = OLD_RULES if document["model"] == "kip848" else frozenset()
    chosen |= {"switches": rules | frozenset(chosen["switches"]), "faults": Faults(**chosen["faults"])}
    model = build(document["model"], **chosen)
    assert settings(document["model"], **chosen).members == chosen["members"]
    assert document["violations"]
    for violation in document["violations"]:
        actions = [Action(**action) for action in violation["trace"]]
        assert len(run(model, actions)) == violation["length"] + 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"model": "classic", "regex": True},
            "regex: classic resolves no regular expressions; expected kip848",
        ),
        (
            {"model": "classic", "late_targets": True},
            "late_targets: classic does not support it; expected kip848 or migration or streams",
        ),
        (
            {"model": "zookeeper", "offload": True},
            "offload: zookeeper does not support it; expected kip848 or migration",
        ),
        (
            {"model": "kip848", "regex": True, "topics": 2, "reads": (1, 2)},
            "regex: .* expected --topics 1",
        ),
        (
            {"model": "kip848", "regex": True, "release": "2024-10"},
            "regex: 2024-10 does not support it",
        ),
        (
            {"model": "kip848", "offload": True, "release": "2024-10"},
            "offload: 2024-10 does not support it",
        ),
        (
            {"model": "kip848", "late_targets": True, "timing": Timing()},
            "late_targets: .*group.consumer.assignment.interval.ms",
        ),
        (
            {"model": "kip848", "regex": True, "timing": Timing()},
            "regex: not supported on the integer clock",
        ),
        (
            {"model": "classic", "timing": Timing(interval=1)},
            "group.consumer.assignment.interval.ms: classic does not support it",
        ),
    ],
)
def test_what_goes_with_late_targets_and_regular_expressions(settings, message):
    with pytest.raises(InputError, match=message):
        ExploreSettings(**settings)


def test_late_targets_and_regular_expressions_are_told():
    document = ExploreSettings("kip848", regex=True, late_targets=True).to_json()
    assert document["regex"] is True and document["late_targets"] is True
    assert "offload" not in document


@pytest.mark.parametrize(
    ("model", "fault"), [(model, fault) for model, faults in KNOWN.items() for fault in sorted(faults)]
)
def test_every_fault_that_a_model_knows_can_happen_in_it(model, fault):
    """A budget that is taken and never spent would tell of a world without the fault as of one with it."""
    more = {"kinds": (("classic", "consumer"), ("consumer",))} if model == "migration" else {}
    if fault == "subscribe":
        more["topics"] = 2
    elif fault == "topic" and model != "streams":
        more |= {"pattern": "t", "new_topics": ("tt",)}
    elif fault in ("duplicate", "reorder"):
        more["network"] = "astray"
    world = build(model, partitions=1, faults=f"{fault}=1", **more)
    states = [world.canonical(state) for state in world.initial()]
    met = set(states)
    for state in states:
        for action, reached in world.steps(state):
            if action.fault:
                return
            after = world.canonical(reached)
            if after not in met:
                met.add(after)
                states.append(after)
    pytest.fail(f"{fault} never happens in {model}")
