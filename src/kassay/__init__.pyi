"""The types of what `__getattr__` imports; `tests/api` compares this with the files of `kassay.api`."""

from kassay.api.audit import audit as audit
from kassay.api.campaign import campaign as campaign
from kassay.api.certify import certify as certify
from kassay.api.check import check as check
from kassay.api.conform import conform as conform
from kassay.api.diff import diff as diff
from kassay.api.explain import explain as explain
from kassay.api.explore import explore as explore
from kassay.api.fleet import fleet as fleet
from kassay.api.gap import gap as gap
from kassay.api.hunt import hunt as hunt
from kassay.api.interop import interop as interop
from kassay.api.lint import lint as lint
from kassay.api.live import live as live
from kassay.api.optimum import optimum as optimum
from kassay.api.place import place as place
from kassay.api.play import play as play
from kassay.api.prove import prove as prove
from kassay.api.replay import replay as replay
from kassay.api.scale import scale as scale
from kassay.api.vectors import vectors as vectors
from kassay.api.what_if import what_if as what_if

__version__: str
