package org.apache.kafka.coordinator.group;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;


/** ConsumerGroupHeartbeat as an event. */
final class ConsumerRequests {
    private ConsumerRequests() { }

    static void consumerHeartbeat(GenuineCoordinator c, JsonNode event, String fails) {
        int to = c.index;
        List<ConsumerGroupHeartbeatRequestData.TopicPartitions> owned = null;
        if (!event.get("owned").isNull()) {
            owned = new ArrayList<>();
            for (var it = event.get("owned").fields(); it.hasNext(); ) {
                var e = it.next();
                List<Integer> partitions = new ArrayList<>();
                e.getValue().forEach(p -> partitions.add(p.asInt()));
                owned.add(new ConsumerGroupHeartbeatRequestData.TopicPartitions().setTopicId(c.image.id(e.getKey())).setPartitions(partitions));
            }
        }
        List<String> subscribed = null;
        if (!event.get("subscribed").isNull()) {
            subscribed = new ArrayList<>();
            for (JsonNode topic : event.get("subscribed")) subscribed.add(topic.asText());
        }
        String member = event.get("member").asText();
        ConsumerGroupHeartbeatRequestData request = new ConsumerGroupHeartbeatRequestData()
            .setGroupId(GenuineCoordinator.GROUP)
            .setMemberId(member)
            .setMemberEpoch(event.get("epoch").asInt())
            .setInstanceId(GenuineCoordinator.text(event.get("instance")))
            .setRebalanceTimeoutMs(event.get("rebalance_timeout").isNull() ? -1 : event.get("rebalance_timeout").asInt())
            .setSubscribedTopicNames(subscribed)
            .setSubscribedTopicRegex(GenuineCoordinator.text(event.get("regex")))
            .setServerAssignor(GenuineCoordinator.text(event.get("assignor")))
            .setTopicPartitions(owned);
        int version = event.has("api_version") ? event.get("api_version").asInt() : member.isEmpty() ? 0 : 1;
        try {
            Service.check(c.config, request, version);
        } catch (Throwable problem) {
            c.note(problem);
            c.answer(to, "consumer_heartbeat", Errors.forException(problem));
            return;
        }
        c.<ConsumerGroupHeartbeatResponseData>write(() -> Release.call(c.shard, "consumerGroupHeartbeat", c.context("c", version), request), fails, (response, problem) -> {
            Errors error = problem != null ? GenuineCoordinator.error(problem) : Errors.forCode(response.errorCode());
            ObjectNode answer = c.answer(to, "consumer_heartbeat", error);
            if (error != Errors.NONE) return;
            answer.put("member", response.memberId()).put("epoch", response.memberEpoch()).put("interval", response.heartbeatIntervalMs());
            if (response.assignment() == null) {
                answer.putNull("assignment");
            } else {
                Map<Uuid, Collection<Integer>> tps = new HashMap<>();
                response.assignment().topicPartitions().forEach(tp -> tps.put(tp.topicId(), tp.partitions()));
                answer.set("assignment", Render.partitions(c, tps));
            }
        });
    }

    /** The checks of the service above the coordinator, on an instance of it that was never constructed. */
    static final class Service {
        private static GroupCoordinatorService service;

        private static Field field(String name) {
            try {
                Field field = GroupCoordinatorService.class.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException e) {
                return null;
            }
        }

        static Object instance(GenuineCoordinator.Config config) throws Exception {
            if (service == null) {
                Field unsafe = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
                unsafe.setAccessible(true);
                service = (GroupCoordinatorService) ((sun.misc.Unsafe) unsafe.get(null)).allocateInstance(GroupCoordinatorService.class);
            }
            Field assignors = field("consumerGroupAssignors");
            if (assignors == null) return service;
            Set<String> names = new TreeSet<>();
            config.consumerGroupAssignors().forEach(a -> names.add(a.name()));
            assignors.set(service, names);
            return service;
        }

        static void check(GenuineCoordinator.Config config, ConsumerGroupHeartbeatRequestData request, int version) throws Throwable {
            Method check = null;
            for (Method m : GroupCoordinatorService.class.getDeclaredMethods()) if (m.getName().equals("throwIfConsumerGroupHeartbeatRequestIsInvalid")) check = m;
            if (check == null) return; // 4.0: GroupMetadataManager checks by itself
            check.setAccessible(true);
            try {
                check.invoke(instance(config), request, version);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }
}
