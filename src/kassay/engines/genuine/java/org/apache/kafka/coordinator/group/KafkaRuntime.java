package org.apache.kafka.coordinator.group;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.common.runtime.CoordinatorEvent;
import org.apache.kafka.coordinator.common.runtime.CoordinatorEventProcessor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorExecutor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoader;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetrics;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetricsShard;
import org.apache.kafka.coordinator.common.runtime.CoordinatorPlayback;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntimeMetrics;
import org.apache.kafka.coordinator.common.runtime.CoordinatorShardBuilder;
import org.apache.kafka.coordinator.common.runtime.CoordinatorTimer;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;
import org.apache.kafka.server.util.timer.TimerTaskEntry;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.apache.kafka.timeline.SnapshotRegistry;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Kafka's own CoordinatorRuntime around the shard, in one thread: its events are run when they are due, its timer is ours
 * to advance, its log is in memory and may refuse an append.
 *
 * With `lingers`, appends wait in a batch as long as acknowledgements are held back, and are written at once otherwise.
 */
final class KafkaRuntime {
    private static final TopicPartition LOG = new TopicPartition("__consumer_offsets", 0);
    private static final int LINGER = 1_000_000_000;

    private final GenuineCoordinator c;
    private final boolean lingers;
    private final Deque<CoordinatorEvent> events = new ArrayDeque<>();
    private final List<Runnable> background = new ArrayList<>();
    private final List<Entry> entries = new ArrayList<>();
    private final List<CoordinatorResult<?, CoordinatorRecord>> generated = new ArrayList<>();
    private final List<GenuineCoordinator.Stored> pending = new ArrayList<>();
    private final CoordinatorRuntime<GroupCoordinatorShard, CoordinatorRecord> runtime;
    private PartitionWriter.Listener listener;
    private Map<String, TimerTask> tasksByKey = Map.of();
    private Map<String, ?> executing = Map.of();
    private RuntimeException problem;
    private String fails = "";
    private int epoch;
    private final List<CoordinatorEvent> results = new ArrayList<>();
    private boolean resolving;
    private boolean failed;

    /** A task of the timer, with its due time. */
    private record Entry(TimerTask task, TimerTaskEntry entry, long due, long order) { }

    KafkaRuntime(GenuineCoordinator c, boolean lingers) {
        this.c = c;
        this.lingers = lingers;
        runtime = new CoordinatorRuntime.Builder<GroupCoordinatorShard, CoordinatorRecord>()
            .withLogPrefix("GroupCoordinator")
            .withLogContext(new LogContext())
            .withEventProcessor(new Events())
            .withPartitionWriter(new Writer())
            .withLoader(new Loader())
            .withCoordinatorShardBuilderSupplier(() -> new Builder())
            .withTime(c.time)
            .withTimer(new Clock())
            .withWriteTimeout(Duration.ofDays(10_000))
            .withCoordinatorRuntimeMetrics((CoordinatorRuntimeMetrics) Proxy.newProxyInstance(
                KafkaRuntime.class.getClassLoader(), new Class<?>[] {CoordinatorRuntimeMetrics.class}, (proxy, method, args) -> null))
            .withCoordinatorMetrics(new Metrics())
            .withSerializer(new GroupCoordinatorRecordSerde())
            .withAppendLingerMs(lingers ? OptionalInt.of(LINGER) : OptionalInt.empty())
            .withExecutorService(new Background())
            .withCachedBufferMaxBytesSupplier(() -> 1 << 20)
            .build();
    }

    // what the driver asks for

    /** Becomes the coordinator, after it was one or not. */
    void load() {
        runtime.scheduleUnloadOperation(LOG, OptionalInt.of(++epoch));
        drain();
        while (c.log.size() > c.committed) c.log.remove(c.log.size() - 1);
        pending.clear();
        generated.clear();
        entries.clear();
        background.clear();
        results.clear();
        failed = false;
        c.image.tell(this::publish, true);
        runtime.scheduleLoadOperation(LOG, ++epoch);
        drain();
        if (failed) {
            tasksByKey = Map.of();
            executing = Map.of();
            c.build();
        }
    }

