package org.apache.kafka.coordinator.group;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.group.classic.ClassicGroup;
import org.apache.kafka.coordinator.group.classic.ClassicGroupMember;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMemberMetadataKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMemberMetadataValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMetadataValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupPartitionMetadataKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupRegularExpressionKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupRegularExpressionValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberValue;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataValue;
import org.apache.kafka.coordinator.group.generated.GroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.GroupMetadataValue;
import org.apache.kafka.coordinator.group.generated.OffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;
import org.apache.kafka.coordinator.group.modern.MemberState;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroup;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroupMember;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** From Kafka's objects to the JSON of the traces, and back. */
final class Render {
    private Render() { }

    static ObjectNode object() {
        return GenuineCoordinator.JSON.createObjectNode();
    }

    static ArrayNode array() {
        return GenuineCoordinator.JSON.createArrayNode();
    }

    static ArrayNode strings(Collection<String> items, boolean sorted) {
        ArrayNode node = array();
        (sorted ? new TreeSet<>(items) : items).forEach(node::add);
        return node;
    }

    // partitions and bytes

    static ObjectNode partitions(GenuineCoordinator c, Map<Uuid, ? extends Collection<Integer>> tps) {
        TreeMap<String, TreeSet<Integer>> sorted = new TreeMap<>();
        tps.forEach((id, ps) -> {
            if (!ps.isEmpty()) sorted.computeIfAbsent(c.image.label(id), __ -> new TreeSet<>()).addAll(ps);
        });
        return named(sorted);
    }

    static ObjectNode named(Map<String, ? extends Collection<Integer>> tps) {
        ObjectNode node = object();
        new TreeMap<>(tps).forEach((topic, ps) -> {
            ArrayNode list = node.putArray(topic);
            new TreeSet<>(ps).forEach(list::add);
        });
        return node;
    }

    @SuppressWarnings("unchecked")
    private static ObjectNode withEpochs(GenuineCoordinator c, Map<Uuid, ?> tps) {
        ObjectNode node = object();
        TreeMap<String, Map<Integer, Integer>> sorted = new TreeMap<>();
        tps.forEach((id, ps) -> {
            if (ps instanceof Map<?, ?> m) sorted.put(c.image.label(id), new TreeMap<>((Map<Integer, Integer>) m));
        });
        sorted.forEach((topic, ps) -> {
            ArrayNode list = node.putArray(topic);
            ps.values().forEach(list::add);
        });
        return node;
    }

    /** A set of partitions up to 4.2, since then a map to epochs. */
    @SuppressWarnings("unchecked")
    private static Map<Uuid, Collection<Integer>> keys(Map<Uuid, ?> tps) {
        Map<Uuid, Collection<Integer>> found = new TreeMap<>();
        tps.forEach((id, ps) -> found.put(id, ps instanceof Map<?, ?> m ? ((Map<Integer, Integer>) m).keySet() : (Collection<Integer>) ps));
        return found;
    }

    static byte[] subscriptionBytes(JsonNode metadata) {
        if (metadata.has("raw")) return metadata.get("raw").asText().getBytes(StandardCharsets.UTF_8);
        short version = (short) metadata.get("version").asInt();
        ConsumerProtocolSubscription data = new ConsumerProtocolSubscription();
        List<String> topics = new ArrayList<>();
        metadata.get("topics").forEach(t -> topics.add(t.asText()));
        data.setTopics(topics);
        if (version >= 1 && metadata.has("owned")) {
            metadata.get("owned").fields().forEachRemaining(e -> {
                List<Integer> ps = new ArrayList<>();
                e.getValue().forEach(p -> ps.add(p.asInt()));
                data.ownedPartitions().addAll(List.of(new ConsumerProtocolSubscription.TopicPartition().setTopic(e.getKey()).setPartitions(ps)));
            });
        }
        if (version >= 2) data.setGenerationId(metadata.path("generation").asInt(-1));
        return org.apache.kafka.common.utils.Utils.toArray(MessageUtil.toVersionPrefixedByteBuffer(version, data));
    }

