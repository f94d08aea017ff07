"""Invariants asked as the explorer asks them: of what is shown, through where they look."""

from kassay.properties.protocols.registry import View, Views, invariants


def answers(name, sight, *shown):
    """What the predicates of a name say of what one sight shows: None unless one was asked."""
    views = Views({sight: View(lambda state: state)})
    findings = None
    for invariant in invariants(views, [name]):
        ask = invariant.check if len(shown) == 1 else invariant.check_step
        said = ask(*shown) if ask else None
        if said is not None:
            findings = [*(findings or ()), *((str(one.severity), one.message) for one in said)]
    return findings


def broken(*messages):
    """Promises broken, with this evidence."""
    return [("real", message) for message in messages]
