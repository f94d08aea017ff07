"""A Hypothesis state machine for an assignor: run it with `python -m pytest` in this folder."""

from hypothesis import settings
from kept_assignor import KeptAssignor

from kassay.strategies import AssignorMachine


class KeptMachine(AssignorMachine):
    """The events of a consumer group with this assignor; every claim is checked after each of them."""

    assignor = KeptAssignor
    claims = ("order-independent",)


TestKept = KeptMachine.TestCase
TestKept.settings = settings(max_examples=50, stateful_step_count=20, deadline=None)
