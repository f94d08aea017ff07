"""A program that answers lines of the exec protocol, and shuffles the members before it deals."""

import json
import random
import sys

for line in sys.stdin:
    request = json.loads(line)
    if request["call"] == "hello":
        answer = {"name": "shuffles", "claims": ["deterministic"]}
    else:
        members = random.sample(request["members"], len(request["members"]))
        answer = {member["id"]: [] for member in members}
        for topic, count in request["partitions_per_topic"].items():
            readers = [member["id"] for member in members if topic in member["topics"]]
            for partition in range(count if readers else 0):
                answer[readers[partition % len(readers)]].append([topic, partition])
    print(json.dumps({"id": request["id"], "answer": answer}), flush=True)
