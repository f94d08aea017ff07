"""What a shell, kubectl, a chat or a ticket adds to the output of a tool, removed and counted.

Lines keep their numbers: a line that is removed becomes an empty one. Encodings: UTF-8 and UTF-16, with or
without a byte order mark, as PowerShell's redirection writes them. Removed are colours of terminals, marks of
quotations, fences of Markdown and Jira, timestamps and names that `docker logs`, `kubectl logs` and loggers
put in front of each line, prompts with their commands, chatter of kubectl, docker, ssh, the JVM and loggers,
and sentences before, between and after tables.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from kassay.reading.wrapped import TitledTable, is_titles, unwrapped

_ANSI: Final = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>]?"
    r"|\^\[\[[0-9;]*m"
)
_ODD: Final = {**dict.fromkeys("\u00a0\u2007\u202f\u3000", " "), **dict.fromkeys("\u200b\u2060\ufeff")}
_BLANKS: Final = str.maketrans(_ODD)
_ODD_BLANK: Final = re.compile(f"[{''.join(_ODD)}]")
_QUOTE: Final = re.compile(r"[ \t]?(?:> ?)+")
_ONE_QUOTE: Final = re.compile(r"[ \t]?> ?")
_TIME: Final = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_PREFIXES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_TIME}(?: std(?:out|err) [FP])?(?: |$)",
        rf"\[(?:{_TIME}|\d\d:\d\d:\d\d(?:[.,]\d+)?)\](?: |$)(?!(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b)",
        r"\[pod/[^\]\s]+\](?: |$)",
        r"[\w.-]{1,64} *\|(?: |$)",
        r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [^\s:]+:(?: |$)",
        r" {0,5}\d{1,6}\t",
    )
)
"""What loggers put in front of each line: times, pods, containers of Compose, syslog, numbers of lines."""
_TOOLS: Final = (
    r"kafka-[a-z]+(?:-[a-z]+)*(?:\.sh|\.bat)?|kafka-run-class(?:\.sh|\.bat)?|kafka\.\w+\.\w+|kafkacat|kcat|rpk|"
    r"kubectl|oc|docker(?:-compose| compose)?|podman|ssh|kafkactl"
)
_COMMAND: Final = re.compile(
    rf"\s*(?:sudo |time |winpty |& )?(?:[A-Z_]+=\S* )*[\"']?(?:\S*[/\\])?(?:{_TOOLS})[\"']?"
    r"\s+(?:-{1,2}[A-Za-z]|\S+\s+.*?-{1,2}[A-Za-z]|exec |logs )"
    r"|\s*rpk (?:group|topic|cluster) [a-z]"
)
_PROMPT: Final = re.compile(
    r"\s*(?:\([^()\s]*\) )?(?:"
    r"[$#%➜❯→»λ▶](?:\s|$)"
    rf"|>(?:\s*$|(?= *(?:\S*[/\\])?(?:{_TOOLS})\b))"
    r"|\[[^\]\n]*@[^\]\n]*\]\s?[$#%>](?:\s|$|(?=\S))"
    r"|(?:I have no name!|[\w.!-]+)@[\w.-]+(?:[:\s~][^\n]{0,200}?)?[$#%>](?:\s|$)"
    r"|(?:ba|z|k|da|a|c|tc)?sh-\d[\w.]*[$#](?:\s|$)"
    r"|[~/]\S*\s[$#%](?:\s|$)"
    r"|[\w.-]+:\S*\s+\w[\w.-]*[$#%](?:\s|$)"
    r"|(?:PS )?[A-Za-z]:\\[^>\t\n]*>"
    r"|PS(?:\s[^>\n]*)?>(?:\s|$)"
    r")"
)
_CHATTER: Final = (
    (
        "kubectl, docker or ssh",
        re.compile(
            r"\s*(?:Defaulted container |Defaulting container name|Unable to use a TTY"
            r"|the input device is not a TTY"
            r"|If you don't see a command prompt|Use 'kubectl |pod \"[^\"]*\" (?:deleted|created)"
            r"|command terminated with exit code|WARN\[\d+\]|Connection to \S+ closed|Last login: "
            r"|Warning: Permanently added|logout$|exit$)"
        ),
    ),
    (
        "the JVM or a logger",
        re.compile(
            r"\s*(?:WARNING:|WARN\b|SLF4J|log4j:|OpenJDK |Java HotSpot|Picked up |\[\d{4}-\d\d-\d\d "
            r"|(?:real|user|sys)\s+\d+m"
            r"|(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d[.,]\d{3}\s.*\b(?:WARN|INFO|ERROR|DEBUG)\b"
            r"|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d )"
        ),
    ),
)
_FENCE: Final = re.compile(r"\s*(?:```+[\w+-]*|~~~+\w*|\{(?:code|noformat)(?::[^}]*)?\}|</?(?:pre|code)>)\s*")
_FENCE_MARK: Final = r"(?:```|\{(?:code|noformat)(?::[^}]*)?\})"
_FENCE_INLINE: Final = re.compile(rf"^(\s*)(?:{_FENCE_MARK})+(?=.)|(?:{_FENCE_MARK})+\s*$")
_FENCED_QUOTE: Final = re.compile(rf"{_QUOTE.pattern}{_FENCE_MARK}")
_FENCE_MARKS: Final = ("```", "~~~", "{code", "{noformat", "<pre>", "<code>", "</pre>", "</code>")
"""What every fence has: without any of these in the text no line is looked at."""
_LAYERS_MAX: Final = 8
"""A paste of a paste of a paste has fewer layers."""
_CONTINUED: Final = ("\\", "`", "^")
"""What ends a line of a command that goes on in the next one: in bash, PowerShell, cmd."""
_MESSAGE: Final = re.compile(
    r"\s*(?:Warning: |Note: |Consumer group |Share group |Streams group |Group |Error\b.*:"
    r"|Exception in thread|Missing required argument|Executing )"
)
"""Messages of the tools themselves, which are never prose."""
_SENTENCE: Final = re.compile(
    r"[A-Z][A-Za-z']*,?(?: [\w'’./,-]+){0,20}(?: [a-z']{2,},?){3}(?: [\w'’,./-]+){0,30}[.:?!]*"
)
"""Words with single blanks between, at least three of them in lower case in a row."""
_SPOKEN: Final = re.compile(
    r"\s*(?:Status of|No partition|Current partition|Proposed|Save this|Successfully|Querying|Received"
    r"|Reassignment of|Dumping|Log starting|Starting offset|Metadata for|Processed a total|Throttle"
    r"|Clearing|There is no|The inter-broker|The replica-alter|Warning)"
)
"""Sentences of the tools."""
_TOPIC: Final = re.compile(r"^\s*Topic:", re.MULTILINE)
_TOPIC_KEYS: Final = re.compile(
    r"\b(?:Topic|TopicId|PartitionCount|ReplicationFactor|Configs|Partition|Leader|Replicas|Isr|Elr):"
)
_NODE: Final = re.compile(r"^\S.*\(id: -?\d+ rack: .*\) -> (?:\(|ERROR\b)", re.MULTILINE)


@dataclass(frozen=True)
class Pasted:
    """A text without what was added to it.

    `removed` says what that was, each in a few words; `commands` are the commands at the prompts.
    """

    text: str
    removed: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()

    @property
    def is_nothing_else(self) -> bool:
        """Whether there is nothing but what was removed."""
        return bool(self.removed) and not self.text.strip()

    def note(self, file: str) -> tuple[str, ...]:
        """The line about what was removed from the file; none where nothing was."""
        return (f"{file}: read without {', '.join(self.removed)}",) if self.removed else ()


def decoded(raw: bytes) -> tuple[str, str]:
    """The text, and the encoding if it is none of ASCII and UTF-8; raises `UnicodeDecodeError`."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16"), "UTF-16"
    head = raw[:512]
    if len(head) >= 8 and len(raw) % 2 == 0:
        for zeros, encoding in ((head[1::2], "utf-16-le"), (head[::2], "utf-16-be")):
            others = head[::2] if encoding == "utf-16-le" else head[1::2]
            if zeros.count(0) > 0.7 * len(zeros) and others.count(0) == 0:
                return raw.decode(encoding), "UTF-16"
    return raw.decode().removeprefix("\ufeff"), ""


