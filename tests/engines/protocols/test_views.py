"""How invariants see states: what is told to be alike looks alike, and what is passed over shows nothing."""

from collections import defaultdict
from itertools import islice

import pytest

from kassay.engines.protocols.views import NOT_FENCED, beliefs, views_of
from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.world.context import BROKER, moved
from kassay.properties.protocols import registry
from tests.explored import build

MODELS = {
    "zookeeper": {"model": "zookeeper", "faults": "crash=1,pause=1"},
    "draft": {"model": "draft", "faults": "crash=1"},
    "classic": {"model": "classic", "mode": "eager", "faults": "crash=1,failover=1"},
    "kip848": {"model": "kip848", "faults": "crash=1"},
    "clock": {"model": "classic", "mode": "eager", "clock": "ticks", "faults": "crash=1"},
}
STATES = 250


@pytest.fixture(scope="module", params=list(MODELS))
def walked(request):
    """The model's name, the model, and some of its steps, states and ends."""
    model = build(**MODELS[request.param], members=2, partitions=2)

    def steps():
        waiting = list(model.initial())
        known = set(waiting)
        for state in waiting:
            for _, reached in model.steps(state):
                after = model.canonical(reached)
                yield state, after
                if after not in known:
                    known.add(after)
                    waiting.append(after)

    return request.param, model, list(islice(steps(), STATES))


def test_states_that_read_alike_look_alike(walked):
    _, model, steps = walked
    for view in views_of(model).views.values():
        if view.reads is None:
            continue
        shown = defaultdict(list)
        for _, state in steps:
            shown[view.reads(state)].append(view.show(state))
        assert all(each == same[0] for same in shown.values() for each in same)
        assert len(shown) > 1 or view is views_of(model).views.get(registry.ACCEPTED)


def test_a_step_that_is_passed_over_breaks_nothing(walked):
    _, model, steps = walked
    views = views_of(model)
    for invariant in registry.invariants(views):
        if invariant.check_step is None or invariant.relevant is None:
            continue
        # What a new coordinator knows is looked at afresh: it may set a generation back.
        known = views.views.get(registry.CLASSIC_GROUP)
        stays = known and known.relevant
        for before, after in steps:
            if not invariant.relevant(before, after) and (stays is None or stays(before, after)):
                assert list(invariant.check_step(before, after) or ()) == [], invariant.name


def test_a_coordinator_is_compared_with_itself_alone(walked):
    name, model, steps = walked
    if name not in ("classic", "kip848"):
        pytest.skip("the steps are those of a world")
    stays = views_of(model).views[registry.CLASSIC_GROUP].relevant
    assert views_of(model).views[registry.CONSUMER_GROUP].relevant is stays
    gone = [(before, after) for before, after in steps if not stays(before, after)]
    assert gone == [(before, after) for before, after in steps if moved(before, after)]
    assert bool(gone) is (name == "classic")


def test_every_model_shows_who_owns_what(walked):
    name, model, steps = walked
    views = views_of(model)
    assert {registry.CENSUS, registry.ADOPTION} <= views.views.keys()
    for _, state in steps[:20]:
        assert beliefs(model, state) == views.views[registry.CENSUS].show(state)
    assert views.waived == (NOT_FENCED if name == "zookeeper" else frozenset())
    assert (registry.PRESENCE in views.views) is (name == "clock")
    for group in (registry.CLASSIC_GROUP, registry.CONSUMER_GROUP):
        assert (group in views.views) is (name in ("classic", "kip848", "clock"))
    assert (registry.STORED in views.views) is (name == "draft")


def test_where_migrations_are_walked_removals_by_a_timer_show_unless_the_group_waits():
    model = build(
        "migration", partitions=1, static=1, kinds=(("classic", "consumer", "classic"), ("classic",))
    )
    removes = views_of(model).views[registry.PRESENCE].relevant
    graph = walk(model, budget=WalkLimits(600), check_liveness=False).graph
    seen, passed = set(), set()
    for state in graph.states:
        before = _ids(state)
        for action, after in model.steps(state):
            if removes(state, after):
                seen.add(action.name)
                assert action.actor == BROKER
                assert before - _ids(after)
            elif action.actor == BROKER and before - _ids(after):
                passed.add(action.name)
    assert "session of i1-1 expires" in seen
    assert all(name.startswith(("session", "join", "sync")) for name in passed)
    alone = build("kip848", partitions=1)
    assert registry.PRESENCE not in views_of(alone).views


def _ids(state):
    group = state.broker.value.state.group
    return {member.member_id for member in group.members} if group is not None else set()
