import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;

/**
 * Active/passive groups: each topic goes whole to its subscriber of the highest priority, and when that one leaves,
 * to the next. A consumer's priority is its configuration {@code assignment.consumer.priority}.
 */
public class FailoverAssignor implements ConsumerPartitionAssignor, Configurable {
    private static final String PRIORITY = "assignment.consumer.priority";

    private int priority = Integer.MAX_VALUE;

    @Override
    public String name() {
        return "failover";
    }

    @Override
    public void configure(Map<String, ?> configs) {
        Object value = configs.get(PRIORITY);
        if (value != null) {
            priority = Integer.parseInt(value.toString().trim());
        }
    }

    @Override
    public ByteBuffer subscriptionUserData(Set<String> topics) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(0, priority);
    }

    @Override
    public GroupAssignment assign(Cluster metadata, GroupSubscription groupSubscription) {
        Map<String, Subscription> members = groupSubscription.groupSubscription();
        Map<String, List<TopicPartition>> given = new HashMap<>();
        Map<String, String> active = new HashMap<>();
        List<String> inOrder = new ArrayList<>(members.keySet());
        inOrder.sort(Comparator
            .comparing((String member) -> -(long) priorityOf(members.get(member)))
            .thenComparing(member -> members.get(member).groupInstanceId().isEmpty())
            .thenComparing(member -> members.get(member).groupInstanceId().orElse(member))
            .thenComparing(member -> member));
        for (String member : inOrder) {
            given.put(member, new ArrayList<>());
            for (String topic : members.get(member).topics()) {
                active.putIfAbsent(topic, member);
            }
        }
        active.forEach((topic, member) -> {
            Integer partitions = metadata.partitionCountForTopic(topic);
            for (int partition = 0; partitions != null && partition < partitions; partition++) {
                given.get(member).add(new TopicPartition(topic, partition));
            }
        });
        Map<String, Assignment> assignments = new HashMap<>();
        given.forEach((member, partitions) -> assignments.put(member, new Assignment(partitions)));
        return new GroupAssignment(assignments);
    }

    private static int priorityOf(Subscription subscription) {
        ByteBuffer data = subscription.userData();
        return data == null || data.remaining() < Integer.BYTES ? Integer.MAX_VALUE : data.getInt(data.position());
    }
}