    void publish(Object delta, Object image) {
        Release.call(runtime, "onMetadataUpdate", delta, image);
        drain();
    }

    <T> void write(Supplier<CoordinatorResult<T, CoordinatorRecord>> operation, String refusal, BiConsumer<T, Throwable> done) {
        if (!refusal.isEmpty()) flush();
        fails = refusal;
        List<CoordinatorResult<T, CoordinatorRecord>> seen = new ArrayList<>();
        runtime.scheduleWriteOperation("request", LOG, shard -> {
            CoordinatorResult<T, CoordinatorRecord> result = operation.get();
            seen.add(result);
            generated.add(result);
            return result;
        }).whenComplete((response, thrown) -> guarded(() -> {
            if (thrown != null) refused(Errors.maybeUnwrapException(thrown), seen);
            done.accept(response, thrown == null ? null : Errors.maybeUnwrapException(thrown));
        }));
        settle();
    }

    private void refused(Throwable thrown, List<? extends CoordinatorResult<?, CoordinatorRecord>> seen) {
        c.note(thrown);
        for (var result : seen) if (generated.remove(result)) c.lose(result.records());
    }

    /** The armed timers of the group. */
    List<GenuineCoordinator.Armed> armed() {
        List<GenuineCoordinator.Armed> all = new ArrayList<>();
        tasksByKey.forEach((key, task) -> {
            for (Entry one : entries) {
                if (one.task != task) continue;
                GenuineCoordinator.Armed timer = new GenuineCoordinator.Armed();
                timer.key = key;
                timer.due = one.due;
                timer.order = one.order;
                all.add(timer);
            }
        });
        all.sort(Comparator.<GenuineCoordinator.Armed>comparingLong(t -> t.due).thenComparingLong(t -> t.order));
        return all;
    }

    void fire(GenuineCoordinator.Armed timer, String refusal) {
        if (!refusal.isEmpty()) flush();
        fails = refusal;
        TimerTask task = tasksByKey.get(timer.key);
        entries.removeIf(one -> one.task == task);
        task.run();
        settle();
    }

    boolean refreshing() {
        return !executing.isEmpty();
    }

    /** Background tasks run; the events with their results wait for `resolve`. */
    void resolveRun() {
        List<Runnable> ready = new ArrayList<>(background);
        background.clear();
        resolving = true;
        ready.forEach(Runnable::run);
        resolving = false;
    }

    void resolve(String refusal) {
        if (!refusal.isEmpty()) flush();
        resolveRun();
        events.addAll(results);
        results.clear();
        if (!refusal.isEmpty()) flush();
        fails = refusal;
        settle();
    }

    void acknowledge() {
        flush();
        c.committed = c.log.size();
        if (listener != null) listener.onHighWatermarkUpdated(LOG, c.committed);
        drain();
    }

    /** What the log will have once the present batch is written. */
    List<GenuineCoordinator.Stored> log() {
        List<GenuineCoordinator.Stored> all = new ArrayList<>(c.log);
        all.addAll(pending);
        return all;
    }

    // running

    private void settle() {
        drain();
        if (lingers && c.deferring && fails.isEmpty()) hold();
        else flush();
        fails = "";
        generated.clear();
    }

    /** The records of a batch that is not written yet are those of the log to be. */
    private void hold() {
        for (var result : generated) {
            for (CoordinatorRecord record : result.records()) {
                pending.add(c.stored(record));
                c.show(record);
            }
        }
        generated.clear();
    }

