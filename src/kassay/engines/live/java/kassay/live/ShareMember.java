package kassay.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A member of a share group (KIP-932): it acknowledges each record, after the pause that is set. */
public final class ShareMember {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Lines lines;
    private final KafkaShareConsumer<byte[], byte[]> consumer;
    private final List<ConsumerRecord<byte[], byte[]>> held = new ArrayList<>();
    private long waitMs;
    private long lastPoll = System.nanoTime();

    private ShareMember(Lines lines) {
        this.lines = lines;
        ObjectNode start = lines.start;
        Properties set = new Properties();
        set.put("bootstrap.servers", start.get("bootstrap").asText());
        set.put("group.id", start.get("group").asText());
        set.put("client.id", start.get("client").asText());
        set.put("max.poll.interval.ms", start.get("max_poll_ms").asText());
        set.put("metadata.max.age.ms", start.get("metadata_ms").asText());
        set.put("share.acknowledgement.mode", "explicit");
        if (!start.path("rack").asText().isEmpty()) set.put("client.rack", start.get("rack").asText());
        this.consumer = new KafkaShareConsumer<>(set, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(Lines.texts(start.get("topics")));
    }

    /** Runs of consecutive offsets of a partition: what lies between them is with others. */
    private static void runs(List<ConsumerRecord<byte[], byte[]>> records, ArrayNode all) {
        ConsumerRecord<byte[], byte[]> first = null, last = null;
        for (ConsumerRecord<byte[], byte[]> each : records) {
            boolean next = last != null && each.offset() == last.offset() + 1 && each.partition() == last.partition()
                && each.topic().equals(last.topic());
            if (!next && last != null) run(first, last, all);
            if (!next) first = each;
            last = each;
        }
        if (last != null) run(first, last, all);
    }

    private static void run(ConsumerRecord<?, ?> first, ConsumerRecord<?, ?> last, ArrayNode all) {
        all.addArray().add(first.topic()).add(first.partition()).add(first.offset()).add(last.offset())
            .add(last.offset() - first.offset() + 1);
    }

    private void poll() {
        long since = lastPoll;
        lastPoll = System.nanoTime();
        consumer.poll(POLL).forEach(held::add);
        if (held.isEmpty()) return;
        ObjectNode event = lines.event("records").put("since", since);
        runs(held, event.putArray("records"));
        lines.send(event);
    }

    /** Acknowledges what is held, and reports what the brokers accepted. */
    private void acknowledge() {
        if (held.isEmpty()) return;
        List<ConsumerRecord<byte[], byte[]>> mine = new ArrayList<>(held);
        held.clear();
        long began = System.nanoTime();
        for (ConsumerRecord<byte[], byte[]> each : mine) consumer.acknowledge(each, AcknowledgeType.ACCEPT);
        consumer.commitSync().forEach((partition, refused) -> {
            TopicPartition where = partition.topicPartition();
            if (refused.isPresent()) {
                lines.send(lines.event("error").put("text", "acknowledge " + where + ": " + refused.get()));
                return;
            }
            ObjectNode event = lines.event("acknowledged").put("began", began);
            runs(mine.stream().filter(each -> of(each).equals(where)).toList(), event.putArray("records"));
            lines.send(event);
        });
    }

    private static TopicPartition of(ConsumerRecord<?, ?> each) {
        return new TopicPartition(each.topic(), each.partition());
    }

    /** Whether to go on after this command. */
    private boolean obey(ObjectNode command) {
        switch (command.get("do").asText()) {
            case "subscribe" -> consumer.subscribe(Lines.texts(command.get("topics")));
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
                    close();
                    lines.send(lines.event("closed"));
                    return;
                }
            }
            try {
                acknowledge();
                poll();
            } catch (RuntimeException e) {
                lines.send(lines.event("error").put("text", e.toString()));
                Thread.sleep(50);
            }
        }
    }

    private void close() {
        try {
            acknowledge();
        } catch (RuntimeException e) {
            lines.send(lines.event("error").put("text", e.toString()));
        }
        consumer.close();
    }

    /** Serves as a member until the command to close. */
    public static void main(String[] arguments) throws Exception {
        Lines lines = new Lines();
        lines.watch();
        ShareMember member = null;
        try {
            member = new ShareMember(lines);
        } catch (RuntimeException e) {
            lines.fatal(e);
        }
        lines.ready("java", "records", "acknowledged");
        member.serve();
        System.exit(0);
    }
}
