"""A Hypothesis state machine for an assignor: run it with `pytest examples/test_state_machine.py`."""

from hypothesis import settings
from kept_assignor import KeptAssignor

from kassay.assignors.plain import PlainAssignor
from kassay.properties.machines.groups import GroupMachine


class KeptMachine(GroupMachine):
    """The events of a consumer group with this assignor; every claim is checked after each of them."""

    claims = ("order-independent",)

    @staticmethod
    def new(_config):
        return PlainAssignor(KeptAssignor(), name="kept")


TestKept = KeptMachine.TestCase
TestKept.settings = settings(max_examples=50, stateful_step_count=20, deadline=None)
