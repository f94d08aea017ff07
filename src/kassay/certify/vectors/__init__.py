"""Golden vectors: inputs with the outputs of the genuine Kafka code, and how to check a target on them."""
