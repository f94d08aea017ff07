package org.apache.kafka.coordinator.group;

import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatResponse;
import org.apache.kafka.coordinator.group.generated.StreamsGroupCurrentMemberAssignmentKey;
import org.apache.kafka.coordinator.group.generated.StreamsGroupCurrentMemberAssignmentValue;
import org.apache.kafka.coordinator.group.generated.StreamsGroupMemberMetadataKey;
import org.apache.kafka.coordinator.group.generated.StreamsGroupMemberMetadataValue;
import org.apache.kafka.coordinator.group.generated.StreamsGroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.StreamsGroupMetadataValue;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTargetAssignmentMemberKey;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTargetAssignmentMemberValue;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTargetAssignmentMetadataKey;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTargetAssignmentMetadataValue;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTopologyKey;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTopologyValue;
import org.apache.kafka.coordinator.group.streams.MemberState;
import org.apache.kafka.coordinator.group.streams.StreamsGroup;
import org.apache.kafka.coordinator.group.streams.StreamsGroupHeartbeatResult;
import org.apache.kafka.coordinator.group.streams.StreamsGroupMember;
import org.apache.kafka.coordinator.group.streams.TasksTuple;
import org.apache.kafka.coordinator.group.streams.TasksTupleWithEpochs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;

/** Streams groups (KIP-1071): requests, state and records. */
final class StreamsGroups implements Streams {
    // requests

    @Override
    public void heartbeat(GenuineCoordinator c, JsonNode event, String fails) {
        int to = c.index;
        StreamsGroupHeartbeatRequestData request = new StreamsGroupHeartbeatRequestData()
            .setGroupId(GenuineCoordinator.GROUP)
            .setMemberId(event.get("member").asText())
            .setMemberEpoch(event.get("epoch").asInt())
            .setEndpointInformationEpoch(event.get("endpoint_epoch").asInt())
            .setInstanceId(GenuineCoordinator.text(event.get("instance")))
            .setRackId(GenuineCoordinator.text(event.get("rack")))
            .setRebalanceTimeoutMs(event.get("rebalance_timeout").isNull() ? -1 : event.get("rebalance_timeout").asInt())
            .setTopology(event.get("topology").isNull() ? null : topology(event.get("topology")))
            .setActiveTasks(tasks(event.get("active")))
            .setStandbyTasks(tasks(event.get("standby")))
            .setWarmupTasks(tasks(event.get("warmup")))
            .setProcessId(GenuineCoordinator.text(event.get("process")))
            .setTaskOffsets(offsets(event.get("task_offsets")))
            .setTaskEndOffsets(offsets(event.get("task_end_offsets")))
            .setShutdownApplication(event.path("shutdown").asBoolean(false));
        if (!event.get("endpoint").isNull()) {
            String[] parts = event.get("endpoint").asText().split(":");
            request.setUserEndpoint(new StreamsGroupHeartbeatRequestData.Endpoint().setHost(parts[0]).setPort(Integer.parseInt(parts[1])));
        }
        if (!event.get("tags").isNull()) {
            List<StreamsGroupHeartbeatRequestData.KeyValue> tags = new ArrayList<>();
            event.get("tags").fields().forEachRemaining(e -> tags.add(new StreamsGroupHeartbeatRequestData.KeyValue().setKey(e.getKey()).setValue(e.getValue().asText())));
            request.setClientTags(tags);
        }
        try {
            check("throwIfStreamsGroupHeartbeatRequestIsUsingUnsupportedFeatures", request);
            check("throwIfStreamsGroupHeartbeatRequestIsInvalid", request);
        } catch (Throwable problem) {
            c.answer(to, "streams_heartbeat", Errors.forException(problem));
            return;
        }
        c.<StreamsGroupHeartbeatResult>write(() -> Release.call(c.shard, "streamsGroupHeartbeat", c.context("c", event.path("api_version").asInt(1)), request), fails, (result, problem) -> {
            Errors error = problem != null ? GenuineCoordinator.error(problem) : Errors.forCode(result.data().errorCode());
            ObjectNode answer = c.answer(to, "streams_heartbeat", error);
            if (error == Errors.NONE) response(answer, result);
        });
    }

