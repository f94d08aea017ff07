"""The sticky assignors of Kafka's clients, and their parts."""
