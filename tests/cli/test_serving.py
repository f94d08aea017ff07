"""`kassay mcp`, called by the client of the official SDK."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import anyio

from kassay.cli.serving import TOOLS, digest_of
from tests.paths import ROOT

PROGRAM = [sys.executable, "-m", "kassay", "mcp"]


def asked(*calls: tuple[str, dict[str, Any]], cwd: Path = ROOT) -> list[Any]:
    """The results of calls of tools, by one server and one client, and the tools that it listed before."""
    from mcp import Client, StdioServerParameters

    async def talk() -> list[Any]:
        parameters = StdioServerParameters(
            command=PROGRAM[0], args=PROGRAM[1:], env=dict(os.environ), cwd=str(cwd)
        )
        async with Client(parameters) as client:
            listed = await client.list_tools()
            return [listed.tools, *[await client.call_tool(name, arguments) for name, arguments in calls]]

    return anyio.run(talk)


def test_an_answer_carries_its_proof_and_the_digest_of_it() -> None:
    tools, certified, proved, unknown = asked(
        ("certify", {"target": "ceil-range", "claims": "topic-even", "seconds": 2}),
        ("prove", {"name": "range-even"}),
        ("prove", {"name": "no-such"}),
    )
    assert [each.name for each in tools] == [tool.__name__ for tool in TOOLS]
    assert all(each.annotations.read_only_hint and each.description for each in tools)
    for answer in (certified, proved):
        assert not answer.is_error
        content = answer.structured_content
        assert content["digest"] == digest_of(content["proof"])
    assert certified.structured_content["summary"].startswith("ceil-range breaks topic-even (3 members, ")
    assert unknown.is_error and "'no-such', expected one of" in unknown.content[0].text
