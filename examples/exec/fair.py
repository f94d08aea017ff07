"""An assignor as a program: assigns each topic's partitions to its readers, least loaded first.

    kassay certify "exec:python3 examples/exec/fair.py"

docs/exec-protocol.md describes the protocol.
"""

import json
import sys

HELLO = {"name": "fair", "claims": ["deterministic", "order-independent"]}


def assign(partitions_per_topic, members):
    """Each member's partitions."""
    given = {member["id"]: [] for member in members}
    for topic, partitions in sorted(partitions_per_topic.items()):
        readers = [member["id"] for member in members if topic in member["topics"]]
        for partition in range(partitions if readers else 0):
            least = min(readers, key=lambda reader: (len(given[reader]), reader))
            given[least].append([topic, partition])
    return given


for line in sys.stdin:
    request = json.loads(line)
    if request["call"] == "hello":
        answer = HELLO
    else:
        answer = assign(request["partitions_per_topic"], request["members"])
    print(json.dumps({"id": request["id"], "answer": answer}), flush=True)
