package kassay;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What an assignor of Connect remembers: its fields of numbers, of names, and of connectors and tasks. */
final class Memory {
    private final Object assignor;
    private final ConnectAssignors.Kafka kafka;
    private final List<Field> fields = new ArrayList<>();

    Memory(Object assignor, ConnectAssignors.Kafka kafka) {
        this.assignor = assignor;
        this.kafka = kafka;
        for (Class<?> each = assignor.getClass(); each != Object.class; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && remembers(field)) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
    }

    /** Whether the field changes from one rebalance to the next. */
    private boolean remembers(Field field) {
        Class<?> type = field.getType();
        // what is final may be a set that changes, but no number that does
        boolean number = type.isPrimitive() && !Modifier.isFinal(field.getModifiers());
        return number || type == Set.class || type == kafka.workType;
    }

    /** What is remembered now, by field. */
    Map<String, Object> kept() throws Throwable {
        Map<String, Object> kept = new LinkedHashMap<>();
        for (Field field : fields) {
            Object value = field.get(assignor);
            if (value instanceof Set) {
                value = new ArrayList<>((Set<?>) value);
            } else if (field.getType() == kafka.workType) {
                value = ConnectAssignors.Kafka.plain(
                    (Collection<?>) Reflected.call(kafka.connectors, value),
                    (Collection<?>) Reflected.call(kafka.tasks, value));
            }
            kept.put(field.getName(), value);
        }
        return kept;
    }

    /** Remember what was kept; nothing where that is empty: a new leader begins with nothing. */
    void restore(Map<String, Object> kept) throws Throwable {
        for (Field field : fields) {
            if (!kept.containsKey(field.getName())) {
                continue;
            }
            Object value = kept.get(field.getName());
            if (field.getType() == int.class) {
                field.setInt(assignor, ((Long) value).intValue());
            } else if (field.getType() == Set.class) {
                field.set(assignor, new LinkedHashSet<>(Shim.list(value)));
            } else if (field.getType() == kafka.workType) {
                field.set(assignor, kafka.work(Shim.map(value)));
            } else {
                field.set(assignor, value);
            }
        }
    }
}
