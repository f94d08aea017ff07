"""Assignors as a model's choices: which modes they have, what they answer, and what is refused."""

import pytest

from kassay.engines.protocols.plugged import ANY, UsersTasks, client_side, of_tasks, server_side
from kassay.model.errors import InputError, TargetNotLoadable
from kassay.model.protocols.clients.any_balanced import balanced_targets, balanced_tasks
from kassay.model.protocols.clients.classic_state import Ask
from kassay.model.protocols.values.requests import Subscription, image_of
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember, Subtopology

NONE = frozenset()


@pytest.mark.parametrize(
    ("assignor", "mode", "modes"),
    [
        (None, None, ("eager",)),
        (ANY, "cooperative", ("eager", "cooperative")),
        ("range", None, ("eager",)),
        ("cooperative-sticky", None, ("eager", "cooperative")),
        ("cooperative-sticky", "eager", ("eager",)),
    ],
)
def test_an_assignor_has_the_modes_that_it_supports(assignor, mode, modes):
    client = client_side(assignor, mode, NONE)
    assert client.modes == modes
    assert client.name == (assignor or ANY)


def test_sticky_keeps_user_data():
    assert client_side("sticky", None, NONE).remembers
    assert not client_side("range", None, NONE).remembers
    assert client_side(ANY, None, frozenset({"sticky_no_generation"})).remembers


def test_a_reference_has_one_answer():
    members = tuple((f"c{n}-1", "", Subscription(("t",))) for n in (1, 2))
    ask = Ask("range", members, image_of([("t", 3)]))
    ((first, second),) = client_side("range", None, NONE).assign(ask)
    assert [(name, len(given)) for name, given in (first, second)] == [("c1-1", 2), ("c2-1", 1)]


@pytest.mark.parametrize(
    ("assignor", "mode", "words"),
    [
        ("range", "cooperative", "--protocol: range does not support cooperative"),
        ("range", "lazy", "--protocol: unknown mode 'lazy'; expected eager or cooperative"),
        ("uniform", None, "--assignor: 'uniform' is not a client-side assignor"),
    ],
)
def test_what_a_client_cannot_run_is_refused(assignor, mode, words):
    with pytest.raises(InputError, match=words):
        client_side(assignor, mode, NONE)


def test_server_side_assignors_are_found_by_their_short_names():
    assert server_side(None) is server_side(ANY) is balanced_targets
    assert server_side("range") is not server_side("uniform")
    with pytest.raises(InputError, match="'sticky' is not a server-side assignor; expected uniform or range"):
        server_side("sticky")


def test_assignors_of_tasks_are_those_that_give_them_to_members():
    assert of_tasks(None) is of_tasks(ANY) is balanced_tasks
    ask = StreamsGroup(
        (Subtopology("0", 2, stateful=True),), (StreamsMember("a", "p1"), StreamsMember("b", "p2")), 1
    )
    assign = of_tasks("streams-group-sticky")
    (target,) = assign(ask)
    assert target in balanced_tasks(ask)
    assert assign(StreamsGroup(ask.subtopologies, ())) == ((),)
    for other in ("streams-sticky", "sticky", "nobody"):
        with pytest.raises(InputError, match="assigns no tasks to members; expected streams-group-sticky"):
            of_tasks(other)


def test_a_users_assignor_of_tasks_is_asked_and_may_give_what_there_is():
    ask = StreamsGroup((Subtopology("0", 1, stateful=False),), (StreamsMember("a", "p1"),))
    (target,) = of_tasks(UsersTasks("mine", lambda group: {"a": MemberTasks(group.tasks)}))(ask)
    assert [(who, roles.active) for who, roles in target] == [("a", ask.tasks)]
    other = UsersTasks("mine", lambda _: {"a": MemberTasks((GroupTask("7", 0),))})
    with pytest.raises(TargetNotLoadable, match="mine: assigns 7_0 to a; expected one of 0_0"):
        of_tasks(other)(ask)
