import pytest

from kassay.model.connect.documents import CONNECT_HISTORY, WORK
from kassay.model.errors import InputError
from kassay.model.shape.names import mentioned, plainer, renamed, without_names, without_parts
from kassay.model.shape.nodes import (
    PLAIN_ITEMS_MAX,
    FieldNode,
    LeafKind,
    LeafNode,
    ManyNode,
    MaybeNode,
    PartNode,
    RecordNode,
    RowNode,
    TableNode,
    VariantNode,
)
from kassay.model.streams.documents import TASK_HISTORY
from kassay.model.streams.tasks import process_id

WIDE = {
    "workers": ["eu/worker-1", "w1"],
    "connectors": [["sink-1", 2], ["sink", 11]],
    "max_delay_ms": 300_000,
    "changes": [
        {
            "wait_ms": 0,
            "events": [
                {
                    "event": "WorkerJoin",
                    "worker": "w2",
                    "running": {"connectors": ["sink"], "tasks": ["sink-1-1", "sink-10"]},
                }
            ],
        }
    ],
}


def test_a_part_written_as_text_refers_to_the_name_before_its_last_glue():
    part = PartNode("connector", "-")
    assert part.split("sink-1-10") == ("sink-1", 10)
    assert part.joined("sink-1", 10) == "sink-1-10"
    assert PartNode("topic").split(["t0", 3]) == ("t0", 3)
    assert PartNode("topic").joined("t0", 3) == ["t0", 3]


def test_tasks_as_text_are_renamed_and_removed_with_their_connector():
    node = CONNECT_HISTORY.node
    new = renamed(node, WIDE, {"connector": {"sink": "c0", "sink-1": "c1"}})
    assert new["changes"][0]["events"][0]["running"] == {"connectors": ["c0"], "tasks": ["c1-1", "c0-10"]}
    assert mentioned(node, WIDE)["connector"] == ["sink-1", "sink"]
    less = without_names(node, WIDE, "connector", {"sink"})
    assert less["changes"][0]["events"][0]["running"] == {"connectors": [], "tasks": ["sink-1-1"]}
    work = WORK.write(("sink", *WORK.read({"tasks": ["sink-3", "sink-4"]}, "work")))
    assert without_parts(WORK.node, work, "connector", {"sink": 4})["tasks"] == ["sink-3"]


def test_wide_names_become_plain_in_one_space_at_a_time_then_alone_then_shorter():
    every = [mentioned(CONNECT_HISTORY.node, plain) for plain in plainer(CONNECT_HISTORY.node, WIDE)]
    workers = [names["worker"][0] for names in every if names["worker"][0] != "eu/worker-1"]
    assert workers == ["w0", "eu/wor", "rker-1"]
    connectors = [names["connector"] for names in every if names["worker"][0] == "eu/worker-1"]
    assert connectors == [["c0", "c1"], ["c0", "sink"], ["sink-1", "c1"], ["sin", "si"], ["k-1", "nk"]]


def test_plain_names_have_no_plainer_ones():
    names = {"worker": {"eu/worker-1": "w0"}, "connector": {"sink": "c0", "sink-1": "c1"}}
    assert not list(plainer(CONNECT_HISTORY.node, renamed(CONNECT_HISTORY.node, WIDE, names)))


def test_a_process_gets_a_plain_uuid_and_no_shorter_one_is_read():
    wide = "5aa66d2c-7ddf-743f-daa6-6d2c7ddf743f"
    case = {
        "partitions": [1],
        "stateful": 0,
        "processes": [{"process": wide, "threads": 1, "rack": "eu west", "tags": {"zone-a": "v 1"}}],
        "rack_aware_tags": ["zone-a"],
    }
    first, *others = plainer(TASK_HISTORY.node, case)
    assert TASK_HISTORY.read(first, "case").processes[0].process_id == process_id(0)
    kept = [each for each in others if each["processes"][0]["process"] not in (wide, process_id(0))]
    for short in kept:
        with pytest.raises(InputError):
            TASK_HISTORY.read(short, "case")
    tags = [list(each["processes"][0]["tags"].items()) for each in others]
    assert [("t0", "v 1")] in tags
    assert [("zone-a", "v0")] in tags


def test_optional_names_are_defined_too():
    from kassay.kinds.registry import driver_for
    from kassay.model.groups.kinds import CLIENT
    from kassay.model.shape.names import canonical, named_in
    from kassay.properties.groups.histories.generator import GroupProfile
    from kassay.properties.sources import Seeded

    driver = driver_for(CLIENT)
    wide = driver.wide_profile(GroupProfile(), frozenset({"instance"}))
    documents = [driver.form.write(driver.generate(Seeded(seed), wide)) for seed in range(40)]
    several = [each for each in documents if len(named_in(driver.form.node, each).get("instance", ())) > 1]
    assert several
    for document in several:
        ids = named_in(driver.form.node, document)["instance"]
        for plain in canonical(driver.form.node, document):
            assert len(named_in(driver.form.node, plain)["instance"]) == len(ids)


NAMED = LeafNode(LeafKind.TEXT, space="thing")
OWN = VariantNode("is", {"a": RecordNode((FieldNode("own", NAMED, "name"),)), "b": RecordNode(())})
NESTED = RecordNode(
    (
        FieldNode("table", TableNode(MaybeNode(LeafNode(LeafKind.TEXT, space="value")), "key"), "table"),
        FieldNode("parts", ManyNode(PartNode("thing")), "part"),
        FieldNode("row", RowNode((LeafNode(LeafKind.WHOLE), NAMED)), "row"),
        FieldNode("either", OWN, "choice"),
        FieldNode("number", LeafNode(LeafKind.WHOLE), "number"),
        FieldNode("plain", MaybeNode(ManyNode(NAMED)), "name"),
    )
)


@pytest.mark.parametrize(
    ("document", "names"),
    [
        ({}, {}),
        ({"number": 3, "plain": None, "either": {"is": "b"}, "parts": []}, {}),
        ({"table": {}}, {"key": []}),
        ({"table": {"k": None, "j": "v"}}, {"key": ["k", "j"], "value": ["v"]}),
        ({"parts": [["x", 1], ["y", 2], ["x", 3]], "row": [1, "z"]}, {"thing": ["x", "y", "z"]}),
        ({"either": {"is": "a", "own": "x"}, "plain": ["y", "x"]}, {"thing": ["x", "y"]}),
        ({"either": {"is": "c", "own": "x"}}, {}),
        ({"plain": [str(n) for n in range(PLAIN_ITEMS_MAX)]}, {"thing": [str(n) for n in range(16)]}),
        ({"plain": [str(n) for n in range(PLAIN_ITEMS_MAX + 1)]}, {}),
    ],
)
def test_names_are_mentioned_by_space_in_the_order_of_the_document(document, names):
    """Of a list of many plain items none stands for itself."""
    assert mentioned(NESTED, document) == names
    assert list(mentioned(NESTED, document)) == list(names)
