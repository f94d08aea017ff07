package kassay;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Assignors of the broker's: of groups of the consumer protocol (KIP-848), and of share groups (KIP-932). */
final class ServerAssignors implements Kind {
    private static final String API = "org.apache.kafka.coordinator.group.api.assignor.";

    private Kafka kafka;

    @Override
    public boolean has(Class<?> type) {
        return Reflected.is(type, API + "PartitionAssignor");
    }

    @Override
    public Map<String, Object> hello(Class<?> type) {
        boolean shares = Reflected.is(type, API + "ShareGroupPartitionAssignor")
            && !Reflected.is(type, API + "ConsumerGroupPartitionAssignor");
        return Map.of(
            "kind", shares ? "share-assignor" : "server-assignor",
            "extras", shares ? List.of("replica_racks", "assignable") : List.of("replica_racks"));
    }

    @Override
    public Map<String, Object> introduction(Object asked) throws Throwable {
        return Reflected.named(kafka().name, asked);
    }

    @Override
    public Object call(String call, Object asked, Map<String, Object> request, Map<String, Object> reply)
        throws Throwable {
        Group group = new Group(request);
        Object answer = Reflected.call(kafka().assign, asked, group.spec(), group.describer());
        Map<?, ?> byMember = answer == null ? null : (Map<?, ?>) Reflected.call(kafka().members, answer);
        return byMember == null ? null : group.plain(byMember);
    }

    private Kafka kafka() throws ReflectiveOperationException {
        if (kafka == null) {
            kafka = new Kafka();
        }
        return kafka;
    }

    /** One request, as the group that an assignor is shown. */
    private final class Group {
        final Topics topics = new Topics();
        final Map<Object, Integer> counts = new HashMap<>();
        final Map<List<Object>, Set<Object>> racks = new HashMap<>();
        /** In the order of a HashMap, in which the coordinator holds them. */
        final Map<String, Object> subscriptions = new HashMap<>();
        final Map<String, Object> assignments = new HashMap<>();
        final Set<Object> read = new HashSet<>();
        final Set<List<Object>> assigned = new HashSet<>();
        final Set<List<Object>> assignable;

        Group(Map<String, Object> request) throws Throwable {
            Map<String, Object> existing = Shim.map(request.get("partitions_per_topic"));
            for (Map.Entry<String, Object> topic : existing.entrySet()) {
                counts.put(topics.id(topic.getKey()), ((Number) topic.getValue()).intValue());
            }
            for (Object each : Shim.list(request.get("replica_racks"))) {
                List<Object> row = Shim.list(each);
                racks.put(pair(row), new HashSet<>(Shim.list(row.get(2))));
            }
            for (Object each : Shim.list(request.get("members"))) {
                add(Shim.map(each), existing.keySet());
            }
            assignable = request.get("assignable") == null ? null : pairs(Shim.list(request.get("assignable")));
        }

        private void add(Map<String, Object> member, Set<String> existing) throws Throwable {
            String id = (String) member.get("id");
            Set<Object> names = new LinkedHashSet<>(Shim.list(member.get("topics")));
            Set<Object> ids = new LinkedHashSet<>();
            for (Object name : names) {
                if (existing.contains(name)) {
                    ids.add(topics.id((String) name));
                }
            }
            read.add(names);
            subscriptions.put(id, Standing.of(kafka().subscription, id, Map.of(
                "rackId", none -> Optional.ofNullable(member.get("rack")),
                "instanceId", none -> Optional.ofNullable(member.get("instance_id")),
                "subscribedTopicIds", none -> Collections.unmodifiableSet(ids))));
            Set<List<Object>> owned = pairs(Shim.list(member.get("owned")));
            assigned.addAll(owned);
            assignments.put(id, assignment(id, owned));
        }

