package kassay;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Assignors of consumers (KIP-429's ConsumerPartitionAssignor, clients 2.4 and later), asked as a leader asks them. */
final class ClientAssignors implements Kind {
    private static final String INTERFACE = "org.apache.kafka.clients.consumer.ConsumerPartitionAssignor";
    private static final String COMMON = "org.apache.kafka.common.";

    /** Before an eager rebalance a client gives everything up: its subscription says that it owns nothing. */
    private final boolean eager = "eager".equals(System.getProperty("kassay.protocol"));
    private Kafka kafka;

    @Override
    public boolean has(Class<?> type) {
        return Reflected.is(type, INTERFACE);
    }

    @Override
    public Map<String, Object> hello(Class<?> type) {
        return Map.of(
            "kind", "assignor",
            "supports", List.of("new", "user_data", "on_assignment", "drop", "batch", "round"),
            "extras", List.of("replica_racks"));
    }

    @Override
    public Map<String, Object> introduction(Object asked) throws Throwable {
        Map<String, Object> introduction = Reflected.named(kafka().name, asked);
        // a client speaks the highest protocol that its assignor supports: cooperative before eager
        Set<String> protocols = new TreeSet<>();
        for (Object protocol : (Collection<?>) Reflected.call(kafka().supportedProtocols, asked)) {
            protocols.add(String.valueOf(protocol).toLowerCase(Locale.ROOT));
        }
        introduction.put("protocols", protocols);
        return introduction;
    }

    @Override
    public Set<String> calls() {
        return Set.of("user_data", "assign", "on_assignment");
    }

    @Override
    public Object call(String call, Object asked, Map<String, Object> request, Map<String, Object> reply)
        throws Throwable {
        switch (call) {
            case "user_data":
                return userData(asked, Shim.list(request.get("topics")));
            case "assign":
                return assign(asked, request, reply);
            default:
                onAssignment(asked, request);
                return null;
        }
    }

    private String userData(Object asked, List<Object> topics) throws Throwable {
        return encoded((ByteBuffer) Reflected.call(kafka().subscriptionUserData, asked, new HashSet<>(topics)));
    }

    private Object assign(Object asked, Map<String, Object> request, Map<String, Object> reply) throws Throwable {
        List<Object> members = Shim.list(request.get("members"));
        // ConsumerCoordinator puts the JoinGroup response, in its order, into a HashMap
        Map<String, Object> subscriptions = new HashMap<>();
        Set<Object> read = new HashSet<>();
        for (Object each : members) {
            Map<String, Object> member = Shim.map(each);
            read.addAll(Shim.list(member.get("topics")));
            subscriptions.put((String) member.get("id"), subscription(member));
        }
        Object cluster = kafka().cluster(Shim.map(request.get("partitions_per_topic")), read, request.get("replica_racks"));
        Object group = Reflected.make(kafka().newGroupSubscription, subscriptions);
        Object answer = Reflected.call(kafka().assign, asked, cluster, group);
        Map<?, ?> byMember = answer == null ? null : (Map<?, ?>) Reflected.call(kafka().groupAssignment, answer);
        if (byMember == null) {
            return null;
        }
        Map<String, Object> partitions = new LinkedHashMap<>();
        Map<String, Object> userData = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : byMember.entrySet()) {
            String member = String.valueOf(entry.getKey());
            Object assignment = entry.getValue();
            partitions.put(member, assignment == null ? null : kafka().pairs(assignment));
            String data = assignment == null ? null : encoded((ByteBuffer) Reflected.call(kafka().assignedData, assignment));
            if (data != null) {
                userData.put(member, data);
            }
        }
        if (!userData.isEmpty()) {
            reply.put("user_data", userData);
        }
        return partitions;
    }

    /** The member's subscription after its way over the wire. */
    private Object subscription(Map<String, Object> member) throws Throwable {
        List<Object> topics = new ArrayList<>(new LinkedHashSet<>(Shim.list(member.get("topics"))));
        int generation = ((Number) member.get("generation")).intValue();
        Object[] parts = {
            topics,
            decoded((String) member.get("user_data")),
            kafka().partitions(eager ? List.of() : Shim.list(member.get("owned"))),
            generation,
            Optional.ofNullable(member.get("rack")),
        };
        Object subscription = kafka().subscription(parts);
        Reflected.call(kafka().setGroupInstanceId, subscription, Optional.ofNullable(member.get("instance_id")));
        return subscription;
    }

    private void onAssignment(Object asked, Map<String, Object> request) throws Throwable {
        Object assignment = Reflected.make(
            kafka().newAssignment,
            kafka().partitions(Shim.list(request.get("partitions"))),
            decoded((String) request.get("user_data")));
        Object metadata = Reflected.make(
            kafka().newGroupMetadata,
            "kassay",
            ((Number) request.get("generation")).intValue(),
            request.get("member"),
            Optional.ofNullable(request.get("instance_id")));
        Reflected.call(kafka().onAssignment, asked, assignment, metadata);
    }

    private static ByteBuffer decoded(String base64) {
        return base64 == null ? null : ByteBuffer.wrap(Base64.getDecoder().decode(base64));
    }

    private static String encoded(ByteBuffer data) {
        if (data == null) {
            return null;
        }
        byte[] bytes = new byte[data.remaining()];
        data.duplicate().get(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private Kafka kafka() throws ReflectiveOperationException {
        if (kafka == null) {
            kafka = new Kafka();
        }
        return kafka;
    }

    /** What is called of the client library, whatever its release. */
    private static final class Kafka {
        final Class<?> assignor = Class.forName(INTERFACE);
        final Class<?> assignment = Class.forName(INTERFACE + "$Assignment");
        final Class<?> subscription = Class.forName(INTERFACE + "$Subscription");
        final Class<?> groupSubscription = Class.forName(INTERFACE + "$GroupSubscription");
        final Class<?> groupMetadata = Class.forName("org.apache.kafka.clients.consumer.ConsumerGroupMetadata");
        final Class<?> clusterType = Class.forName(COMMON + "Cluster");
        final Class<?> node = Class.forName(COMMON + "Node");
        final Class<?> nodes = Array.newInstance(node, 0).getClass();
        final Class<?> topicPartition = Class.forName(COMMON + "TopicPartition");
        final Class<?> partitionInfo = Class.forName(COMMON + "PartitionInfo");

        final Method name = assignor.getMethod("name");
        final Method supportedProtocols = assignor.getMethod("supportedProtocols");
        final Method subscriptionUserData = assignor.getMethod("subscriptionUserData", Set.class);
        final Method assign = assignor.getMethod("assign", clusterType, groupSubscription);
        final Method onAssignment = assignor.getMethod("onAssignment", assignment, groupMetadata);
        final Method groupAssignment = assign.getReturnType().getMethod("groupAssignment");
        final Method assigned = assignment.getMethod("partitions");
        final Method assignedData = assignment.getMethod("userData");
        final Method setGroupInstanceId = subscription.getMethod("setGroupInstanceId", Optional.class);
        final Method topic = topicPartition.getMethod("topic");
        final Method partition = topicPartition.getMethod("partition");

        final Constructor<?> newGroupSubscription = groupSubscription.getConstructor(Map.class);
        final Constructor<?> newAssignment = assignment.getConstructor(List.class, ByteBuffer.class);
        final Constructor<?> newGroupMetadata =
            groupMetadata.getConstructor(String.class, int.class, String.class, Optional.class);
        final Constructor<?> newTopicPartition = topicPartition.getConstructor(String.class, int.class);
        final Constructor<?> newNode = node.getConstructor(int.class, String.class, int.class, String.class);
        final Constructor<?> newPartitionInfo =
            partitionInfo.getConstructor(String.class, int.class, node, nodes, nodes);
        final Constructor<?> newCluster =
            clusterType.getConstructor(String.class, Collection.class, Collection.class, Set.class, Set.class);
        /** With generation and rack since 3.4, with neither before. */
        final Constructor<?> newSubscription = Reflected.longest(
            subscription, 3, List.class, ByteBuffer.class, List.class, int.class, Optional.class);

        private List<Object> asked;
        private Object cluster;

        Kafka() throws ReflectiveOperationException {
            // what is called for every partition is not to be looked at again each time
            topic.setAccessible(true);
            partition.setAccessible(true);
            newTopicPartition.setAccessible(true);
        }

        /** A subscription of as many of the parts as this release knows. */
        Object subscription(Object[] parts) throws Throwable {
            return Reflected.make(
                newSubscription, Arrays.copyOf(parts, newSubscription.getParameterCount()));
        }

        /** The partitions of these pairs. */
        List<Object> partitions(List<Object> pairs) throws Throwable {
            List<Object> partitions = new ArrayList<>(pairs.size());
            for (Object pair : pairs) {
                List<Object> parts = Shim.list(pair);
                partitions.add(Reflected.make(newTopicPartition, parts.get(0), ((Number) parts.get(1)).intValue()));
            }
            return partitions;
        }

        /** The partitions of an assignment as pairs; null where it has no list. */
        List<Object> pairs(Object assignment) throws Throwable {
            List<?> partitions = (List<?>) Reflected.call(assigned, assignment);
            if (partitions == null) {
                return null;
            }
            List<Object> pairs = new ArrayList<>(partitions.size());
            for (Object each : partitions) {
                pairs.add(each == null ? null : Arrays.asList(topic.invoke(each), partition.invoke(each)));
            }
            return pairs;
        }

        /**
         * The metadata of a leader: it holds the topics that the group reads, and no others. A rack is a node; a
         * partition whose racks are unknown lies on a node without one.
         */
        Object cluster(Map<String, Object> counts, Set<Object> read, Object racks) throws Throwable {
            List<Object> question = Arrays.asList(counts, read, racks);
            if (!question.equals(asked)) {
                cluster = newCluster(counts, read, Shim.list(racks));
                asked = question;
            }
            return cluster;
        }

        private Object newCluster(Map<String, Object> counts, Set<Object> read, List<Object> racks) throws Throwable {
            Map<List<Object>, List<Object>> held = new HashMap<>();
            for (Object each : racks) {
                List<Object> row = Shim.list(each);
                held.put(row.subList(0, 2), Shim.list(row.get(2)));
            }
            Map<Object, Object> byRack = new LinkedHashMap<>();
            List<Object> partitions = new ArrayList<>();
            for (Map.Entry<String, Object> count : counts.entrySet()) {
                for (long p = 0; read.contains(count.getKey()) && p < (Long) count.getValue(); p++) {
                    List<Object> on = held.getOrDefault(List.of(count.getKey(), p), List.of());
                    partitions.add(info(count.getKey(), (int) p, on, byRack));
                }
            }
            return Reflected.make(newCluster, "kassay", byRack.values(), partitions, Set.of(), Set.of());
        }

        private Object info(String topic, int partition, List<Object> racks, Map<Object, Object> byRack)
            throws Throwable {
            List<Object> wanted = racks.isEmpty() ? Collections.singletonList(null) : racks;
            Object replicas = Array.newInstance(node, wanted.size());
            for (int i = 0; i < wanted.size(); i++) {
                Object rack = wanted.get(i);
                if (!byRack.containsKey(rack)) {
                    byRack.put(rack, Reflected.make(newNode, byRack.size(), "host", 9092, rack));
                }
                Array.set(replicas, i, byRack.get(rack));
            }
            Object leader = Array.get(replicas, 0);
            return Reflected.make(newPartitionInfo, topic, partition, leader, replicas, replicas);
        }
    }
}
