"""The group protocols as pure state machines; the coordinator is checked against traces of Kafka itself."""
