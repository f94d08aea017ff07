package rules;

import java.util.*;
import org.apache.kafka.common.*;
import org.apache.kafka.coordinator.group.api.assignor.*;
import org.apache.kafka.metadata.placement.*;
import org.apache.kafka.streams.processor.assignment.*;

/** Answers an assignor of the broker's with what its configuration says. */
public class BadServer implements ConsumerGroupPartitionAssignor, Configurable {
    private String answer;

    @Override
    public void configure(Map<String, ?> configs) {
        answer = String.valueOf(configs.get("answer"));
    }

    @Override
    public String name() {
        return null;
    }

    @Override
    public GroupAssignment assign(GroupSpec group, SubscribedTopicDescriber topics) {
        Map<String, MemberAssignment> members = new HashMap<>();
        switch (answer) {
            case "null":
                return null;
            case "null map":
                return new GroupAssignment(null);
            case "null partitions":
                members.put("a", () -> null);
                return new GroupAssignment(members);
            case "null partition":
                members.put("a", () -> Map.of(new Uuid(1, 1), Collections.singleton(null)));
                return new GroupAssignment(members);
            case "strange topic":
                members.put("a", () -> Map.of(new Uuid(1, 1), Set.of(0)));
                return new GroupAssignment(members);
            case "null member":
                members.put("a", null);
                return new GroupAssignment(members);
            default:
                System.out.println("{\"id\": 2, \"answer\": {}}");
                throw new PartitionAssignorException("no");
        }
    }
}

/** The same of a placer. */
public class BadPlacer implements ReplicaPlacer, Configurable {
    private String answer;

    @Override
    public void configure(Map<String, ?> configs) {
        answer = String.valueOf(configs.get("answer"));
    }

    @Override
    public TopicAssignment place(PlacementSpec spec, ClusterDescriber cluster) {
        switch (answer) {
            case "null":
                return null;
            case "null list":
                return new TopicAssignment(null);
            case "null partition":
                return new TopicAssignment(Collections.singletonList(null));
            default:
                throw new IllegalStateException("no");
        }
    }
}

/** The same of a task assignor. */
public class BadTasks implements TaskAssignor {
    private String answer;

    @Override
    public void configure(Map<String, ?> configs) {
        answer = String.valueOf(configs.get("answer"));
    }

    @Override
    public TaskAssignment assign(ApplicationState application) {
        switch (answer) {
            case "null":
                return null;
            case "null list":
                return new TaskAssignment(null);
            case "null process":
                return new TaskAssignment(Collections.singletonList(null));
            case "nobody":
                return new TaskAssignment(List.of());
            default:
                throw new IllegalStateException("no");
        }
    }
}
