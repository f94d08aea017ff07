package kassay.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * A Kafka Streams application with one thread: a source and a processor for each topic, so that each partition is
 * a task of its own. A task is owned from the end of its processor's init to the start of its close.
 */
public final class StreamsMember {
    private static final long COMMIT_NS = 500_000_000L;
    private static final Duration REPORT = Duration.ofMillis(50);
    private static final Duration CLOSE = Duration.ofSeconds(20);

    private static Lines lines;
    private static final Map<TopicPartition, long[]> read = new HashMap<>();
    private static long commitAsked = System.nanoTime();
    private static long waitMs;

    private StreamsMember() {}

    private static Properties settings(ObjectNode start) {
        Properties set = new Properties();
        set.put("bootstrap.servers", start.get("bootstrap").asText());
        set.put("application.id", start.get("group").asText());
        set.put("client.id", start.get("client").asText());
        set.put("default.key.serde", Serdes.ByteArraySerde.class.getName());
        set.put("default.value.serde", Serdes.ByteArraySerde.class.getName());
        set.put("num.stream.threads", "1");
        set.put("commit.interval.ms", "3600000"); // tasks ask for their commits, after they have reported
        set.put("metadata.max.age.ms", start.get("metadata_ms").asText());
        set.put("main.consumer.auto.offset.reset", start.get("offset_reset").asText());
        set.put("main.consumer.max.poll.interval.ms", start.get("max_poll_ms").asText());
        set.put("main.consumer.interceptor.classes", Watch.class.getName());
        if (!start.path("rack").asText().isEmpty()) set.put("main.consumer.client.rack", start.get("rack").asText());
        if (start.get("protocol").asText().equals("streams")) {
            set.put("group.protocol", "streams");
            return set;
        }
        if (start.hasNonNull("instance")) set.put("main.consumer.group.instance.id", start.get("instance").asText());
        set.put("main.consumer.session.timeout.ms", start.get("session_ms").asText());
        set.put("main.consumer.heartbeat.interval.ms", start.get("heartbeat_ms").asText());
        return set;
    }

    private static void callback(String kind, String phase, TopicPartition partition) {
        ObjectNode event = lines.event(kind).put("phase", phase);
        event.set("partitions", Lines.pairs(List.of(partition)));
        lines.send(event);
    }

    /** Reports what was processed since the last report. */
    private static void report() {
        if (read.isEmpty()) return;
        ObjectNode event = lines.event("records");
        ArrayNode all = event.putArray("records");
        read.forEach((p, r) -> all.addArray().add(p.topic()).add(p.partition()).add(r[0]).add(r[1]).add(r[2]));
        read.clear();
        lines.send(event);
    }

    /** Sees commits that the coordinator accepted, and waits between two polls. */
    public static final class Watch implements ConsumerInterceptor<byte[], byte[]> {
        @Override
        public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
            synchronized (lines) {
                try {
                    if (waitMs > 0) lines.wait(waitMs); // until then, or until another command
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return records;
        }

        @Override
        public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
            ObjectNode event = lines.event("committed").put("began", commitAsked); // it was called after that
            ArrayNode all = event.putArray("offsets");
            offsets.forEach((p, o) -> all.addArray().add(p.topic()).add(p.partition()).add(o.offset()));
            lines.send(event);
        }

        @Override
        public void configure(Map<String, ?> settings) {}

        @Override
        public void close() {}
    }

    /** The processor of a topic: one for each task, all in the one thread. */
    private static final class Reader implements Processor<byte[], byte[], Void, Void> {
        private final String topic;
        private ProcessorContext<Void, Void> context;
        private TopicPartition partition;
        private boolean pending;
        private long asked = System.nanoTime();

        Reader(String topic) {
            this.topic = topic;
        }

        @Override
        public void init(ProcessorContext<Void, Void> given) {
            context = given;
            partition = new TopicPartition(topic, context.taskId().partition());
            callback("assigned", "begin", partition);
            context.schedule(REPORT, PunctuationType.WALL_CLOCK_TIME, now -> punctuate());
            callback("assigned", "end", partition);
        }

        /** Streams commits right after this, and processes nothing in between: what is committed was reported. */
        private void punctuate() {
            report();
            if (!pending || System.nanoTime() - asked < COMMIT_NS) return;
            asked = commitAsked = System.nanoTime();
            pending = false;
            context.commit();
        }

        @Override
        public void process(Record<byte[], byte[]> record) {
            long offset = context.recordMetadata().orElseThrow().offset();
            long[] span = read.computeIfAbsent(partition, p -> new long[] {offset, offset, 0});
            span[1] = offset;
            span[2]++;
            pending = true;
        }

        @Override
        public void close() {
            report();
            callback("revoked", "begin", partition);
            callback("revoked", "end", partition);
        }
    }

    private static KafkaStreams application() {
        Topology topology = new Topology();
        for (String topic : Lines.texts(lines.start.get("topics"))) {
            topology.addSource("source-" + topic, topic);
            topology.addProcessor("reader-" + topic, () -> new Reader(topic), "source-" + topic);
        }
        KafkaStreams streams = new KafkaStreams(topology, settings(lines.start));
        streams.setUncaughtExceptionHandler(problem -> {
            lines.send(lines.event("error").put("text", String.valueOf(problem)));
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        });
        return streams;
    }

    private static void pace(long ms) {
        synchronized (lines) {
            waitMs = ms;
            lines.notifyAll();
        }
    }

    /** Serves as a member until the command to close. */
    public static void main(String[] arguments) throws Exception {
        lines = new Lines();
        lines.watch();
        KafkaStreams streams = null;
        try {
            streams = application();
            streams.start();
        } catch (RuntimeException e) {
            lines.fatal(e);
        }
        lines.ready("java");
        while (true) {
            ObjectNode command = lines.next(1000);
            if (command == null) continue;
            if (!command.get("do").asText().equals("pace")) break; // its topics are those of its topology
            pace(command.get("wait_ms").asLong());
        }
        lines.send(lines.event("closing"));
        pace(0);
        if (!streams.close(CLOSE)) lines.send(lines.event("error").put("text", "close: no end within 20 s"));
        lines.send(lines.event("closed"));
        System.exit(0);
    }
}
