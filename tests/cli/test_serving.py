"""`kassay mcp`, called by the client of the official SDK."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from kassay.cli.serving import TOOLS, digest_of
from tests.paths import DOCS, ROOT

GROUP = {
    "family": "A",
    "name": "g",
    "topics": [{"name": "t", "partitions": 2}],
    "members": [{"id": "a", "topics": ["t"], "owned": [["t", 0]]}, {"id": "b", "topics": ["t"]}],
}
CLUSTER = [str(ROOT / "examples" / "cluster" / name) for name in ("groups.txt", "topics.txt")]
REPLICAS = [str(ROOT / "examples" / "cluster" / name) for name in ("replicas.txt", "brokers.txt")]
LOG = [str(ROOT / "examples" / "cluster" / name) for name in ("offsets-12.txt", "topics.txt")]


def asked(folder: Path, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """The tools that a server lists, and the results of calls, by one client."""
    pytest.importorskip("mcp")
    import anyio
    from mcp import Client, StdioServerParameters

    async def talk() -> list[Any]:
        program = StdioServerParameters(
            command=sys.executable, args=["-m", "kassay", "mcp"], env=dict(os.environ), cwd=str(folder)
        )
        async with Client(program) as client:
            tools = (await client.list_tools()).tools
            return [tools, *[await client.call_tool(name, arguments) for name, arguments in calls]]

    return anyio.run(talk)


def test_answers_carry_their_proof_and_its_digest(tmp_path: Path) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("certify", {"target": "ceil-range", "claims": "topic-even", "seconds": 1}),
        ("what_if", {"inputs": CLUSTER, "to": ["uniform"]}),
        ("place", {"inputs": REPLICAS}),
        ("prove", {"name": "range-even"}),
        ("optimum", {"instance": GROUP}),
        ("scale", {"inputs": CLUSTER, "max_members": 3}),
        ("audit", {"files": LOG}),
        ("lint", {"files": [str(ROOT / "examples/settings/librdkafka.properties")]}),
        ("explain", {"what": "topic-even"}),
    ]
    tools, *answers = asked(tmp_path, *calls)
    assert [each.name for each in tools] == [tool.__name__ for tool in TOOLS]
    assert all(each.annotations.read_only_hint and each.description for each in tools)
    proved = {}
    for (name, _), answer in zip(calls, answers, strict=True):
        assert not answer.is_error, answer.content
        content = answer.structured_content
        assert content["summary"] and content["result"]
        assert content["digest"] == (None if content["proof"] is None else digest_of(content["proof"]))
        proved[name] = content["proof"]
    assert [name for name, proof in proved.items() if proof is None] == ["scale", "audit", "lint", "explain"]
    assert not list(tmp_path.iterdir())
    _, *checked = asked(
        tmp_path, *(("check", {"certificate": proved[name]}) for name in ("what_if", "place", "optimum"))
    )
    assert ["accepted" in each.structured_content["summary"] for each in checked] == [True, True, True]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("prove", {"name": "no-such"}, "'no-such', expected one of"),
        ("certify", {"target": "nofile.py"}, "nofile.py: no such file"),
        ("what_if", {"inputs": ["nofile.txt"]}, "nofile.txt"),
    ],
)
def test_misuse_is_an_error_in_its_own_words(
    tmp_path: Path, tool: str, arguments: dict[str, Any], said: str
) -> None:
    _, answer = asked(tmp_path, (tool, arguments))
    assert answer.is_error and said in answer.content[0].text


def test_the_page_has_a_row_for_each_tool() -> None:
    rows = [line for line in (DOCS / "mcp.md").read_text().splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == [tool.__name__ for tool in TOOLS]
