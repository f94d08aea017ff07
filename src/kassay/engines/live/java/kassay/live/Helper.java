package kassay.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** kassay's hands on the cluster: topics, the coordinator's view of the group, and the numbered producer. */
public final class Helper {
    private static final long PAUSE_MS = 50;

    private final Lines lines;
    private final Admin admin;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Map<String, Integer> topics = new TreeMap<>();
    private final Map<TopicPartition, Long> sent = new HashMap<>();
    private volatile boolean producing;

    private Helper(Lines lines) {
        this.lines = lines;
        Properties set = new Properties();
        set.put("bootstrap.servers", lines.start.get("bootstrap").asText());
        set.put("client.id", "kassay-helper");
        set.put("default.api.timeout.ms", "20000");
        set.put("request.timeout.ms", "10000");
        this.admin = Admin.create(set);
        set.remove("default.api.timeout.ms");
        set.put("acks", "all");
        set.put("linger.ms", "5");
        set.put("buffer.memory", "2097152");
        this.producer = new KafkaProducer<>(set, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private ObjectNode obey(ObjectNode command) throws ExecutionException, InterruptedException {
        ObjectNode answer = Lines.JSON.createObjectNode();
        switch (command.get("do").asText()) {
            case "create" -> create(command);
            case "grow" -> grow(command);
            case "produce" -> producing = command.get("on").asBoolean();
            case "produced" -> produced(answer.putArray("produced"));
            case "starts" -> ShareGroups.starts(admin, command.get("group").asText(), answer.putArray("starts"));
            case "describe" -> describe(command, answer);
            case "delete" -> answer.put("left", delete(command));
            default -> answer.put("failed", "unknown command");
        }
        return answer.put("t", System.nanoTime());
    }

    private void create(ObjectNode command) throws ExecutionException, InterruptedException {
        short factor = (short) command.path("factor").asInt(-1);
        Map<String, Integer> wanted = new TreeMap<>();
        command.get("topics").fields().forEachRemaining(each -> wanted.put(each.getKey(), each.getValue().asInt()));
        List<NewTopic> made = wanted.entrySet().stream().map(e -> new NewTopic(e.getKey(), e.getValue(), factor)).toList();
        admin.createTopics(made).all().get();
        if (command.path("type").asText().equals("share")) ShareGroups.prepare(admin, command.get("group").asText());
        synchronized (topics) {
            topics.clear();
            topics.putAll(wanted);
        }
        synchronized (sent) {
            sent.clear();
        }
    }

    private void grow(ObjectNode command) throws ExecutionException, InterruptedException {
        String topic = command.get("topic").asText();
        int count = command.get("partitions").asInt();
        admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(count))).all().get();
        synchronized (topics) {
            topics.put(topic, count);
        }
    }

    /** Deletes topics and the group; whether the group is left because it still has a member. */
    private boolean delete(ObjectNode command) throws InterruptedException {
        producing = false;
        try {
            admin.deleteTopics(Lines.texts(command.get("topics"))).all().get();
        } catch (ExecutionException ignored) {
            // another attempt deleted them
        }
        try {
            String group = command.get("group").asText();
            switch (command.path("type").asText()) {
                case "streams" -> StreamsGroups.delete(admin, group);
                case "share" -> ShareGroups.delete(admin, group);
                default -> admin.deleteConsumerGroups(List.of(group)).all().get();
            }
        } catch (ExecutionException e) {
            return e.getCause() instanceof GroupNotEmptyException; // or it was never there
        }
        return false;
    }

    private void produced(ArrayNode all) {
        synchronized (sent) {
            sent.forEach((p, count) -> all.addArray().add(p.topic()).add(p.partition()).add(count));
        }
    }

    private void describe(ObjectNode command, ObjectNode answer) throws InterruptedException {
        String group = command.get("group").asText();
        answer.putArray("members");
        try {
            switch (command.path("type").asText()) {
                case "streams" -> StreamsGroups.describe(admin, group, answer);
                case "share" -> ShareGroups.describe(admin, group, answer);
                default -> consumers(group, answer);
            }
        } catch (ExecutionException e) {
            answer.put("state", "").put("error", String.valueOf(e.getCause()));
        }
    }

    /** A group of the classic or the consumer protocol. */
    private void consumers(String group, ObjectNode answer) throws ExecutionException, InterruptedException {
        ConsumerGroupDescription found = admin.describeConsumerGroups(List.of(group)).all().get().get(group);
        answer.put("type", typeOf(found)).put("state", stateOf(found));
        int epoch = epochOf(found);
        if (epoch >= 0) answer.put("epoch", epoch);
        if (found.coordinator() != null) answer.put("coordinator", found.coordinator().id());
        for (MemberDescription each : found.members()) {
            ObjectNode member = answer.withArray("members").addObject().put("client", member(each.clientId()));
            member.set("partitions", Lines.pairs(each.assignment().topicPartitions()));
        }
    }

    /** The client id that kassay gave; a thread of Streams adds to it. */
    static String member(String client) {
        return client.replaceFirst("-StreamThread-\\d+-consumer$", "");
    }

    /** The protocol of the group; empty for releases that do not say it. */
    private static String typeOf(ConsumerGroupDescription found) {
        try {
            return String.valueOf(found.type()).toLowerCase(Locale.ROOT);
        } catch (NoSuchMethodError e) {
            return "";
        }
    }

    /** The epoch of a group of the consumer protocol; -1 for others, and for releases that do not say it. */
    private static int epochOf(ConsumerGroupDescription found) {
        try {
            return found.groupEpoch().orElse(-1);
        } catch (NoSuchMethodError e) {
            return -1;
        }
    }

    /** The state's name; `groupState` is the newer of two methods. */
    @SuppressWarnings("removal")
    private static String stateOf(ConsumerGroupDescription found) {
        try {
            return String.valueOf(found.groupState());
        } catch (NoSuchMethodError e) {
            return String.valueOf(found.state());
        }
    }

    /** Sends a numbered record to every partition, again and again while it is on. */
    private void produce() {
        while (true) {
            try {
                Thread.sleep(PAUSE_MS);
                if (!producing) continue;
                Map<String, Integer> now;
                synchronized (topics) {
                    now = new TreeMap<>(topics);
                }
                now.forEach((topic, count) -> {
                    for (int number = 0; number < count; number++) send(topic, number);
                });
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                lines.send(lines.event("error").put("text", e.toString()));
            }
        }
    }

    private void send(String topic, int number) {
        producer.send(new ProducerRecord<>(topic, number, null, new byte[8]), (metadata, error) -> {
            if (error != null) return;
            synchronized (sent) {
                sent.merge(new TopicPartition(topic, number), metadata.offset() + 1, Math::max);
            }
        });
    }

    /** Answers each command with one line until the input ends. */
    public static void main(String[] arguments) throws Exception {
        Lines lines = new Lines();
        Helper helper = new Helper(lines);
        Lines.daemon(helper::produce);
        lines.send(lines.event("ready"));
        while (true) {
            ObjectNode command = lines.next(1000);
            if (command == null) continue;
            if (command.get("do").asText().equals("close")) break;
            ObjectNode answer;
            try {
                answer = helper.obey(command);
            } catch (ExecutionException | RuntimeException e) {
                answer = Lines.JSON.createObjectNode().put("failed", String.valueOf(e.getCause() == null ? e : e.getCause()));
            }
            lines.send(answer.put("event", "answer"));
        }
        System.exit(0);
    }
}
