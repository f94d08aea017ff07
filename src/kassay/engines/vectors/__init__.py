"""Golden vectors: inputs with the outputs of the genuine Kafka code, and their check against a target."""
