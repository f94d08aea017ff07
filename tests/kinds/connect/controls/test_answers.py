"""Faulty assignors of Kafka Connect: each has the fault that it is named for."""

from dataclasses import replace

from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectRequest, ConnectWorker
from tests.kinds.caught import alone

CONTROLS = {control.name: control for control in alone(CONNECT)}
NEW = ConnectRequest((("a", 1), ("b", 1)), (ConnectWorker("x"), ConnectWorker("y")))
SOME_NEW = ConnectRequest((("a", 1), ("b", 1)), (ConnectWorker("x", ("old",)), ConnectWorker("y")))
UNEVEN = ConnectRequest((("a", 0), ("b", 0)), (ConnectWorker("x", ("a", "b", "old")), ConnectWorker("y")))


def lists(name, request):
    workers = CONTROLS[name].new({}).assign(request).workers
    return {
        worker: tuple(" ".join(sorted(map(str, work))) for work in change)
        for worker, change in workers.items()
    }


def test_the_fault_is_the_one_that_is_named():
    assert lists("runs-twice", SOME_NEW) == {"x": ("a a-0", "old"), "y": ("a b b-0", "")}
    assert lists("runs-twice", NEW) == {"x": ("a a-0", ""), "y": ("b b-0", "")}
    assert lists("leaves-deleted-running", UNEVEN) == {"x": ("", "b"), "y": ("", "")}
    assert lists("hands-connector-over", UNEVEN) == {"x": ("", "b old"), "y": ("b", "")}
    assert lists("restless", replace(NEW, generation=2)) == {"x": ("a a-0", ""), "y": ("b b-0", "")}
    assert lists("restless", replace(NEW, generation=3)) == {"x": ("b b-0", ""), "y": ("a a-0", "")}
    assert lists("takes-back-too-much", UNEVEN) == {"x": ("", "a b old"), "y": ("", "")}
    assert lists("never-rests", NEW) == {"x": ("a a-0", "nothing"), "y": ("b b-0", "")}


def test_what_is_new_is_forgotten_by_a_leader_with_one_worker_that_led_before():
    leader = CONTROLS["forgets-a-task"].new({})
    alone = ConnectRequest((("a", 1),), (ConnectWorker("x"),))
    first = leader.assign(alone)
    assert [str(work) for work in first.workers["x"].assigned] == ["a", "a-0"]
    running = (ConnectWorker("x", first.workers["x"].assigned),)
    more = replace(alone, connectors=(("a", 3),), workers=running, generation=2, memory=first.memory)
    second = leader.assign(more)
    assert [str(work) for work in second.workers["x"].assigned] == ["a-1"]
    joined = replace(more, workers=(*running, ConnectWorker("y")), generation=3, memory=second.memory)
    given = leader.assign(joined).workers
    assert {str(work) for change in given.values() for work in change.assigned} == {"a-1", "a-2"}
