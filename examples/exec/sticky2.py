"""A sticky assignor as a program of version 2 of the exec protocol: its memory is each member's user data.

    kassay certify "exec:python3 examples/exec/sticky2.py"

It only needs Python. docs/exec-protocol.md describes the protocol.
"""

import base64
import json
import sys

HELLO = {
    "name": "sticky2",
    "kassay": 2,
    "supports": ["new", "user_data", "on_assignment", "drop", "batch", "round"],
    "claims": ["deterministic", "order-independent"],
}


class Sticky:
    """The state of one member: its last assignment, which it sends to the leader in its user data."""

    def __init__(self):
        self.kept = {"generation": -1, "partitions": []}

    def user_data(self):
        return base64.b64encode(json.dumps(self.kept).encode()).decode()

    def on_assignment(self, generation, partitions):
        self.kept = {"generation": generation, "partitions": partitions}

    def assign(self, partitions_per_topic, members):
        """Members keep what they had, up to a fair share; the rest goes to the member with the fewest."""
        readers = {
            (topic, partition): [member["id"] for member in members if topic in member["topics"]]
            for topic, partitions in sorted(partitions_per_topic.items())
            for partition in range(partitions)
        }
        free = {pair for pair, ids in readers.items() if ids}
        share = -(-len(free) // len(members))
        given = {member["id"]: [] for member in sorted(members, key=lambda member: member["id"])}
        said = {member["id"]: self.said(member) for member in members}
        for member_id in sorted(given, key=lambda each: (-said[each]["generation"], each)):
            for pair in sorted(map(tuple, said[member_id]["partitions"])):
                if pair in free and member_id in readers[pair] and len(given[member_id]) < share:
                    free.remove(pair)
                    given[member_id].append(pair)
        for pair in sorted(free):
            given[min(readers[pair], key=lambda each: (len(given[each]), each))].append(pair)
        return given

    @staticmethod
    def said(member):
        """The state of the member's own object."""
        return json.loads(base64.b64decode(member["user_data"]))


objects = {}


def call(request):
    """The answer to one call of one object."""
    name = request["call"]
    if name == "hello":
        return HELLO
    if name == "new":
        objects[request["object"]] = Sticky()
        return {}
    if name == "drop":
        for number in request["objects"]:
            objects.pop(number, None)
        return None
    asked = objects[request["object"]]
    if name == "user_data":
        return asked.user_data()
    if name == "on_assignment":
        return asked.on_assignment(request["generation"], request["partitions"])
    return asked.assign(request["partitions_per_topic"], request["members"])


def write(number, request):
    """One line: an answer, or an error that names what raised. Returns the answer; None for an error, too."""
    try:
        answer = call(request)
    except Exception as error:  # whatever the assignor raises is its answer: kassay judges it
        print(json.dumps({"id": number, "error": f"{type(error).__name__}: {error}"}), flush=True)
        return None
    print(json.dumps({"id": number, "answer": answer}), flush=True)
    return answer


def play_round(number, request):
    """Each member's user data, the leader's answer, and the second looks: a line each, until an error."""
    said = {}
    for member in request["members"]:
        said[member["id"]] = write(number, {"call": "user_data", **member})
        if said[member["id"]] is None:
            return
    for look in [{}, *request["looks"]]:
        asked = {**request, **look, "call": "assign"}
        asked["members"] = [{**member, "user_data": said[member["id"]]} for member in asked["members"]]
        if write(number, asked) is None and not look:
            return


def handle(number, request):
    """All the lines that answer a request."""
    if request["call"] == "batch":
        for each in request["requests"]:
            handle(number, each)
    elif request["call"] == "round":
        play_round(number, request)
    else:
        write(number, request)


for line in sys.stdin:
    request = json.loads(line)
    handle(request["id"], request)
