"""A classic client's moves are held to its table, and a fresh process knows nothing."""

from itertools import product

import pytest

from kassay.model.protocols.clients.classic_state import (
    CLIENT,
    ClassicClient,
    ClassicEvent,
    ClassicState,
    moved,
    started,
)
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.table import IGNORE, IllegalTransition, edges
from kassay.model.protocols.values.requests import image_of


def test_a_client_moves_where_its_table_lets_it_and_nowhere_else():
    allowed = {*edges(CLIENT)} | {
        (state, event, state)
        for state, rules in CLIENT.items()
        for event, rule in rules.items()
        if rule is IGNORE
    }
    for before, event, after in product(ClassicState, ClassicEvent, ClassicState):
        client = ClassicClient(Process.UP, before, "m-1", 3)
        if (before, event, after) in allowed:
            assert moved(client, event, state=after, rejoin=False) == client._replace(
                state=after, rejoin=False
            )
        else:
            with pytest.raises(IllegalTransition):
                moved(client, event, state=after)


def test_a_process_that_has_just_started_wants_to_join_and_knows_no_id():
    image = image_of({"ta": 1, "u": 1}.items())
    client = started(ClientConfig("c1", pattern="t"), image, 2, 5)
    assert (client.run, client.state, client.topics) == (Process.UP, ClassicState.UNJOINED, ("ta",))
    assert (client.member_id, client.generation, client.owned, client.rejoin) == ("", -1, (), True)
    assert (client.rollout_step, client.connection) == (2, 5)
