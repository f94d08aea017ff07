"""The command blocks of the pages: read out of the Markdown, run in order in a folder of their own, compared.

A fence of the language `console` holds commands behind `$ ` and what they print; a line `...` stands for any
words, ` ... ` inside one too, and what a machine decides (seconds, and lines broken elsewhere for them) may differ.
A fence with a title is a file that later blocks find. A comment in front of a fence says how it is run:

    <!-- exit 1 -->          the exit code of the last command, where it is not 0
    <!-- needs spark -->     the environment of that marker runs it, behind the blocks without a need
    <!-- by hand: why -->    it is not run, and why
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

from tests.paths import ROOT

REMARK = re.compile(r"<!--\s*(.*?)\s*-->", re.DOTALL)
TITLE = re.compile(r'\btitle="([^"]+)"')
SECONDS = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)? (s|ms|seconds|MiB)\b")
COLUMN_OF_SECONDS = re.compile(r"(?<=  )\d+\.\d{2,3}(?=  |$)", re.MULTILINE)
ANYTHING = "..."
CLIENTS = ROOT / ".jars" / "kafka-clients-3.9.0.jar"
"""What `./dev jars` fetches."""


class Block(NamedTuple):
    """A fence of a page: its language, its text, the title behind it, the remarks in front, and its line."""

    language: str
    text: str
    title: str | None
    remarks: tuple[str, ...]
    line: int

    def remark(self, word: str) -> str | None:
        """What stands behind the word in the remarks, or None."""
        return next((r.removeprefix(word).strip(" :") for r in self.remarks if r.startswith(word)), None)


class Command(NamedTuple):
    """A command of a block as a shell has it and as it is written, and what the page says that it prints."""

    line: str
    written: str
    printed: str


def blocks(page: Path) -> Iterator[Block]:
    """The fences of a page in order."""
    remarks: list[str] = []
    for token in MarkdownIt().parse(page.read_text()):
        if token.type == "html_block":
            remarks += REMARK.findall(token.content)
        elif token.type == "fence":
            language, _, rest = token.info.partition(" ")
            title = TITLE.search(rest)
            line = token.map[0] + 1 if token.map else 0
            yield Block(language, token.content, title and title[1], tuple(remarks), line)
            remarks = []
        elif token.type.endswith("_open"):
            remarks = []


def commands(block: Block) -> list[Command]:
    """The commands of a console block; a backslash at the end of a line goes on in the next."""
    listed: list[Command] = []
    lines = iter(block.text.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command, written = line[2:], line + "\n"
            while command.endswith("\\"):
                following = next(lines)
                command = command[:-1] + following.removeprefix(">").lstrip()
                written += following + "\n"
            listed.append(Command(command, written, ""))
        else:
            assert listed, f"line {block.line}: a console block begins with a command"
            listed[-1] = listed[-1]._replace(printed=listed[-1].printed + line + "\n")
    return listed


def settled(text: str) -> str:
    """The text without what a machine decides: seconds, and where lines are broken, as seconds are part of them."""
    return " ".join(COLUMN_OF_SECONDS.sub("_", SECONDS.sub(r"_ \1", text)).split())


def matches(printed: str, expected: str) -> bool:
    """Whether the output is what the page says."""
    words = settled(expected).split(" ")
    pattern = " ".join(".*" if word == ANYTHING else re.escape(word) for word in words)
    return (
        re.fullmatch(pattern.replace(".* ", "(?:.* )?").replace(" .*", "(?: .*)?"), settled(printed))
        is not None
    )


class Sandbox:
    """A folder in which a page's blocks run: its files, the examples, and links to what else a clone has."""

    def __init__(self, folder: Path):
        self.folder = self.here = folder
        shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "tests" / "data").mkdir(parents=True)
        for name in ("docs", "benchmarks", "dev", "tests/data/faulty"):
            (folder / name).symlink_to(ROOT / name)

    def write(self, block: Block) -> None:
        """A file of the page, not outside the folder."""
        assert block.title is not None
        path = (self.folder / block.title).resolve()
        assert path.is_relative_to(self.folder), f"line {block.line}: {block.title} is no file of the page"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """The command as a shell runs it, with the `kassay` of this environment; `cd` holds for those behind it."""
        if command.startswith("cd "):
            self.here = (self.here / command.removeprefix("cd ")).resolve(strict=True)
            return subprocess.CompletedProcess(command, 0, "")
        environment = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "HOME": str(self.folder),
            "COLUMNS": "110",
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
            "KASSAY_FAKETIME": "",
        }
        kept = {
            name: os.environ[name]
            for name in ("PYTHONPATH", "JAVA_HOME", "KASSAY_NODE_MODULES", "KASSAY_KAFKA_CLIENTS")
            if name in os.environ
        }
        kept.setdefault("KASSAY_KAFKA_CLIENTS", str(CLIENTS))
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.here,
            env=environment | kept,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=600,
        )