def pasted(text: str, encoding: str = "") -> Pasted:
    """The text without what was added to it; `encoding` is the one that it was decoded from, if it is odd."""
    removed: list[str] = []
    text = _characters(text, removed)
    lines = text.split("\n")
    counts: Counter[str] = Counter()
    commands: list[str] = []
    for _ in range(_LAYERS_MAX):
        before = lines
        lines = _without_sentences(lines, counts)
        lines = _without_marks(lines, removed, counts)
        lines = _without_chatter(lines, counts, commands)
        if lines == before:
            break
    lines, joined = unwrapped(lines)
    lines = _without_prose(lines, counts)
    removed += [_counted(number, what) for what, number in counts.items()]
    if joined:
        removed.append(f"the ends of {joined} wrapped line{'s' if joined > 1 else ''}")
    if encoding:
        removed.append(encoding)
    return Pasted("\n".join(lines), tuple(removed), tuple(commands))


def _counted(number: int, what: str) -> str:
    if what.startswith("prompt"):
        return f"{number} {'prompt or command' if number == 1 else 'prompts and commands'}"
    return f"{number} line{'s' if number > 1 else ''} of {what}"


def _characters(text: str, removed: list[str]) -> str:
    """The text with plain ends of lines, plain blanks, and without colours."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = re.sub(r"\r+\n", "\n", text)
        text = text.replace("\r", "\n") if "\n" not in text else text.replace("\r", "")
    if _ANSI.search(text):
        text = _ANSI.sub("", text)
        removed.append("colours")
    if _ODD_BLANK.search(text):
        text = text.translate(_BLANKS)
        removed.append("odd blanks")
    return text


def _without_marks(lines: list[str], removed: list[str], counts: Counter[str]) -> list[str]:
    """The lines without fences, marks of quotations, prefixes of loggers, and a common indentation.

    Whatever was put around the text first is removed last, from all lines: a fence may hide what the first
    line has in common with the others.
    """
    text = "\n".join(lines)
    has_fences = any(mark in text for mark in _FENCE_MARKS)
    for _ in range(_LAYERS_MAX):
        before = lines
        lines = _without_fences(lines, counts) if has_fences else lines
        lines = _unindented(_unquoted(lines, removed))
        for pattern in _PREFIXES:
            lines = _without_fences(lines, counts) if has_fences else lines
            lines = _unprefixed(lines, pattern, removed)
        if lines == before:
            break
    return lines


def _unquoted(lines: list[str], removed: list[str]) -> list[str]:
    """Without the marks of quotations: of runs of at least two lines, or of all lines."""
    marked = [bool(_QUOTE.match(line)) for line in lines]
    if not any(marked):
        return lines
    real = [mark for mark, line in zip(marked, lines, strict=True) if line.strip()]
    pattern = _ONE_QUOTE if any(map(_FENCED_QUOTE.match, lines)) else _QUOTE
    out, is_quoted = list(lines), False
    for at, line in enumerate(lines):
        neighbours = (at and marked[at - 1]) or (at + 1 < len(lines) and marked[at + 1])
        if marked[at] and (neighbours or all(real)):
            out[at] = pattern.sub("", line, count=1)
            is_quoted = True
    if is_quoted and "quotation marks" not in removed:
        removed.append("quotation marks")
    return out


def _unprefixed(lines: list[str], pattern: re.Pattern[str], removed: list[str]) -> list[str]:
    """Without what a logger puts in front of each line, if at least two thirds of the lines have it."""
    real = [line for line in lines if line.strip()]
    hits = sum(1 for line in real[:1000] if pattern.match(line))
    if not hits or hits * 3 < 2 * len(real[:1000]):
        return lines
    rest = [pattern.sub("", line, count=1) for line in lines]
    if not any(line.strip() for line in rest):
        return lines
    if "prefixes of a logger" not in removed:
        removed.append("prefixes of a logger")
    return rest


def _unindented(lines: list[str]) -> list[str]:
    """Without the blanks that all lines begin with."""
    real = [line for line in lines if line.strip()]
    if not real or not all(line.startswith(" ") for line in real):
        return lines
    width = min(len(line) - len(line.lstrip(" ")) for line in real)
    return [line[width:] if line.strip() else line for line in lines]


def is_chatter(line: str) -> bool:
    """Whether a shell, kubectl, the JVM or a logger printed the line, or a person as a comment."""
    return bool(
        _PROMPT.match(line) or _FENCE.fullmatch(line) or any(pattern.match(line) for _, pattern in _CHATTER)
    )


def _without_fences(lines: list[str], counts: Counter[str]) -> list[str]:
    """Without fences, which stand alone or, in chats, next to the text."""
    out = ["" if _FENCE.fullmatch(line) else _FENCE_INLINE.sub(r"\1", line) for line in lines]
    changed = sum(1 for before, after in zip(lines, out, strict=True) if before != after)
    if changed:
        counts["fences"] += changed
    return out


def _without_chatter(lines: list[str], counts: Counter[str], commands: list[str]) -> list[str]:
    """Without prompts and commands, and without chatter; each kind is counted."""
    out: list[str] = []
    goes_on = False
    for line in lines:
        kind = "prompt" if goes_on and line.strip() else _kind_of(line)
        goes_on = kind == "prompt" and line.rstrip().endswith(_CONTINUED)
        if kind == "prompt":
            commands.append(_PROMPT.sub("", line, count=1).strip())
        out.append("" if kind else line)
        if kind:
            counts[kind] += 1
    return out


def _kind_of(line: str) -> str:
    """Of which kind of chatter the line is; empty for none."""
    if not line.strip():
        return ""
    for kind, pattern in _CHATTER:
        if pattern.match(line):
            return kind
    return "prompt" if _PROMPT.match(line) or _COMMAND.match(line) else ""


def _without_sentences(lines: list[str], counts: Counter[str]) -> list[str]:
    """Without lines that can only be sentences of people."""
    out = [
        "" if _SENTENCE.fullmatch(line) and not _MESSAGE.match(line) and not _SPOKEN.match(line) else line
        for line in lines
    ]
    if not any(line.strip() for line in out):
        return lines
    sentences = sum(1 for before, after in zip(lines, out, strict=True) if before != after)
    if sentences:
        counts["other text"] += sentences
    return out


def _without_prose(lines: list[str], counts: Counter[str]) -> list[str]:
    """Without sentences around the output of a tool that is recognised by its lines."""
    text = "\n".join(lines)
    if any(map(is_titles, lines)):
        kept = _of_tables(lines)
    elif _TOPIC.search(text):
        kept = _matching(lines, lambda line: _TOPIC_KEYS.search(line) is not None)
    elif _NODE.search(text):
        kept = _matching(lines, lambda line: line[:1] in "\t )" or "(id: " in line)
    else:
        return lines
    out = [line if keep else "" for line, keep in zip(lines, kept, strict=True)]
    prose = sum(1 for line, left in zip(lines, out, strict=True) if line.strip() and not left)
    if prose:
        counts["other text"] += prose
    return out


def _matching(lines: Sequence[str], keeps: Callable[[str], bool]) -> list[bool]:
    return [not line.strip() or keeps(line) or _MESSAGE.match(line) is not None for line in lines]


def _of_tables(lines: Sequence[str]) -> list[bool]:
    """For each line whether it belongs to a table."""
    kept: list[bool] = []
    table: TitledTable | None = None
    for line in lines:
        if is_titles(line):
            table = TitledTable(line)
            kept.append(True)
        elif not line.strip() or _MESSAGE.match(line):
            kept.append(True)
        else:
            kept.append(table is not None and table.is_row(line))
    return kept
