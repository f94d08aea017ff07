package org.apache.kafka.coordinator.group;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.image.TopicImage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** The published topics as Kafka's own images, every id ever given to one, and what each metadata hash stands for. */
final class Topics {
    private static final Class<?> KRAFT = Release.type("org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataImage");
    private static final Class<?> KRAFT_DELTA = Release.type("org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataDelta");
    private final Map<Uuid, String> labels = new HashMap<>();
    private final Map<String, Uuid> byLabel = new TreeMap<>();
    private final Map<String, Integer> times = new HashMap<>();
    private final Map<Long, ObjectNode> hashes = new HashMap<>();
    private MetadataImage current = MetadataImage.EMPTY;
    private MetadataDelta delta;
    private long number;

    /** `topics`: counts; `replicas`: topic -> [[broker, ...], ...]; `racks`: broker -> rack. Both may be absent. */
    void publish(JsonNode topics, JsonNode replicas, JsonNode racks) {
        delta = new MetadataDelta.Builder().setImage(current).build();
        racks.fields().forEachRemaining(e -> delta.replay(new RegisterBrokerRecord()
            .setBrokerId(Integer.parseInt(e.getKey())).setRack(e.getValue().isNull() ? null : e.getValue().asText()).setFenced(false)));
        current.topics().topicsByName().forEach((name, topic) -> {
            if (!topics.has(name)) delta.replay(new RemoveTopicRecord().setTopicId(topic.id()));
        });
        topics.fields().forEachRemaining(e -> {
            String name = e.getKey();
            TopicImage before = current.topics().getTopic(name);
            Uuid id;
            int have = 0;
            if (before == null) {
                int time = times.merge(name, 1, Integer::sum);
                id = new Uuid(0x6b61736b61000000L + name.hashCode() % 1000 + 1000L * time, 0x9E3779B97F4A7C15L * (name.hashCode() + 31L * time));
                String label = time == 1 ? name : name + "#" + time;
                labels.put(id, label);
                byLabel.put(label, id);
                delta.replay(new TopicRecord().setName(name).setTopicId(id));
            } else {
                id = before.id();
                have = before.partitions().size();
            }
            boolean placed = replicas.has(name);
            for (int p = placed ? 0 : have; p < e.getValue().asInt(); p++) {
                List<Integer> brokers = new ArrayList<>();
                if (placed) replicas.get(name).path(p).forEach(b -> brokers.add(b.asInt()));
                List<Uuid> dirs = new ArrayList<>();
                brokers.forEach(b -> dirs.add(Uuid.ZERO_UUID));
                delta.replay(new PartitionRecord().setTopicId(id).setPartitionId(p).setReplicas(brokers).setIsr(brokers)
                    .setLeader(brokers.isEmpty() ? -1 : brokers.get(0)).setDirectories(dirs));
            }
        });
        current = delta.apply(new MetadataProvenance(++number, 0, 0, true));
        learn();
    }

    private static Object wrapped(MetadataImage image) {
        return KRAFT == null ? image : Release.make(KRAFT, image);
    }

    Object image() {
        return wrapped(current);
    }

    /** Tells the coordinator of the last image; at a load, as one with nothing new. */
    void tell(BiConsumer<Object, Object> told, boolean loading) {
        MetadataDelta changes = loading ? new MetadataDelta.Builder().setImage(current).build() : delta;
        Object applied = KRAFT == null ? changes : Release.make(KRAFT_DELTA, changes);
        told.accept(applied, image());
    }

    private void learn() {
        Class<?> utils = Release.type("org.apache.kafka.coordinator.group.Utils");
        if (!Release.has(utils, "computeGroupHash", 1)) return;
        List<TopicImage> all = new ArrayList<>(current.topics().topicsById().values());
        if (all.size() > 12) throw new IllegalStateException("too many topics");
        Object image = image();
        Map<String, Long> single = new HashMap<>();
        all.forEach(topic -> single.put(topic.name(), Release.<Long>call(utils, "computeTopicHash", topic.name(), image)));
        for (int mask = 0; mask < 1 << all.size(); mask++) {
            Map<String, Long> part = new HashMap<>();
            TreeMap<String, Integer> shown = new TreeMap<>();
            for (int i = 0; i < all.size(); i++) {
                if ((mask >> i & 1) == 0) continue;
                TopicImage topic = all.get(i);
                part.put(topic.name(), single.get(topic.name()));
                shown.put(labels.get(topic.id()), topic.partitions().size());
            }
            ObjectNode node = GenuineCoordinator.JSON.createObjectNode();
            shown.forEach(node::put);
            hashes.put(Release.<Long>call(utils, "computeGroupHash", part), node);
        }
    }

    JsonNode meaning(Long hash) {
        ObjectNode known = hashes.get(hash);
        return known == null ? GenuineCoordinator.JSON.getNodeFactory().textNode(hash == null ? "none" : "unknown") : known;
    }

    Uuid idOfPresent(String name) {
        TopicImage topic = current.topics().getTopic(name);
        return topic == null ? Uuid.ZERO_UUID : topic.id();
    }

    Uuid id(String label) {
        Uuid id = byLabel.get(label);
        return id == null ? new Uuid(1, label.hashCode()) : id;
    }

    String label(Uuid id) {
        return labels.getOrDefault(id, id.toString());
    }
}
