package kassay;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The two assignors of Kafka Connect. There is an interface above them, but a worker lets nobody bring another. A
 * new one is made for every call: what it remembers is in the request, and goes out with the answer.
 */
final class ConnectAssignors implements Kind {
    private static final String RUNTIME = "org.apache.kafka.connect.runtime.distributed.";
    private static final String EAGER = RUNTIME + "EagerAssignor";
    private static final String INCREMENTAL = RUNTIME + "IncrementalCooperativeAssignor";

    private Kafka kafka;

    @Override
    public boolean has(Class<?> type) {
        return Reflected.is(type, RUNTIME + "ConnectAssignor");
    }

    @Override
    public Map<String, Object> hello(Class<?> type) {
        return Map.of("kind", "connect-assignor", "protocol", Reflected.is(type, EAGER) ? "eager" : "cooperative");
    }

    /** The class itself, of which each call has an object of its own. */
    @Override
    public Object create(Class<?> type) {
        if (!Reflected.is(type, EAGER) && !Reflected.is(type, INCREMENTAL)) {
            throw new IllegalArgumentException(
                type.getName() + ": expected EagerAssignor or IncrementalCooperativeAssignor, the two that Connect has");
        }
        return type;
    }

    @Override
    public Object call(String call, Object asked, Map<String, Object> request, Map<String, Object> reply)
        throws Throwable {
        if (kafka == null) {
            kafka = new Kafka();
        }
        Map<String, Object> cluster = Shim.map(request.get("cluster"));
        Class<?> type = (Class<?>) asked;
        return Reflected.is(type, EAGER) ? eager(type, cluster) : incremental(type, cluster);
    }

    private Map<String, Object> incremental(Class<?> type, Map<String, Object> cluster) throws Throwable {
        Map<String, Object> workers = new HashMap<>();
        for (Object each : Shim.list(cluster.get("workers"))) {
            Map<String, Object> worker = Shim.map(each);
            workers.put((String) worker.get("id"), kafka.work(Shim.map(worker.get("running"))));
        }
        Object assignor = kafka.assignor(type, cluster);
        Memory memory = new Memory(assignor, kafka);
        memory.restore(Shim.map(cluster.get("memory")));
        Object answer = Reflected.call(
            Kafka.method(type, "performTaskAssignment", kafka.configState, int.class, int.class, Map.class),
            assignor,
            kafka.configs(cluster),
            ((Long) cluster.get("last_completed_generation")).intValue(),
            ((Long) cluster.get("generation")).intValue(),
            workers);
        Map<String, Object> changes = new LinkedHashMap<>();
        for (String id : workers.keySet()) {
            Map<String, Object> assigned = Kafka.plain(of(answer, "newlyAssignedConnectors", id), of(answer, "newlyAssignedTasks", id));
            Map<String, Object> revoked = Kafka.plain(of(answer, "newlyRevokedConnectors", id), of(answer, "newlyRevokedTasks", id));
            changes.put(id, change(assigned, revoked));
        }
        Field delay = Kafka.field(type, "delay");
        return answer(changes, delay.getInt(assignor), memory.kept());
    }

    private static Collection<?> of(Object answer, String what, String worker) throws Throwable {
        return (Collection<?>) Reflected.call(Kafka.method(answer.getClass(), what, String.class), answer, worker);
    }

