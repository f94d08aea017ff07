"""Shell completion of targets, claims, assumptions, models, switches, suites, reports, clients and files.

Each function is the `shell_complete` of an option or an argument: it takes the typed text and returns
candidates. They import only registries, neither solver nor generator.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Final

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
"""The signature of click's completion functions."""
Named = Callable[[], Iterable[tuple[str, str]]]
"""Names, each with its meaning in one line."""

VARIABLE: Final = "_KASSAY_COMPLETE"
_FILE: Final = CompletionItem("", type="file")


def _one(names: Named, *, files: bool = False) -> Complete:
    """Complete one of the names, or a file."""

    def complete(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem]:
        items = [CompletionItem(name, help=words) for name, words in names() if name.startswith(typed)]
        return [*items, _FILE] if files else items

    return complete


def _several(names: Named) -> Complete:
    """Complete the last of several names separated by commas; names already given are not offered again."""

    def complete(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem]:
        head, comma, tail = typed.rpartition(",")
        given = head.split(",")
        return [
            CompletionItem(f"{head}{comma}{name}", help=words)
            for name, words in names()
            if name.startswith(tail) and name not in given
        ]

    return complete


def _targets() -> Iterable[tuple[str, str]]:
    from kassay.assignors.registry import load_all
    from kassay.engines.targets.resolve import ways

    for reference in load_all().values():
        yield reference.spec, reference.summary
    for way in ways():
        yield from ((offer.spec, offer.summary) for offer in way.offers())


def _claims() -> Iterable[tuple[str, str]]:
    from kassay.properties.registry import load_claims

    for (_, name), claim in sorted(load_claims().items(), key=lambda each: each[0][1]):
        yield f"{name}:" if claim.parameter else name, claim.sentence


def _situations() -> Iterable[tuple[str, str]]:
    from kassay.properties.registry import load_situations

    return ((situation.id, situation.sentence) for situation in load_situations().values())


def _explained() -> Iterable[tuple[str, str]]:
    yield from _claims()
    yield from _targets()


def _assumptions() -> Iterable[tuple[str, str]]:
    from kassay.properties.assumptions import every_assumption

    return ((name, "") for name in every_assumption())


def _models() -> Iterable[tuple[str, str]]:
    from kassay.engines.protocols.settings import MODELS

    return MODELS.items()


def _switches() -> Iterable[tuple[str, str]]:
    from kassay.engines.protocols.switches import SWITCHES
    from kassay.engines.protocols.variants import WORDS

    yield "each", "break each rule in turn"
    yield from WORDS.items()
    yield from ((switch.name, switch.bug) for switch in SWITCHES.values())


def _suites() -> Iterable[tuple[str, str]]:
    from kassay.solver.instances.suites import SUITES

    return SUITES.items()


def _proofs() -> Iterable[tuple[str, str]]:
    from kassay.solver.proofs.obligation import obligations

    return ((one.name, one.sentence) for one in obligations())


def _formats() -> Iterable[tuple[str, str]]:
    from kassay.report.files.formats import FILES

    return ((name, file) for name, (_, file) in FILES.items())


def _clients() -> Iterable[tuple[str, str]]:
    from kassay.engines.clusters.clients.rules import measured_clients

    return ((name, rules.version) for name, rules in measured_clients().library.items())


def _goals() -> Iterable[tuple[str, str]]:
    return ((name, "") for name in ("balance", "movement", "rack"))


def _unique(names: Named) -> Named:
    """The names without repetition: a claim of several kinds appears once."""
    return lambda: dict(names()).items()


target: Final = _one(_unique(_targets), files=True)
targets: Final = _several(_targets)
claim: Final = _one(_unique(_claims))
claims: Final = _several(_unique(_claims))
hunted: Final = _one(_unique(_claims), files=True)
situations: Final = _one(_unique(_situations))
explained: Final = _one(_unique(_explained), files=True)
assumptions: Final = _several(_assumptions)
model: Final = _one(_models)
switch: Final = _one(_unique(_switches))
instances: Final = _one(_suites, files=True)
proof: Final = _one(_proofs)
formats: Final = _several(_formats)
goals: Final = _several(_goals)
client: Final = _one(_clients)


def file(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem]:
    """Leave the completion of a file to the shell."""
    return [CompletionItem(typed, type="file")]


class KassayBash(BashComplete):
    """Bash, which treats the text between colons and equals signs as separate words.

    The script passes the typed line and the part that bash will replace; the text before that part in the
    same word is removed from the candidates.
    """

    source_template = """\
%(complete_func)s() {
    local item answers
    COMPREPLY=()
    answers=$(env COMP_TYPED="${COMP_LINE:0:COMP_POINT}" COMP_PART="$2" %(complete_var)s=bash_complete "$1")
    while IFS= read -r item; do
        case "$item" in
            file,*) compopt -o default ;;
            dir,*) compopt -o dirnames ;;
            plain,*:) compopt -o nospace; COMPREPLY+=("${item#*,}") ;;
            plain,*) COMPREPLY+=("${item#*,}") ;;
        esac
    done <<< "$answers"
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words of the line so far, and the word under the cursor."""
        line = os.environ["COMP_TYPED"]
        words = split_arg_string(line)
        typed = "" if not words or line[-1:].isspace() else words.pop()
        return words[1:], typed

    def format_completion(self, item: CompletionItem) -> str:
        """The kind of the candidate, and bash's replacement of the current part."""
        _, typed = self.get_completion_args()
        kept = typed.removesuffix(os.environ["COMP_PART"].strip("\"'"))
        return f"{item.type},{item.value.removeprefix(kept)}"


def register() -> None:
    """Register the class above for bash in click."""
    add_completion_class(KassayBash)


def source(shell: str, program: click.Command) -> str:
    """The shell script that completes `kassay`."""
    from click.shell_completion import get_completion_class

    register()
    kind = get_completion_class(shell)
    assert kind is not None, shell
    completion = kind(program, {}, "kassay", VARIABLE)
    return completion.source_template % completion.source_vars()
