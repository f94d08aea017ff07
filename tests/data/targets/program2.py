# ruff: noqa
"""A program of version 2 of the exec protocol, with state, that misbehaves as its arguments say.

    program2.py [SUPPORTS [CALL=FAULT]...]

SUPPORTS are the calls of version 2 that it has, by comma (all for "all"). A fault is one of a call: it raises, loops,
exits, prints nonsense, writes half a line, answers what is none; one of `fresh-` is that of objects that never learned
anything. An object has the fault in its configuration as well.
"""

import base64
import json
import os
import sys
import time

ALL = ["new", "user_data", "on_assignment", "drop", "round", "batch"]
SUPPORTS = ALL if sys.argv[1:2] in ([], ["all"]) else [name for name in sys.argv[1].split(",") if name]
FAULTS = dict(argument.split("=", 1) for argument in sys.argv[2:])
LOG = os.environ.get("PROGRAM2_LOG")
HELLO = json.loads(os.environ.get("PROGRAM2_HELLO", "{}"))


class Raised(Exception):
    pass


class Sticky:
    """Keeps what it learned in its user data; deals out the rest to the least loaded."""

    def __init__(self, config):
        self.config = config
        self.owned = []
        self.generation = -1

    def user_data(self, topics):
        return base64.b64encode(json.dumps([self.owned, self.generation]).encode()).decode()

    def on_assignment(self, request):
        self.owned, self.generation = request["partitions"], request["generation"]

    def assign(self, request):
        counts = request["partitions_per_topic"]
        given = {m["id"]: [] for m in request["members"]}
        taken = set()
        for m in sorted(request["members"], key=lambda m: m["id"]):
            data = m.get("user_data")
            owned, _ = json.loads(base64.b64decode(data)) if data else (m["owned"], -1)
            for topic, partition in owned:
                if (
                    topic in m["topics"]
                    and partition < counts.get(topic, 0)
                    and (topic, partition) not in taken
                ):
                    taken.add((topic, partition))
                    given[m["id"]].append([topic, partition])
        for topic, count in counts.items():
            readers = sorted(m["id"] for m in request["members"] if topic in m["topics"])
            for partition in range(count if readers else 0):
                if (topic, partition) not in taken:
                    given[min(readers, key=lambda reader: (len(given[reader]), reader))].append(
                        [topic, partition]
                    )
        return given


OBJECTS = {}


def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def fault(call, request):
    asked = OBJECTS.get(request.get("object"))
    config = request.get("config") or (asked.config if asked else {})
    kind = FAULTS.get(call) or (
        config["fault"].partition("=")[2] if config.get("fault", "").startswith(call + "=") else ""
    )
    if kind.startswith("fresh-"):
        kind = kind.removeprefix("fresh-") if asked and asked.generation < 0 else ""
    if not kind:
        return None
    if kind == "raises":
        raise Raised("java.lang.IllegalStateException: no\nway (Foo.java:12)")
    if kind == "refuses":
        raise Raised("too few")
    if kind == "loops":
        time.sleep(600)
    if kind == "exits":
        print("giving up", file=sys.stderr, flush=True)
        os._exit(3)
    if kind == "half":
        write('{"id": ')
        os._exit(0)
    if kind == "nonsense":
        write("%s\n" % call)
    if kind == "megabytes":
        while True:
            sys.stdout.write("x" * 65536)
    if kind == "twice":
        write('{"id": %d, "answer": null}\n' % request["id"])
    if kind == "none":
        os.close(1)
        time.sleep(600)
    return kind


def of(request):
    number = request["object"]
    if number not in OBJECTS:
        if "new" in SUPPORTS:
            raise Raised("no object %d" % number)
        OBJECTS[number] = Sticky(request.get("config", {}))
    return OBJECTS[number]


def do(request):
    call = request["call"]
    wrong = fault(call, request)
    if wrong and wrong.startswith("answer:"):
        return json.loads(wrong[len("answer:") :]), {}
    if call == "hello":
        return {"name": "program2", "kassay": 2, "supports": SUPPORTS, **HELLO}, {}
    if call == "new":
        OBJECTS[request["object"]] = Sticky(request["config"])
        return {"name": "Sticky", "version": "1.0", "protocols": ["eager"]}, {}
    if call == "drop":
        for number in request["objects"]:
            OBJECTS.pop(number, None)
        return None, {}
    if call == "user_data":
        return of(request).user_data(request["topics"]), {}
    if call == "on_assignment":
        return of(request).on_assignment(request), {}
    if call == "partition":
        return (len(base64.b64decode(request["key"])) if request["key"] else 0) % request["partitions"], {}
    if call == "close":
        return None, {}
    extra = {"user_data": json.loads(wrong[len("data:") :])} if wrong and wrong.startswith("data:") else {}
    return of(request).assign(request), extra


def answer(request, number):
    try:
        result, extra = do({**request, "id": number})
    except Raised as error:
        write(json.dumps({"id": number, "error": str(error)}) + "\n")
        return False
    write(json.dumps({"id": number, "answer": result, **extra}) + "\n")
    return result if result is not None else True


def round_of(request, number):
    sent = {}
    for member in request["members"]:
        if "user_data" in SUPPORTS:
            asked = {
                "call": "user_data",
                "object": member["object"],
                "topics": member["topics"],
                "member": member["id"],
            }
            data = answer(asked, number)
            if data is False:
                return
            sent[member["id"]] = None if data is True else data
    asked = {"call": "assign", **{name: request[name] for name in request if name not in ("call", "looks")}}
    for member in asked["members"]:
        member["user_data"] = sent.get(member["id"])
    if answer(asked, number) is False:
        return
    for look in request["looks"]:
        for member in look.get("members", ()):
            member["user_data"] = sent.get(member["id"])
        answer({**asked, **look}, number)


def handle(request, number):
    if LOG:
        with open(LOG, "a") as log:
            log.write(json.dumps(request) + "\n")
    if request["call"] == "batch":
        requests = request["requests"]
        wrong = fault("batch", {"id": number})
        for each in (
            requests[1:] if wrong == "fewer" else requests + requests[:1] if wrong == "more" else requests
        ):
            handle(each, number)
    elif request["call"] == "round":
        wrong = fault("round", {"id": number})
        if wrong == "more":
            write(json.dumps({"id": number, "answer": None}) + "\n")
        round_of({**request, "looks": []} if wrong == "fewer" else request, number)
    else:
        answer(request, number)


for line in sys.stdin:
    request = json.loads(line)
    handle(request, request["id"])
