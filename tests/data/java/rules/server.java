package rules;

import java.util.*;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.*;

/** Deals the partitions of each topic to its subscribers in turn. */
public class InTurn implements ConsumerGroupPartitionAssignor {
    @Override
    public String name() {
        return "in-turn";
    }

    /** How often each partition is given. */
    int copies() {
        return 1;
    }

    @Override
    public GroupAssignment assign(GroupSpec group, SubscribedTopicDescriber topics) {
        Map<Uuid, List<String>> readers = new LinkedHashMap<>();
        Map<String, Map<Uuid, Set<Integer>>> given = new LinkedHashMap<>();
        for (String member : new TreeSet<>(group.memberIds())) {
            given.put(member, new HashMap<>());
            for (Uuid topic : group.memberSubscription(member).subscribedTopicIds()) {
                readers.computeIfAbsent(topic, each -> new ArrayList<>()).add(member);
            }
        }
        readers.forEach((topic, members) -> {
            for (int p = 0; p < topics.numPartitions(topic); p++) {
                for (int copy = 0; copy < copies(); copy++) {
                    String member = members.get((p + copy) % members.size());
                    given.get(member).computeIfAbsent(topic, each -> new HashSet<>()).add(p);
                }
            }
        });
        Map<String, MemberAssignment> answer = new HashMap<>();
        given.forEach((member, partitions) -> answer.put(member, () -> partitions));
        return new GroupAssignment(answer);
    }
}

/** Gives every partition to two members. */
public class ToTwo extends InTurn {
    @Override
    int copies() {
        return 2;
    }
}

/** Gives every member of a share group all that it may have. */
public class AllToAll implements ShareGroupPartitionAssignor {
    @Override
    public String name() {
        return "all-to-all";
    }

    boolean allowed(GroupSpec group, Uuid topic, int partition) {
        return group.isPartitionAssignable(topic, partition);
    }

    @Override
    public GroupAssignment assign(GroupSpec group, SubscribedTopicDescriber topics) {
        Map<String, MemberAssignment> answer = new HashMap<>();
        for (String member : group.memberIds()) {
            Map<Uuid, Set<Integer>> given = new HashMap<>();
            for (Uuid topic : group.memberSubscription(member).subscribedTopicIds()) {
                for (int p = 0; p < topics.numPartitions(topic); p++) {
                    if (allowed(group, topic, p)) {
                        given.computeIfAbsent(topic, each -> new HashSet<>()).add(p);
                    }
                }
            }
            answer.put(member, () -> given);
        }
        return new GroupAssignment(answer);
    }
}

/** Leaves the first partition of every topic to nobody. */
public class WithoutFirst extends AllToAll {
    @Override
    boolean allowed(GroupSpec group, Uuid topic, int partition) {
        return partition > 0 && super.allowed(group, topic, partition);
    }
}

/** Says by an error what it was shown. */
public class Shown extends InTurn {
    @Override
    public GroupAssignment assign(GroupSpec group, SubscribedTopicDescriber topics) {
        StringBuilder text = new StringBuilder(group.subscriptionType().name());
        for (String member : new TreeSet<>(group.memberIds())) {
            MemberSubscription subscription = group.memberSubscription(member);
            text.append(' ').append(member).append(subscription.rackId()).append(subscription.instanceId());
            for (Uuid topic : subscription.subscribedTopicIds()) {
                text.append(topics.numPartitions(topic)).append(new TreeSet<>(topics.racksForPartition(topic, 0)));
                text.append(group.memberAssignment(member).partitions().get(topic));
                text.append(group.isPartitionAssigned(topic, 0)).append(group.isPartitionAssigned(topic, 1));
                text.append(group.isPartitionAssignable(topic, 0));
            }
        }
        text.append(' ').append(group.memberAssignment("nobody").partitions());
        text.append(topics.numPartitions(new Uuid(1, 2))).append(topics.racksForPartition(new Uuid(1, 2), 0));
        throw new PartitionAssignorException(text.toString());
    }
}

/** Of two kinds at once. */
public class Both extends InTurn implements ShareGroupPartitionAssignor { }
