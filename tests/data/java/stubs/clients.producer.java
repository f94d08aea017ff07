package org.apache.kafka.clients.producer;

import java.io.Closeable;
import org.apache.kafka.common.*;

public interface Partitioner extends Configurable, Closeable {
    int partition(String topic, Object key, byte[] keyBytes, Object value, byte[] valueBytes, Cluster cluster);

    void close();
}
