"""A program of the exec protocol, version 1: every topic's partitions in turn to those who read it."""

import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    if request["call"] == "hello":
        answer = {
            "name": "in-turn",
            "kind": "assignor",
            "protocol": "eager",
            "claims": ["topic-even", "deterministic"],
            "assumes": [],
            "extras": [],
        }
    else:
        answer = {member["id"]: [] for member in request["members"]}
        for topic, count in request["partitions_per_topic"].items():
            readers = [member["id"] for member in request["members"] if topic in member["topics"]]
            for number in range(count if readers else 0):
                answer[readers[number % len(readers)]].append([topic, number])
    print(json.dumps({"id": request["id"], "answer": answer}), flush=True)
