"""The group protocols as pure state machines, and the coordinator that Kafka's own traces hold to account."""