    static JsonNode subscription(byte[] bytes) {
        if (bytes.length < 2 || bytes[0] != 0 || bytes[1] > 3) return object().put("raw", new String(bytes, StandardCharsets.UTF_8));
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        short version = buffer.getShort();
        ConsumerProtocolSubscription data = new ConsumerProtocolSubscription(new ByteBufferAccessor(buffer), version);
        ObjectNode node = object();
        node.set("topics", strings(data.topics(), false));
        if (version >= 1) {
            TreeMap<String, List<Integer>> owned = new TreeMap<>();
            data.ownedPartitions().forEach(tp -> owned.put(tp.topic(), tp.partitions()));
            node.set("owned", named(owned));
        }
        if (version >= 2) node.put("generation", data.generationId());
        return node.put("version", version);
    }

    static byte[] assignmentBytes(JsonNode assignment) {
        if (assignment.isNull()) return new byte[0];
        ConsumerProtocolAssignment data = new ConsumerProtocolAssignment();
        JsonNode tps = assignment;
        if (assignment.has("userdata")) {
            data.setUserData(ByteBuffer.wrap(assignment.get("userdata").asText().getBytes(StandardCharsets.UTF_8)));
            tps = assignment.get("partitions");
        }
        tps.fields().forEachRemaining(e -> {
            List<Integer> ps = new ArrayList<>();
            e.getValue().forEach(p -> ps.add(p.asInt()));
            data.assignedPartitions().addAll(List.of(new ConsumerProtocolAssignment.TopicPartition().setTopic(e.getKey()).setPartitions(ps)));
        });
        return org.apache.kafka.common.utils.Utils.toArray(MessageUtil.toVersionPrefixedByteBuffer((short) 1, data));
    }

    static JsonNode assignment(byte[] bytes) {
        if (bytes.length == 0) return GenuineCoordinator.JSON.nullNode();
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        short version = buffer.getShort();
        ConsumerProtocolAssignment data = new ConsumerProtocolAssignment(new ByteBufferAccessor(buffer), version);
        TreeMap<String, List<Integer>> tps = new TreeMap<>();
        data.assignedPartitions().forEach(tp -> {
            if (!tp.partitions().isEmpty()) tps.put(tp.topic(), tp.partitions());
        });
        ObjectNode plain = named(tps);
        if (data.userData() == null || !data.userData().hasRemaining()) return plain;
        ObjectNode node = object();
        node.set("partitions", plain);
        return node.put("userdata", StandardCharsets.UTF_8.decode(data.userData().duplicate()).toString());
    }

    // responses

    static void join(ObjectNode node, JoinGroupResponseData response) {
        node.put("member", response.memberId())
            .put("generation", response.generationId())
            .put("protocol_type", response.protocolType())
            .put("protocol", response.protocolName())
            .put("leader", response.leader())
            .put("skip_assignment", response.skipAssignment());
        ArrayNode members = node.putArray("members");
        response.members().forEach(m -> {
            ObjectNode member = members.addObject().put("id", m.memberId()).put("instance", m.groupInstanceId());
            member.set("metadata", subscription(m.metadata()));
        });
    }

    static void sync(ObjectNode node, SyncGroupResponseData response) {
        node.put("protocol_type", response.protocolType()).put("protocol", response.protocolName());
        node.set("assignment", assignment(response.assignment()));
    }

    // timers

    static ArrayNode timer(GenuineCoordinator c, GenuineCoordinator.Armed timer, boolean due) {
        String key = timer.key;
        ArrayNode node = array();
        String[][] kinds = {
            {"heartbeat-g-", "session"},
            {"session-timeout-g-", c.config.streams ? "streams_session" : "consumer_session"},
            {"rebalance-timeout-g-", "revocation"},
            {"join-g-", "classic_join_of_member"},
            {"sync-g-", "classic_sync_of_member"},
        };
        if (key.equals("join-g") || key.equals("sync-g")) {
            node.add(key.substring(0, 4)).addNull();
        } else if (key.equals(c.streams.initialKey())) {
            node.add("initial_rebalance").addNull();
        } else {
            boolean found = false;
            for (String[] kind : kinds) {
                if (key.startsWith(kind[0])) {
                    node.add(kind[1]).add(key.substring(kind[0].length()));
                    found = true;
                    break;
                }
            }
            if (!found) throw new IllegalStateException(key);
        }
        if (due) node.add(timer.due);
        return node;
    }

    // state

