"""A client program with a fault: with kafka-python, it keeps the first partition that it is to give up.

It reports no revocation of it, as a program does whose worker goes on with a partition that the client gave up.
"""

import kassay.engines.live.programs.kafka_python as program
from kassay.engines.live.programs.common import Output

KEPT = []
report = Output.callback


def keeps(self, kind, phase, partitions):
    listed = sorted(partitions)
    if kind == "revoked" and listed and not KEPT:
        KEPT.append(listed[-1])
    report(self, kind, phase, [each for each in listed if kind == "assigned" or each not in KEPT])


Output.callback = keeps
program.main()
