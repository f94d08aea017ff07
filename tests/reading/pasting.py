"""What people do to the output of a tool before another program sees it, as functions of a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

COMMAND: Final = "kafka-consumer-groups.sh --bootstrap-server b1:9092 --describe --group g"
PROMPTS: Final = (
    "root@x:/# ",
    "bash-5.1$ ",
    "[u@h ~]$ ",
    "PS C:\\kafka> ",
    "PS> ",
    "C:\\kafka>",
    "➜  ~ ",
    "$ ",
    "% ",
    "❯ ",
    "user@mac ~ % ",
    "mbp:kafka joe$ ",
    "I have no name!@kafka-0:/$ ",
    "/ # ",
    "~ $ ",
    "(venv) me@host:~/x$ ",
    "[appuser@broker ~]$ ",
    "sh-4.4$ ",
)
FENCES: Final = (
    ("```", "```"),
    ("```console", "```"),
    ("~~~", "~~~"),
    ("{code}", "{code}"),
    ("{noformat}", "{noformat}"),
    ("<pre>", "</pre>"),
)


def each(form: str) -> Callable[[str], str]:
    """Every line in this form, `{}` for the line; `{n}` is its number."""
    return lambda text: "".join(
        form.format(line, n=number).rstrip(" ") + "\n" for number, line in enumerate(text.split("\n"))
    )


def prompted(prompt: str) -> Callable[[str], str]:
    """The command above, and an empty prompt below."""
    return lambda text: f"{prompt}{COMMAND}\n{text.rstrip(chr(10))}\n{prompt}\n"


def continued(prompt: str) -> Callable[[str], str]:
    """The command in two lines."""
    return lambda text: f"$ kafka-consumer-groups.sh \\\n{prompt}--describe --group g\n{text}"


def fenced(begin: str, end: str) -> Callable[[str], str]:
    """Between two lines of a markup."""
    return lambda text: f"{begin}\n{text.rstrip(chr(10))}\n{end}\n"


def in_line(text: str) -> str:
    """Between marks that have no lines of their own, as chats have them."""
    return f"```{text.strip(chr(10))}```\n"


def between_sentences(text: str) -> str:
    """As it stands in a ticket."""
    return f"Hi all, our group behaves oddly since Monday:\n\n{text}\n\nCan anyone tell me what is wrong?\n"


def wrapped(width: int, *, trimmed: bool) -> Callable[[str], str]:
    """At the width of a terminal, with or without blanks at the ends of lines."""

    def wrap(text: str) -> str:
        pieces: list[str] = []
        for line in text.expandtabs().split("\n"):
            parts = [line[at : at + width] for at in range(0, len(line), width)] or [""]
            pieces += ([part.rstrip() for part in parts if part.strip()] or [""]) if trimmed else parts
        return "\n".join(pieces)

    return wrap


def coloured(text: str) -> str:
    """With the colours of a terminal."""
    lines = (line.replace(" ", "\x1b[01;32m ", 1) for line in text.split("\n"))
    return "\n".join(f"\x1b[0m{line}\x1b[0m" if line.strip() else line for line in lines)


ALL: Final[dict[str, Callable[[str], str]]] = {
    "as it is": lambda text: text,
    **{f"prompt {prompt!r}": prompted(prompt) for prompt in PROMPTS},
    **{f"command goes on after {prompt!r}": continued(prompt) for prompt in ("> ", "", "    ")},
    **{f"fence {fence[0]}": fenced(*fence) for fence in FENCES},
    "fence in the line": in_line,
    "sentences": between_sentences,
    "quoted": each("> {}"),
    "quoted twice": each("> > {}"),
    "indented": each("    {}"),
    "docker logs -t": each("2026-05-01T12:00:01.{n:09d}Z {}"),
    "kubectl logs --prefix": each("[pod/kafka-0/kafka] {}"),
    "docker compose logs": each("kafka-1  | {}"),
    "kubectl exec": lambda text: f'Defaulted container "kafka" out of: kafka, init (init)\n{text}',
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "colours": coloured,
    "non-breaking blanks": lambda text: text.replace("  ", " \u00a0"),
    "trimmed": lambda text: "\n".join(line.rstrip() for line in text.split("\n")),
    "an empty line after each": lambda text: text.replace("\n", "\n\n"),
    **{
        f"wrapped at {width}{', trimmed' if trimmed else ''}": wrapped(width, trimmed=trimmed)
        for width in (72, 80, 100, 120, 132)
        for trimmed in (False, True)
    },
}
"""What may be done, by name."""
OUTER: Final = tuple(name for name in ALL if "wrapped" not in name and "empty" not in name)
"""What may be done to a text to which something else was done before."""
