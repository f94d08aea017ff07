"""The consumer group (KIP-848)."""
from __future__ import annotations
from kassay.model.protocols.groups import ConsumerGroup
def group_state(group: ConsumerGroup) -> str: return ""
def preferred_assignor(group): return ""