    static Object field(Object of, String name) {
        try {
            Class<?> type = of.getClass();
            while (true) {
                try {
                    Field field = type.getDeclaredField(name);
                    field.setAccessible(true);
                    return field.get(of);
                } catch (NoSuchFieldException e) {
                    type = type.getSuperclass();
                    if (type == null) throw e;
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Group group(GenuineCoordinator c) {
        try {
            return c.groups.group(GenuineCoordinator.GROUP, Long.MAX_VALUE);
        } catch (org.apache.kafka.common.errors.GroupIdNotFoundException e) {
            return null;
        }
    }

    /** `{topic: {partition: offset}}` */
    static ObjectNode offsets(OffsetMetadataManager offsets) {
        ObjectNode node = object();
        Map<?, ?> byGroup = (Map<?, ?>) field(field(offsets, "offsets"), "offsetsByGroup");
        Map<?, ?> byTopic = (Map<?, ?>) byGroup.get(GenuineCoordinator.GROUP);
        if (byTopic != null) {
            new TreeMap<>(byTopic).forEach((topic, ps) -> {
                ObjectNode one = node.putObject(topic.toString());
                new TreeMap<>((Map<?, ?>) ps).forEach((p, o) -> one.put(p.toString(), (Long) field(o, "committedOffset")));
            });
        }
        return node;
    }

    @SuppressWarnings("unchecked")
    static ObjectNode state(GenuineCoordinator c, ObjectNode more) {
        ObjectNode node = object();
        Group group = group(c);
        if (group == null) {
            node.putNull("type");
        } else if (group instanceof ClassicGroup classic) {
            classic(node, classic);
        } else if (group instanceof ConsumerGroup consumer) {
            consumer(c, node, consumer, more);
        } else {
            c.streams.state(c, node, group, more);
        }
        ArrayNode timers = node.putArray("timers");
        c.armed().forEach(t -> timers.add(timer(c, t, true)));
        return node;
    }

    @SuppressWarnings("unchecked")
    private static void classic(ObjectNode node, ClassicGroup group) {
        node.put("type", "classic")
            .put("state", group.currentState().toString())
            .put("generation", group.generationId())
            .put("protocol_type", group.protocolType().orElse(null))
            .put("protocol", group.protocolName().orElse(null))
            .put("leader", group.leaderOrNull())
            .put("new_member_added", group.newMemberAdded());
        node.set("pending_join", strings((Collection<String>) field(group, "pendingJoinMembers"), true));
        node.set("pending_sync", strings((Collection<String>) field(group, "pendingSyncMembers"), true));
        if (group.subscribedTopics().isPresent()) node.set("subscribed_topics", strings(group.subscribedTopics().get(), true));
        else node.putNull("subscribed_topics");
        ArrayNode members = node.putArray("members");
        for (ClassicGroupMember m : group.allMembers()) {
            ObjectNode member = members.addObject()
                .put("id", m.memberId())
                .put("instance", m.groupInstanceId().orElse(null))
                .put("awaiting_join", m.isAwaitingJoin())
                .put("awaiting_sync", m.isAwaitingSync())
                .put("is_new", m.isNew())
                .put("session_timeout", m.sessionTimeoutMs())
                .put("rebalance_timeout", m.rebalanceTimeoutMs());
            ArrayNode protocols = member.putArray("protocols");
            m.supportedProtocols().forEach(p -> protocols.add(p.name()));
            member.set("assignment", assignment(m.assignment()));
        }
    }

    @SuppressWarnings("unchecked")
    private static void consumer(GenuineCoordinator c, ObjectNode node, ConsumerGroup group, ObjectNode more) {
        node.put("type", "consumer")
            .put("state", group.stateAsString())
            .put("group_epoch", group.groupEpoch())
            .put("target_epoch", group.assignmentEpoch())
            .put("assignor", group.preferredServerAssignor().orElse(null));
        node.set("topics", Release.has(group, "subscriptionMetadata", 0)
            ? topics(c, Release.<Map<String, Object>>call(group, "subscriptionMetadata").values(), "id")
            : c.image.meaning(Release.<Long>maybe(group, "metadataHash", null)));
        ArrayNode members = node.putArray("members");
        ObjectNode epochs = object();
        ObjectNode regexes = object();
        group.members().forEach((id, m) -> {
            ObjectNode member = members.addObject()
                .put("id", id)
                .put("instance", m.instanceId())
                .put("state", m.state().name())
                .put("epoch", m.memberEpoch())
                .put("prev_epoch", m.previousMemberEpoch())
                .put("rebalance_timeout", m.rebalanceTimeoutMs());
            member.set("subscribed", strings(m.subscribedTopicNames(), true));
            member.put("assignor", m.serverAssignorName().orElse(null));
            member.set("assigned", partitions(c, keys(m.assignedPartitions())));
            member.set("pending", partitions(c, keys(m.partitionsPendingRevocation())));
            member.put("classic", m.useClassicProtocol());
            ObjectNode epoch = object();
            epoch.set("assigned", withEpochs(c, m.assignedPartitions()));
            if (!m.partitionsPendingRevocation().isEmpty()) epoch.set("pending", withEpochs(c, m.partitionsPendingRevocation()));
            epochs.set(id, epoch);
            if (m.subscribedTopicRegex() != null && !m.subscribedTopicRegex().isEmpty()) regexes.put(id, m.subscribedTopicRegex());
        });
        ObjectNode target = node.putObject("target");
        new TreeMap<>(group.targetAssignment()).forEach((id, assignment) -> target.set(id, partitions(c, assignment.partitions())));
        more.set("partition_epochs", epochs);
        long assigned = Release.<Long>maybe(group, "assignmentTimestamp", 0L);
        if (assigned != 0) more.put("assignment_time", assigned - GenuineCoordinator.BASE);
        if (!regexes.isEmpty()) more.set("regex_of", regexes);
        ObjectNode resolved = object();
        new TreeMap<>(group.resolvedRegularExpressions()).forEach((regex, r) -> {
            ObjectNode one = resolved.putObject(regex);
            one.set("topics", strings((Collection<String>) field(r, "topics"), true));
            one.put("time", (Long) field(r, "timestamp") - GenuineCoordinator.BASE).put("image", (Long) field(r, "version"));
        });
        if (!resolved.isEmpty()) more.set("resolved", resolved);
        if (group.hasMetadataExpired(c.time.milliseconds())) more.put("metadata_expired", true);
    }

    // records

    static ObjectNode record(GenuineCoordinator c, CoordinatorRecord record, ObjectNode extra) {
        Object named = Release.call(record, "key");
        ApiMessage key = named instanceof org.apache.kafka.server.common.ApiMessageAndVersion v ? v.message() : (ApiMessage) named;
        ApiMessage value = record.value() == null ? null : record.value().message();
        ObjectNode node = object();
        if (key instanceof GroupMetadataKey) {
            node.put("type", "group");
            if (value != null) group(node, (GroupMetadataValue) value);
        } else if (key instanceof OffsetCommitKey k) {
            node.put("type", "offset").put("topic", k.topic()).put("partition", k.partition());
            if (value != null) node.put("offset", ((OffsetCommitValue) value).offset());
        } else if (key instanceof ConsumerGroupMetadataKey) {
            node.put("type", "epoch");
            if (value instanceof ConsumerGroupMetadataValue v) {
                node.put("epoch", v.epoch());
                // Up to 4.0 the topics have a record of their own.
                if (Release.has(v, "metadataHash", 0)) extra.set("topics", c.image.meaning(Release.call(v, "metadataHash")));
            }
        } else if (key instanceof ConsumerGroupPartitionMetadataKey) {
            node.put("type", "topics");
            if (value != null) node.set("topics", topics(c, Release.<List<Object>>call(value, "topics"), "topicId"));
        } else if (key instanceof ConsumerGroupMemberMetadataKey k) {
            node.put("type", "member").put("member", k.memberId());
            if (value != null) member(node, (ConsumerGroupMemberMetadataValue) value, extra);
        } else if (key instanceof ConsumerGroupTargetAssignmentMetadataKey) {
            node.put("type", "target_epoch");
            if (value instanceof ConsumerGroupTargetAssignmentMetadataValue v) {
                node.put("epoch", v.assignmentEpoch());
                long time = Release.<Long>maybe(v, "assignmentTimestamp", 0L);
                if (time != 0) extra.put("time", time - GenuineCoordinator.BASE);
            }
        } else if (key instanceof ConsumerGroupTargetAssignmentMemberKey k) {
            node.put("type", "target").put("member", k.memberId());
            if (value instanceof ConsumerGroupTargetAssignmentMemberValue v) {
                Map<Uuid, Collection<Integer>> tps = new TreeMap<>();
                v.topicPartitions().forEach(tp -> tps.put(tp.topicId(), tp.partitions()));
                node.set("partitions", partitions(c, tps));
            }
        } else if (key instanceof ConsumerGroupCurrentMemberAssignmentKey k) {
            node.put("type", "current").put("member", k.memberId());
            if (value instanceof ConsumerGroupCurrentMemberAssignmentValue v) {
                node.put("epoch", v.memberEpoch()).put("prev_epoch", v.previousMemberEpoch()).put("state", MemberState.fromValue(v.state()).name());
                node.set("assigned", current(c, v.assignedPartitions(), extra, "assigned_epochs"));
                node.set("pending", current(c, v.partitionsPendingRevocation(), extra, "pending_epochs"));
            }
        } else if (key instanceof ConsumerGroupRegularExpressionKey k) {
            node.put("type", "regex").put("regex", k.regularExpression());
            if (value instanceof ConsumerGroupRegularExpressionValue v) {
                node.set("topics", strings(v.topics(), true));
                node.put("time", v.timestamp() - GenuineCoordinator.BASE).put("image", v.version());
            }
        } else {
            c.streams.record(c, node, key, value);
        }
        if (value == null) node.put("tombstone", true);
        return node;
    }

    /** The subscription metadata that releases before 4.1 keep. */
    private static ObjectNode topics(GenuineCoordinator c, Collection<Object> topics, String id) {
        TreeMap<String, Integer> sorted = new TreeMap<>();
        topics.forEach(t -> sorted.put(c.image.label(Release.call(t, id)), Release.<Integer>call(t, "numPartitions")));
        ObjectNode node = object();
        sorted.forEach(node::put);
        return node;
    }

    private static ObjectNode current(
        GenuineCoordinator c,
        List<ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions> tps,
        ObjectNode extra,
        String name
    ) {
        Map<Uuid, Collection<Integer>> plain = new TreeMap<>();
        Map<Uuid, Map<Integer, Integer>> epochs = new TreeMap<>();
        tps.forEach(tp -> {
            plain.put(tp.topicId(), tp.partitions());
            List<Integer> epochsOf = Release.maybe(tp, "assignmentEpochs", null);
            if (epochsOf != null) {
                Map<Integer, Integer> byPartition = new TreeMap<>();
                for (int i = 0; i < tp.partitions().size(); i++) byPartition.put(tp.partitions().get(i), epochsOf.get(i));
                epochs.put(tp.topicId(), byPartition);
            }
        });
        if (!epochs.isEmpty()) extra.set(name, withEpochs(c, epochs));
        return partitions(c, plain);
    }

    private static void group(ObjectNode node, GroupMetadataValue value) {
        node.put("generation", value.generation())
            .put("protocol_type", value.protocolType())
            .put("protocol", value.protocol())
            .put("leader", value.leader());
        ArrayNode members = node.putArray("members");
        value.members().forEach(m -> {
            ObjectNode member = members.addObject()
                .put("id", m.memberId())
                .put("instance", m.groupInstanceId())
                .put("session_timeout", m.sessionTimeout())
                .put("rebalance_timeout", m.rebalanceTimeout());
            member.set("metadata", subscription(m.subscription()));
            member.set("assignment", assignment(m.assignment()));
        });
    }

    private static void member(ObjectNode node, ConsumerGroupMemberMetadataValue value, ObjectNode extra) {
        node.put("instance", value.instanceId());
        node.set("subscribed", strings(value.subscribedTopicNames(), true));
        node.put("assignor", value.serverAssignor()).put("rebalance_timeout", value.rebalanceTimeoutMs());
        if (value.classicMemberMetadata() != null) {
            ObjectNode classic = node.putObject("classic").put("session_timeout", value.classicMemberMetadata().sessionTimeoutMs());
            ArrayNode protocols = classic.putArray("protocols");
            value.classicMemberMetadata().supportedProtocols().forEach(p ->
                protocols.add(array().add(p.name()).add(subscription(p.metadata()))));
        }
        if (value.subscribedTopicRegex() != null && !value.subscribedTopicRegex().isEmpty()) extra.put("regex", value.subscribedTopicRegex());
    }
}
