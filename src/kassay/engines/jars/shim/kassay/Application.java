package kassay;

import java.util.ArrayList;
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

/** One request to an assignor of Streams tasks, as the application that it is shown (KIP-924). */
final class Application {
    private final ProcessTasks.Kafka kafka;
    final Map<Object, Object> tasks = new HashMap<>();
    /** By the text of a task, what it reads. */
    final Map<Object, List<Object>> sources = new HashMap<>();
    final List<String> topics = new ArrayList<>();
    final Map<String, List<Object>> members = new LinkedHashMap<>();
    final long probingMs;
    private final Object configs;
    private final Map<Object, Object> withLags = new HashMap<>();
    private final Map<Object, Object> withoutLags = new HashMap<>();

    Application(Map<String, Object> document, ProcessTasks.Kafka kafka) throws Throwable {
        this.kafka = kafka;
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
            dealt.put(consumer, new TreeSet<>(byLag.thenComparing(Application::natural)));
        }
        List<Object> had = new ArrayList<>(active);
        had.addAll(standby);
        had.retainAll(lags.keySet());
        for (int n = 0; n < had.size() && !consumers.isEmpty(); n++) {
            dealt.get(consumers.get(n % consumers.size())).add(had.get(n));
        }
        return dealt;
    }

    @SuppressWarnings("unchecked")
    private static int natural(Object one, Object other) {
        return ((Comparable<Object>) one).compareTo(other);
    }
}
