package rules;

import java.time.Instant;
import java.util.*;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.*;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.*;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;

/** Deals active tasks and their standbys to the processes in turn. */
public class TasksInTurn implements TaskAssignor {
    @Override
    public TaskAssignment assign(ApplicationState application) {
        List<ProcessId> processes = new ArrayList<>(new TreeSet<>(application.kafkaStreamsStates(false).keySet()));
        Map<ProcessId, Set<AssignedTask>> given = new LinkedHashMap<>();
        processes.forEach(process -> given.put(process, new LinkedHashSet<>()));
        int copies = Math.min(processes.size(), application.assignmentConfigs().numStandbyReplicas() + 1);
        int n = 0;
        for (TaskId task : new TreeSet<>(application.allTasks().keySet())) {
            for (int copy = 0; copy < (application.allTasks().get(task).isStateful() ? copies : 1); copy++) {
                AssignedTask.Type type = copy == 0 ? AssignedTask.Type.ACTIVE : AssignedTask.Type.STANDBY;
                given.get(processes.get((n + copy) % processes.size())).add(new AssignedTask(task, type));
            }
            n++;
        }
        List<KafkaStreamsAssignment> answer = new ArrayList<>();
        given.forEach((process, tasks) -> answer.add(answered(KafkaStreamsAssignment.of(process, tasks))));
        return new TaskAssignment(answer);
    }

    KafkaStreamsAssignment answered(KafkaStreamsAssignment assignment) {
        return assignment;
    }
}

/** Leaves every process without its tasks of partition 0. */
public class WithoutZero extends TasksInTurn {
    @Override
    KafkaStreamsAssignment answered(KafkaStreamsAssignment assignment) {
        Set<AssignedTask> tasks = new HashSet<>(assignment.tasks().values());
        tasks.removeIf(task -> task.id().partition() == 0);
        return KafkaStreamsAssignment.of(assignment.processId(), tasks);
    }
}

/** Asks for another rebalance in ten minutes, always. */
public class NeverAtRest extends TasksInTurn {
    @Override
    KafkaStreamsAssignment answered(KafkaStreamsAssignment assignment) {
        return assignment.withFollowupRebalance(Instant.now().plusMillis(600_000));
    }
}

/** Says by an error what it was shown or told, as its configuration wants. */
public class Told extends TasksInTurn {
    private final Map<String, String> told = new HashMap<>();
    private String wanted;

    @Override
    public void configure(Map<String, ?> configs) {
        wanted = String.valueOf(configs.get("tell"));
    }

    @Override
    public TaskAssignment assign(ApplicationState application) {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(application.kafkaStreamsStates(true)).forEach((id, state) -> {
            text.append(state.numProcessingThreads()).append(state.consumerClientIds());
            text.append(state.previousActiveTasks()).append(state.previousStandbyTasks());
            text.append(new TreeMap<>(state.statefulTasksToLagSums()));
            state.consumerClientIds().forEach(consumer -> text.append(state.prevTasksByLag(consumer)));
            text.append(state.rackId()).append(state.clientTags()).append(state.hostInfo()).append(' ');
        });
        told.put("processes", text.toString());
        text.setLength(0);
        application.allTasks().values().stream().sorted(Comparator.comparing(TaskInfo::id)).forEach(task -> {
            text.append(task.id()).append(task.stateStoreNames()).append(task.topicPartitions()).append(' ');
        });
        told.put("tasks", text.toString());
        if (wanted.equals("lags")) {
            application.kafkaStreamsStates(false).values().forEach(KafkaStreamsState::statefulTasksToLagSums);
        }
        return super.assign(application);
    }

    @Override
    public void onAssignmentComputed(GroupAssignment assignment, GroupSubscription subscription, AssignmentError error) {
        StringBuilder text = new StringBuilder(error.name());
        new TreeMap<>(assignment.groupAssignment()).forEach((id, given) -> text.append(id).append(given.partitions()));
        new TreeMap<>(subscription.groupSubscription()).forEach((id, reads) -> text.append(reads.topics()));
        told.put("outcome", text.toString());
        throw new IllegalStateException(told.get(wanted));
    }
}
