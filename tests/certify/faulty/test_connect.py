"""Faulty assignors of Kafka Connect: each has the fault that it is named for."""

from kassay.model.connect.work import ConnectRequest, ConnectWorker
from kassay.model.kinds import Kind
from tests.certify.faulty.caught import alone

CONTROLS = {control.name: control for control in alone(Kind.CONNECT)}
NEW = ConnectRequest((("a", 1), ("b", 1)), (ConnectWorker("x"), ConnectWorker("y")))
UNEVEN = ConnectRequest((("a", 0), ("b", 0)), (ConnectWorker("x", ("a", "b", "old")), ConnectWorker("y")))


def lists(name, request):
    workers = CONTROLS[name].new({}).assign(request).workers
    return {
        worker: tuple(" ".join(sorted(map(str, work))) for work in change)
        for worker, change in workers.items()
    }


def test_the_fault_is_the_one_that_is_named():
    assert lists("runs-twice", NEW) == {"x": ("a a-0", ""), "y": ("a b b-0", "")}
    assert lists("gives-lost-work-to-one", NEW) == {"x": ("a a-0 b b-0", ""), "y": ("", "")}
    assert lists("forgets-a-task", NEW) == {"x": ("a a-0", ""), "y": ("b", "")}
    assert lists("leaves-deleted-running", UNEVEN) == {"x": ("", "b"), "y": ("", "")}
    assert lists("hands-connector-over", UNEVEN) == {"x": ("", "b old"), "y": ("b", "")}
    assert lists("takes-back-too-much", UNEVEN) == {"x": ("", "a b old"), "y": ("", "")}
    assert lists("never-rests", NEW) == {"x": ("a a-0", "nothing"), "y": ("b b-0", "")}


def test_each_mended_bug_of_kafka_has_a_control():
    said = " ".join(control.factory.__doc__ for control in CONTROLS.values())
    for issue in (9848, 10413, 10763, 12495, 15693):
        assert f"KAFKA-{issue}" in said
