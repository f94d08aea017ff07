package org.apache.kafka.coordinator.group.api.assignor;

import java.util.*;
import org.apache.kafka.common.Uuid;

public interface PartitionAssignor {
    String name();

    GroupAssignment assign(GroupSpec group, SubscribedTopicDescriber topics) throws PartitionAssignorException;
}

public interface ConsumerGroupPartitionAssignor extends PartitionAssignor { }

public interface ShareGroupPartitionAssignor extends PartitionAssignor { }

public enum SubscriptionType { HOMOGENEOUS, HETEROGENEOUS }

public interface GroupSpec {
    Collection<String> memberIds();

    SubscriptionType subscriptionType();

    boolean isPartitionAssigned(Uuid topic, int partition);

    boolean isPartitionAssignable(Uuid topic, int partition);

    MemberSubscription memberSubscription(String member);

    MemberAssignment memberAssignment(String member);
}

public interface MemberSubscription {
    Optional<String> rackId();

    Optional<String> instanceId();

    Set<Uuid> subscribedTopicIds();
}

public interface MemberAssignment {
    Map<Uuid, Set<Integer>> partitions();
}

public interface SubscribedTopicDescriber {
    int numPartitions(Uuid topic);

    Set<String> racksForPartition(Uuid topic, int partition);
}

public class GroupAssignment {
    private final Map<String, MemberAssignment> members;

    public GroupAssignment(Map<String, MemberAssignment> members) {
        this.members = members;
    }

    public Map<String, MemberAssignment> members() {
        return members;
    }
}

public class PartitionAssignorException extends RuntimeException {
    public PartitionAssignorException(String message) {
        super(message);
    }
}
