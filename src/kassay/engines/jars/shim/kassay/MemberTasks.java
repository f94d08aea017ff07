package kassay;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Assignors of Streams tasks to the members of a group (KIP-1357). */
final class MemberTasks implements Kind {
    private static final String API = "org.apache.kafka.coordinator.group.api.streams.assignor.";

    private Kafka kafka;

    @Override
    public boolean has(Class<?> type) {
        return Reflected.is(type, API + "TaskAssignor");
    }

    @Override
    public Map<String, Object> hello(Class<?> type) {
        return Map.of("kind", "task-assignor", "level", "member");
    }

    @Override
    public Map<String, Object> introduction(Object asked) throws Throwable {
        return Reflected.named(kafka().name, asked);
    }

    @Override
    public Object call(String call, Object asked, Map<String, Object> request, Map<String, Object> reply)
        throws Throwable {
        Map<String, Object> document = Shim.map(request.get("group"));
        Map<String, Object> members = new HashMap<>();
        for (Object each : Shim.list(document.get("members"))) {
            members.put((String) Shim.map(each).get("id"), each);
        }
        Object answer = Reflected.call(kafka().assign, asked, group(document, members), topology(document));
        Map<?, ?> byMember = answer == null ? null : (Map<?, ?>) Reflected.call(kafka.members, answer);
        if (byMember == null) {
            return null;
        }
        Map<String, Object> plain = new LinkedHashMap<>();
        for (String member : members.keySet()) {
            plain.put(member, Map.of());  // who is left out has nothing, as the coordinator takes it
        }
        for (Map.Entry<?, ?> entry : byMember.entrySet()) {
            Map<String, Object> given = new LinkedHashMap<>();
            if (entry.getValue() != null) {
                given.put("active", texts(Reflected.call(kafka.active, entry.getValue())));
                given.put("standby", texts(Reflected.call(kafka.standby, entry.getValue())));
            }
            plain.put(String.valueOf(entry.getKey()), given);
        }
        return plain;
    }

    private Object group(Map<String, Object> document, Map<String, Object> members) {
        Object configs = Standing.of(kafka.configs, "configs", Map.of(
            "numStandbyReplicas", none -> ((Long) document.get("num_standby_replicas")).intValue(),
            "rackAwareAssignmentTags", none -> Shim.list(document.get("rack_aware_assignment_tags"))));
        return Standing.of(kafka.spec, "group", Map.of(
            "memberIds", none -> Collections.unmodifiableSet(members.keySet()),
            "memberMetadata", one -> metadata(member(members, one[0])),
            "memberAssignmentState", one -> state(member(members, one[0])),
            "configs", none -> configs));
    }

    private static Map<String, Object> member(Map<String, Object> members, Object id) {
        if (!members.containsKey(id)) {
            throw new IllegalArgumentException("there is no member " + id);
        }
        return Shim.map(members.get(id));
    }

    private Object metadata(Map<String, Object> member) {
        return Standing.of(kafka.metadata, member.get("id"), Map.of(
            "instanceId", none -> Optional.ofNullable(member.get("instance_id")),
            "rackId", none -> Optional.ofNullable(member.get("rack")),
            "processId", none -> member.get("process_id"),
            "clientTags", none -> Collections.unmodifiableMap(Shim.map(member.get("client_tags")))));
    }

    private Object state(Map<String, Object> member) {
        return Standing.of(kafka.state, member.get("id"), Map.of(
            "activeTasks", none -> bySubtopology(member.get("active")),
            "standbyTasks", none -> bySubtopology(member.get("standby")),
            "warmupTasks", none -> bySubtopology(member.get("warmup")),
            "taskOffsets", none -> offsets(member.get("task_offsets")),
            "taskEndOffsets", none -> offsets(member.get("task_end_offsets"))));
    }

    private static Map<String, Set<Integer>> bySubtopology(Object texts) {
        Map<String, Set<Integer>> tasks = new HashMap<>();
        for (Object text : Shim.list(texts)) {
            String task = (String) text;
            tasks.computeIfAbsent(subtopology(task), each -> new HashSet<>()).add(partition(task));
        }
        return tasks;
    }

    private static Map<String, Map<Integer, Long>> offsets(Object byTask) {
        Map<String, Map<Integer, Long>> offsets = new HashMap<>();
        for (Map.Entry<String, Object> entry : Shim.map(byTask).entrySet()) {
            String task = entry.getKey();
            offsets.computeIfAbsent(subtopology(task), each -> new HashMap<>())
                .put(partition(task), (Long) entry.getValue());
        }
        return offsets;
    }

    private static String subtopology(String task) {
        return task.substring(0, task.lastIndexOf('_'));
    }

    private static int partition(String task) {
        return Integer.parseInt(task.substring(task.lastIndexOf('_') + 1));
    }

    private Object topology(Map<String, Object> document) {
        Map<String, Map<String, Object>> subtopologies = new LinkedHashMap<>();
        for (Object each : Shim.list(document.get("subtopologies"))) {
            subtopologies.put((String) Shim.map(each).get("id"), Shim.map(each));
        }
        return Standing.of(kafka.topology, "topology", Map.of(
            "subtopologies", none -> List.copyOf(subtopologies.keySet()),
            "maxNumInputPartitions", one -> ((Long) of(subtopologies, one[0]).get("partitions")).intValue(),
            "isStateful", one -> of(subtopologies, one[0]).get("stateful")));
    }

    private static Map<String, Object> of(Map<String, Map<String, Object>> subtopologies, Object id) {
        if (!subtopologies.containsKey(id)) {
            throw new NoSuchElementException("there is no subtopology " + id);
        }
        return subtopologies.get(id);
    }

    /** Tasks as texts; a set of Kafka's has no order that could mean anything. */
    private static List<Object> texts(Object tasks) {
        List<Object> texts = new ArrayList<>();
        if (tasks != null) {
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) tasks).entrySet()) {
                for (Object partition : new TreeSet<>((Collection<?>) entry.getValue())) {
                    texts.add(entry.getKey() + "_" + partition);
                }
            }
        }
        return texts;
    }

    private Kafka kafka() throws ReflectiveOperationException {
        if (kafka == null) {
            kafka = new Kafka();
        }
        return kafka;
    }

    /** What is called of the group coordinator's interfaces. */
    private static final class Kafka {
        final Class<?> assignor = Class.forName(API + "TaskAssignor");
        final Class<?> spec = Class.forName(API + "GroupSpec");
        final Class<?> topology = Class.forName(API + "TopologyDescriber");
        final Class<?> configs = Class.forName(API + "AssignmentConfigs");
        final Class<?> metadata = Class.forName(API + "MemberAssignmentMetadata");
        final Class<?> state = Class.forName(API + "MemberAssignmentState");
        final Class<?> assignment = Class.forName(API + "MemberAssignment");

        final Method name = assignor.getMethod("name");
        final Method assign = assignor.getMethod("assign", spec, topology);
        final Method members = assign.getReturnType().getMethod("members");
        final Method active = assignment.getMethod("activeTasks");
        final Method standby = assignment.getMethod("standbyTasks");

        Kafka() throws ReflectiveOperationException {
        }
    }
}
