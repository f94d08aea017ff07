package rules;

import java.util.*;
import org.apache.kafka.coordinator.group.api.streams.assignor.*;

/** Deals active tasks to the members in turn, and standbys to members of other processes. */
public class MembersInTurn implements TaskAssignor {
    @Override
    public String name() {
        return "members-in-turn";
    }

    /** How many members run each task. */
    int copies() {
        return 1;
    }

    @Override
    public GroupAssignment assign(GroupSpec group, TopologyDescriber topology) {
        List<String> members = new ArrayList<>(new TreeSet<>(group.memberIds()));
        Map<String, Map<String, Set<Integer>>> active = new HashMap<>();
        Map<String, Map<String, Set<Integer>>> standby = new HashMap<>();
        int n = 0;
        for (String subtopology : topology.subtopologies()) {
            for (int p = 0; p < topology.maxNumInputPartitions(subtopology); p++, n++) {
                Set<String> processes = new HashSet<>();
                int left = topology.isStateful(subtopology) ? group.configs().numStandbyReplicas() : 0;
                for (int m = 0; m < members.size(); m++) {
                    String member = members.get((n + m) % members.size());
                    String process = group.memberMetadata(member).processId();
                    if (m < copies()) {
                        processes.add(process);
                        give(active, member, subtopology, p);
                    } else if (left > 0 && processes.add(process)) {
                        left--;
                        give(standby, member, subtopology, p);
                    }
                }
            }
        }
        Map<String, MemberAssignment> answer = new HashMap<>();
        for (String member : members) {
            answer.put(member, new MemberAssignment(
                active.getOrDefault(member, Map.of()), standby.getOrDefault(member, Map.of())));
        }
        return new GroupAssignment(answer);
    }

    private static void give(Map<String, Map<String, Set<Integer>>> to, String member, String subtopology, int p) {
        to.computeIfAbsent(member, each -> new HashMap<>())
            .computeIfAbsent(subtopology, each -> new HashSet<>()).add(p);
    }
}

/** Lets two members run each task. */
public class TwoRunIt extends MembersInTurn {
    @Override
    int copies() {
        return 2;
    }
}
