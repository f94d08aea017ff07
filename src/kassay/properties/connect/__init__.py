"""Claims about assignors of Kafka Connect, and the histories to judge them on."""