def needs(page: Path) -> set[str]:
    """What the page's blocks need; "" stands for those that any environment runs."""
    if "console" not in page.read_text():
        return set()
    return {
        block.remark("needs") or ""
        for block in blocks(page)
        if block.language == "console" and block.remark("by hand") is None
    }


class Played(NamedTuple):
    """A command that was run: its block, its place there, what it printed, and what is wrong with that or None."""

    block: Block
    command: Command
    printed: str
    complaint: str | None


def played(page: Path, folder: Path, need: str = "") -> Iterator[Played]:
    """Runs the page's blocks without a need and those with this one; the first complaint of a block ends it."""
    sandbox = Sandbox(folder)
    for block in blocks(page):
        if block.title is not None:
            sandbox.write(block)
        if block.language != "console" or block.remark("by hand") is not None:
            continue
        if block.remark("needs") not in (None, need):
            continue
        listed = commands(block)
        for command in listed:
            done = sandbox.run(command.line)
            expected = int(block.remark("exit") or 0) if command is listed[-1] else 0
            where, complaint = f"{page.name}:{block.line}: $ {command.line}", None
            if done.returncode != expected:
                complaint = f"{where}\nended with {done.returncode}, not {expected}:\n{done.stdout}"
            elif not matches(done.stdout, command.printed):
                complaint = f"{where}\nprinted\n{done.stdout}\nand the page says\n{command.printed}"
            yield Played(block, command, done.stdout, complaint)
            if done.returncode != expected:
                break


def play(page: Path, folder: Path, need: str = "") -> list[str]:
    """What differs from the page."""
    return [each.complaint for each in played(page, folder, need) if each.complaint is not None]


def trimmed(printed: str) -> str:
    """The output without spaces at the ends of its lines and empty lines around it."""
    return "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())


def rewritten(page: Path, folder: Path, need: str = "") -> str:
    """The page with what its commands print now, where it says something else."""
    lines = page.read_text().splitlines(keepends=True)
    runs: dict[int, list[Played]] = {}
    for each in played(page, folder, need):
        runs.setdefault(each.block.line, []).append(each)
    for line, run in sorted(runs.items(), reverse=True):
        if all(each.complaint is None for each in run):
            continue
        shown = {each.command: each.printed if each.complaint else each.command.printed for each in run}
        text = "".join(c.written + trimmed(shown.get(c, "")) for c in commands(run[0].block))
        lines[line : line + run[0].block.text.count("\n")] = [text]
    return "".join(lines)


def main() -> None:
    """Write into the pages what their commands print now: `python -m tests.docs.commands PAGE...`."""
    for page in map(Path, sys.argv[1:]):
        for need in sorted(needs(page)):
            with tempfile.TemporaryDirectory() as folder:
                page.write_text(rewritten(page, Path(folder), need))


if __name__ == "__main__":
    main()
