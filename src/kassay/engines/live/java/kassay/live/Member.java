package kassay.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A member with Kafka's own client, of whichever release is on the class path. */
public final class Member implements ConsumerRebalanceListener {
    private static final Map<String, String> ASSIGNORS = Map.of(
        "range", "Range", "roundrobin", "RoundRobin", "sticky", "Sticky", "cooperative-sticky", "CooperativeSticky");
    private static final long COMMIT_NS = 500_000_000L;
    private static final Duration POLL = Duration.ofMillis(100);

    private final Lines lines;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<TopicPartition, OffsetAndMetadata> pending = new HashMap<>();
    private long lastCommit = System.nanoTime();
    private long waitMs;

    private Member(Lines lines) {
        this.lines = lines;
        this.consumer =
            new KafkaConsumer<>(settings(lines.start), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(Lines.texts(lines.start.get("topics")), this);
    }

    private static Properties settings(ObjectNode start) {
        Properties set = new Properties();
        set.put("bootstrap.servers", start.get("bootstrap").asText());
        set.put("group.id", start.get("group").asText());
        set.put("client.id", start.get("client").asText());
        set.put("auto.offset.reset", start.get("offset_reset").asText());
        set.put("enable.auto.commit", "false");
        set.put("max.poll.interval.ms", start.get("max_poll_ms").asText());
        set.put("metadata.max.age.ms", start.get("metadata_ms").asText());
        if (start.hasNonNull("rack")) set.put("client.rack", start.get("rack").asText());
        if (start.hasNonNull("instance")) set.put("group.instance.id", start.get("instance").asText());
        List<String> strategies = Lines.texts(start.get("strategies"));
        if (start.get("protocol").asText().equals("consumer")) {
            set.put("group.protocol", "consumer");
            if (!strategies.isEmpty()) set.put("group.remote.assignor", strategies.get(0));
            return set;
        }
        List<String> classes = new ArrayList<>();
        for (String name : strategies) {
            String known = ASSIGNORS.get(name);
            classes.add(known == null ? name : "org.apache.kafka.clients.consumer." + known + "Assignor");
        }
        set.put("partition.assignment.strategy", String.join(",", classes));
        set.put("session.timeout.ms", start.get("session_ms").asText());
        set.put("heartbeat.interval.ms", start.get("heartbeat_ms").asText());
        return set;
    }

    private void callback(String kind, String phase, Collection<TopicPartition> partitions) {
        ObjectNode event = lines.event(kind).put("phase", phase);
        event.set("partitions", Lines.pairs(partitions));
        lines.send(event);
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        callback("assigned", "begin", partitions);
        callback("assigned", "end", partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        callback("revoked", "begin", partitions);
        commit(partitions);
        callback("revoked", "end", partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        callback("lost", "begin", partitions);
        partitions.forEach(pending::remove);
        callback("lost", "end", partitions);
    }

    /** Commits what was read of these partitions. */
    private void commit(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (TopicPartition each : partitions)
            if (pending.containsKey(each)) offsets.put(each, pending.remove(each));
        lastCommit = System.nanoTime();
        if (offsets.isEmpty()) return;
        long began = System.nanoTime();
        try {
            consumer.commitSync(offsets);
        } catch (RuntimeException e) {
            lines.send(lines.event("error").put("text", "commit: " + e));
            return;
        }
        ObjectNode event = lines.event("committed").put("began", began);
        ArrayNode all = event.putArray("offsets");
        offsets.forEach((p, o) -> all.addArray().add(p.topic()).add(p.partition()).add(o.offset()));
        lines.send(event);
    }

    private void poll() {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
        if (!records.isEmpty()) {
            ObjectNode event = lines.event("records");
            ArrayNode all = event.putArray("records");
            for (TopicPartition each : records.partitions()) {
                List<ConsumerRecord<byte[], byte[]>> read = records.records(each);
                long first = read.get(0).offset(), last = read.get(read.size() - 1).offset();
                all.addArray().add(each.topic()).add(each.partition()).add(first).add(last).add(read.size());
                pending.put(each, new OffsetAndMetadata(last + 1));
            }
            lines.send(event);
        }
        if (!pending.isEmpty() && System.nanoTime() - lastCommit >= COMMIT_NS) commit(new ArrayList<>(pending.keySet()));
    }

    /** Whether to go on after this command. */
    private boolean obey(ObjectNode command) {
        switch (command.get("do").asText()) {
            case "subscribe" -> consumer.subscribe(Lines.texts(command.get("topics")), this);
            case "pace" -> waitMs = command.get("wait_ms").asLong();
            default -> {
                return false;
            }
        }
        return true;
    }

    private void serve() throws InterruptedException {
        while (true) {
            for (ObjectNode each = lines.next(waitMs); each != null; each = lines.next(waitMs)) {
                if (!obey(each)) {
                    lines.send(lines.event("closing"));
                    commit(new ArrayList<>(pending.keySet()));
                    consumer.close();
                    lines.send(lines.event("closed"));
                    return;
                }
            }
            try {
                poll();
            } catch (RuntimeException e) {
                lines.send(lines.event("error").put("text", e.toString()));
                Thread.sleep(50);
            }
        }
    }

    /** Serves as a member until the command to close. */
    public static void main(String[] arguments) throws Exception {
        Lines lines = new Lines();
        lines.watch();
        Member member = null;
        try {
            member = new Member(lines);
        } catch (RuntimeException e) {
            lines.fatal(e);
        }
        lines.ready("java");
        member.serve();
        System.exit(0);
    }
}