    private Map<String, Object> eager(Class<?> type, Map<String, Object> cluster) throws Throwable {
        Map<String, Object> workers = new HashMap<>();
        String leader = null;
        for (Object each : Shim.list(cluster.get("workers"))) {
            String id = (String) Shim.map(each).get("id");
            leader = leader == null ? id : leader;
            workers.put(id, Reflected.make(kafka.newWorkerState, "http://" + id, 1L, null));
        }
        Map<?, ?> answer = (Map<?, ?>) Reflected.call(
            Kafka.method(type, "performTaskAssignment", String.class, long.class, Map.class, kafka.coordinator),
            kafka.assignor(type, cluster),
            leader,
            1L,
            workers,
            kafka.coordinator(cluster));
        Map<String, Object> changes = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : answer.entrySet()) {
            Object assignment = Reflected.call(kafka.deserialize, null, (ByteBuffer) entry.getValue());
            Collection<?> connectors = (Collection<?>) Reflected.call(kafka.assignedConnectors, assignment);
            Collection<?> tasks = (Collection<?>) Reflected.call(kafka.assignedTasks, assignment);
            changes.put(String.valueOf(entry.getKey()), change(Kafka.plain(connectors, tasks), Map.of()));
        }
        return answer(changes, 0, null);
    }

    private static Map<String, Object> change(Map<String, Object> assigned, Map<String, Object> revoked) {
        Map<String, Object> change = new LinkedHashMap<>();
        change.put("assigned", assigned);
        change.put("revoked", revoked);
        return change;
    }

    private static Map<String, Object> answer(Map<String, Object> changes, int delay, Object memory) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("workers", changes);
        answer.put("delay_ms", delay);
        answer.put("memory", memory);
        return answer;
    }

    /** What is called of Connect's runtime; some of it is not public there. */
    static final class Kafka {
        final Class<?> configState = Class.forName("org.apache.kafka.connect.storage.ClusterConfigState");
        final Class<?> coordinator = Class.forName(RUNTIME + "WorkerCoordinator");
        final Class<?> workType = Class.forName(RUNTIME + "WorkerCoordinator$ConnectorsAndTasks");
        final Class<?> builder = Class.forName(RUNTIME + "WorkerCoordinator$ConnectorsAndTasks$Builder");
        final Class<?> workerState = Class.forName(RUNTIME + "ExtendedWorkerState");
        final Class<?> protocol = Class.forName(RUNTIME + "ConnectProtocol");

        final Constructor<?> newTask = Class.forName("org.apache.kafka.connect.util.ConnectorTaskId")
            .getConstructor(String.class, int.class);
        final Constructor<?> newWorkerState = workerState
            .getConstructor(String.class, long.class, Class.forName(RUNTIME + "ExtendedAssignment"));
        final Method with = method(builder, "with", Collection.class, Collection.class);
        final Method build = method(builder, "build");
        final Method connectors = method(workType, "connectors");
        final Method tasks = method(workType, "tasks");
        final Method deserialize = method(protocol, "deserializeAssignment", ByteBuffer.class);
        final Method assignedConnectors = method(deserialize.getReturnType(), "connectors");
        final Method assignedTasks = method(deserialize.getReturnType(), "tasks");

        Kafka() throws ReflectiveOperationException {
        }

        /** The method, of this class or one above it, public or not. */
        static Method method(Class<?> type, String name, Class<?>... parameters) throws NoSuchMethodException {
            for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                try {
                    Method method = each.getDeclaredMethod(name, parameters);
                    method.setAccessible(true);
                    return method;
                } catch (NoSuchMethodException above) {
                    continue;
                }
            }
            throw new NoSuchMethodException(type.getName() + "." + name);
        }

        /** The field, of this class or one above it, public or not. */
        static Field field(Class<?> type, String name) throws NoSuchFieldException {
            for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                for (Field field : each.getDeclaredFields()) {
                    if (field.getName().equals(name)) {
                        field.setAccessible(true);
                        return field;
                    }
                }
            }
            throw new NoSuchFieldException(type.getName() + "." + name);
        }

        /** A new assignor with the clock and the longest delay of the cluster. */
        Object assignor(Class<?> type, Map<String, Object> cluster) throws Throwable {
            Constructor<?> constructor = type.getConstructors()[0];
            List<Object> arguments = new ArrayList<>();
            for (Class<?> parameter : constructor.getParameterTypes()) {
                if (parameter == int.class) {
                    arguments.add(((Long) cluster.get("max_delay_ms")).intValue());
                } else if (parameter.isInterface()) {
                    Object now = cluster.get("now_ms");
                    arguments.add(Standing.of(parameter, "clock", Map.of("milliseconds", none -> now)));
                } else {
                    arguments.add(Reflected.make(parameter.getConstructor()));
                }
            }
            return Reflected.make(constructor, arguments.toArray());
        }

        /** What is configured, as the leader's snapshot of it. */
        Object configs(Map<String, Object> cluster) throws Throwable {
            Map<String, Integer> counts = new HashMap<>();
            Map<String, Map<String, String>> configs = new HashMap<>();
            for (Object each : Shim.list(cluster.get("connectors"))) {
                Map<String, Object> connector = Shim.map(each);
                counts.put((String) connector.get("name"), ((Long) connector.get("tasks")).intValue());
                configs.put((String) connector.get("name"), Map.of());
            }
            Constructor<?> shortest = null;
            for (Constructor<?> each : configState.getConstructors()) {
                if (shortest == null || each.getParameterCount() < shortest.getParameterCount()) {
                    shortest = each;
                }
            }
            // counts and configurations are the first maps of it in every release
            List<Object> maps = new ArrayList<>(List.of(counts, configs));
            List<Object> arguments = new ArrayList<>();
            for (Class<?> parameter : shortest.getParameterTypes()) {
                if (parameter == Map.class) {
                    arguments.add(maps.isEmpty() ? Map.of() : maps.remove(0));
                } else {
                    arguments.add(parameter == long.class ? (Object) 1L : parameter == Set.class ? Set.of() : null);
                }
            }
            return Reflected.make(shortest, arguments.toArray());
        }

        /** A coordinator that knows what is configured and nothing else: its constructor would want a network. */
        Object coordinator(Map<String, Object> cluster) throws Throwable {
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Object instance = field(unsafe, "theUnsafe").get(null);
            Object made = Reflected.call(unsafe.getMethod("allocateInstance", Class.class), instance, coordinator);
            field(coordinator, "configSnapshot").set(made, configs(cluster));
            return made;
        }

        /** Connectors and tasks of a document. */
        Object work(Map<String, Object> document) throws Throwable {
            List<Object> ids = new ArrayList<>();
            for (Object each : Shim.list(document.get("tasks"))) {
                String task = (String) each;
                int end = task.lastIndexOf('-');
                ids.add(Reflected.make(newTask, task.substring(0, end), Integer.parseInt(task.substring(end + 1))));
            }
            Object fresh = Reflected.make(builder.getConstructor());
            Reflected.call(with, fresh, Shim.list(document.get("connectors")), ids);
            return Reflected.call(build, fresh);
        }

        /** Connectors and tasks as a document. */
        static Map<String, Object> plain(Collection<?> connectors, Collection<?> tasks) {
            List<String> texts = new ArrayList<>();
            for (Object task : tasks) {
                texts.add(String.valueOf(task));
            }
            Map<String, Object> plain = new LinkedHashMap<>();
            plain.put("connectors", new ArrayList<>(connectors));
            plain.put("tasks", texts);
            return plain;
        }
    }
}
