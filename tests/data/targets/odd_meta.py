# ruff: noqa
"""Classes whose META or signature says something impossible."""


class _Fine:
    def assign(self, partitions_per_topic, members):
        return {m["id"]: [] for m in members}


class NoDict(_Fine):
    META = ["assignor"]


class OddKind(_Fine):
    META = {"kind": "consumer"}


class OtherKind(_Fine):
    META = {"kind": "placer"}


class OddProtocol(_Fine):
    META = {"protocol": "eagre"}


class OddClaims(_Fine):
    META = {"claims": "deterministic"}


class NoSuchClaim(_Fine):
    META = {"claims": ["topic-even", "topic-evne"]}


class OtherClaim(_Fine):
    META = {"kind": "placer", "claims": ["topic-even"]}


class OutOfRange(_Fine):
    META = {"claims": ["weighted-spread:nan"]}


class NoSuchAssumption(_Fine):
    META = {"assumes": ["no-rack"]}


class NoSuchKey(_Fine):
    META = {"clams": [object()]}


class OddValues(_Fine):
    META = {"claims": [object()]}


class TooFew:
    def assign(self, partitions_per_topic):
        return {}


class TooMany:
    def assign(self, partitions_per_topic, members, brokers):
        return {}


class RaisesWhenMade(_Fine):
    def __init__(self):
        raise OSError("no configuration")


class NeedsArguments(_Fine):
    def __init__(self, url):
        self.url = url


class _OfOne:
    def assign(self, document):
        return {}


class OddKey(_OfOne):
    META = {"knd": "task-assignor"}


class OddKindOfOne(_OfOne):
    META = {"kind": "task-asignor"}


class LevelOfGroups(_OfOne):
    META = {"kind": "assignor", "level": "member"}


class NoKind(_OfOne):
    META = {"kind": None}


class SpeaksForNothing(_OfOne):
    META = {"kind": "task-assignor", "protocol": "cooperative"}
