"""The options of what starts Spark.

`kassay explore` with `spark.master`: what is refused before Spark starts, and the line of progress.

Commands below a command, as they stand in the help.
"""

import shutil
from pathlib import Path

import click
import pytest

from kassay.cli.main import run
from kassay.cli.spark import Subcommands, started, uses_spark, walk_progress_line
from kassay.model.errors import InputError
from kassay.model.explore.values import WalkProgress
from kassay.pipeline.store import Local
from kassay.pipeline.walk.records import open_journal
from kassay.pipeline.walk.worker import SparkWalk
from tests.cli.runner import here, one_line
from tests.paths import EXAMPLES


def test_a_setting_that_is_none_is_refused_before_spark_starts() -> None:
    with pytest.raises(InputError, match="--config"), started(("many",), "kassay"):
        pass


@pytest.mark.parametrize(
    ("configs", "uses"), [((), False), (("session.timeout.ms=1",), False), (("spark.master=yarn",), True)]
)
def test_a_master_among_the_properties_chooses_spark(configs, uses) -> None:
    assert uses_spark({"configs": configs}) is uses


DRAFT = ("explore", "draft", "--config", "spark.master=local[1]")


def refused(*arguments: str, cwd: Path) -> str:
    done = here(*arguments, cwd=cwd)
    assert not done.stdout
    return one_line(done, 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--jobs", "2"), "--jobs: Spark has workers of its own"),
        (("--out", "/proc/none"), "--out /proc/none: cannot be written"),
        (("--config", "many"), "--config"),
    ],
)
def test_what_does_not_go_with_a_cluster(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    out = () if "--out" in arguments else ("--out", str(tmp_path / "walk"))
    assert words in refused(*DRAFT, *arguments, *out, cwd=tmp_path)


def test_a_network_without_an_end_is_not_walked_on_spark(tmp_path: Path) -> None:
    words = refused(
        "explore",
        "kip848",
        "--network",
        "astray",
        "--config",
        "spark.master=local[1]",
        "--out",
        str(tmp_path),
        cwd=tmp_path,
    )
    assert words.startswith("kassay: --network: astray allows random walks")


def test_a_folder_with_another_walk_is_refused_before_spark_starts(tmp_path: Path) -> None:
    from kassay.engines.protocols.settings import ExploreSettings

    open_journal(Local(tmp_path), SparkWalk(ExploreSettings("draft", partitions=1), ""))
    words = refused(*DRAFT, "--out", str(tmp_path), cwd=tmp_path)
    assert "has another walk, of partitions 1, not 2; expected its options, or another folder" in words


def test_a_master_that_is_none_is_one_line(tmp_path: Path) -> None:
    words = refused(
        "explore", "draft", "--config", "spark.master=nowhere", "--out", str(tmp_path), cwd=tmp_path
    )
    assert "spark.master 'nowhere': expected local[N]" in words
    assert Local(tmp_path).names("") == ["lock"]


def test_a_misspelt_master_is_no_exploration_in_this_process(tmp_path: Path) -> None:
    words = refused("explore", "draft", "--config", "spark.mastr=local[2]", cwd=tmp_path)
    assert words.endswith(
        "--config spark.mastr: only with spark.master, which says where to explore (did you mean spark.master?)"
    )


@pytest.mark.parametrize("command", [("campaign", "run"), ("fleet",)])
def test_a_property_that_nothing_reads_is_refused(command: tuple[str, ...], tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "campaign.toml", tmp_path)
    (tmp_path / "seen.jsonl").write_text('{"at": 1, "group": "g", "member": "m", "owned": [["t", 0]]}\n')
    given = "campaign.toml" if "run" in command else "seen.jsonl"
    words = refused(*command, given, "--config", "sparkmaster=local", "--out", "out", cwd=tmp_path)
    assert "--config sparkmaster: nothing reads it, expected properties of Spark" in words
    assert "did you mean spark.master?" in words
    assert Local(tmp_path / "out").names("") == ["lock"]


def test_a_folder_of_something_else_is_no_folder_of_an_exploration(tmp_path: Path) -> None:
    (tmp_path / "campaign.json").write_text("{}")
    words = refused(*DRAFT, "--out", str(tmp_path), cwd=tmp_path)
    assert "not empty (campaign.json), expected an empty folder or one of an exploration on Spark" in words


def test_without_pyspark_the_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kassay.pipeline.spark.importlib.util.find_spec", lambda name: None)
    words = refused(
        "explore", "draft", "--config", "spark.master=local[1]", "--out", str(tmp_path), cwd=tmp_path
    )
    assert "the pipeline needs pyspark: expected `pip install 'kassay[spark]'`" in words


def test_a_line_a_level() -> None:
    line = walk_progress_line(WalkProgress(1_234_567, 7_654_321, 12, 4_321, 60.0))
    assert line == (
        "12 levels done: 1,234,567 states, 7,654,321 edges, 4,321 states wait, 60 s, 20,576 states/s"
    )


def test_a_command_stands_with_its_whole_first_sentence_in_the_order_of_its_file():
    group = Subcommands("many")
    for name, text in (
        ("zebra", "Run, as 0.5 of them do.  And rest.\n\nMore."),
        ("ape", None),
        ("bee", "No stop"),
    ):
        group.add_command(click.Command(name, help=text))
    shown = group.get_help(click.Context(group, terminal_width=200))
    assert "  zebra  Run, as 0.5 of them do.\n" in shown
    assert "rest" not in shown
    assert shown.index("zebra") < shown.index("ape") < shown.index("bee  ")


@pytest.mark.parametrize(
    ("words", "said"),
    [(("campaign",), "or resume the one in FOLDER, and print the results.")],
)
def test_a_group_without_a_command_prints_its_help_laid_out_and_ends_with_2(words, said, capsys):
    assert run([*words]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("Usage: kassay")
    assert said in " ".join(streams.err.split())
    assert "..." not in streams.err.replace("TARGET...", "").partition("\n")[2].replace("[ARGS]...", "")
    assert streams.err.count("\n") > 10
