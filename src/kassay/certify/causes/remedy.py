"""What a fix must do: derived from the evidence of a trace where that shows it, else for the common cause."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kassay.model.calls import Look
from kassay.properties.registry import Claim, as_text

_LOOKS: Final = {
    Look.AGAIN.value: "give the same answer when the same object is called again with the same input",
    Look.OTHER.value: "give the same answer from another object with the same configuration",
    Look.PERMUTED.value: "give the same answer when its input comes in another order",
    Look.PROCESS.value: "give the same answer in another process",
}
_UNEVEN: Final = {"has", "while", "with"}
"""The facts of a member that has more than another; why it has is not among them."""


class Remedy(NamedTuple):
    """What a fix must do, after "a fix must"; `is_derived` says whether the trace shows it.

    `common` is what a fix of the common cause must do next to that, where the trace does not exclude it.
    """

    text: str
    is_derived: bool
    common: str | None = None

    @property
    def sentence(self) -> str:
        """The sentence, without a full stop."""
        return f"A fix must {self.text}" if self.is_derived else f"Common cause: a fix must {self.text}"


def remedy(claim: Claim, broken: Mapping[str, Any] | None) -> Remedy:
    """The remedy for the first piece of evidence; without one, or where it shows no cause, the claim's own.

    A claim's own remedy is a fixed sentence about the common cause of its violations: another one may have
    broken it here.
    """
    if broken is None or (derived := _derived(str(broken["subject"]), broken["facts"])) is None:
        return Remedy(claim.fix, False)
    return Remedy(derived, True, None if broken["facts"].keys() >= _UNEVEN else claim.fix)


def _derived(subject: str, facts: Mapping[str, Any]) -> str | None:
    if (message := facts.get("no answer")) is not None:
        return f"answer here: {as_text(message)}"
    if (message := facts.get("refused")) is not None:
        return f"accept this input: {as_text(message)}"
    if (look := facts.get("asked")) in _LOOKS:
        return _LOOKS[look]
    if facts.keys() >= _UNEVEN:
        least, fewer = as_text(facts["while"]), as_text(facts["with"])
        return f"assign more to {least}, which has {fewer}, and less to {subject}"
    return None
