package org.apache.kafka.streams.processor.assignment;

import java.time.Instant;
import java.util.*;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.*;
import org.apache.kafka.common.*;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.state.HostInfo;

public class ProcessId implements Comparable<ProcessId> {
    private final UUID id;

    public ProcessId(UUID id) {
        this.id = id;
    }

    public UUID id() {
        return id;
    }

    @Override
    public int compareTo(ProcessId other) {
        return id.compareTo(other.id);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ProcessId && id.equals(((ProcessId) other).id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }
}

public interface TaskTopicPartition {
    TopicPartition topicPartition();

    boolean isSource();

    boolean isChangelog();

    Optional<Set<String>> rackIds();
}

public interface TaskInfo {
    TaskId id();

    boolean isStateful();

    Set<String> stateStoreNames();

    Set<TaskTopicPartition> topicPartitions();
}

public class AssignmentConfigs {
    private final long acceptableRecoveryLag;
    private final int maxWarmupReplicas;
    private final int numStandbyReplicas;
    private final long probingRebalanceIntervalMs;
    private final List<String> tags;

    public AssignmentConfigs(Long lag, Integer warmups, Integer standbys, Long probing, List<String> tags) {
        this.acceptableRecoveryLag = lag;
        this.maxWarmupReplicas = warmups;
        this.numStandbyReplicas = standbys;
        this.probingRebalanceIntervalMs = probing;
        this.tags = tags;
    }

    public long acceptableRecoveryLag() {
        return acceptableRecoveryLag;
    }

    public int maxWarmupReplicas() {
        return maxWarmupReplicas;
    }

    public int numStandbyReplicas() {
        return numStandbyReplicas;
    }

    public long probingRebalanceIntervalMs() {
        return probingRebalanceIntervalMs;
    }

    public List<String> rackAwareAssignmentTags() {
        return tags;
    }
}

public interface KafkaStreamsState {
    ProcessId processId();

    int numProcessingThreads();

    SortedSet<String> consumerClientIds();

    SortedSet<TaskId> previousActiveTasks();

    SortedSet<TaskId> previousStandbyTasks();

    long lagFor(TaskId task);

    SortedSet<TaskId> prevTasksByLag(String consumer);

    Map<TaskId, Long> statefulTasksToLagSums();

    Optional<HostInfo> hostInfo();

    Map<String, String> clientTags();

    Optional<String> rackId();
}

public interface ApplicationState {
    Map<ProcessId, KafkaStreamsState> kafkaStreamsStates(boolean computeTaskLags);

    AssignmentConfigs assignmentConfigs();

    Map<TaskId, TaskInfo> allTasks();
}

public class KafkaStreamsAssignment {
    private final ProcessId processId;
    private final Map<TaskId, AssignedTask> tasks;
    private final Optional<Instant> deadline;

    private KafkaStreamsAssignment(ProcessId processId, Map<TaskId, AssignedTask> tasks, Optional<Instant> deadline) {
        this.processId = processId;
        this.tasks = tasks;
        this.deadline = deadline;
    }

    public static KafkaStreamsAssignment of(ProcessId processId, Set<AssignedTask> assigned) {
        Map<TaskId, AssignedTask> tasks = new HashMap<>();
        assigned.forEach(task -> tasks.put(task.id(), task));
        return new KafkaStreamsAssignment(processId, tasks, Optional.empty());
    }

    public KafkaStreamsAssignment withFollowupRebalance(Instant when) {
        return new KafkaStreamsAssignment(processId, tasks, Optional.of(when));
    }

    public ProcessId processId() {
        return processId;
    }

    public Map<TaskId, AssignedTask> tasks() {
        return tasks;
    }

    public Optional<Instant> followupRebalanceDeadline() {
        return deadline;
    }

    public static class AssignedTask {
        private final TaskId id;
        private final Type type;

        public AssignedTask(TaskId id, Type type) {
            this.id = id;
            this.type = type;
        }

        public enum Type { ACTIVE, STANDBY }

        public TaskId id() {
            return id;
        }

        public Type type() {
            return type;
        }
    }
}

public interface TaskAssignor extends Configurable {
    enum AssignmentError {
        NONE,
        ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES,
        INVALID_STANDBY_TASK,
        MISSING_PROCESS_ID,
        UNKNOWN_PROCESS_ID,
        UNKNOWN_TASK_ID
    }

    TaskAssignment assign(ApplicationState application);

    default void onAssignmentComputed(GroupAssignment assignment, GroupSubscription subscription, AssignmentError error) { }

    @Override
    default void configure(Map<String, ?> configs) { }

    class TaskAssignment {
        private final Collection<KafkaStreamsAssignment> assignment;

        public TaskAssignment(Collection<KafkaStreamsAssignment> assignment) {
            this.assignment = assignment;
        }

        public Collection<KafkaStreamsAssignment> assignment() {
            return assignment;
        }
    }
}

public final class TaskAssignmentUtils {
    public static TaskAssignor.AssignmentError validateTaskAssignment(
        ApplicationState application, TaskAssignor.TaskAssignment answer
    ) {
        for (KafkaStreamsAssignment each : answer.assignment()) {
            if (!application.kafkaStreamsStates(false).containsKey(each.processId())) {
                return TaskAssignor.AssignmentError.UNKNOWN_PROCESS_ID;
            }
            if (!application.allTasks().keySet().containsAll(each.tasks().keySet())) {
                return TaskAssignor.AssignmentError.UNKNOWN_TASK_ID;
            }
        }
        return TaskAssignor.AssignmentError.NONE;
    }
}
