"""What a file is, by its content, where it is none of those that are expected: outputs of other tools."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_GROUPS: Final = tuple(
    (re.compile(pattern, re.MULTILINE), what)
    for pattern, what in (
        (r"^GROUP\s+TOPIC\s+PARTITION\s.*\bSTART-OFFSET\b", "a share group (kafka-share-groups.sh)"),
        (r"^GROUP\s+CONSUMER-ID\s.*\bMEMBER-EPOCH\b", "a share group (kafka-share-groups.sh)"),
        (
            r"^GROUP\s+CONSUMER-ID\s.*#PARTITIONS\s+ASSIGNMENT\s*\n(?:\S+\s+){4}[1-9]\d*\s+[^\s(),:]+:\d",
            "a share group (kafka-share-groups.sh)",
        ),
        (
            r"^GROUP\s+CONSUMER-ID\s+HOST\s+CLIENT-ID\s+ASSIGNMENT\s*$",
            "a share group (kafka-share-groups.sh)",
        ),
        (r"^GROUP\s+TOPIC\s+PARTITION\s+START-OFFSET", "a share group (kafka-share-groups.sh)"),
        (r"^(?:Share) group '.*' has no active members", "a share group (kafka-share-groups.sh)"),
        (r"^(?:Streams) group '.*' has no active members", "a Streams group (kafka-streams-groups.sh)"),
        (r"^GROUP\s+COORDINATOR \(ID\)\s+STATE\s+#MEMBERS", "a share group (kafka-share-groups.sh)"),
        (r"^GROUP\s+TOPIC\s+PARTITION\s.*\bOFFSET-LAG\b", "a Streams group (kafka-streams-groups.sh)"),
        (r"^GROUP\s.*\bMEMBER\s.*\bPROCESS\b", "a Streams group (kafka-streams-groups.sh)"),
        (r"^GROUP\s+COORDINATOR \(ID\)\s+ASSIGNOR\b", "a Streams group (kafka-streams-groups.sh)"),
    )
)
_LINES: Final = tuple(
    (re.compile(pattern, re.MULTILINE), what)
    for pattern, what in (
        (r"^Status of partition reassignment:", "the output of kafka-reassign-partitions.sh --verify"),
        (
            r"^(?:Current partition reassignments:|No partition reassignments found)",
            "the output of kafka-reassign-partitions.sh --list",
        ),
        (r"^Current partition replica assignment", "the output of kafka-reassign-partitions.sh"),
        (r"^\s*Topic:.*\b(?:PartitionCount|Partition):", "the output of kafka-topics.sh --describe"),
        (r"^\S.*\(id: \d+ rack: .*\) -> \(", "the output of kafka-broker-api-versions.sh"),
        (r"^GROUP\s+TYPE\s+PROTOCOL", "the output of kafka-groups.sh --list"),
        (
            r"^GROUP\s+(?:STATE|TYPE|TYPE\s+STATE|STATE\s+TYPE)\s*$",
            "the list of groups of kafka-consumer-groups.sh --list",
        ),
        (r"^(?:CLUSTER|BROKERS)\n=+\n", "the output of rpk cluster info"),
        (r"^NAME\s+PARTITIONS\s+REPLICAS\s*$", "the output of rpk topic list or kaf topics"),
        (r"^BROKER\s+GROUP\s+STATE\s*$", "the output of rpk group list"),
        (r"^GROUP\s+\S+\nCOORDINATOR\s.*\nSTATE\s.*\nEPOCH\s", "a share group of kcl share-group describe"),
        (r"^BROKER\s+DIR\s+TOPIC\s+PARTITION\s+SIZE\b", "the output of rpk cluster logdirs describe"),
        (
            r"^\S+(?: \(internal\))?, \d+ partitions(?:, \d+ replicas)?\n +PARTITION +LEADER\b",
            "the output of rpk cluster info -d, which prints replicas sorted",
        ),
        (
            r"^TOPIC\s+PARTITION\s+NEWEST_OFFSET\b|^CLIENT_HOST\s+CLIENT_ID\b",
            "the output of kafkactl describe consumer-group, which prints no member ids",
        ),
        (
            r"^PARTITION\s+OLDEST_OFFSET\s+NEWEST_OFFSET\b",
            "the output of kafkactl describe topic, which prints replicas sorted",
        ),
        (
            r"^TOPIC\s+PARTITIONS\s+REPLICATION FACTOR\b|^CONSUMER_GROUP\s.*\bTOPICS\s*$",
            "a list of kafkactl get",
        ),
        (r"^ID\s+ADDRESS\s*$", "the list of brokers of kafkactl get brokers"),
        (r"^group:\n  name: .*\n  protocoltype: ", "a consumer group of kafkactl, as YAML"),
        (r"^Group ID:\s.*\nState:\s", "the output of kaf group describe, which prints no member ids"),
        (r"^NAME\s+STATE\s+CONSUMERS\s*$", "the list of groups of kaf groups"),
        (r"^Name:\s.*\nInternal:\s", "the output of kaf topic describe, which prints replicas sorted"),
        (r"^ID\s+ADDRESS\s+CONTROLLER\s*$", "the list of brokers of kaf nodes"),
        (r"^ +MEMBER ID +\| +CLIENT HOST +\|", "the members of topicctl get members"),
        (r"^ +PARTITION \| +MEMBER ID +\| MEMBER OFFSET", "the output of topicctl get lags"),
        (
            r"^ +ID \| LEADER +\| +REPLICAS|^ +TOPIC +\| ID \| +LEADER",
            "the output of topicctl get partitions",
        ),
        (r"^ +ID +\| +HOST +\| +PORT +\|", "the output of topicctl get brokers"),
        (r"^ +NAME +\| PARTITIONS +\| +REPLICATION", "the output of topicctl get topics"),
        (r"^ +GROUP +\| COORDINATOR +\|", "the output of topicctl get groups"),
        (r"^\| ID +\| ISR +\| LEADER +\|", "the output of kafta topic describe"),
        (
            r"^\| ID +\| PROTOCOL +\| PROTOCOL TYPE +\|",
            "the output of kafta consumer describe, which prints no member ids",
        ),
        (
            r"^ +Cluster +\| +Consumer Group +\|",
            "the lags of a group of the Confluent CLI, as a table: add -o json",
        ),
        (r"^ +Cluster +\| +(?:Topic Name|Broker ID) +\|", "a table of the Confluent CLI"),
        (r"^\| Consumer Group +\|", "a group of the Confluent CLI, without its members"),
        (
            r"^(?:Under Replicated, Offline, and Under MinIsr Partitions:"
            r"|Summary: The cluster has \d+ brokers)",
            "Cruise Control's state of the cluster without all partitions: add verbose=true",
        ),
        (r"^ +HOST +BROKER +RACK .*\bDISK_CAP\(MB\)", "the load of brokers of Cruise Control"),
        (r"^Optimization has \d+ inter-broker replica", "Cruise Control's result of an operation"),
        (
            r"^Partition map changes:|^Broker \d+ relocations planned:",
            "the log of topicmappr; its plan is in the files that it names",
        ),
        (r"^# (?:HELP|TYPE) kafka_\w+ |^kafka_\w+\{", "metrics for Prometheus, as of kafka_exporter"),
        (r"^apiVersion: kafka\.strimzi\.io/", "a resource of Strimzi"),
        (r"^SUMMARY\n=+\nNAME\s", "the output of rpk topic describe without the partitions: add -a"),
        (
            r"^PARTITION\s+LEADER\s+(?:EPOCH\s+)?REPLICAS\b",
            "the output of rpk topic describe without the summary: add -a",
        ),
        (r"^Querying brokers for log directories information", "the output of kafka-log-dirs.sh"),
        (r"^Feature:\s", "the output of kafka-features.sh describe"),
        (r"^Current ACLs for resource ", "the output of kafka-acls.sh --list"),
        (r"^ClusterId:\s.*\n+LeaderId:", "the output of kafka-metadata-quorum.sh describe --status"),
        (
            r"^NodeId\s+(?:DirectoryId\s+)?LogEndOffset",
            "the output of kafka-metadata-quorum.sh describe --replication",
        ),
        (
            r"^\s*(?:GROUP\s+)?TOPIC\s+PARTITION\s+.*OFFSET|^GROUP\s.*(?:CONSUMER-ID|COORDINATOR)",
            "the output of kafka-consumer-groups.sh",
        ),
        (r"^(?:Dynamic|All) configs for ", "the output of kafka-configs.sh --describe"),
        (r"^(?:Dumping \S+\.log|Starting offset: \d+)", "the output of kafka-dump-log.sh"),
        (r"^Metadata for (?:all topics|\S+) \(from broker", "the output of kcat -L"),
        (
            r"^(?:broker\.id|node\.id|process\.roles|bootstrap\.servers|zookeeper\.connect)\s*=",
            "a properties file",
        ),
    )
)
_RARER: Final = (
    ({"_command"}, "JSON of kcl"),
    ({"kind", "metadata", "data"}, "an answer of Kafka's REST API"),
    ({"consumerGroups", "pageCount"}, "the list of groups of kafka-ui"),
    ({"error", "message", "request"}, "an answer of Burrow"),
    ({"name", "partitions", "preferredReplicaPercent"}, "a topic of Kafdrop"),
    ({"groupId", "topics"}, "a consumer group of Kafdrop"),
    ({"id", "controller", "nodes"}, "the list of brokers of AKHQ"),
    ({"id", "host", "partitionsLeader"}, "a broker of kafka-ui"),
    ({"name", "offsets"}, "a group of kt, which prints no owners"),
    ({"cluster", "consumer_group"}, "JSON of the Confluent CLI"),
    ({"summary", "configs", "partitions"}, "a topic of rpk, which prints replicas sorted"),
)
"""Fields that only all together say what a document is."""
_BEGINNINGS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), what)
    for pattern, what in (
        (r"%PDF-", "a PDF file"),
        (r"\s*<(?:!DOCTYPE html|html)\b", "a page of HTML"),
        (r"\s*<(?:\?xml|!DOCTYPE)\b", "an XML file"),
        (r"(?:---\s*\n)?(?:\s*#.*\n)*apiVersion:\s", "a manifest of Kubernetes"),
        (
            r"\s*\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) ",
            "the log of a Kafka process",
        ),
    )
)
_BEGINS_JSON: Final = re.compile(
    r"\{\s*(?:[\"}]|\Z)|\[\s*(?:[\[{\"\]]|\Z|(?:-?\d[\d.eE+-]*|true|false|null)\s*(?:[,\]]|\Z))"
)
_FIELDS: Final = (
    ({"proposals"}, "Cruise Control's proposals"),
    ({"KafkaBrokerState"}, "Cruise Control's state of the cluster"),
    ({"goalSummary"}, "Cruise Control's result of an operation"),
    ({"groupId", "partitionAssignor"}, "a consumer group of kafka-ui"),
    ({"groupId", "members", "topics"}, "a consumer group of kafka-ui"),
    ({"coordinator", "members", "offsets"}, "a consumer group of AKHQ"),
    ({"error", "message", "status", "request"}, "an answer of Burrow"),
    ({"Name", "Partitions"}, "a topic of kafkactl, which prints replicas sorted"),
    ({"Group", "Members"}, "a consumer group of kafkactl, which prints no member ids"),
    ({"originating_broker"}, "the JSON of kcat -L"),
    ({"schema"}, "a document of kassay"),
    ({"log_dirs", "partitions"}, "a reassignment for kafka-reassign-partitions.sh"),
    ({"partitions"}, "a reassignment for kafka-reassign-partitions.sh"),
    ({"topics", "version"}, "the topics of kafka-reassign-partitions.sh --generate"),
    ({"brokers", "version"}, "the JSON of kafka-log-dirs.sh"),
)
_NAME: Final = re.compile(r"[\w.:/@-]{1,249}")
_OFFSET: Final = re.compile(r"[\w.-]+:\d+:\d*")
_HEAD: Final = 1 << 20


def group_of_others(text: str) -> str:
    """Whose group the text describes, if it is none of consumers; empty if it is no such text."""
    return next((what for pattern, what in _GROUPS if pattern.search(text, 0, _HEAD)), "")


def is_of_a_tool(text: str) -> bool:
    """Whether the text is an output with lines of one of these tools, or binary, or nothing at all."""
    return not text.strip() or "\0" in text[:_HEAD] or any(p.search(text, 0, _HEAD) for p, _ in _LINES)


def what_is(text: str) -> str:
    """What the text is, in a noun phrase; empty if it is nothing that is known."""
    if not text.strip():
        return "an empty file"
    if "\0" in text[:_HEAD]:
        return "a binary file"
    for pattern, what in (*_GROUPS, *_LINES):
        if pattern.search(text, 0, _HEAD):
            return what
    begins = next((what for pattern, what in _BEGINNINGS if pattern.match(text)), "")
    if begins:
        return begins
    return _json(text.strip()) if _BEGINS_JSON.match(text.lstrip()) else _bare_list(text)


def _bare_list(text: str) -> str:
    """What a text with a single word a line is; empty for another text."""
    lines = text[:_HEAD].split()
    if len(lines) < 2 or any(len(line.split()) > 1 for line in text[:_HEAD].splitlines()):
        return ""
    if all(_OFFSET.fullmatch(line) for line in lines):
        return "the output of kafka-get-offsets.sh"
    if all(_NAME.fullmatch(line) for line in lines):
        return "a list of names, as --list prints groups and topics"
    return ""


def also_known(text: str) -> str:
    """The end of an error about a text: what it is instead, where that is known; else empty."""
    what = what_is(text)
    return f"; this is {what}" if what and not what.startswith("JSON") else ""


def also_is(document: Any) -> str:
    """The end of an error about a document: what it is instead; empty for one of kassay's."""
    schema = document.get("schema") if isinstance(document, dict) else None
    return "" if str(schema).startswith("kassay/") else f"; this is {what_document(document)}"


