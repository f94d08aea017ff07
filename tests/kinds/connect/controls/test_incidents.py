"""What Kafka itself once did has a control each."""

from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectRequest, ConnectWorker
from tests.kinds.caught import alone

CONTROLS = {control.name: control for control in alone(CONNECT)}


def test_all_lost_work_goes_to_one():
    new = ConnectRequest((("a", 1), ("b", 1)), (ConnectWorker("x"), ConnectWorker("y")))
    workers = CONTROLS["gives-lost-work-to-one"].new({}).assign(new).workers
    assert {worker: len(change.assigned) for worker, change in workers.items()} == {"x": 4, "y": 0}


def test_each_mended_bug_of_kafka_has_a_control():
    said = " ".join(control.factory.__doc__ for control in CONTROLS.values())
    for issue in (9848, 10413, 10763, 12495, 15693):
        assert f"KAFKA-{issue}" in said
