# ruff: noqa
"""Plain partitioners."""

import zlib

META = {"kind": "partitioner", "claims": ["available-only", "deterministic"]}


class Crc:
    def configure(self, config):
        self.shift = int(config.get("shift", "0"))
        self.turn = 0

    def partition(self, topic, key, value, num_partitions, available):
        if key is not None:
            return (zlib.crc32(key) + self.shift) % num_partitions
        self.turn += 1
        return available[self.turn % len(available)] if available else 0

    def close(self):
        self.turn = None


class Bare:
    def partition(self, topic, key, value, num_partitions, available):
        return len(key or b"") % num_partitions


class Salted:
    def partition(self, topic, key, value, num_partitions, available):
        return hash(key) % num_partitions


class AnswersText:
    def partition(self, topic, key, value, num_partitions, available):
        return "0"


class BreaksWhenClosed(Bare):
    def close(self):
        raise OSError("already closed")


class TakesTooLittle:
    def partition(self, topic, key):
        return 0
