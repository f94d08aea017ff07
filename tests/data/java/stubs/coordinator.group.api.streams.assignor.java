package org.apache.kafka.coordinator.group.api.streams.assignor;

import java.util.*;

public interface TaskAssignor {
    String name();

    GroupAssignment assign(GroupSpec group, TopologyDescriber topology) throws TaskAssignorException;
}

public class TaskAssignorException extends RuntimeException {
    public TaskAssignorException(String message) {
        super(message);
    }
}

public interface AssignmentConfigs {
    int numStandbyReplicas();

    List<String> rackAwareAssignmentTags();
}

public interface GroupSpec {
    Collection<String> memberIds();

    MemberAssignmentMetadata memberMetadata(String member);

    MemberAssignmentState memberAssignmentState(String member);

    AssignmentConfigs configs();
}

public interface MemberAssignmentMetadata {
    Optional<String> instanceId();

    Optional<String> rackId();

    String processId();

    Map<String, String> clientTags();
}

public interface MemberAssignmentState {
    Map<String, Set<Integer>> activeTasks();

    Map<String, Set<Integer>> standbyTasks();

    Map<String, Set<Integer>> warmupTasks();

    Map<String, Map<Integer, Long>> taskOffsets();

    Map<String, Map<Integer, Long>> taskEndOffsets();
}

public interface TopologyDescriber {
    List<String> subtopologies();

    int maxNumInputPartitions(String subtopology);

    boolean isStateful(String subtopology);
}

public class MemberAssignment {
    private final Map<String, Set<Integer>> active;
    private final Map<String, Set<Integer>> standby;

    public MemberAssignment(Map<String, Set<Integer>> active, Map<String, Set<Integer>> standby) {
        this.active = active;
        this.standby = standby;
    }

    public Map<String, Set<Integer>> activeTasks() {
        return active;
    }

    public Map<String, Set<Integer>> standbyTasks() {
        return standby;
    }
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
