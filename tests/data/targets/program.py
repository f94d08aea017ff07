# ruff: noqa
"""A program for `exec:` that misbehaves as its argument says."""

import json
import os
import sys
import time

DO = sys.argv[1] if len(sys.argv) > 1 else "behave"
COUNT = 0


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def fair(request):
    out = {m["id"]: [] for m in request["members"]}
    for topic, count in request["partitions_per_topic"].items():
        readers = sorted(m["id"] for m in request["members"] if topic in m["topics"])
        for p in range(count if readers else 0):
            out[readers[p % len(readers)]].append([topic, p])
    return out


def hello(request):
    if DO == "hello_list":
        return []
    if DO == "hello_number":
        return {"name": 3}
    if DO == "hello_claims":
        return {"claims": [1]}
    if DO == "hello_kind":
        return {"kind": "consumer"}
    if DO == "exits_at_once":
        print("no configuration", file=sys.stderr)
        sys.exit(9)
    if DO == "silent":
        time.sleep(60)
    if DO == "placer":
        return {"kind": "placer", "claims": ["replicas-distinct"]}
    if DO == "echo":
        return {"extras": ["replica_racks", "partition_weights"], "protocol": "cooperative"}
    return {"name": "program"} if request["kassay"] == 1 else None


def assign(request):
    if DO == "echo":
        return {"a": [[json.dumps({k: v for k, v in request.items() if k != "id"}), 0]]}
    if DO == "loops":
        while True:
            pass
    if DO == "exits":
        print("giving up", file=sys.stderr)
        sys.exit(3)
    if DO == "allocates":
        kept = []
        while True:
            kept.append(bytearray(os.urandom(1 << 20)))
    if DO == "hoards":
        bytearray(1 << 62)
    if DO == "starts_program":
        import subprocess

        subprocess.Popen(["sleep", "300"], start_new_session=True)
    if DO == "chatty":
        print("to standard error" * 10000, file=sys.stderr)
    if DO == "prints":
        say("debug: assigning")
    if DO == "twice":
        say('{"id": %d, "answer": {"a": [], "a": []}}' % request["id"])
    if DO == "wrong_id":
        request["id"] += 1
    if DO == "array":
        say("[1]")
    if DO == "deep":
        say("[" * 100_000)
    if DO == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    if DO == "binary":
        sys.stdout.buffer.write(b"\xff\xfe\n")
        sys.stdout.flush()
    if DO == "pair_str":
        return {"a": ["t-0"], "b": []}
    if DO == "none":
        return None
    return fair(request)


def place(request):
    ids = [b["id"] for b in request["brokers"]]
    if request["replication_factor"] > len(ids):
        return None
    return [ids[: request["replication_factor"]]] * request["num_partitions"]


for line in sys.stdin:
    request = json.loads(line)
    call = request["call"]
    answer = {"hello": hello, "assign": assign, "place": place}[call](request)
    if DO == "error" and call == "assign":
        say(json.dumps({"id": request["id"], "error": "no\nidea"}))
    elif DO == "empty" and call == "assign":
        say(json.dumps({"id": request["id"]}))
    elif call == "place" and answer is None:
        say(json.dumps({"id": request["id"], "error": "too few brokers", "refused": True}))
    else:
        say(json.dumps({"id": request["id"], "answer": answer}))