    private static void check(String name, StreamsGroupHeartbeatRequestData request) throws Throwable {
        Method check = GroupCoordinatorService.class.getDeclaredMethod(name, StreamsGroupHeartbeatRequestData.class);
        check.setAccessible(true);
        try {
            check.invoke(null, request);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static StreamsGroupHeartbeatRequestData.Topology topology(JsonNode node) {
        StreamsGroupHeartbeatRequestData.Topology topology = new StreamsGroupHeartbeatRequestData.Topology().setEpoch(node.get("epoch").asInt());
        List<StreamsGroupHeartbeatRequestData.Subtopology> all = new ArrayList<>();
        for (JsonNode s : node.get("subtopologies")) {
            List<StreamsGroupHeartbeatRequestData.CopartitionGroup> copartition = new ArrayList<>();
            for (JsonNode g : s.path("copartition")) {
                copartition.add(new StreamsGroupHeartbeatRequestData.CopartitionGroup()
                    .setSourceTopics(shorts(g.path("sources")))
                    .setRepartitionSourceTopics(shorts(g.path("repartition_sources"))));
            }
            List<StreamsGroupHeartbeatRequestData.TopicInfo> changelogs = new ArrayList<>();
            for (JsonNode name : s.get("changelogs")) changelogs.add(new StreamsGroupHeartbeatRequestData.TopicInfo().setName(name.asText()).setReplicationFactor((short) 1));
            List<StreamsGroupHeartbeatRequestData.TopicInfo> repartitions = new ArrayList<>();
            for (JsonNode r : s.get("repartition_sources")) {
                repartitions.add(new StreamsGroupHeartbeatRequestData.TopicInfo().setName(r.get(0).asText()).setPartitions(r.get(1).asInt()).setReplicationFactor((short) 1));
            }
            all.add(new StreamsGroupHeartbeatRequestData.Subtopology()
                .setSubtopologyId(s.get("id").asText())
                .setSourceTopics(strings(s.get("sources")))
                .setSourceTopicRegex(strings(s.path("regex")))
                .setStateChangelogTopics(changelogs)
                .setRepartitionSinkTopics(strings(s.get("repartition_sinks")))
                .setRepartitionSourceTopics(repartitions)
                .setCopartitionGroups(copartition));
        }
        return topology.setSubtopologies(all);
    }

    private static List<String> strings(JsonNode node) {
        List<String> found = new ArrayList<>();
        node.forEach(n -> found.add(n.asText()));
        return found;
    }

    private static List<Short> shorts(JsonNode node) {
        List<Short> found = new ArrayList<>();
        node.forEach(n -> found.add((short) n.asInt()));
        return found;
    }

    private static List<StreamsGroupHeartbeatRequestData.TaskIds> tasks(JsonNode node) {
        if (node.isNull()) return null;
        List<StreamsGroupHeartbeatRequestData.TaskIds> found = new ArrayList<>();
        node.fields().forEachRemaining(e -> {
            List<Integer> partitions = new ArrayList<>();
            e.getValue().forEach(p -> partitions.add(p.asInt()));
            found.add(new StreamsGroupHeartbeatRequestData.TaskIds().setSubtopologyId(e.getKey()).setPartitions(partitions));
        });
        return found;
    }

    private static List<StreamsGroupHeartbeatRequestData.TaskOffset> offsets(JsonNode node) {
        if (node == null || node.isNull()) return null;
        List<StreamsGroupHeartbeatRequestData.TaskOffset> found = new ArrayList<>();
        for (JsonNode o : node) {
            found.add(new StreamsGroupHeartbeatRequestData.TaskOffset().setSubtopologyId(o.get(0).asText()).setPartition(o.get(1).asInt()).setOffset(o.get(2).asLong()));
        }
        return found;
    }

    private static void response(ObjectNode answer, StreamsGroupHeartbeatResult result) {
        StreamsGroupHeartbeatResponseData data = result.data();
        answer.put("member", data.memberId()).put("epoch", data.memberEpoch()).put("interval", data.heartbeatIntervalMs());
        ArrayNode status = answer.putArray("status");
        TreeSet<String> names = new TreeSet<>();
        if (data.status() != null) {
            data.status().forEach(s -> {
                for (StreamsGroupHeartbeatResponse.Status known : StreamsGroupHeartbeatResponse.Status.values()) {
                    if (known.code() == s.statusCode()) names.add(known.name());
                }
            });
        }
        names.forEach(status::add);
        answer.set("active", sent(data.activeTasks()));
        answer.set("standby", sent(data.standbyTasks()));
        answer.set("warmup", sent(data.warmupTasks()));
        answer.put("endpoint_epoch", data.endpointInformationEpoch());
        if (data.partitionsByUserEndpoint() == null) {
            answer.putNull("partitions_by_endpoint");
        } else {
            List<ObjectNode> entries = new ArrayList<>();
            data.partitionsByUserEndpoint().forEach(e -> {
                ObjectNode entry = Render.object().put("endpoint", e.userEndpoint().host() + ":" + e.userEndpoint().port());
                entry.set("active", byTopic(e.activePartitions()));
                entry.set("standby", byTopic(e.standbyPartitions()));
                entries.add(entry);
            });
            entries.sort((a, b) -> a.toString().compareTo(b.toString()));
            ArrayNode list = answer.putArray("partitions_by_endpoint");
            entries.forEach(list::add);
        }
        ObjectNode create = answer.putObject("create_topics");
        new TreeMap<>(result.creatableTopics()).forEach((name, topic) -> create.put(name, topic.numPartitions()));
    }

    private static ObjectNode byTopic(List<StreamsGroupHeartbeatResponseData.TopicPartition> tps) {
        Map<String, Collection<Integer>> found = new TreeMap<>();
        tps.forEach(tp -> found.put(tp.topic(), tp.partitions()));
        return Render.named(found);
    }

    private static JsonNode sent(List<StreamsGroupHeartbeatResponseData.TaskIds> tasks) {
        if (tasks == null) return GenuineCoordinator.JSON.nullNode();
        Map<String, Collection<Integer>> found = new TreeMap<>();
        tasks.forEach(t -> found.put(t.subtopologyId(), t.partitions()));
        return Render.named(found);
    }

    @Override
    public void groupConfig(GenuineCoordinator c, JsonNode event) {
        Properties properties = new Properties();
        event.get("configs").fields().forEachRemaining(e -> properties.put(e.getKey(), e.getValue().asText()));
        c.groupConfigs.updateGroupConfig(GenuineCoordinator.GROUP, properties);
    }

    // state

    private static ObjectNode shown(TasksTuple tasks) {
        ObjectNode node = Render.object();
        node.set("active", Render.named(tasks.activeTasks()));
        node.set("standby", Render.named(tasks.standbyTasks()));
        node.set("warmup", Render.named(tasks.warmupTasks()));
        return node;
    }

    private static Map<String, Collection<Integer>> plain(Map<String, Map<Integer, Integer>> tasks) {
        Map<String, Collection<Integer>> found = new TreeMap<>();
        tasks.forEach((id, ps) -> found.put(id, ps.keySet()));
        return found;
    }

    private static ObjectNode shown(TasksTupleWithEpochs tasks) {
        ObjectNode node = Render.object();
        node.set("active", Render.named(plain(tasks.activeTasksWithEpochs())));
        node.set("standby", Render.named(tasks.standbyTasks()));
        node.set("warmup", Render.named(tasks.warmupTasks()));
        return node;
    }

    private static ObjectNode epochs(Map<String, Map<Integer, Integer>> tasks) {
        ObjectNode node = Render.object();
        new TreeMap<>(tasks).forEach((id, ps) -> {
            ArrayNode list = node.putArray(id);
            new TreeMap<>(ps).values().forEach(list::add);
        });
        return node;
    }

    private static ObjectNode strings(Map<String, String> map) {
        ObjectNode node = Render.object();
        new TreeMap<>(map).forEach(node::put);
        return node;
    }

    @Override
    public String initialKey() {
        return StreamsGroup.initialRebalanceTimeoutKey("g");
    }

    @Override
    public void state(GenuineCoordinator c, ObjectNode node, Group of, ObjectNode more) {
        StreamsGroup group = (StreamsGroup) of;
        node.put("type", "streams")
            .put("state", group.stateAsString())
            .put("group_epoch", group.groupEpoch())
            .put("target_epoch", group.assignmentEpoch())
            .put("topology_epoch", group.currentTopologyEpoch())
            .put("validated_topology_epoch", group.validatedTopologyEpoch())
            .put("endpoint_epoch", group.endpointInformationEpoch());
        node.set("topics", c.image.meaning(Release.<Long>maybe(group, "metadataHash", null)));
        node.set("configs", strings(group.lastAssignmentConfigs()));
        ArrayNode members = node.putArray("members");
        group.members().forEach((id, m) -> {
            ObjectNode member = members.addObject()
                .put("id", id)
                .put("instance", m.instanceId() == null ? null : m.instanceId().orElse(null))
                .put("process", m.processId())
                .put("state", m.state().name())
                .put("epoch", m.memberEpoch())
                .put("prev_epoch", m.previousMemberEpoch())
                .put("rebalance_timeout", m.rebalanceTimeoutMs())
                .put("topology_epoch", m.topologyEpoch())
                .put("rack", m.rackId() == null ? null : m.rackId().orElse(null))
                .put("endpoint", endpoint(m));
            member.set("tags", m.clientTags() == null ? Render.object() : strings(m.clientTags()));
            member.set("assigned", shown(m.assignedTasks()));
            member.set("pending", shown(m.tasksPendingRevocation()));
            member.set("active_epochs", epochs(m.assignedTasks().activeTasksWithEpochs()));
        });
        ObjectNode target = node.putObject("target");
        new TreeMap<>(group.targetAssignment()).forEach((id, tasks) -> target.set(id, shown(tasks)));
        if (group.assignmentTimestamp() != 0) more.put("assignment_time", group.assignmentTimestamp() - GenuineCoordinator.BASE);
        Object refined = ((org.apache.kafka.timeline.TimelineObject<?>) Render.field(group, "refinedAssignment")).get();
        int epoch = (Integer) Render.field(refined, "assignmentEpoch");
        if (epoch == group.assignmentEpoch()) {
            ObjectNode cached = more.putObject("refined");
            new TreeMap<>(group.refinedAssignment(epoch)).forEach((id, tasks) -> cached.set(id, shown(tasks)));
        }
        ObjectNode offsets = Render.object();
        new TreeMap<>(group.taskOffsets()).forEach((id, o) -> {
            ObjectNode one = offsets.putObject(id);
            one.set("offsets", longs(o.taskOffsets()));
            one.set("ends", longs(o.taskEndOffsets()));
        });
        if (!offsets.isEmpty()) more.set("task_offsets", offsets);
        group.getShutdownRequestMemberId().ifPresent(id -> more.put("shutdown_by", id));
        group.configuredTopology().ifPresent(t -> {
            more.put("ready", t.isReady());
            if (t.subtopologies().isPresent()) {
                ObjectNode counts = more.putObject("tasks");
                t.subtopologies().get().forEach((id, s) -> counts.put(id, s.numberOfTasks()));
            }
        });
        if (group.hasMetadataExpired(c.time.milliseconds())) more.put("metadata_expired", true);
    }

    private static ObjectNode longs(Map<String, Map<Integer, Long>> map) {
        ObjectNode node = Render.object();
        new TreeMap<>(map).forEach((id, ps) -> {
            ObjectNode one = node.putObject(id);
            new TreeMap<>(ps).forEach((p, o) -> one.put(String.valueOf(p), o));
        });
        return node;
    }

    private static String endpoint(StreamsGroupMember m) {
        return m.userEndpoint() == null ? null : m.userEndpoint().map(e -> e.host() + ":" + e.port()).orElse(null);
    }

    // records

    @Override
    public void record(GenuineCoordinator c, ObjectNode node, ApiMessage key, ApiMessage value) {
        if (key instanceof StreamsGroupMetadataKey) {
            node.put("type", "epoch");
            if (value instanceof StreamsGroupMetadataValue v) {
                node.put("epoch", v.epoch()).put("validated_topology_epoch", v.validatedTopologyEpoch());
                node.set("topics", c.image.meaning(Release.<Long>maybe(v, "metadataHash", null)));
                ObjectNode configs = node.putObject("configs");
                if (v.lastAssignmentConfigs() != null) {
                    Map<String, String> sorted = new TreeMap<>();
                    v.lastAssignmentConfigs().forEach(x -> sorted.put(x.key(), x.value()));
                    sorted.forEach(configs::put);
                }
            }
        } else if (key instanceof StreamsGroupTopologyKey) {
            node.put("type", "topology");
            if (value instanceof StreamsGroupTopologyValue v) {
                node.put("epoch", v.epoch());
                ArrayNode subtopologies = node.putArray("subtopologies");
                v.subtopologies().forEach(s -> subtopologies.add(s.subtopologyId()));
            }
        } else if (key instanceof StreamsGroupMemberMetadataKey k) {
            node.put("type", "member").put("member", k.memberId());
            if (value instanceof StreamsGroupMemberMetadataValue v) {
                node.put("instance", v.instanceId())
                    .put("process", v.processId())
                    .put("rebalance_timeout", v.rebalanceTimeoutMs())
                    .put("topology_epoch", v.topologyEpoch())
                    .put("rack", v.rackId())
                    .put("endpoint", v.userEndpoint() == null ? null : v.userEndpoint().host() + ":" + v.userEndpoint().port());
                Map<String, String> tags = new TreeMap<>();
                v.clientTags().forEach(t -> tags.put(t.key(), t.value()));
                node.set("tags", strings(tags));
            }
        } else if (key instanceof StreamsGroupTargetAssignmentMetadataKey) {
            node.put("type", "target_epoch");
            if (value instanceof StreamsGroupTargetAssignmentMetadataValue v) {
                node.put("epoch", v.assignmentEpoch());
                if (v.assignmentTimestamp() != 0) node.put("time", v.assignmentTimestamp() - GenuineCoordinator.BASE);
                else node.putNull("time");
            }
        } else if (key instanceof StreamsGroupTargetAssignmentMemberKey k) {
            node.put("type", "target").put("member", k.memberId());
            if (value instanceof StreamsGroupTargetAssignmentMemberValue v) {
                ObjectNode tasks = node.putObject("tasks");
                tasks.set("active", target(v.activeTasks()));
                tasks.set("standby", target(v.standbyTasks()));
                tasks.set("warmup", target(v.warmupTasks()));
            }
        } else if (key instanceof StreamsGroupCurrentMemberAssignmentKey k) {
            node.put("type", "current").put("member", k.memberId());
            if (value instanceof StreamsGroupCurrentMemberAssignmentValue v) {
                node.put("epoch", v.memberEpoch()).put("prev_epoch", v.previousMemberEpoch()).put("state", MemberState.fromValue(v.state()).name());
                ObjectNode assigned = node.putObject("assigned");
                assigned.set("active", current(v.activeTasks()));
                assigned.set("standby", current(v.standbyTasks()));
                assigned.set("warmup", current(v.warmupTasks()));
                ObjectNode pending = node.putObject("pending");
                pending.set("active", current(v.activeTasksPendingRevocation()));
                pending.set("standby", current(v.standbyTasksPendingRevocation()));
                pending.set("warmup", current(v.warmupTasksPendingRevocation()));
                ObjectNode epochs = node.putObject("active_epochs");
                Map<String, List<Integer>> sorted = new TreeMap<>();
                v.activeTasks().forEach(t -> {
                    if (t.assignmentEpochs() == null) return;
                    Map<Integer, Integer> byPartition = new TreeMap<>();
                    for (int i = 0; i < t.partitions().size(); i++) byPartition.put(t.partitions().get(i), t.assignmentEpochs().get(i));
                    sorted.put(t.subtopologyId(), new ArrayList<>(byPartition.values()));
                });
                sorted.forEach((id, list) -> {
                    ArrayNode one = epochs.putArray(id);
                    list.forEach(one::add);
                });
            }
        } else {
            throw new IllegalStateException(key.toString());
        }
    }

    private static ObjectNode target(List<StreamsGroupTargetAssignmentMemberValue.TaskIds> tasks) {
        Map<String, Collection<Integer>> found = new TreeMap<>();
        tasks.forEach(t -> found.put(t.subtopologyId(), t.partitions()));
        return Render.named(found);
    }

    private static ObjectNode current(List<StreamsGroupCurrentMemberAssignmentValue.TaskIds> tasks) {
        Map<String, Collection<Integer>> found = new TreeMap<>();
        tasks.forEach(t -> found.put(t.subtopologyId(), t.partitions()));
        return Render.named(found);
    }
}
