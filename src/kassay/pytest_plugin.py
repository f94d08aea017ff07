"""The pytest plugin: `pytest --kassay TARGET` adds a test that certifies the target.

Only pytest imports this module; kassay itself does not need pytest.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("kassay", "certification of Kafka assignors")
    group.addoption(
        "--kassay",
        action="append",
        default=[],
        metavar="TARGET",
        help="certify this target as a test, as `kassay certify` would",
    )
    group.addoption(
        "--kassay-histories", type=int, default=300, metavar="N", help="histories a target [default: 300]"
    )
    group.addoption(
        "--kassay-out",
        default=".kassay",
        metavar="DIR",
        help="traces of what is violated [default: .kassay]",
    )
    group.addoption(
        "--kassay-claims-file",
        metavar="FILE",
        help="judge the sentences of this TOML file",
    )
    group.addoption("--kassay-seed", type=int, default=0, metavar="N", help="seed [default: 0]")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Add a test for each `--kassay TARGET`, so that -k, --lf and -n treat it like any other."""
    report = yield
    if isinstance(collector, pytest.Session) and report.passed:
        report.result += [
            CertifyItem.from_parent(collector, name=f"kassay[{spec}]", nodeid=f"kassay[{spec}]", spec=spec)
            for spec in collector.config.getoption("--kassay")
        ]
    return report


class CertifyItem(pytest.Item):
    """One target, certified."""

    def __init__(self, *, spec: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.spec = spec

    def runtest(self) -> None:
        """Certify it like the command: under a guard, with controls, and failing for an unknown claim."""
        from kassay.testing import certify_assignor

        certify_assignor(
            self.spec,
            histories=self.config.getoption("--kassay-histories"),
            seed=self.config.getoption("--kassay-seed"),
            claims_file=self.config.getoption("--kassay-claims-file"),
            out=self.config.getoption("--kassay-out"),
        )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The shrunk history as a table with its replay command, or one line if nothing could be tested."""
        from kassay.model.errors import KassayError
        from kassay.testing import NotCertifiedError

        if isinstance(excinfo.value, NotCertifiedError | KassayError):
            return excinfo.getrepr(style="value")
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """The reported location of the test."""
        return self.path, None, self.name
