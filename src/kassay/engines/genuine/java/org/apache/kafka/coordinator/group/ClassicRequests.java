package org.apache.kafka.coordinator.group;

import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.OffsetCommitRequest;
import org.apache.kafka.common.requests.RequestContext;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;


/** The requests of the classic protocol, as events. */
final class ClassicRequests {
    private ClassicRequests() { }

    static void join(GenuineCoordinator c, JsonNode event, String fails) {
        int to = c.index;
        List<JoinGroupRequestData.JoinGroupRequestProtocol> protocols = new ArrayList<>();
        for (JsonNode protocol : event.get("protocols")) {
            protocols.add(new JoinGroupRequestData.JoinGroupRequestProtocol()
                .setName(protocol.get(0).asText())
                .setMetadata(Render.subscriptionBytes(protocol.get(1))));
        }
        JoinGroupRequestData request = new JoinGroupRequestData()
            .setGroupId(GenuineCoordinator.GROUP)
            .setMemberId(event.get("member").asText())
            .setGroupInstanceId(GenuineCoordinator.text(event.get("instance")))
            .setProtocolType(event.get("protocol_type").asText())
            .setProtocols(new JoinGroupRequestData.JoinGroupRequestProtocolCollection(protocols.iterator()))
            .setSessionTimeoutMs(event.get("session_timeout").asInt())
            .setRebalanceTimeoutMs(event.get("rebalance_timeout").asInt());
        CompletableFuture<JoinGroupResponseData> future = new CompletableFuture<>();
        future.whenComplete((response, __) -> Render.join(c.answer(to, "join", Errors.forCode(response.errorCode())), response));
        RequestContext context = c.context(event.get("client").asText(), event.get("api_version").asInt());
        c.<Object>write(() -> Release.has(c.shard, "classicGroupJoin", 4)
            ? Release.call(c.shard, "classicGroupJoin", context, request, future, true) : Release.call(c.shard, "classicGroupJoin", context, request, future), fails, (__, problem) -> {
            if (problem != null && !future.isDone()) {
                future.complete(new JoinGroupResponseData().setErrorCode(GenuineCoordinator.error(problem).code()));
            }
        });
    }

    static void sync(GenuineCoordinator c, JsonNode event, String fails) {
        int to = c.index;
        List<SyncGroupRequestData.SyncGroupRequestAssignment> assignments = new ArrayList<>();
        event.get("assignments").fields().forEachRemaining(e -> assignments.add(
            new SyncGroupRequestData.SyncGroupRequestAssignment()
                .setMemberId(e.getKey())
                .setAssignment(Render.assignmentBytes(e.getValue()))));
        SyncGroupRequestData request = new SyncGroupRequestData()
            .setGroupId(GenuineCoordinator.GROUP)
            .setMemberId(event.get("member").asText())
            .setGroupInstanceId(GenuineCoordinator.text(event.get("instance")))
            .setGenerationId(event.get("generation").asInt())
            .setProtocolType(GenuineCoordinator.text(event.get("protocol_type")))
            .setProtocolName(GenuineCoordinator.text(event.get("protocol")))
            .setAssignments(assignments);
        CompletableFuture<SyncGroupResponseData> future = new CompletableFuture<>();
        future.whenComplete((response, __) -> Render.sync(c.answer(to, "sync", Errors.forCode(response.errorCode())), response));
        c.<Void>write(() -> Release.call(c.shard, "classicGroupSync", c.context("c", 5), request, future), fails, (__, problem) -> {
            if (problem != null && !future.isDone()) {
                future.complete(new SyncGroupResponseData().setErrorCode(GenuineCoordinator.error(problem).code()));
            }
        });
    }

    static void heartbeat(GenuineCoordinator c, JsonNode event, String fails) {
        int to = c.index;
        HeartbeatRequestData request = new HeartbeatRequestData()
            .setGroupId(GenuineCoordinator.GROUP)
            .setMemberId(event.get("member").asText())
            .setGroupInstanceId(GenuineCoordinator.text(event.get("instance")))
            .setGenerationId(event.get("generation").asInt());
        c.<HeartbeatResponseData>write(() -> Release.call(c.shard, "classicGroupHeartbeat", c.context("c", 4), request), fails, (response, problem) ->
            c.answer(to, "heartbeat", problem != null ? GenuineCoordinator.error(problem) : Errors.forCode(response.errorCode())));
    }

