package kassay;

import java.util.Map;
import java.util.Set;

/** One kind of thing under test: which classes are of it, and how their objects are asked. */
interface Kind {
    /** Whether objects of the class are of this kind; looks the interface up by name, and links nothing. */
    boolean has(Class<?> type);

    /**
     * What hello says of the class beside what is said of every class: kind, level, extras, and supports where that
     * is more than new, drop and batch.
     */
    Map<String, Object> hello(Class<?> type);

    /** The calls that its objects have. */
    default Set<String> calls() {
        return Set.of("assign");
    }

    /** A new object of the class, not yet configured; by its public constructor without arguments. */
    default Object create(Class<?> type) throws Throwable {
        return Reflected.make(type.getDeclaredConstructor());
    }

    /** What a new object says of itself: name, protocols. It was constructed, and configured where it can be. */
    default Map<String, Object> introduction(Object asked) throws Throwable {
        return Map.of();
    }

    /**
     * Answer one of the calls of an object. What is to stand beside the answer, such as
     * "user_data", is put into the reply. Throws what the object threw.
     */
    Object call(String call, Object asked, Map<String, Object> request, Map<String, Object> reply) throws Throwable;
}
