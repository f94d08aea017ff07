package kassay;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A producer's partitioners. Keys and values are what a serializer left of them: bytes, also as objects. */
final class Partitioners implements Kind {
    private static final String INTERFACE = "org.apache.kafka.clients.producer.Partitioner";
    private static final String COMMON = "org.apache.kafka.common.";

    private Kafka kafka;
    private List<Object> shown;
    private Object cluster;

    @Override
    public boolean has(Class<?> type) {
        return Reflected.is(type, INTERFACE);
    }

    @Override
    public Map<String, Object> hello(Class<?> type) {
        return Map.of("kind", "partitioner");
    }

    @Override
    public Set<String> calls() {
        return Set.of("partition", "close");
    }

    @Override
    public Object call(String call, Object asked, Map<String, Object> request, Map<String, Object> reply)
        throws Throwable {
        if (kafka == null) {
            kafka = new Kafka();
        }
        if (call.equals("close")) {
            return Reflected.call(kafka.close, asked);
        }
        byte[] key = bytes(request.get("key"));
        byte[] value = bytes(request.get("value"));
        Object topic = request.get("topic");
        return Reflected.call(kafka.partition, asked, topic, key, key, value, value, cluster(request));
    }

    private static byte[] bytes(Object base64) {
        return base64 == null ? null : Base64.getDecoder().decode((String) base64);
    }

    /** What the producer knows of the topic: a partition that is not available has no leader. */
    private Object cluster(Map<String, Object> request) throws Throwable {
        List<Object> question =
            Arrays.asList(request.get("topic"), request.get("partitions"), request.get("available"));
        if (!question.equals(shown)) {
            Set<Object> available = new HashSet<>(Shim.list(request.get("available")));
            List<Object> partitions = new ArrayList<>();
            for (long p = 0; p < ((Number) request.get("partitions")).longValue(); p++) {
                Object leader = available.contains(p) ? kafka.leader : null;
                partitions.add(Reflected.make(
                    kafka.newPartitionInfo, request.get("topic"), (int) p, leader, kafka.replicas, kafka.replicas));
            }
            cluster = Reflected.make(
                kafka.newCluster, "kassay", List.of(kafka.leader), partitions, Set.of(), Set.of());
            shown = question;
        }
        return cluster;
    }

    /** What is called of the client library. */
    private static final class Kafka {
        final Class<?> clusterType = Class.forName(COMMON + "Cluster");
        final Class<?> node = Class.forName(COMMON + "Node");
        final Class<?> nodes = Array.newInstance(node, 0).getClass();
        final Class<?> partitioner = Class.forName(INTERFACE);

        final Method partition = partitioner.getMethod(
            "partition", String.class, Object.class, byte[].class, Object.class, byte[].class, clusterType);
        final Method close = partitioner.getMethod("close");
        final Constructor<?> newPartitionInfo =
            Class.forName(COMMON + "PartitionInfo").getConstructor(String.class, int.class, node, nodes, nodes);
        final Constructor<?> newCluster =
            clusterType.getConstructor(String.class, Collection.class, Collection.class, Set.class, Set.class);
        final Object leader =
            node.getConstructor(int.class, String.class, int.class).newInstance(0, "localhost", 9092);
        final Object replicas = Array.newInstance(node, 0);

        Kafka() throws ReflectiveOperationException {
        }
    }
}
