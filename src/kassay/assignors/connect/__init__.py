"""The assignors of Kafka Connect: which worker runs which connector and which task."""
