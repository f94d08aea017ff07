package org.apache.kafka.common.errors;

public class InvalidReplicationFactorException extends RuntimeException {
    public InvalidReplicationFactorException(String message) {
        super(message);
    }
}
