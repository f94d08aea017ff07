"""A task assignor or an assignor of Connect as a program: whichever class of a file it is called with.

    kassay certify "exec:python3 examples/exec/documents.py examples/task_assignor.py EvenProcesses"
    kassay certify "exec:python3 examples/exec/documents.py examples/connect_assignor.py EvenWorkers"

The document that a class is given stands in the request under the name of the argument. The protocol is
told in docs/exec-protocol.md.
"""

import json
import runpy
import sys

module = runpy.run_path(sys.argv[1])
chosen = module[sys.argv[2]]
for line in sys.stdin:
    request = json.loads(line)
    if request["call"] == "hello":
        answer = {"name": chosen.__name__, **module["META"]}
    else:
        (document,) = (request[name] for name in ("application", "group", "cluster") if name in request)
        answer = chosen().assign(document)
    print(json.dumps({"id": request["id"], "answer": answer}), flush=True)
