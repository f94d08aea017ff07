package org.apache.kafka.coordinator.group;

import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorExecutor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorOperationExceptionHelper;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorTimer;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetricsShard;
import org.apache.kafka.timeline.SnapshotRegistry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;


/**
 * One group of Kafka's own coordinator behind a line protocol on stdin and stdout. {"new": {...}} starts afresh,
 * {"replays": true} asks what is in memory and what the log gives, every other line is an event; each gets one line.
 *
 * The append, the revert of a failed one, and the timers follow Kafka's CoordinatorRuntime; all else is Kafka's own code.
 */
public final class GenuineCoordinator {
    static final ObjectMapper JSON = new ObjectMapper();
    static final String GROUP = "g";
    /** The wall clock at t = 0: far from 0, because a timestamp of 0 means "unknown" to the coordinator. */
    static final long BASE = 1_700_000_000_000L;
    private static final Logger LOG = LoggerFactory.getLogger(GenuineCoordinator.class);

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        GenuineCoordinator coordinator = null;
        for (String line; (line = in.readLine()) != null; ) {
            JsonNode request = JSON.readTree(line);
            ObjectNode answer;
            try {
                if (request.has("new")) {
                    coordinator = new GenuineCoordinator(request.get("new"));
                    answer = JSON.createObjectNode().put("kassay", 1).put("streams", !(coordinator.streams instanceof Streams.Undriven));
                } else if (request.has("replays")) {
                    answer = coordinator.replays();
                } else {
                    answer = coordinator.step(request);
                }
            } catch (Exception | LinkageError problem) {
                problem.printStackTrace();
                answer = JSON.createObjectNode().put("failed", problem.toString());
            }
            out.println(JSON.writeValueAsString(answer));
            out.flush();
        }
    }

    // the clock

    final Time time = new Time() {
        @Override
        public long milliseconds() {
            return BASE + now;
        }

        @Override
        public long nanoseconds() {
            return TimeUnit.MILLISECONDS.toNanos(BASE + now);
        }

        @Override
        public void sleep(long ms) {
            throw new UnsupportedOperationException();
        }

        public void waitObject(Object on, Supplier<Boolean> until, long deadline) {
            throw new UnsupportedOperationException();
        }
    };

    static final class Armed {
        String key;
        long due;
        long order;
        boolean retry;
        long backoff;
        CoordinatorTimer.TimeoutOperation operation;
    }

    @SuppressWarnings({"rawtypes", "unchecked"})
    final class Timers implements CoordinatorTimer {
        final Map<String, Armed> armed = new HashMap<>();

        public void schedule(String key, long delay, TimeUnit unit, boolean retry, CoordinatorTimer.TimeoutOperation operation) {
            schedule(key, delay, unit, retry, 500, operation);
        }

        public void schedule(String key, long delay, TimeUnit unit, boolean retry, long backoff, CoordinatorTimer.TimeoutOperation operation) {
            Armed timer = new Armed();
            timer.key = key;
            timer.due = now + unit.toMillis(delay);
            timer.order = ++orders;
            timer.retry = retry;
            timer.backoff = backoff;
            timer.operation = operation;
            armed.put(key, timer);
        }

        public void scheduleIfAbsent(String key, long delay, TimeUnit unit, boolean retry, CoordinatorTimer.TimeoutOperation operation) {
            if (!armed.containsKey(key)) schedule(key, delay, unit, retry, operation);
        }

        public void cancel(String key) {
            armed.remove(key);
        }

        public boolean isScheduled(String key) {
            return armed.containsKey(key);
        }

        List<Armed> inOrder() {
            List<Armed> all = new ArrayList<>(armed.values());
            all.sort(Comparator.<Armed>comparingLong(t -> t.due).thenComparingLong(t -> t.order));
            return all;
        }
    }

    // background tasks

    static final class Task {
        CoordinatorExecutor.TaskRunnable<?> task;
        CoordinatorExecutor.TaskOperation<CoordinatorRecord, Object> operation;
        boolean ran;
        Object result;
        Throwable problem;
    }

    final class Tasks implements CoordinatorExecutor<CoordinatorRecord> {
        final Map<String, Task> waiting = new LinkedHashMap<>();

        @SuppressWarnings("unchecked")
        public <R> boolean schedule(String key, TaskRunnable<R> task, TaskOperation<CoordinatorRecord, R> operation) {
            if (waiting.containsKey(key)) return false;
            Task entry = new Task();
            entry.task = task;
            entry.operation = (TaskOperation<CoordinatorRecord, Object>) operation;
            waiting.put(key, entry);
            return true;
        }

        public boolean isScheduled(String key) {
            return waiting.containsKey(key);
        }

        public void cancel(String key) {
            waiting.remove(key);
        }

        void run() {
            for (Task entry : waiting.values()) {
                if (entry.ran) continue;
                entry.ran = true;
                try {
                    entry.result = entry.task.run();
                } catch (Throwable problem) {
                    entry.problem = problem;
                }
            }
        }
    }

    // state

    final Config config;
    final GroupConfigManager groupConfigs;
    final Streams streams = Streams.ofRelease();
    final Topics image = new Topics();
    final List<Stored> log = new ArrayList<>();
    long now;
    long orders;
    int committed;
    boolean deferring;
    /** Whether the log could not be loaded: nothing is coordinated until the next failover. */
    boolean failed;
    /** What waits for an acknowledgement, or for the exception instead of it. */
    final List<Consumer<Throwable>> waiting = new ArrayList<>();
    /** Kafka's runtime around the shard; without it, the one of this class. */
    KafkaRuntime runtime;

    SnapshotRegistry snapshots;
    Timers timers;
    Tasks tasks;
    GroupMetadataManager groups;
    OffsetMetadataManager offsets;
    GroupCoordinatorShard shard;

    int index = -1;
    ArrayNode responses;
    ArrayNode fired;
    ArrayNode records;
    ArrayNode lost;
    ArrayNode extras;
    boolean hasExtras;
    String anomaly;

    /** A record of the log as bytes. */
    record Stored(byte[] key, byte[] value) {
        CoordinatorRecord read(GroupCoordinatorRecordSerde serde) {
            return serde.deserialize(ByteBuffer.wrap(key), value == null ? null : ByteBuffer.wrap(value));
        }
    }

    /** The configuration; how long a new classic member may wait is a constant in Kafka. */
    static final class Config extends GroupCoordinatorConfig {
        private final int joinTimeout;
        final boolean streams;

        Config(Map<String, Object> props, int joinTimeout, boolean streams) {
            super(new AbstractConfig(Release.configDef(), props, false));
            this.joinTimeout = joinTimeout;
            this.streams = streams;
        }

        @Override
        public int classicGroupNewMemberJoinTimeoutMs() {
            return joinTimeout;
        }
    }

    GenuineCoordinator(JsonNode opening) throws Exception {
        MemberIds.seed(opening.get("seed").asLong());
        JsonNode c = opening.get("config");
        Map<String, Object> props = new HashMap<>();
        props.put("group.initial.rebalance.delay.ms", c.get("classic_initial_rebalance_delay_ms").asInt());
        props.put("group.max.size", c.get("classic_max_size").asInt());
        props.put("group.min.session.timeout.ms", c.get("classic_min_session_timeout_ms").asInt());
        props.put("group.max.session.timeout.ms", c.get("classic_max_session_timeout_ms").asInt());
        props.put("group.consumer.min.session.timeout.ms", 1);
        props.put("group.consumer.max.session.timeout.ms", 10_000_000);
        props.put("group.consumer.session.timeout.ms", c.get("consumer_session_timeout_ms").asInt());
        props.put("group.consumer.min.heartbeat.interval.ms", 1);
        props.put("group.consumer.heartbeat.interval.ms", c.get("consumer_heartbeat_interval_ms").asInt());
        props.put("group.consumer.max.size", c.get("consumer_max_size").asInt());
        List<String> assignors = new ArrayList<>();
        c.get("server_assignors").forEach(a -> assignors.add(a.asText()));
        props.put("group.consumer.assignors", assignors);
        props.put("group.consumer.migration.policy", c.get("migration_policy").asText());
        props.put("group.consumer.assignment.interval.ms", c.get("consumer_assignment_interval_ms").asInt());
        props.put("group.consumer.assignor.offload.enable", c.get("consumer_assignor_offload").asBoolean());
        props.put("group.consumer.regex.refresh.interval.ms", c.get("consumer_regex_refresh_interval_ms").asInt());
        if (c.has("streams")) {
            c.get("streams").fields().forEachRemaining(e -> {
                JsonNode v = e.getValue();
                props.put(e.getKey(), v.isNumber() ? (v.isInt() ? (Object) v.asInt() : (Object) v.asLong())
                    : v.isBoolean() ? (Object) v.asBoolean() : v.asText());
            });
        }
        config = new Config(props, c.get("classic_new_member_join_timeout_ms").asInt(), c.has("streams"));
        groupConfigs = groupConfigs(props);
        image.publish(opening.get("topics"), opening.path("replicas"), opening.path("racks"));
        if (opening.has("runtime")) runtime = new KafkaRuntime(this, opening.get("runtime").asText().equals("lingering"));
        load();
    }

    /** A fresh coordinator that reads the acknowledged part of the log. */
    private void load() {
        if (runtime != null) {
            runtime.load();
            return;
        }
        while (log.size() > committed) log.remove(log.size() - 1);
        build();
        replay(log);
        snapshots.idempotentCreateSnapshot(log.size());
        snapshots.deleteSnapshotsUpTo(log.size());
        image.tell(this::imageChanged, true);
        groups.onLoaded();
    }

    private GroupConfigManager groupConfigs(Map<String, Object> props) {
        Class<?> share = Release.type("org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig");
        for (var c : GroupConfigManager.class.getDeclaredConstructors()) {
            if (c.getParameterCount() == 1) return (GroupConfigManager) Release.make(GroupConfigManager.class, Map.of());
            Object shared = Release.call(share, "fromProps", props);
            if (c.getParameterCount() == 2) return (GroupConfigManager) Release.make(GroupConfigManager.class, config, shared);
            return (GroupConfigManager) Release.make(GroupConfigManager.class, Map.of(), config, shared);
        }
        throw new IllegalStateException();
    }

    private void imageChanged(Object delta, Object image) {
        if (Release.has(groups, "onMetadataUpdate", 2)) Release.call(groups, "onMetadataUpdate", delta, image);
        else Release.call(groups, "onNewMetadataImage", image, delta);
    }

    private static Object context() {
        return Release.make(Release.type("org.apache.kafka.common.utils.internals.LogContext", "org.apache.kafka.common.utils.LogContext"));
    }

    /** A fresh coordinator that knows of nothing. */
    void build() {
        timers = new Timers();
        tasks = new Tasks();
        assemble((SnapshotRegistry) Release.make(SnapshotRegistry.class, context()), timers, tasks, timers, null);
    }

    /** The same in Kafka's runtime; its timer is not used for what happens to all groups of a log. */
    void build(SnapshotRegistry registry, Object timer, Object executor, Object metrics) {
        timers = null;
        tasks = null;
        assemble(registry, timer, executor, new Timers(), metrics);
    }

    private void assemble(SnapshotRegistry registry, Object timer, Object executor, Timers ofShard, Object ofShards) {
        Object context = context();
        snapshots = registry;
        GroupCoordinatorMetricsShard metrics = new GroupCoordinatorMetricsShard(snapshots, Map.of(), new org.apache.kafka.common.TopicPartition("__consumer_offsets", 0));
        Object builder = new GroupMetadataManager.Builder();
        Release.call(builder, "withLogContext", context);
        Release.call(builder, "withSnapshotRegistry", snapshots);
        Release.call(builder, "withTime", time);
        Release.call(builder, "withTimer", timer);
        Release.call(builder, "withExecutor", executor);
        Release.call(builder, "withConfig", config);
        Release.call(builder, "withGroupConfigManager", groupConfigs);
        Release.call(builder, "withGroupCoordinatorMetricsShard", metrics);
        if (Release.has(builder, "withShareGroupAssignor", 1)) Release.call(builder, "withShareGroupAssignor", new org.apache.kafka.coordinator.group.assignor.SimpleAssignor());
        groups = Release.call(builder, "build");
        builder = new OffsetMetadataManager.Builder();
        Release.call(builder, "withLogContext", context);
        Release.call(builder, "withSnapshotRegistry", snapshots);
        Release.call(builder, "withTime", time);
        Release.call(builder, "withGroupMetadataManager", groups);
        Release.call(builder, "withGroupCoordinatorConfig", config);
        Release.call(builder, "withGroupCoordinatorMetricsShard", metrics);
        offsets = Release.call(builder, "build");
        shard = (GroupCoordinatorShard) Release.make(GroupCoordinatorShard.class, context, groups, offsets, time, ofShard, config, ofShards, null);
    }

    private void replay(List<Stored> stored) {
        GroupCoordinatorRecordSerde serde = new GroupCoordinatorRecordSerde();
        snapshots.idempotentCreateSnapshot(0);
        for (int i = 0; i < stored.size(); i++) {
            shard.replay(i, -1L, (short) -1, stored.get(i).read(serde));
        }
    }

    /** What is in memory, and what a fresh coordinator would read: from the log, and from what a cleaner leaves of it. */
    ObjectNode replays() {
        ObjectNode all = JSON.createObjectNode();
        all.set("memory", whole());
        Map<ByteBuffer, Stored> last = new LinkedHashMap<>();
        List<Stored> log = runtime == null ? this.log : runtime.log();
        for (Stored one : log) {
            last.remove(ByteBuffer.wrap(one.key()));
            last.put(ByteBuffer.wrap(one.key()), one);
        }
        List<Stored> compact = new ArrayList<>(last.values());
        List<Stored> bare = new ArrayList<>(compact);
        bare.removeIf(one -> one.value() == null);
        Map<String, List<Stored>> ways = new LinkedHashMap<>();
        ways.put("log", log);
        ways.put("compacted", compact);
        ways.put("without_tombstones", bare);
        SnapshotRegistry s = snapshots;
        Timers t = timers;
        Tasks k = tasks;
        GroupMetadataManager g = groups;
        OffsetMetadataManager o = offsets;
        GroupCoordinatorShard h = shard;
        ways.forEach((name, way) -> {
            try {
                build();
                replay(way);
                all.set(name, whole());
            } catch (Throwable problem) {
                all.set(name, JSON.createObjectNode().put("unloadable", problem.toString()));
            }
        });
        snapshots = s;
        timers = t;
        tasks = k;
        groups = g;
        offsets = o;
        shard = h;
        return all;
    }

    private ObjectNode whole() {
        ObjectNode more = JSON.createObjectNode();
        ObjectNode node = Render.state(this, more);
        node.set("more", more);
        node.set("offsets", Render.offsets(offsets));
        return node;
    }

    // writing the log

    /** What the runtime does with one operation: run it, apply and append its records, answer when acknowledged. */
    <T> void write(Supplier<CoordinatorResult<T, CoordinatorRecord>> operation, String fails, BiConsumer<T, Throwable> done) {
        CoordinatorResult<T, CoordinatorRecord> result;
        if (runtime != null) {
            runtime.write(operation, fails, done);
            return;
        }
        if (failed) {
            done.accept(null, Errors.NOT_COORDINATOR.exception());
            return;
        }
        try {
            result = operation.get();
        } catch (Throwable problem) {
            note(problem);
            done.accept(null, problem);
            return;
        }
        Consumer<Throwable> answer = problem -> {
            if (result.appendFuture() != null) {
                if (problem == null) result.appendFuture().complete(null);
                else result.appendFuture().completeExceptionally(problem);
            }
            done.accept(problem == null ? result.response() : null, problem);
        };
        if (result.records().isEmpty()) {
            if (committed < log.size()) waiting.add(answer);
            else answer.accept(null);
            return;
        }
        int before = log.size();
        Throwable problem = fails.isEmpty() ? null : Errors.valueOf(fails).exception();
        List<Stored> bytes = new ArrayList<>();
        try {
            for (CoordinatorRecord record : result.records()) {
                Stored stored = stored(record);
                if (result.replayRecords()) shard.replay(before + bytes.size(), -1L, (short) -1, record);
                bytes.add(stored);
            }
        } catch (Throwable t) {
            note(t);
            problem = t;
        }
        if (problem != null) {
            lose(result.records());
            snapshots.revertToSnapshot(before);
            if (result.appendFuture() != null) result.appendFuture().completeExceptionally(problem);
            done.accept(null, problem);
            return;
        }
        log.addAll(bytes);
        snapshots.idempotentCreateSnapshot(log.size());
        result.records().forEach(this::show);
        if (deferring) {
            waiting.add(answer);
        } else {
            acknowledge();
            answer.accept(null);
        }
    }

    Stored stored(CoordinatorRecord record) {
        GroupCoordinatorRecordSerde serde = new GroupCoordinatorRecordSerde();
        return new Stored(serde.serializeKey(record), serde.serializeValue(record));
    }

    /** A record that was appended in this step. */
    void show(CoordinatorRecord record) {
        ObjectNode extra = JSON.createObjectNode();
        records.add(Render.record(this, record, extra));
        extras.add(extra.isEmpty() ? JSON.nullNode() : extra);
        hasExtras |= !extra.isEmpty();
    }

    /** Records whose write failed in this step. */
    void lose(List<CoordinatorRecord> all) {
        for (CoordinatorRecord record : all) lost.add(Render.record(this, record, JSON.createObjectNode()));
    }

    private void acknowledge() {
        committed = log.size();
        snapshots.deleteSnapshotsUpTo(committed);
    }

    void note(Throwable problem) {
        if (!(problem instanceof org.apache.kafka.common.errors.ApiException)) {
            anomaly = problem.getClass().getSimpleName();
            System.err.println("step " + index + ": " + problem);
            if (System.getenv("STACKS") != null) problem.printStackTrace();
        }
    }

    // stepping

    ObjectNode step(JsonNode event) throws Exception {
        index++;
        responses = JSON.createArrayNode();
        fired = JSON.createArrayNode();
        records = JSON.createArrayNode();
        lost = JSON.createArrayNode();
        extras = JSON.createArrayNode();
        hasExtras = false;
        anomaly = null;
        perform(event);
        ObjectNode step = JSON.createObjectNode();
        step.put("i", index).put("t", now);
        step.set("event", event);
        step.set("responses", responses);
        step.set("fired", fired);
        step.set("records", records);
        if (!lost.isEmpty()) step.set("lost", lost);
        step.put("durable", committed);
        ObjectNode more = JSON.createObjectNode();
        step.set("state", Render.state(this, more));
        if (hasExtras) more.set("records", extras);
        if (runtime == null ? !tasks.waiting.isEmpty() : runtime.refreshing()) more.put("refreshing", true);
        if (anomaly != null) more.put("exception", anomaly);
        if (!more.isEmpty()) step.set("more", more);
        return step;
    }

    private void perform(JsonNode event) throws Exception {
        String fails = event.path("write_fails").asText("");
        switch (event.get("event").asText()) {
            case "join" -> ClassicRequests.join(this, event, fails);
            case "sync" -> ClassicRequests.sync(this, event, fails);
            case "heartbeat" -> ClassicRequests.heartbeat(this, event, fails);
            case "leave" -> ClassicRequests.leave(this, event, fails);
            case "commit" -> ClassicRequests.commit(this, event, fails);
            case "consumer_heartbeat" -> ConsumerRequests.consumerHeartbeat(this, event, fails);
            case "streams_heartbeat" -> streams.heartbeat(this, event, fails);
            case "group_config" -> streams.groupConfig(this, event);
            case "advance" -> { timerFails = fails; advance(event.get("ms").asLong()); }
            case "metadata" -> {
                image.publish(event.get("topics"), event.path("replicas"), event.path("racks"));
                image.tell(runtime == null ? this::imageChanged : runtime::publish, false);
            }
            case "delete_group" -> {
                int to = index;
                this.<org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResultCollection>write(
                    () -> Release.call(shard, "deleteGroups", context("c", 2), List.of(GROUP)), fails, (response, problem) ->
                        answer(to, "delete_group", problem != null ? error(problem) : Errors.forCode(response.iterator().next().errorCode())));
            }
            case "offset_delete" -> ClassicRequests.offsetDelete(this, event, fails);
            case "reload" -> reload();
            case "defer" -> deferring = true;
            case "flush" -> {
                deferring = false;
                if (runtime != null) {
                    runtime.acknowledge();
                    break;
                }
                acknowledge();
                List<Consumer<Throwable>> ready = new ArrayList<>(waiting);
                waiting.clear();
                ready.forEach(answer -> answer.accept(null));
            }
            case "resolve_run" -> {
                if (runtime == null) tasks.run();
                else runtime.resolveRun();
            }
            case "resolve" -> {
                if (runtime != null) {
                    runtime.resolve(fails);
                    break;
                }
                tasks.run();
                Map<String, Task> ready = new LinkedHashMap<>(tasks.waiting);
                ready.forEach((key, entry) -> this.<Void>write(() -> {
                    tasks.waiting.remove(key);
                    return entry.operation.onComplete(entry.result, entry.problem);
                }, fails, (nothing, problem) -> { if (problem != null) tasks.waiting.remove(key, entry); }));
            }
            default -> throw new IllegalArgumentException(event.toString());
        }
    }

    private void reload() {
        deferring = false;
        if (runtime != null) {
            runtime.load();
            return;
        }
        List<Consumer<Throwable>> ended = new ArrayList<>(waiting);
        waiting.clear();
        ended.forEach(answer -> answer.accept(Errors.NOT_COORDINATOR.exception()));
        if (!failed) groups.onUnloaded();
        try {
            failed = false;
            load();
        } catch (RuntimeException problem) {
            note(problem);
            failed = true;
            build();
        }
    }

    @SuppressWarnings("unchecked")
    private static CoordinatorResult<Void, CoordinatorRecord> generate(Armed timer) {
        return (CoordinatorResult<Void, CoordinatorRecord>) timer.operation.generateRecords();
    }

    String timerFails = "";
    List<Armed> armed() {
        return timers == null ? runtime.armed() : timers.inOrder();
    }

    private void advance(long ms) {
        long until = now + ms;
        List<Armed> armed = armed();
        if (!armed.isEmpty()) until = Math.min(until, Math.max(armed.get(0).due, now));
        now = until;
        while (true) {
            armed = armed();
            if (armed.isEmpty() || armed.get(0).due > now) return;
            Armed timer = armed.get(0);
            fired.add(Render.timer(this, timer, false));
            if (timers == null) {
                runtime.fire(timer, timerFails);
                continue;
            }
            timers.armed.remove(timer.key);
            this.<Void>write(() -> generate(timer), timerFails, (nothing, problem) -> {
                if (problem != null && timer.retry) {
                    timers.schedule(timer.key, timer.backoff, TimeUnit.MILLISECONDS, true, timer.backoff, timer.operation);
                }
            });
        }
    }

    // requests

    RequestContext context(String client, int version) {
        return new RequestContext(new RequestHeader(org.apache.kafka.common.protocol.ApiKeys.JOIN_GROUP, (short) version, client, 0), "1",
            InetAddress.getLoopbackAddress(), KafkaPrincipal.ANONYMOUS, new org.apache.kafka.common.network.ListenerName("PLAINTEXT"),
            SecurityProtocol.PLAINTEXT, org.apache.kafka.common.network.ClientInformation.EMPTY, false);
    }

    static String text(JsonNode node) {
        return node == null || node.isNull() ? null : node.asText();
    }

    /** The error that a request gets for an exception, by Kafka's own mapping. */
    static Errors error(Throwable problem) {
        return CoordinatorOperationExceptionHelper.handleOperationException("trace", "", problem, (error, message) -> error, LOG);
    }

    ObjectNode answer(int to, String kind, Errors error) {
        ObjectNode answer = JSON.createObjectNode().put("to", to).put("kind", kind).put("error", error.name());
        responses.add(answer);
        return answer;
    }

}
