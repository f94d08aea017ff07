"""Documents of every shape of a case: those of the toy family, and those of each kind of target."""

from itertools import islice

from hypothesis import strategies as st

from kassay.kinds.protocol import RunWishes
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.kinds import every_kind
from kassay.properties.sources import Seeded
from tests.model.shape.toy import LIBRARY, libraries

SHAPES = {"library": LIBRARY, **{str(kind): driver_for(kind).form for kind in every_kind()}}
_SMALL = RunWishes("small", "", frozenset(), frozenset())


def values(name):
    """A strategy of cases of the shape of that name."""
    if name == "library":
        return libraries()
    driver = next(driver_for(kind) for kind in every_kind() if str(kind) == name)
    profile = driver.profile(_SMALL)
    return st.integers(0, 2**32).map(lambda seed: driver.generate(Seeded(seed), profile))


def is_read(shape, document):
    """Whether the shape reads the document; any other error than `InputError` is raised."""
    try:
        shape.read(document, "case")
    except InputError:
        return False
    return True


def some(things, most=60):
    """At most so many of the things, from everywhere among the first few hundred."""
    every = list(islice(things, 600))
    return every[:: max(1, len(every) // most)]