def _json(text: str) -> str:
    """What a JSON text is, by its fields."""
    try:
        return what_document(json.loads(text))
    except json.JSONDecodeError:
        return _by_line(text) or _cut(text)
    except RecursionError:
        return "JSON, nested too deep to read"
    except ValueError:  # all that is left of Python's
        return "JSON with a number of too many digits"


def _by_line(text: str) -> str:
    """What the objects are of which each has a line; empty for another text."""
    lines = text.splitlines()
    if len(lines) < 2:
        return ""
    try:
        return what_document([json.loads(line) for line in lines if line.strip()])
    except (ValueError, RecursionError):
        return ""


def what_document(document: Any) -> str:
    """What a document is, by its fields."""
    if not isinstance(document, dict | list):
        return "a single value in JSON"
    if isinstance(document, list):
        inner = what_document(document[0]) if document and isinstance(document[0], dict) else ""
        if inner.startswith("JSON with"):
            return f"a list in {inner}"
        return f"a list in JSON: {inner}" if inner else "a list in JSON"
    if document and all(isinstance(each, dict) and "percentageCovered" in each for each in document.values()):
        return "a summary of a group of CMAK"
    for fields, what in (*_RARER, *_FIELDS):
        if fields <= document.keys():
            return f"{what} ({document['schema']})" if fields == {"schema"} else what
    names = ", ".join(str(name)[:40] for name in list(document)[:4])
    return f"JSON with the fields {names}" if names else "an empty object in JSON"


def _cut(text: str) -> str:
    """JSON that is not closed is cut off; by what it begins with."""
    head = text[:400]
    begun = [
        (head.index(f'"{name}"'), at, what)
        for at, (fields, what) in enumerate(_FIELDS)
        for name in fields - {"version"}
        if f'"{name}"' in head
    ]
    begins = min(begun)[2] if begun else "JSON"
    if text[-1:] not in ("}", "]"):
        return f"{begins}, cut off"
    lines = text.splitlines()
    if len(lines) > 1 and all(_is_object(line) for line in lines[:20] if line.strip()):
        return f"{begins}, an object a line"
    return f"{begins}, not well formed"


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
