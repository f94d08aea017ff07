package org.apache.kafka.common;

import java.util.*;

public class Uuid {
    private final long most;
    private final long least;

    public Uuid(long most, long least) {
        this.most = most;
        this.least = least;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Uuid && ((Uuid) other).most == most && ((Uuid) other).least == least;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(most ^ least);
    }

    @Override
    public String toString() {
        return most + "." + least;
    }
}

public interface Configurable {
    void configure(Map<String, ?> configs);
}

public class Node {
    private final int id;

    public Node(int id, String host, int port) {
        this.id = id;
    }

    public Node(int id, String host, int port, String rack) {
        this.id = id;
    }

    public int id() {
        return id;
    }
}

public class TopicPartition {
    private final String topic;
    private final int partition;

    public TopicPartition(String topic, int partition) {
        this.topic = topic;
        this.partition = partition;
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TopicPartition
            && ((TopicPartition) other).topic.equals(topic)
            && ((TopicPartition) other).partition == partition;
    }

    @Override
    public int hashCode() {
        return topic.hashCode() * 31 + partition;
    }

    @Override
    public String toString() {
        return topic + "-" + partition;
    }
}

public class PartitionInfo {
    private final String topic;
    private final int partition;
    private final Node leader;

    public PartitionInfo(String topic, int partition, Node leader, Node[] replicas, Node[] inSync) {
        this.topic = topic;
        this.partition = partition;
        this.leader = leader;
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    public Node leader() {
        return leader;
    }
}

public final class Cluster {
    private final List<PartitionInfo> partitions;

    public Cluster(
        String id, Collection<Node> nodes, Collection<PartitionInfo> partitions, Set<String> denied, Set<String> internal
    ) {
        this.partitions = new ArrayList<>(partitions);
    }

    public List<PartitionInfo> partitionsForTopic(String topic) {
        List<PartitionInfo> of = new ArrayList<>(partitions);
        of.removeIf(each -> !each.topic().equals(topic));
        return of;
    }

    public List<PartitionInfo> availablePartitionsForTopic(String topic) {
        List<PartitionInfo> of = partitionsForTopic(topic);
        of.removeIf(each -> each.leader() == null);
        return of;
    }

    public Integer partitionCountForTopic(String topic) {
        return partitionsForTopic(topic).size();
    }
}