    /** The time for which a batch waits is over. */
    private void flush() {
        if (!lingers) return;
        List<Entry> over = new ArrayList<>();
        for (Entry one : entries) if (one.task.delayMs == LINGER) over.add(one);
        entries.removeAll(over);
        for (Entry one : over) if (!one.entry.cancelled()) one.task.run();
        drain();
    }

    private void drain() {
        for (CoordinatorEvent event; (event = events.poll()) != null; ) event.run();
        entries.removeIf(one -> one.entry.cancelled());
        if (problem != null) throw problem;
    }

    private void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            problem = e;
        }
    }

    private final class Events implements CoordinatorEventProcessor {
        @Override
        public void enqueueLast(CoordinatorEvent event) {
            if (resolving) results.add(event);
            else events.addLast(event);
        }

        @Override
        public void enqueueFirst(CoordinatorEvent event) {
            events.addFirst(event);
        }

        @Override
        public void close() { }
    }

    private final class Background extends AbstractExecutorService {
        @Override
        public void execute(Runnable task) {
            background.add(task);
        }

        @Override
        public void shutdown() { }

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }

    private final class Clock implements Timer {
        @Override
        public void add(TimerTask task) {
            long due = c.now + task.delayMs;
            entries.add(new Entry(task, new TimerTaskEntry(task, due), due, ++c.orders));
        }

        @Override
        public boolean advanceClock(long timeoutMs) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int size() {
            return entries.size();
        }

        @Override
        public void close() { }
    }

    // the log

    private final class Writer implements PartitionWriter {
        private final LogConfig settings = new LogConfig(new HashMap<>());

        @Override
        public void registerListener(TopicPartition tp, Listener added) {
            listener = added;
        }

        @Override
        public void deregisterListener(TopicPartition tp, Listener removed) {
            listener = null;
        }

        @Override
        public LogConfig config(TopicPartition tp) {
            return settings;
        }

        @Override
        public long append(TopicPartition tp, VerificationGuard guard, MemoryRecords batch, short acks) {
            if (!fails.isEmpty()) throw Errors.valueOf(fails).exception();
            GroupCoordinatorRecordSerde serde = new GroupCoordinatorRecordSerde();
            int known = pending.size();
            pending.clear();
            for (Record one : batch.records()) {
                CoordinatorRecord record = serde.deserialize(one.key(), one.value());
                c.log.add(c.stored(record));
                if (--known < 0) c.show(record);
            }
            if (known > 0) throw new IllegalStateException("a batch lacks " + known + " records");
            if (!c.deferring) {
                c.committed = c.log.size();
                listener.onHighWatermarkUpdated(LOG, c.committed);
            }
            return c.log.size();
        }

        @Override
        public CompletableFuture<VerificationGuard> maybeStartTransactionVerification(TopicPartition tp, String id, long producer, short epoch, int version) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> deleteRecords(TopicPartition tp, long before) {
            throw new UnsupportedOperationException();
        }
    }

    private final class Loader implements CoordinatorLoader<CoordinatorRecord> {
        @Override
        public CompletableFuture<LoadSummary> load(TopicPartition tp, CoordinatorPlayback<CoordinatorRecord> coordinator) {
            try {
                GroupCoordinatorRecordSerde serde = new GroupCoordinatorRecordSerde();
                for (int i = 0; i < c.log.size(); i++) coordinator.replay(i, -1L, (short) -1, c.log.get(i).read(serde));
                if (!c.log.isEmpty()) {
                    coordinator.updateLastWrittenOffset((long) c.log.size());
                    coordinator.updateLastCommittedOffset((long) c.log.size());
                }
                return CompletableFuture.completedFuture(new LoadSummary(0, 0, 0, c.log.size(), 0));
            } catch (RuntimeException e) {
                c.note(e);
                failed = true;
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public void close() { }
    }

    // the shard

    private static final class Metrics extends CoordinatorMetrics {
        @Override
        public CoordinatorMetricsShard newMetricsShard(SnapshotRegistry snapshots, TopicPartition tp) {
            return null;
        }

        @Override
        public void activateMetricsShard(CoordinatorMetricsShard shard) { }

        @Override
        public void deactivateMetricsShard(CoordinatorMetricsShard shard) { }

        @Override
        public void onUpdateLastCommittedOffset(TopicPartition tp, long offset) { }
    }

    private final class Builder implements CoordinatorShardBuilder<GroupCoordinatorShard, CoordinatorRecord> {
        private SnapshotRegistry snapshots;
        private CoordinatorTimer<CoordinatorRecord> timer;
        private CoordinatorExecutor<CoordinatorRecord> executor;

        @Override
        public Builder withSnapshotRegistry(SnapshotRegistry given) {
            snapshots = given;
            return this;
        }

        @Override
        public Builder withLogContext(LogContext given) {
            return this;
        }

        @Override
        public Builder withTime(Time given) {
            return this;
        }

        @Override
        @SuppressWarnings("unchecked")
        public Builder withTimer(CoordinatorTimer<CoordinatorRecord> given) {
            timer = new Noting(given);
            tasksByKey = (Map<String, TimerTask>) Render.field(given, "tasks");
            return this;
        }

        @Override
        public Builder withExecutor(CoordinatorExecutor<CoordinatorRecord> given) {
            executing = (Map<String, ?>) Render.field(given, "tasks");
            executor = new CoordinatorExecutor<>() {
                @Override
                public <R> boolean schedule(String key, TaskRunnable<R> task, TaskOperation<CoordinatorRecord, R> operation) {
                    return given.schedule(key, task, (result, thrown) -> noted(() -> operation.onComplete(result, thrown)));
                }

                @Override
                public boolean isScheduled(String key) {
                    return given.isScheduled(key);
                }

                @Override
                public void cancel(String key) {
                    given.cancel(key);
                }
            };
            return this;
        }

        @Override
        public Builder withCoordinatorMetrics(CoordinatorMetrics given) {
            return this;
        }

        @Override
        public Builder withTopicPartition(TopicPartition given) {
            return this;
        }

        @Override
        public GroupCoordinatorShard build() {
            c.build(snapshots, timer, executor, new Metrics());
            return c.shard;
        }
    }

    private <T> CoordinatorResult<T, CoordinatorRecord> noted(Supplier<CoordinatorResult<T, CoordinatorRecord>> operation) {
        try {
            CoordinatorResult<T, CoordinatorRecord> result = operation.get();
            generated.add(result);
            if (!fails.isEmpty()) c.lose(result.records());
            return result;
        } catch (RuntimeException e) {
            c.note(e);
            throw e;
        }
    }

    /** Kafka's timer, whose operations' exceptions are noted. */
    private final class Noting implements CoordinatorTimer<CoordinatorRecord> {
        private final CoordinatorTimer<CoordinatorRecord> given;

        Noting(CoordinatorTimer<CoordinatorRecord> given) {
            this.given = given;
        }

        @Override
        public void schedule(String key, long delay, TimeUnit unit, boolean retry, TimeoutOperation<CoordinatorRecord> operation) {
            given.schedule(key, delay, unit, retry, () -> noted(operation::generateRecords));
        }

        @Override
        public void schedule(String key, long delay, TimeUnit unit, boolean retry, long backoff, TimeoutOperation<CoordinatorRecord> operation) {
            given.schedule(key, delay, unit, retry, backoff, () -> noted(operation::generateRecords));
        }

        @Override
        public void scheduleIfAbsent(String key, long delay, TimeUnit unit, boolean retry, TimeoutOperation<CoordinatorRecord> operation) {
            given.scheduleIfAbsent(key, delay, unit, retry, () -> noted(operation::generateRecords));
        }

        @Override
        public void cancel(String key) {
            given.cancel(key);
        }

        @Override
        public boolean isScheduled(String key) {
            return given.isScheduled(key);
        }
    }
}
