"""A task assignor or a Connect assignor as a program: runs the class of the file named on its command line.

    kassay certify "exec:python3 examples/exec/documents.py examples/task_assignor.py EvenProcesses"
    kassay certify "exec:python3 examples/exec/documents.py examples/connect_assignor.py EvenWorkers"

The request contains the document for the class under the name of the argument. docs/exec-protocol.md
describes the protocol.
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
