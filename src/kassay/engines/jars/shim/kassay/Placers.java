package kassay;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Placers of the controller's: where the replicas of new partitions go. */
final class Placers implements Kind {
    private static final String PLACEMENT = "org.apache.kafka.metadata.placement.";
    private static final String REFUSAL = "org.apache.kafka.common.errors.InvalidReplicationFactorException";

    private final Random random = new Random();
    private Kafka kafka;

    @Override
    public boolean has(Class<?> type) {
        return Reflected.is(type, PLACEMENT + "ReplicaPlacer");
    }

    @Override
    public Map<String, Object> hello(Class<?> type) {
        return Map.of("kind", "placer");
    }

    /** Kafka's own is given its randomness: here the same for the same request, so that every call can be repeated. */
    @Override
    public Object create(Class<?> type) throws Throwable {
        try {
            return Reflected.make(type.getConstructor(Random.class), random);
        } catch (NoSuchMethodException plain) {
            return Kind.super.create(type);
        }
    }

    @Override
    public Set<String> calls() {
        return Set.of("place");
    }

    @Override
    public Object call(String call, Object asked, Map<String, Object> request, Map<String, Object> reply)
        throws Throwable {
        if (kafka == null) {
            kafka = new Kafka();
        }
        int start = Shim.list(request.get("existing")).size();
        int count = ((Number) request.get("num_partitions")).intValue();
        List<Object> question = new ArrayList<>();
        for (String part : List.of("num_partitions", "replication_factor", "brokers", "existing")) {
            question.add(request.get(part));
        }
        random.setSeed(question.hashCode());
        short replicas = ((Number) request.get("replication_factor")).shortValue();
        try {
            Object spec = Reflected.make(kafka.newSpec, start, count, replicas);
            return plain(Reflected.call(kafka.place, asked, spec, cluster(Shim.list(request.get("brokers")))));
        } catch (Throwable thrown) {
            if (Reflected.is(thrown.getClass(), REFUSAL)) {
                reply.put("refused", true);
            }
            throw thrown;
        }
    }

    private Object cluster(List<Object> rows) throws Throwable {
        List<Object> brokers = new ArrayList<>();
        for (Object row : rows) {
            Map<String, Object> broker = Shim.map(row);
            brokers.add(Reflected.make(
                kafka.newBroker,
                ((Number) broker.get("id")).intValue(),
                Optional.ofNullable(broker.get("rack")),
                broker.get("fenced")));
        }
        Topics directories = new Topics();
        return Standing.of(kafka.describer, "cluster", Map.of(
            "usableBrokers", none -> List.copyOf(brokers).iterator(),
            "defaultDir", one -> directories.id("the directory of " + one[0])));
    }

    private Object plain(Object answer) throws Throwable {
        Object assignments = answer == null ? null : Reflected.call(kafka.assignments, answer);
        if (assignments == null) {
            return null;
        }
        List<Object> replicas = new ArrayList<>();
        for (Object partition : (Collection<?>) assignments) {
            replicas.add(partition == null ? null : Reflected.call(kafka.replicas, partition));
        }
        return replicas;
    }

    /** What is called of the interfaces of placement. */
    private static final class Kafka {
        final Class<?> spec = Class.forName(PLACEMENT + "PlacementSpec");
        final Class<?> describer = Class.forName(PLACEMENT + "ClusterDescriber");

        final Method place = Class.forName(PLACEMENT + "ReplicaPlacer").getMethod("place", spec, describer);
        final Method assignments = place.getReturnType().getMethod("assignments");
        final Method replicas = Class.forName(PLACEMENT + "PartitionAssignment").getMethod("replicas");

        final Constructor<?> newSpec = spec.getConstructor(int.class, int.class, short.class);
        final Constructor<?> newBroker = Class.forName(PLACEMENT + "UsableBroker")
            .getConstructor(int.class, Optional.class, boolean.class);

        Kafka() throws ReflectiveOperationException {
        }
    }
}
