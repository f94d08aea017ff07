"""The states of every model as bytes: alike in every process and order, distinct states apart, and back."""

import os
import subprocess
import sys
from itertools import islice

import pytest

from kassay.engines.protocols.explore import build
from kassay.engines.protocols.settings import ExploreSettings
from kassay.engines.protocols.views import codec_of, fingerprinted, parts_of
from kassay.model.explore.search import explore
from kassay.model.explore.states import PackedStates
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.faults import parse_faults
from kassay.model.protocols.world.clock import Timing
from kassay.model.protocols.world.context import NetworkLevel
from kassay.model.protocols.world.symmetry import ClientSymmetry

FAULTS = parse_faults("crash=1,pause=1,failover=1")
MODELS = [
    ExploreSettings("classic", mode="eager", faults=FAULTS),
    ExploreSettings(
        "classic", mode="cooperative", faults=parse_faults("write=1,failover=1"), log="compacted"
    ),
    ExploreSettings("classic", network=NetworkLevel.STEPS, records=1),
    ExploreSettings("classic", timing=Timing()),
    ExploreSettings("kip848", faults=FAULTS),
    ExploreSettings("kip848", timing=Timing()),
    ExploreSettings("kip848", regex=True, offload=True),
    ExploreSettings("migration", faults=parse_faults("crash=1")),
    ExploreSettings("streams", faults=FAULTS),
    ExploreSettings("zookeeper", faults=parse_faults("crash=1")),
    ExploreSettings("draft", faults=parse_faults("crash=1")),
]
SOME = WalkLimits(150)


def some(settings):
    """A model, and states of it, the nearest first."""
    model = build(settings)
    return model, explore(model, budget=SOME, check_liveness=False).graph.states


@pytest.mark.parametrize("settings", MODELS, ids=lambda s: f"{s.model} {s.network} {s.log}")
def test_a_models_states_are_the_same_bytes_in_whatever_order_it_meets_them(settings):
    model, states = some(settings)
    codec = codec_of(model)
    written = [codec.encode(state) for state in states]
    assert len(set(written)) == len({codec.fingerprint(state) for state in states}) == len(states)
    assert [codec.decode(data) for data in written] == states
    other = build(settings)
    theirs = codec_of(other)
    for data, state in list(zip(written, states, strict=True))[::-1]:
        again = theirs.decode(data)
        assert theirs.encode(again) == data
        assert theirs.digest(again) == codec.digest(state)
    for data, state in islice(zip(written, states, strict=True), 0, None, 9):
        ours = [(action, codec.encode(model.canonical(after))) for action, after in model.steps(state)]
        steps = other.steps(theirs.decode(data))
        assert [(action, theirs.encode(other.canonical(after))) for action, after in steps] == ours


@pytest.mark.parametrize("settings", MODELS, ids=lambda s: f"{s.model} {s.network} {s.log}")
def test_packed_and_by_fingerprint_a_model_is_walked_as_it_is(settings):
    model = build(settings)
    whole = explore(model, budget=SOME)
    packed, marked = (
        explore(model, budget=SOME, states=lambda states=states: states, whole_most=0)
        for states in (
            PackedStates(parts_of(model)),
            fingerprinted(model),
        )
    )
    assert list(packed.graph.states) == whole.graph.states
    assert (
        list(packed.graph.good) == list(marked.graph.good) == list(map(model.converged, whole.graph.states))
    )
    for field in ("parents", "first", "targets", "labels"):
        one = getattr(whole.graph, field)
        assert getattr(packed.graph, field) == one == getattr(marked.graph, field), field


@pytest.mark.parametrize("settings", [MODELS[0], MODELS[4]], ids=lambda s: s.model)
def test_ordered_by_digests_clients_are_renamed_alike_by_everybody(settings):
    model, states = some(settings)
    other = build(settings)
    codec, theirs = codec_of(model), codec_of(other)
    renamed = ClientSymmetry(model.context.interner, codec.cell_bytes)
    anew = ClientSymmetry(other.context.interner, theirs.cell_bytes)
    for state in states[::-1]:
        again = anew(theirs.decode(codec.encode(state)))
        assert theirs.encode(again) == codec.encode(renamed(state))


LINES = """
from tests.engines.protocols.test_stable import MODELS, digests
print(digests(MODELS[4]), digests(MODELS[8]))
"""


def digests(settings):
    model, states = some(settings)
    return [codec_of(model).digest(state).hex() for state in states[::20]]


@pytest.mark.slow
def test_no_hash_seed_and_no_process_shows_in_a_digest():
    done = subprocess.run(
        [sys.executable, "-c", LINES],
        env=os.environ | {"PYTHONHASHSEED": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == f"{digests(MODELS[4])} {digests(MODELS[8])}\n"
