package kassay.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.clients.admin.StreamsGroupMemberAssignment.TaskIds;
import org.apache.kafka.clients.admin.StreamsGroupMemberDescription;
import org.apache.kafka.clients.admin.StreamsGroupSubtopologyDescription;
import org.apache.kafka.common.TopicPartition;

/** Streams groups (KIP-1071), of releases from 4.1 on. */
final class StreamsGroups {
    private StreamsGroups() {}

    /** The group, with the active tasks of each member as partitions of their source topics. */
    static void describe(Admin admin, String group, ObjectNode answer) throws ExecutionException, InterruptedException {
        StreamsGroupDescription found = admin.describeStreamsGroups(List.of(group)).all().get().get(group);
        answer.put("type", "streams").put("state", String.valueOf(found.groupState())).put("epoch", found.groupEpoch());
        if (found.coordinator() != null) answer.put("coordinator", found.coordinator().id());
        Map<String, List<String>> sources = new HashMap<>();
        for (StreamsGroupSubtopologyDescription each : found.subtopologies())
            sources.put(each.subtopologyId(), each.sourceTopics());
        ArrayNode members = answer.withArray("members");
        for (StreamsGroupMemberDescription each : found.members()) {
            List<TopicPartition> tasks = new ArrayList<>();
            for (TaskIds ids : each.assignment().activeTasks())
                for (String topic : sources.getOrDefault(ids.subtopologyId(), List.of()))
                    for (int number : ids.partitions()) tasks.add(new TopicPartition(topic, number));
            members.addObject().put("client", Helper.member(each.clientId())).set("partitions", Lines.pairs(tasks));
        }
    }

    static void delete(Admin admin, String group) throws ExecutionException, InterruptedException {
        admin.deleteStreamsGroups(List.of(group)).all().get();
    }
}
