"""An assignor that answers one request in two ways is refused before it is explored, with both answers."""

import pytest

from kassay.engines.protocols.plugged import client_side, of_tasks
from kassay.engines.protocols.second_looks import opened
from kassay.engines.targets.resolve import resolve
from kassay.model.errors import TargetNotLoadable
from kassay.model.protocols.clients.classic_state import Ask
from kassay.model.protocols.values.requests import Subscription, image_of
from kassay.model.streams.group import StreamsGroup, StreamsMember, Subtopology

ASSIGNOR = """import os, random
CALLS = []
class Own:
    META = {{"claims": {claims}}}
    def __init__(self):
        self.calls = 0
    def assign(self, partitions, members):
        self.calls += 1
        CALLS.append(self)
        ids = [member["id"] for member in members]
        return {{ids[{index}]: [(t, p) for t, n in partitions.items() for p in range(n)]}}
"""
TASKS = """class Own:
    META = {"kind": "task-assignor", "level": "member"}
    calls = 0
    def assign(self, group):
        Own.calls += 1
        ids = [member["id"] for member in group["members"]]
        return {ids[INDEX]: {"active": ["0_0"], "standby": []}}
"""


def request(partitions):
    members = tuple((f"c{n}-1", "", Subscription(("t",))) for n in (1, 2))
    return Ask("own", members, image_of([("t", partitions)]))


def assigned(tmp_path, index, claims=(), sizes=(1,)):
    """What the model gets of the assignor that gives all to the member with this index."""
    (tmp_path / "own.py").write_text(ASSIGNOR.format(index=index, claims=list(claims)))
    with opened(resolve(f"{tmp_path}/own.py:Own")) as assignor:
        assign = client_side(assignor, None, frozenset()).assign
        return [assign(request(size)) for size in sizes]


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ("self.calls % 2", "the same object again"),
        ("len(CALLS) % 2", "a new object"),
        ("0 if CALLS[0] is self else 1", "a new object"),
        ("int(os.environ['PYTHONHASHSEED'])", "another process"),
    ],
)
def test_an_impure_assignor_is_refused_with_both_answers(tmp_path, index, words):
    with pytest.raises(TargetNotLoadable) as error:
        assigned(tmp_path, index)
    text = str(error.value)
    assert "Own: cannot be explored: answers one request in two ways: first" in text
    assert f"({words})" in text and "c1-1 t-0" in text and "c2-1 t-0" in text


def test_state_that_shows_only_after_other_calls_is_found(tmp_path):
    """The object changes its mind after eleven calls: no two calls in a row differ for one request."""
    with pytest.raises(TargetNotLoadable, match=r"\(called again later\)"):
        assigned(tmp_path, "int(self.calls > 11 and sum(partitions.values()) < 5)", sizes=range(1, 12))


def test_the_order_of_members_matters_only_where_the_target_declares_that_it_does_not(tmp_path):
    ((((first, owned), (second, nothing)),),) = assigned(tmp_path, "0")
    assert (first, len(owned), second, len(nothing)) == ("c1-1", 1, "c2-1", 0)
    with pytest.raises(TargetNotLoadable, match=r"\(members in another order\)"):
        assigned(tmp_path, "0", ["order-independent"])
    assert assigned(tmp_path, "ids.index(min(ids))", ["order-independent"])


@pytest.mark.parametrize(("index", "is_pure"), [("0", True), ("Own.calls % 2", False)])
def test_an_assignor_of_tasks_is_called_again_too(tmp_path, index, is_pure):
    (tmp_path / "own.py").write_text(TASKS.replace("INDEX", index))
    group = StreamsGroup(
        (Subtopology("0", 1, stateful=False),), (StreamsMember("a", "p1"), StreamsMember("b", "p2"))
    )
    with opened(resolve(f"{tmp_path}/own.py:Own")) as assignor:
        assign = of_tasks(assignor)
        if is_pure:
            (target,) = assign(group)
            assert [(who, len(roles.active)) for who, roles in target] == [("a", 1), ("b", 0)]
            return
        with pytest.raises(TargetNotLoadable, match=r"first b 0_0, then \(a new object\) a 0_0"):
            assign(group)
