"""Log directories: the emptiest that takes new replicas, and home again on the way back."""

import json

from kassay.certify.replicas.dirs import DiskLayout
from kassay.certify.replicas.steps import reassignment_json
from kassay.model.cluster import TopicPartition
from kassay.reading.kafka.log_dirs import read_log_dirs

A, B, C = (TopicPartition("t", number) for number in range(3))


def layout(**brokers):
    """Of each broker (`b1`) its directories with the sizes of the partitions in them."""
    rows = []
    for name, directories in brokers.items():
        log_dirs = []
        for directory, (held, *error) in directories.items():
            replicas = [
                {"partition": f"{tp[0]}-{tp[1]}", "size": size, "offsetLag": 0, "isFuture": False}
                for tp, size in held.items()
            ]
            log_dirs.append(
                {"logDir": directory, "error": error[0] if error else None, "partitions": replicas}
            )
        rows.append({"broker": int(name[1:]), "logDirs": log_dirs})
    return DiskLayout.of([read_log_dirs(json.dumps({"version": 1, "brokers": rows}), "dirs.txt")])


SIZES = {A: 50, B: 40, C: 30}


def test_replicas_go_to_the_emptiest_directory_the_largest_first():
    disks = layout(b1={"/a": ({A: 50},), "/b": ({B: 40, C: 30},)}, b2={"/x": ({},), "/y": ({},)})
    homes = disks.homes_after({A: (1,), B: (1,), C: (1,)}, {A: (2,), B: (2,), C: (2,)}, SIZES)
    assert {tp: homes[tp, 2] for tp in (A, B, C)} == {A: "/x", B: "/y", C: "/y"}
    assert homes[A, 1] == "/a"


def test_what_leaves_makes_room_and_what_is_offline_takes_nothing():
    disks = layout(
        b1={"/a": ({A: 50},), "/b": ({B: 40},), "/c": ({}, "KafkaStorageException")}, b2={"/x": ({C: 30},)}
    )
    homes = disks.homes_after({A: (1,), B: (1,), C: (2,)}, {A: (2,), B: (1,), C: (1,)}, SIZES)
    assert homes[C, 1] == "/a"
    assert (A, 2) not in homes, "a broker with one directory needs no choice"


def test_only_what_comes_is_named_and_goes_home_again():
    before, after = {A: (1, 3)}, {A: (2, 3)}
    homes = {(A, 1): "/a", (A, 2): "/y", (A, 3): "/z"}
    (there,) = reassignment_json(after, before, homes)["partitions"]
    (back,) = reassignment_json(before, after, homes)["partitions"]
    assert (there["log_dirs"], back["log_dirs"]) == (["/y", "any"], ["/a", "any"])
    (unknown,) = reassignment_json(after, before, {})["partitions"]
    assert unknown["log_dirs"] == ["any", "any"]
