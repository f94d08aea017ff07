package kassay;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
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
        Map<String, Object> hello = new LinkedHashMap<>();
        hello.put("kind", "task-assignor");
        hello.put("level", "process");
        hello.put("versions", Reflected.versions());
        return hello;
    }

    @Override
    public Map<String, Object> introduction(Object asked) {
        return new LinkedHashMap<>();
    }

    @Override
    public Object call(String call, Object asked, Map<String, Object> request, Map<String, Object> reply)
        throws Throwable {
        if (!call.equals("assign")) {
            throw new IllegalArgumentException("a task assignor has no call " + call);
        }
        if (kafka == null) {
            kafka = new Kafka();
        }
        Application application = new Application(Shim.map(request.get("application")));
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

    /** One request, as the application that an assignor is shown. */
    private final class Application {
        final Map<Object, Object> tasks = new HashMap<>();
        /** By the text of a task, what it reads. */
        final Map<Object, List<Object>> sources = new HashMap<>();
        final List<String> topics = new ArrayList<>();
        final Map<String, List<Object>> members = new LinkedHashMap<>();
        final long probingMs;
        private final Object configs;
        private final Map<Object, Object> withLags = new HashMap<>();
        private final Map<Object, Object> withoutLags = new HashMap<>();

        Application(Map<String, Object> document) throws Throwable {
            probingMs = (Long) document.get("probing_rebalance_interval_ms");
            configs = Reflected.make(
                kafka.newConfigs,
                document.get("acceptable_recovery_lag"),
                ((Long) document.get("max_warmup_replicas")).intValue(),
                ((Long) document.get("num_standby_replicas")).intValue(),
                probingMs,
                Shim.list(document.get("rack_aware_assignment_tags")));
            for (Object each : Shim.list(document.get("subtopologies"))) {
                topics.add(source(String.valueOf(Shim.map(each).get("id"))));
            }
            for (Object each : Shim.list(document.get("tasks"))) {
                Map<String, Object> task = Shim.map(each);
                tasks.put(id(task.get("id")), info((String) task.get("id"), (Boolean) task.get("stateful")));
            }
            for (Object each : Shim.list(document.get("processes"))) {
                Map<String, Object> process = Shim.map(each);
                Object processId = Reflected.make(kafka.newProcessId, UUID.fromString((String) process.get("id")));
                members.put((String) process.get("id"), Shim.list(process.get("members")));
                withLags.put(processId, state(processId, process, true));
                withoutLags.put(processId, state(processId, process, false));
            }
        }

        Object state() {
            return Standing.of(kafka.application, "application", Map.of(
                "kafkaStreamsStates", one -> Collections.unmodifiableMap((Boolean) one[0] ? withLags : withoutLags),
                "assignmentConfigs", none -> configs,
                "allTasks", none -> Collections.unmodifiableMap(tasks)));
        }

        private Object id(Object text) throws Throwable {
            return Reflected.call(kafka.parse, null, text);
        }

        private String source(String subtopology) {
            return "subtopology-" + subtopology;
        }

        /** A task reads a topic of its subtopology, and one with state has a store and the changelog of it. */
        private Object info(String text, boolean stateful) throws Throwable {
            String subtopology = text.substring(0, text.lastIndexOf('_'));
            int partition = Integer.parseInt(text.substring(text.lastIndexOf('_') + 1));
            Object reads = Reflected.make(kafka.newTopicPartition, source(subtopology), partition);
            sources.put(text, List.of(reads));
            Set<Object> partitions = new HashSet<>();
            partitions.add(topicPartition(reads, true));
            Set<String> stores = new HashSet<>();
            if (stateful) {
                String changelog = source(subtopology) + "-store-changelog";
                partitions.add(topicPartition(Reflected.make(kafka.newTopicPartition, changelog, partition), false));
                stores.add(source(subtopology) + "-store");
            }
            Object id = id(text);
            return Standing.of(kafka.taskInfo, text, Map.of(
                "id", none -> id,
                "isStateful", none -> stateful,
                "stateStoreNames", none -> Collections.unmodifiableSet(stores),
                "topicPartitions", none -> Collections.unmodifiableSet(partitions)));
        }

        private Object topicPartition(Object topicPartition, boolean source) {
            return Standing.of(kafka.taskTopicPartition, topicPartition, Map.of(
                "topicPartition", none -> topicPartition,
                "isSource", none -> source,
                "isChangelog", none -> !source,
                "rackIds", none -> Optional.empty()));
        }

        private Object state(Object processId, Map<String, Object> process, boolean knowsLags) throws Throwable {
            SortedSet<Object> active = ids(process.get("active"));
            SortedSet<Object> standby = ids(process.get("standby"));
            Map<Object, Long> lags = new HashMap<>();
            for (Map.Entry<String, Object> lag : Shim.map(process.get("lags")).entrySet()) {
                lags.put(id(lag.getKey()), (Long) lag.getValue());
            }
            SortedMap<Object, SortedSet<Object>> byMember =
                dealt(members.get((String) process.get("id")), active, standby, lags);
            String asked = "Lag computation was not requested for this KafkaStreamsState";
            Map<String, Standing.Reply> replies = new HashMap<>();
            replies.put("processId", none -> processId);
            replies.put("numProcessingThreads", none -> ((Long) process.get("threads")).intValue());
            replies.put("consumerClientIds", none -> new TreeSet<>(byMember.keySet()));
            replies.put("previousActiveTasks", none -> Collections.unmodifiableSortedSet(active));
            replies.put("previousStandbyTasks", none -> Collections.unmodifiableSortedSet(standby));
            replies.put("hostInfo", none -> Optional.empty());
            replies.put("clientTags", none -> Shim.map(process.get("client_tags")));
            replies.put("rackId", none -> Optional.ofNullable(process.get("rack")));
            replies.put("lagFor", one -> lag(lags, one[0]));
            replies.put("prevTasksByLag", one -> byMember.getOrDefault(one[0], new TreeSet<>()));
            replies.put("statefulTasksToLagSums", none -> new HashMap<>(lags));
            for (String name : List.of("lagFor", "prevTasksByLag", "statefulTasksToLagSums")) {
                if (!knowsLags) {
                    replies.put(name, any -> {
                        throw new UnsupportedOperationException(asked);
                    });
                }
            }
            return Standing.of(kafka.streamsState, process.get("id"), replies);
        }

        private SortedSet<Object> ids(Object texts) throws Throwable {
            SortedSet<Object> ids = new TreeSet<>();
            for (Object text : Shim.list(texts)) {
                ids.add(id(text));
            }
            return ids;
        }

        private Object lag(Map<Object, Long> lags, Object task) {
            if (!lags.containsKey(task)) {
                throw new IllegalStateException("Tried to lookup lag for unknown task " + task);
            }
            return lags.get(task);
        }

        /**
         * What of the process's state each of its consumers had, by lag. A history says what a process had, not
         * which of its threads: they are dealt in turn.
         */
        private SortedMap<Object, SortedSet<Object>> dealt(
            List<Object> consumers, SortedSet<Object> active, SortedSet<Object> standby, Map<Object, Long> lags
        ) {
            SortedMap<Object, SortedSet<Object>> dealt = new TreeMap<>();
            Comparator<Object> byLag = Comparator.comparing(lags::get);
            for (Object consumer : consumers) {
                dealt.put(consumer, new TreeSet<>(byLag.thenComparing(ProcessTasks::natural)));
            }
            List<Object> had = new ArrayList<>(active);
            had.addAll(standby);
            had.retainAll(lags.keySet());
            for (int n = 0; n < had.size() && !consumers.isEmpty(); n++) {
                dealt.get(consumers.get(n % consumers.size())).add(had.get(n));
            }
            return dealt;
        }
    }

    @SuppressWarnings("unchecked")
    private static int natural(Object one, Object other) {
        return ((Comparable<Object>) one).compareTo(other);
    }

    /** What is called of Streams and of the client library. */
    private static final class Kafka {
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
