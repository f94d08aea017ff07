package rules;

import java.util.*;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;

/** A partition by the key's bytes, else one that is available. */
public class ByKey implements Partitioner {
    private int next;
    private int beyond;

    @Override
    public void configure(Map<String, ?> configs) {
        beyond = Integer.parseInt(String.valueOf(configs.containsKey("beyond") ? configs.get("beyond") : "0"));
    }

    @Override
    public int partition(
        String topic, Object key, byte[] keyBytes, Object value, byte[] valueBytes, Cluster cluster
    ) {
        int count = cluster.partitionsForTopic(topic).size();
        if (keyBytes != null) {
            return Math.floorMod(Arrays.hashCode(keyBytes), count) + beyond;
        }
        int available = cluster.availablePartitionsForTopic(topic).size();
        return available == 0
            ? Math.floorMod(next++, count)
            : cluster.availablePartitionsForTopic(topic).get(Math.floorMod(next++, available)).partition();
    }

    @Override
    public void close() {
    }
}

/** Counts partitions from 1. */
public class FromOne extends ByKey {
    @Override
    public int partition(
        String topic, Object key, byte[] keyBytes, Object value, byte[] valueBytes, Cluster cluster
    ) {
        return super.partition(topic, key, keyBytes, value, valueBytes, cluster) + 1;
    }
}
