package kassay;

import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** The ids of topics, as Kafka's Uuid: one a name, the same in every run. */
final class Topics {
    private final Constructor<?> constructor;
    private final Map<String, Object> ids = new HashMap<>();
    private final Map<Object, String> names = new HashMap<>();

    Topics() throws ReflectiveOperationException {
        constructor = Class.forName("org.apache.kafka.common.Uuid").getConstructor(long.class, long.class);
    }

    /** The id of the topic. */
    Object id(String name) throws Throwable {
        Object id = ids.get(name);
        if (id == null) {
            UUID hash = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
            id = Reflected.make(constructor, hash.getMostSignificantBits(), hash.getLeastSignificantBits());
            ids.put(name, id);
            names.put(id, name);
        }
        return id;
    }

    /** The name of the topic of that id; of an id that nobody was given, the id itself. */
    String name(Object id) {
        return names.getOrDefault(id, String.valueOf(id));
    }
}
