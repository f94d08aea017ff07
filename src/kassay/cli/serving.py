"""What `kassay mcp` serves: functions of the package root as tools of the Model Context Protocol.

A tool reads the files that the client names and writes none. Its answer has the summary, the document of the
command and the proof with its digest, so that who passes the answer on can be checked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypedDict

import kassay
from kassay.model.errors import KassayError
from kassay.report.result import Result
from kassay.writing.files import json_text

if TYPE_CHECKING:
    from mcp.server import MCPServer

SECONDS: Final = 10.0
SECONDS_MAX: Final = 120.0
"""A client waits for an answer, and can ask again with more."""
ABOUT: Final = (
    "kassay tests Kafka's assignment rules and computes certified optima for consumer groups and replicas. "
    "Tools read the files that you name and write none. `proof` is what the answer rests on: a certificate "
    "that `check` accepts, or the counterexamples. `digest` is the SHA-256 of `proof` as JSON with sorted "
    "keys and no spaces."
)


class ToolAnswer(TypedDict):
    """The answer of a tool; `proof` is null where nothing is proved, and `digest` with it."""

    summary: str
    result: Any
    proof: Any
    digest: str | None


Tool = Callable[..., ToolAnswer]


def answer_of(result: Result, proof: Any) -> ToolAnswer:
    """The result with its proof and the proof's digest."""
    digest = None if proof is None else digest_of(proof)
    return ToolAnswer(summary=result.summary(), result=result.to_json(), proof=proof, digest=digest)


def digest_of(proof: Any) -> str:
    """The SHA-256 of the document as JSON with sorted keys and no spaces, as hexadecimal digits."""
    return hashlib.sha256(json_text(proof, compact=True, sort_keys=True).encode()).hexdigest()


def certify(
    target: str,
    claims: str | None = None,
    seconds: float = SECONDS,
    seed: int = 0,
    protocol: str | None = None,
) -> ToolAnswer:
    """Test an assignor on generated histories. Runs its code in a guarded child process.

    `target` is a reference (`sticky`) or a file (`path/file.py:Name`); `claims` are ids or sentences between
    commas, those that it declares by default. The proof has each claim's verdict and counterexample.
    """
    bounded = min(max(seconds, 1.0), SECONDS_MAX)
    result = kassay.certify(target, claims=claims, seconds=bounded, seed=seed, protocol=protocol)
    return answer_of(result, [claim.to_json() for claim in result.claims])


def what_if(
    inputs: list[str], to: list[str] | None = None, events: str | None = None, group: str | None = None
) -> ToolAnswer:
    """Predict what other assignors (`to`) or `events` (`leave:2,join:3`) would do to a consumer group.

    `inputs` are outputs of kafka-consumer-groups --describe and kafka-topics --describe, as paths or texts.
    The proof is the certificate of the best assignment.
    """
    result = kassay.what_if(*inputs, to=to or (), events=events, group=group)
    return answer_of(result, result.certificate)


def scale(inputs: list[str], group: str | None = None, max_members: int | None = None) -> ToolAnswer:
    """Show how balanced a group is at each number of members, and what moves; `inputs` as for what_if."""
    return answer_of(kassay.scale(*inputs, group=group, max_members=max_members), None)


def place(
    inputs: list[str],
    remove: list[int] | None = None,
    drain: list[int] | None = None,
    add: dict[int, str | None] | None = None,
) -> ToolAnswer:
    """Check a cluster's replicas, find the best placement and plan the steps to it.

    `inputs` are outputs of kafka-topics --describe, kafka-broker-api-versions, kafka-log-dirs, as paths or as
    texts; `add` has a rack for each new broker's id. The proof is the certificate of the best placement.
    """
    result = kassay.place(*inputs, remove=remove or (), drain=drain or (), add=add)
    return answer_of(result, result.certificate)


def audit(files: list[str], group: str | None = None, since: str | None = None) -> ToolAnswer:
    """Check the rebalances in outputs of kafka-dump-log --offsets-decoder; `since` as 2026-11-22T08:00."""
    return answer_of(kassay.audit(*files, group=group, since=since), None)


def lint(files: list[str], library: str | None = None, release: str | None = None) -> ToolAnswer:
    """Check settings of clients, Streams applications and brokers, and reassignments, with each other."""
    return answer_of(kassay.lint(*files, library=library, release=release), None)


def explain(what: str, against: str | None = None) -> ToolAnswer:
    """Explain a claim, a rule, a trace's path or a model; `against` a release: what an upgrade changes."""
    return answer_of(kassay.explain(what, against=against), None)


def prove(name: str) -> ToolAnswer:
    """Prove a claim about a formula for all sizes with Z3, e.g. `range-even`; the proof has its verdict."""
    result = kassay.prove(name)
    return answer_of(result, result.rows())


def optimum(instance: dict[str, Any] | str, order: str = "balance,movement,rack") -> ToolAnswer:
    """Find the best assignment or placement of an instance, a document or its path; proof: certificate."""
    result = kassay.optimum(instance, order=order)
    return answer_of(result, result.certificate)


def check(certificate: dict[str, Any] | str) -> ToolAnswer:
    """Check a certificate, a document or its path, without the solver that made it."""
    result = kassay.check(certificate)
    return answer_of(result, result.rows())


TOOLS: Final[tuple[Tool, ...]] = (
    certify,
    what_if,
    scale,
    place,
    audit,
    lint,
    explain,
    prove,
    optimum,
    check,
)


def server() -> MCPServer:
    """The server with every tool; raises `ImportError` without the extra `mcp`."""
    from mcp.server import MCPServer
    from mcp.types import ToolAnnotations

    served = MCPServer("kassay", version=kassay.__version__, instructions=ABOUT)
    reads = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    for tool in TOOLS:
        served.add_tool(_complaining(tool), annotations=reads, structured_output=True)
    return served


def _complaining(tool: Tool) -> Tool:
    """The tool whose errors reach the client in their own words."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def call(*args: Any, **named: Any) -> ToolAnswer:
        try:
            return tool(*args, **named)
        except KassayError as error:
            raise ToolError(str(error)) from None

    return call
