"""What a page of Markdown says: its sections, and the rows of its tables."""

import re


def section(page: str, title: str) -> str:
    """The text under a heading, up to the next of its level or above."""
    found = re.search(rf"^(#+) {re.escape(title)}$", page, re.M)
    assert found is not None, f"no section {title!r}"
    rest = page[found.end() :]
    following = re.search(rf"^#{{1,{len(found[1])}}} ", rest, re.M)
    return rest[: following.start()] if following else rest


def rows(text: str) -> list[dict[str, str]]:
    """The rows of all tables in a text, by the names of their columns."""
    found: list[dict[str, str]] = []
    for block in re.findall(r"(?:^\|.*\n?)+", text, re.M):
        head, _, *lines = [
            [cell.strip() for cell in line.strip("| ").split(" | ")] for line in block.splitlines()
        ]
        found += [dict(zip(head, cells, strict=True)) for cells in lines]
    return found


def fenced(text: str) -> list[str]:
    """The fenced blocks of a text, without their fences."""
    return [block.strip("\n") for block in re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S)]


def flat(text: str) -> str:
    """The text with its lines joined, so that it can be compared however it is wrapped."""
    return " ".join(text.split())
