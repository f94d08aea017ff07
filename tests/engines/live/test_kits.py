"""Client programs in Node and Go: named when they are missing, installed once, and their pins."""

import json
import re
import subprocess

import pytest

from kassay.engines.live import kits
from kassay.engines.live.clients import LIBRARIES, ClientPrograms
from kassay.engines.live.kits import GO, NODE, fetch_program, kit_command
from kassay.engines.live.script import LiveSeat
from kassay.model.errors import InputError

CLIENTS = [each for each in LIBRARIES.values() if each.kit]


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def tools(monkeypatch):
    """Every tool is on the PATH; what is run is noted, and leaves what it should."""
    ran = []

    def run(argv, cwd, **_):
        ran.append((argv, cwd))
        if argv[0] == "go":
            (cwd / "made").write_text("")
        return subprocess.CompletedProcess(argv, 0, "", "")

    monkeypatch.setattr(kits.shutil, "which", lambda tool: f"/bin/{tool}")
    monkeypatch.setattr(kits.subprocess, "run", run)
    return ran


@pytest.mark.parametrize("client", [each.name for each in CLIENTS])
def test_what_is_not_installed_is_named_with_the_option_that_installs_it(client, tools):
    with pytest.raises(InputError, match=f"the client {client} is not installed: expected --fetch"):
        ClientPrograms({}).command(LiveSeat("m1", client, ()))
    assert tools == []


@pytest.mark.parametrize(("client", "tool"), [("kafkajs", "node"), ("sarama", "go")])
def test_without_the_toolchain_one_line_says_so(client, tool, monkeypatch):
    monkeypatch.setattr(kits.shutil, "which", lambda _: None)
    programs = ClientPrograms({})
    for ask in (
        lambda: programs.command(LiveSeat("m1", client, ())),
        lambda: programs.fetch(programs.seats([f"{client}:roundrobin"])),
    ):
        with pytest.raises(InputError, match=f"the client {client} needs .*: no {tool} on the PATH"):
            ask()


def test_each_is_installed_once_and_then_found(tools):
    programs = ClientPrograms({})
    seats = programs.seats(["kafkajs:roundrobin", "platformatic:roundrobin", "sarama:range*2", "java:range"])
    for _ in range(2):
        programs.fetch(seats)
    assert [argv[:2] for argv, _ in tools] == [["npm", "ci"], ["go", "build"]]
    assert programs.command(seats[0]) == ["/bin/node", str(NODE.folder / "kafkajs.mjs")]
    assert programs.command(seats[2]) == [str(GO.folder / "sarama")]
    with pytest.raises(InputError):
        programs.command(LiveSeat("m1", "franz-go", ()))


def test_what_a_tool_says_is_passed_on(tools, monkeypatch):
    failed = subprocess.CompletedProcess([], 1, "", "no such host\n")
    monkeypatch.setattr(kits.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(InputError, match="go could not install the client sarama: no such host"):
        fetch_program(GO, "sarama", "sarama")
    with pytest.raises(InputError):
        kit_command(GO, "sarama", "sarama")


def test_the_versions_of_the_page_are_pinned(docs_table):
    wanted = json.loads((NODE.sources / "package.json").read_text())["dependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
    pinned = {"kafkajs": wanted["kafkajs"], "platformatic": wanted["@platformatic/kafka"]}
    modules = {"franz-go": "twmb/franz-go", "sarama": "IBM/sarama", "segmentio": "segmentio/kafka-go"}
    text = (GO.sources / "go.mod").read_text()
    for name, module in modules.items():
        pinned[name] = re.search(rf"^\tgithub.com/{module} v(\S+)$", text, re.MULTILINE)[1]
    assert docs_table == pinned
    lock = (NODE.sources / "package-lock.json").read_text()
    assert "resolved" not in lock and '"lockfileVersion": 3' in lock


@pytest.fixture
def docs_table():
    """The libraries with a version in the page's table."""
    from tests.paths import ROOT

    rows = re.findall(r"^\| `([a-z-]+)` (\d+\.\d+\.\d+)", (ROOT / "docs/live.md").read_text(), re.MULTILINE)
    return dict(rows)
