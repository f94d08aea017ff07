"""kassay inside your own tests.

    from kassay.testing import certify_assignor

    def test_my_assignor():
        certify_assignor("path/to/my_assignor.py", claims=["balanced-kip54"], histories=500)

With pytest, `pytest --kassay path/to/my_assignor.py` adds the same as a test of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from io import StringIO

from kassay.certify.runs.certificate import Certificate
from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.runs.run import certify
from kassay.certify.targets.resolve import resolve
from kassay.model.errors import InputError
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.verdict import Verdict
from kassay.properties.groups.histories.assumptions import parse_assumptions

HISTORIES = 300


class NotCertifiedError(AssertionError):
    """A claim is violated, or unknown where that was not allowed; `certificate` holds everything."""

    def __init__(self, certificate: Certificate) -> None:
        super().__init__(failure_text(certificate))
        self.certificate = certificate


def certify_assignor(
    target: str | type,
    *,
    claims: Sequence[str] | None = None,
    assume: Sequence[str] = (),
    protocol: str | None = None,
    histories: int = HISTORIES,
    seed: int = 0,
    profile: str = "small",
    config: Mapping[str, str] | None = None,
    isolated: bool = False,
    allow_unknown: bool = True,
) -> Certificate:
    """The certificate of a target, if no claim is violated.

    `target` is a target spec or a class at the top level of a module. `claims` are judged in place of
    validity and what the target declares. `isolated` runs a user's code in a child process. Raises
    `NotCertifiedError` with the shrunk history as a table, and `InputError` or a target error for what
    cannot be tested. An unknown verdict (a small number of histories) passes unless `allow_unknown` is
    False.
    """
    options = RunOptions(
        claims=None if claims is None else tuple(claims),
        assume=parse_assumptions(list(assume)),
        protocol=None if protocol is None else RebalanceProtocol(protocol),
        budget=Budget(histories=histories),
        profile=profile,
        seed=seed,
        in_process=not isolated,
        config=dict(config or {}),
        controls=False,
    )
    spec = target if isinstance(target, str) else _spec_of(target)
    loaded = resolve(spec, in_process=not isolated, config=options.config, protocol=options.protocol)
    certificate = certify(loaded, options)
    refused = {Verdict.VIOLATED} if allow_unknown else {Verdict.VIOLATED, Verdict.UNKNOWN}
    if any(result.verdict in refused for result in certificate.claims):
        raise NotCertifiedError(certificate)
    return certificate


def _spec_of(cls: type) -> str:
    """The spec of a class: the file that it stands in, and its name."""
    if "<locals>" in cls.__qualname__ or "." in cls.__qualname__:
        raise InputError(f"{cls.__qualname__}: expected a class at the top level of a module")
    return f"{inspect.getfile(cls)}:{cls.__name__}"


def failure_text(certificate: Certificate) -> str:
    """The certificate's failures as plain text: each broken claim with its smallest history as a table."""
    from kassay.report.screen.console import console
    from kassay.report.screen.terminal import certificate_view

    out = StringIO()
    console(file=out).show(certificate_view(certificate))
    return f"{certificate.target} is {certificate.verdict}\n\n{out.getvalue()}"
