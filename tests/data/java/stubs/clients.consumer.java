package org.apache.kafka.clients.consumer;

import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.common.*;

public interface ConsumerPartitionAssignor {
    final class Subscription {
        private final List<String> topics;

        public Subscription(List<String> topics) {
            this.topics = topics;
        }

        public List<String> topics() {
            return topics;
        }
    }

    final class Assignment {
        private final List<TopicPartition> partitions;

        public Assignment(List<TopicPartition> partitions) {
            this.partitions = partitions;
        }

        public List<TopicPartition> partitions() {
            return partitions;
        }
    }

    final class GroupSubscription {
        private final Map<String, Subscription> byMember;

        public GroupSubscription(Map<String, Subscription> byMember) {
            this.byMember = byMember;
        }

        public Map<String, Subscription> groupSubscription() {
            return byMember;
        }
    }

    final class GroupAssignment {
        private final Map<String, Assignment> byMember;

        public GroupAssignment(Map<String, Assignment> byMember) {
            this.byMember = byMember;
        }

        public Map<String, Assignment> groupAssignment() {
            return byMember;
        }
    }
}
