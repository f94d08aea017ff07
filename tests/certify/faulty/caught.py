"""Whether a control is caught by its claim."""

from kassay.certify.faulty.registry import Control, controls_of
from kassay.certify.kinds.judging import Subject
from kassay.certify.kinds.registry import driver_for
from kassay.model.kinds import Kind
from kassay.properties.groups.histories.generator import Profile
from kassay.properties.registry import promise
from kassay.properties.sources import Seeded, derive_seed


def alone(kind: Kind) -> list[Control]:
    """The controls of a kind, but for what is seen only beside another process."""
    return [control for control in controls_of(kind) if control.breaks != "deterministic"]


def is_caught(control: Control, cases: int = 150) -> bool:
    """Whether one of so many cases breaks the claim that must catch the control."""
    driver = driver_for(control.kind)
    subject = Subject(control.new, control.protocol, (promise(control.breaks, control.kind),))
    profile = Profile(kind=control.kind)
    drawn = (driver.generate(Seeded(derive_seed(0, i)), profile) for i in range(cases))
    return any(driver.examine(case, subject).violations for case in drawn)