        private Object assignment(String id, Set<List<Object>> owned) throws Throwable {
            Map<Object, Set<Integer>> byTopic = new HashMap<>();
            for (List<Object> each : owned) {
                byTopic.computeIfAbsent(each.get(0), topic -> new HashSet<>()).add((Integer) each.get(1));
            }
            byTopic.replaceAll((topic, partitions) -> Collections.unmodifiableSet(partitions));
            return Standing.of(
                kafka().assignment, id, Map.of("partitions", none -> Collections.unmodifiableMap(byTopic)));
        }

        private Set<List<Object>> pairs(List<Object> rows) throws Throwable {
            Set<List<Object>> pairs = new LinkedHashSet<>();
            for (Object row : rows) {
                pairs.add(pair(Shim.list(row)));
            }
            return pairs;
        }

        private List<Object> pair(List<Object> row) throws Throwable {
            return List.of(topics.id((String) row.get(0)), ((Number) row.get(1)).intValue());
        }

        Object spec() throws Throwable {
            Object type = kafka().subscriptionTypes.get(read.size() > 1 ? "HETEROGENEOUS" : "HOMOGENEOUS");
            Object nothing = assignment("nobody", Set.of());
            return Standing.of(kafka().spec, "group", Map.of(
                "memberIds", none -> Collections.unmodifiableSet(subscriptions.keySet()),
                "subscriptionType", none -> type,
                "isPartitionAssigned", one -> assigned.contains(List.of(one)),
                "isPartitionAssignable", one -> assignable == null || assignable.contains(List.of(one)),
                "memberSubscription", one -> subscriptionOf(one[0]),
                "memberAssignment", one -> assignments.getOrDefault(one[0], nothing)));
        }

        private Object subscriptionOf(Object id) {
            if (!subscriptions.containsKey(id)) {
                throw new IllegalArgumentException("there is no member " + id);
            }
            return subscriptions.get(id);
        }

        Object describer() {
            return Standing.of(kafka.describer, "topics", Map.of(
                "numPartitions", one -> counts.getOrDefault(one[0], -1),
                "racksForPartition", one -> Collections.unmodifiableSet(racks.getOrDefault(List.of(one), Set.of()))));
        }

        /** The answer; a member that it leaves out has nothing, as the coordinator takes it. */
        Map<String, Object> plain(Map<?, ?> byMember) throws Throwable {
            Map<String, Object> plain = new LinkedHashMap<>();
            for (String id : subscriptions.keySet()) {
                plain.put(id, List.of());
            }
            for (Map.Entry<?, ?> entry : byMember.entrySet()) {
                Object assignment = entry.getValue();
                plain.put(String.valueOf(entry.getKey()), assignment == null ? List.of() : rows(assignment));
            }
            return plain;
        }

        /** The assignment as pairs; null where it has no map, which the coordinator does not take. */
        private List<Object> rows(Object assignment) throws Throwable {
            Map<?, ?> byTopic = (Map<?, ?>) Reflected.call(kafka().partitions, assignment);
            if (byTopic == null) {
                return null;
            }
            List<Object> rows = new ArrayList<>();
            for (Map.Entry<?, ?> topic : byTopic.entrySet()) {
                // a set of Kafka's has no order that could mean anything
                for (Object partition : new TreeSet<>((Collection<?>) topic.getValue())) {
                    rows.add(List.of(topics.name(topic.getKey()), partition));
                }
            }
            return rows;
        }
    }

    /** What is called of the group coordinator's interfaces. */
    private static final class Kafka {
        final Class<?> assignor = Class.forName(API + "PartitionAssignor");
        final Class<?> spec = Class.forName(API + "GroupSpec");
        final Class<?> subscription = Class.forName(API + "MemberSubscription");
        final Class<?> assignment = Class.forName(API + "MemberAssignment");
        final Class<?> describer = Class.forName(API + "SubscribedTopicDescriber");

        final Method name = assignor.getMethod("name");
        final Method assign = assignor.getMethod("assign", spec, describer);
        final Method members = assign.getReturnType().getMethod("members");
        final Method partitions = assignment.getMethod("partitions");
        final Map<String, Object> subscriptionTypes =
            Reflected.constants(Class.forName(API + "SubscriptionType"));

        Kafka() throws ReflectiveOperationException {
        }
    }
}