    static void leave(GenuineCoordinator c, JsonNode event, String fails) {
        int to = c.index;
        LeaveGroupRequestData request = new LeaveGroupRequestData().setGroupId(GenuineCoordinator.GROUP);
        for (JsonNode member : event.get("members")) {
            request.members().add(new LeaveGroupRequestData.MemberIdentity()
                .setMemberId(member.get("member").asText())
                .setGroupInstanceId(GenuineCoordinator.text(member.get("instance"))));
        }
        c.<LeaveGroupResponseData>write(() -> Release.call(c.shard, "classicGroupLeave", c.context("c", 5), request), fails, (response, problem) -> {
            Errors error = problem != null ? GenuineCoordinator.error(problem) : Errors.forCode(response.errorCode());
            ArrayNode members = GenuineCoordinator.JSON.createArrayNode();
            if (error == Errors.UNKNOWN_MEMBER_ID && problem != null) {
                error = Errors.NONE;
                for (LeaveGroupRequestData.MemberIdentity member : request.members()) {
                    members.add(GenuineCoordinator.JSON.createObjectNode().put("member", member.memberId()).put("instance", member.groupInstanceId()).put("error", Errors.UNKNOWN_MEMBER_ID.name()));
                }
            } else if (problem == null) {
                for (LeaveGroupResponseData.MemberResponse member : response.members()) {
                    members.add(GenuineCoordinator.JSON.createObjectNode().put("member", member.memberId()).put("instance", member.groupInstanceId()).put("error", Errors.forCode(member.errorCode()).name()));
                }
            }
            c.answer(to, "leave", error).set("members", members);
        });
    }

    static void offsetDelete(GenuineCoordinator c, JsonNode event, String fails) {
        int to = c.index;
        List<org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic> topics = new ArrayList<>();
        event.get("partitions").fields().forEachRemaining(e -> {
            List<org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition> ps = new ArrayList<>();
            e.getValue().forEach(p -> ps.add(new org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition().setPartitionIndex(p.asInt())));
            topics.add(new org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic().setName(e.getKey()).setPartitions(ps));
        });
        var request = new org.apache.kafka.common.message.OffsetDeleteRequestData().setGroupId(GenuineCoordinator.GROUP).setTopics(
            new org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection(topics.iterator()));
        c.<org.apache.kafka.common.message.OffsetDeleteResponseData>write(() -> Release.call(c.shard, "deleteOffsets", c.context("c", 0), request), fails, (response, problem) -> {
            Set<String> errors = new TreeSet<>();
            if (problem == null) response.topics().forEach(t -> t.partitions().forEach(p -> errors.add(Errors.forCode(p.errorCode()).name())));
            ArrayNode each = c.answer(to, "offset_delete", problem != null ? GenuineCoordinator.error(problem) : Errors.forCode(response.errorCode())).putArray("errors");
            errors.forEach(each::add);
        });
    }

    static void commit(GenuineCoordinator c, JsonNode event, String fails) {
        int to = c.index;
        Map<String, OffsetCommitRequestData.OffsetCommitRequestTopic> topics = new LinkedHashMap<>();
        for (JsonNode offset : event.get("offsets")) {
            topics.computeIfAbsent(offset.get(0).asText(), name -> {
                    var topic = new OffsetCommitRequestData.OffsetCommitRequestTopic().setName(name);
                    if (Release.has(topic, "setTopicId", 1)) Release.call(topic, "setTopicId", c.image.idOfPresent(name));
                    return topic;
                })
                .partitions().add(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                    .setPartitionIndex(offset.get(1).asInt())
                    .setCommittedOffset(offset.get(2).asLong())
                    .setCommittedMetadata(""));
        }
        OffsetCommitRequestData request = new OffsetCommitRequestData()
            .setGroupId(GenuineCoordinator.GROUP)
            .setMemberId(event.get("member").asText())
            .setGroupInstanceId(GenuineCoordinator.text(event.get("instance")))
            .setGenerationIdOrMemberEpoch(event.get("generation").asInt())
            .setRetentionTimeMs(OffsetCommitRequest.DEFAULT_RETENTION_TIME)
            .setTopics(new ArrayList<>(topics.values()));
        RequestContext context = c.context("c", event.get("api_version").asInt());
        c.<OffsetCommitResponseData>write(() -> Release.call(c.shard, "commitOffset", context, request), fails, (response, problem) -> {
            if (problem != null) {
                c.answer(to, "commit", GenuineCoordinator.error(problem));
                return;
            }
            Set<Errors> errors = new HashSet<>();
            ArrayNode each = GenuineCoordinator.JSON.createArrayNode();
            response.topics().forEach(topic -> topic.partitions().forEach(partition -> {
                Errors error = Errors.forCode(partition.errorCode());
                errors.add(error);
                each.add(GenuineCoordinator.JSON.createArrayNode().add(topic.name()).add(partition.partitionIndex()).add(error.name()));
            }));
            if (errors.size() <= 1) {
                c.answer(to, "commit", errors.isEmpty() ? Errors.NONE : errors.iterator().next());
            } else {
                errors.remove(Errors.NONE);
                c.answer(to, "commit", errors.iterator().next()).set("partitions", each);
            }
        });
    }
}
