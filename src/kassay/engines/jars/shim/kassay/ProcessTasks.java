package kassay;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Assignors of Streams tasks to processes (KIP-924). */
final class ProcessTasks implements Kind {
    private static final String API = "org.apache.kafka.streams.processor.assignment.";

    private Kafka kafka;

    @Override
    public boolean has(Class<?> type) {
        return Reflected.is(type, API + "TaskAssignor");
    }

    @Override
    public Map<String, Object> hello(Class<?> type) {
        return Map.of("kind", "task-assignor", "level", "process");
    }

    @Override
    public Object call(String call, Object asked, Map<String, Object> request, Map<String, Object> reply)
        throws Throwable {
        if (kafka == null) {
            kafka = new Kafka();
        }
        Application application = new Application(Shim.map(request.get("application")), kafka);
        Object state = application.state();
        long before = System.currentTimeMillis();
        Object answer = Reflected.call(kafka.assign, asked, state);
        long after = System.currentTimeMillis();
        Collection<?> assignments = answer == null ? null : (Collection<?>) Reflected.call(kafka.assignment, answer);
        if (assignments == null) {
            return null;
        }
        Map<String, Object> plain = new LinkedHashMap<>();
        for (Object each : assignments) {
            Map<String, Object> given = given(each, before, after, application.probingMs);
            // a process that stands there twice has what is said of it last, as Kafka takes it
            plain.put(Reflected.call(kafka.id, Reflected.call(kafka.processOf, each)).toString(), given);
        }
        computed(asked, application, state, answer, plain);
        return plain;
    }

    private Map<String, Object> given(Object assignment, long before, long after, long usual) throws Throwable {
        List<String> active = new ArrayList<>();
        List<String> standby = new ArrayList<>();
        for (Object task : ((Map<?, ?>) Reflected.call(kafka.tasks, assignment)).values()) {
            boolean runs = String.valueOf(Reflected.call(kafka.taskType, task)).equals("ACTIVE");
            (runs ? active : standby).add(String.valueOf(Reflected.call(kafka.taskId, task)));
        }
        Collections.sort(active);
        Collections.sort(standby);
        Optional<?> deadline = (Optional<?>) Reflected.call(kafka.deadline, assignment);
        Map<String, Object> given = new LinkedHashMap<>();
        given.put("active", active);
        given.put("standby", standby);
        given.put("followup_ms", deadline.isPresent() ? from((Instant) deadline.get(), before, after, usual) : null);
        return given;
    }

    /**
     * In how many ms the deadline is. The assignor read the clock some time between `before` and `after`: of what
     * it may have added to that, the usual time, else the roundest, so that the answer does not hang on the clock.
     */
    private static Long from(Instant deadline, long before, long after, long usual) {
        long most = deadline.toEpochMilli() - before;
        long least = deadline.toEpochMilli() - after;
        if (least <= usual && usual <= most) {
            return usual;
        }
        for (long unit = 1_000_000; unit > 1; unit /= 10) {
            if (Math.floorDiv(most, unit) * unit >= least) {
                return Math.max(0, Math.floorDiv(most, unit) * unit);
            }
        }
        return Math.max(0, most);
    }

    /** Tell the assignor what became of its answer, as the partition assignor of Streams does. */
    private void computed(
        Object asked, Application application, Object state, Object answer, Map<String, Object> plain
    ) throws Throwable {
        Object error = Reflected.call(kafka.validate, null, state, answer);
        boolean fatal = String.valueOf(error).startsWith("UNKNOWN");
        Map<String, Object> byMember = new HashMap<>();
        Map<String, Object> subscriptions = new HashMap<>();
        for (Map.Entry<String, List<Object>> process : application.members.entrySet()) {
            List<Object> active = Shim.list(Shim.map(plain.get(process.getKey())).get("active"));
            int count = process.getValue().size();
            for (int thread = 0; thread < count; thread++) {
                List<Object> partitions = new ArrayList<>();
                for (int n = thread; !fatal && n < active.size(); n += count) {
                    partitions.addAll(application.sources.getOrDefault(active.get(n), List.of()));
                }
                String member = (String) process.getValue().get(thread);
                subscriptions.put(member, Reflected.make(kafka.newSubscription, application.topics));
                if (!fatal) {
                    byMember.put(member, Reflected.make(kafka.newAssignment, partitions));
                }
            }
        }
        Reflected.call(
            kafka.computed,
            asked,
            Reflected.make(kafka.newGroupAssignment, byMember),
            Reflected.make(kafka.newGroupSubscription, subscriptions),
            error);
    }

    /** What is called of Streams and of the client library. */
    static final class Kafka {
        private static final String CLIENT = "org.apache.kafka.clients.consumer.ConsumerPartitionAssignor$";

        final Class<?> assignor = Class.forName(API + "TaskAssignor");
        final Class<?> application = Class.forName(API + "ApplicationState");
        final Class<?> streamsState = Class.forName(API + "KafkaStreamsState");
        final Class<?> taskInfo = Class.forName(API + "TaskInfo");
        final Class<?> taskTopicPartition = Class.forName(API + "TaskTopicPartition");
        final Class<?> processId = Class.forName(API + "ProcessId");
        final Class<?> processAssignment = Class.forName(API + "KafkaStreamsAssignment");
        final Class<?> assignedTask = Class.forName(API + "KafkaStreamsAssignment$AssignedTask");
        final Class<?> groupAssignment = Class.forName(CLIENT + "GroupAssignment");
        final Class<?> groupSubscription = Class.forName(CLIENT + "GroupSubscription");

        final Method assign = assignor.getMethod("assign", application);
        final Method assignment = assign.getReturnType().getMethod("assignment");
        final Method computed = assignor.getMethod(
            "onAssignmentComputed", groupAssignment, groupSubscription, Class.forName(API + "TaskAssignor$AssignmentError"));
        final Method validate = Class.forName(API + "TaskAssignmentUtils")
            .getMethod("validateTaskAssignment", application, assign.getReturnType());
        final Method processOf = processAssignment.getMethod("processId");
        final Method tasks = processAssignment.getMethod("tasks");
        final Method deadline = processAssignment.getMethod("followupRebalanceDeadline");
        final Method id = processId.getMethod("id");
        final Method taskId = assignedTask.getMethod("id");
        final Method taskType = assignedTask.getMethod("type");
        final Method parse = Class.forName("org.apache.kafka.streams.processor.TaskId").getMethod("parse", String.class);

        final Constructor<?> newProcessId = processId.getConstructor(UUID.class);
        final Constructor<?> newConfigs = Class.forName(API + "AssignmentConfigs")
            .getConstructor(Long.class, Integer.class, Integer.class, Long.class, List.class);
        final Constructor<?> newTopicPartition =
            Class.forName("org.apache.kafka.common.TopicPartition").getConstructor(String.class, int.class);
        final Constructor<?> newSubscription = Class.forName(CLIENT + "Subscription").getConstructor(List.class);
        final Constructor<?> newAssignment = Class.forName(CLIENT + "Assignment").getConstructor(List.class);
        final Constructor<?> newGroupAssignment = groupAssignment.getConstructor(Map.class);
        final Constructor<?> newGroupSubscription = groupSubscription.getConstructor(Map.class);

        Kafka() throws ReflectiveOperationException {
        }
    }
}
