"""`kassay.what_if` is what the command shows, for every kind of group."""

import pytest

import kassay
from kassay.engines.clusters.other_groups import OtherAnswer
from kassay.engines.clusters.overview import GroupsOverview
from kassay.model.errors import InputError, TargetError
from tests.cli.runner import here
from tests.paths import ROOT
from tests.reading.kafka.outputs import FOLDER

CLUSTER = ROOT / "examples/cluster"
GROUPS, TOPICS = CLUSTER / "groups.txt", CLUSTER / "topics.txt"
STUCK = ROOT / "tests/data/clusters/D5-stuck/stuck.txt"
SEVERAL = FOLDER / "groups-several-2.8.txt"


def test_the_function_returns_what_the_command_writes(command):
    function = kassay.what_if(GROUPS, TOPICS, to=["uniform", "sticky"], events="leave:1", start="range")
    typed = command(
        *("what-if", str(GROUPS), str(TOPICS), "--to", "uniform", "--to", "sticky"),
        *("--events", "leave:1", "--from", "range"),
    )
    assert function.to_json() == typed


def test_texts_are_read_like_files():
    texts = kassay.what_if(GROUPS.read_text(), TOPICS.read_text(), to="uniform")
    files = kassay.what_if(GROUPS, TOPICS, to="uniform")
    assert texts.rows() == files.rows() and repr(texts) == repr(files)
    with pytest.raises(InputError, match="input 1: found a list of names"):
        kassay.what_if("no\noutput\n")


def test_the_table_and_the_recommendation():
    w = kassay.what_if(GROUPS, TOPICS, to="uniform")
    (name,) = w.recommendation.names
    assert repr(w) == f"<Prediction: {w.recommendation.words}. {w.recommendation.reason}>"
    assert [row["target"] for row in w.table] == [name, "optimum"] and name.startswith("uniform@")
    assert w.table[0]["spread"] == w.recommendation.spread
    assert kassay.check(w.certificate).accepted
    assert set(w.plots()) == {"spread", "moves"} and "what would become" in w.page()


@pytest.mark.parametrize(
    ("inputs", "options", "typed"),
    [
        ((SEVERAL,), {}, (str(SEVERAL),)),
        ((CLUSTER / "share-groups.txt",), {"events": "leave:1"}, ("--events", "leave:1")),
        ((CLUSTER / "streams-groups.txt",), {}, ()),
        ((), {"library": ("sarama", "franz-go")}, ("--library", "sarama,franz-go")),
        ((STUCK,), {"to": "range"}, ("--to", "range")),
    ],
    ids=["several", "share", "streams", "libraries", "stuck"],
)
def test_other_answers_are_the_commands_too(command, inputs, options, typed):
    words = [str(each) for each in inputs if str(each) not in typed]
    function = kassay.what_if(*inputs, **options)
    assert function.to_json() == command("what-if", *words, *typed)
    assert function.rows() and function.summary() and "<html" in function.page()
    columns = [tuple(row) for row in function.rows()]
    assert len(set(columns)) == 1


def test_answers_without_candidates_have_no_recommendation():
    assert isinstance(kassay.what_if(SEVERAL).answer, GroupsOverview)
    shared = kassay.what_if(CLUSTER / "share-groups.txt")
    assert isinstance(shared.answer, OtherAnswer) and shared.recommendation is None
    with pytest.raises(InputError, match="plot: found 'a plot', expected one of none"):
        shared.plot()


def test_misuse_is_an_error():
    with pytest.raises(TargetError, match="'unifrom'"):
        kassay.what_if(GROUPS, TOPICS, to="unifrom")
    with pytest.raises(InputError, match="expected a FILE"):
        kassay.what_if()
    with pytest.raises(InputError, match="says nothing of a share or Streams group"):
        kassay.what_if(CLUSTER / "share-groups.txt", to="uniform")


def test_out_writes_the_table_and_the_plots(tmp_path):
    done = here("what-if", str(GROUPS), str(TOPICS), "--to", "uniform", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0
    found = {path.name for path in (tmp_path / "out").iterdir()}
    assert found == {"optimum.json", "what-if.csv", "what-if.html", "what-if-moves.svg", "what-if-spread.svg"}
