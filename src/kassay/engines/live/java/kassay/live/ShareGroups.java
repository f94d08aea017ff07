package kassay.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.admin.ShareMemberDescription;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** Share groups (KIP-932), of releases from 4.1 on. */
final class ShareGroups {
    private static final String RESET = "share.auto.offset.reset";

    private ShareGroups() {}

    /** The group; it is stable once every member has the epoch of the assignment, which is the group's. */
    static void describe(Admin admin, String group, ObjectNode answer) throws ExecutionException, InterruptedException {
        ShareGroupDescription found = admin.describeShareGroups(List.of(group)).all().get().get(group);
        boolean late = found.groupEpoch() != found.targetAssignmentEpoch();
        ArrayNode members = answer.withArray("members");
        for (ShareMemberDescription each : found.members()) {
            late |= each.memberEpoch() != found.targetAssignmentEpoch();
            members.addObject().put("client", each.clientId())
                .set("partitions", Lines.pairs(each.assignment().topicPartitions()));
        }
        String state = late && !found.members().isEmpty() ? "Reconciling" : String.valueOf(found.groupState());
        answer.put("type", "share").put("state", state).put("epoch", found.groupEpoch());
        if (found.coordinator() != null) answer.put("coordinator", found.coordinator().id());
    }

    /** The first offset of each partition that the group has not done with. */
    static void starts(Admin admin, String group, ArrayNode all) throws ExecutionException, InterruptedException {
        ListShareGroupOffsetsSpec every = new ListShareGroupOffsetsSpec();
        Map<TopicPartition, ?> found = admin.listShareGroupOffsets(Map.of(group, every)).all().get().get(group);
        found.forEach((p, info) -> {
            if (info != null) all.addArray().add(p.topic()).add(p.partition()).add(startOf(info));
        });
    }

    /** 4.1 has another class for it than later releases. */
    private static long startOf(Object info) {
        if (info instanceof OffsetAndMetadata offset) return offset.offset();
        return ((SharePartitionOffsetInfo) info).startOffset();
    }

    /** Lets the group begin with the first records, which is a setting of groups. */
    static void prepare(Admin admin, String group) throws ExecutionException, InterruptedException {
        set(admin, group, AlterConfigOp.OpType.SET);
    }

    static void delete(Admin admin, String group) throws ExecutionException, InterruptedException {
        set(admin, group, AlterConfigOp.OpType.DELETE);
        admin.deleteShareGroups(List.of(group)).all().get();
    }

    private static void set(Admin admin, String group, AlterConfigOp.OpType how)
            throws ExecutionException, InterruptedException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.GROUP, group);
        AlterConfigOp change = new AlterConfigOp(new ConfigEntry(RESET, "earliest"), how);
        admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all().get();
    }
}
