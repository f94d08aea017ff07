package kassay;

import java.util.Map;

/** One kind of thing under test: which classes are of it, and how their objects are asked. */
interface Kind {
    /** Whether objects of the class are of this kind; looks the interface up by name, and links nothing. */
    boolean has(Class<?> type);

    /**
     * What hello says of the class beside what is said of every class: kind, level, extras, versions, and supports
     * where that is more than new, drop and batch. The map is the caller's to change.
     */
    Map<String, Object> hello(Class<?> type) throws Throwable;

    /** A new object of the class, not yet configured; by its public constructor without arguments. */
    default Object create(Class<?> type) throws Throwable {
        return Reflected.make(type.getDeclaredConstructor());
    }

    /** What a new object says of itself: name, protocols. It was constructed, and configured where it can be. */
    Map<String, Object> introduction(Object asked) throws Throwable;

    /**
     * Answer one call of an object: "assign", "user_data", ... What is to stand beside the answer, such as
     * "user_data", is put into the reply. Throws what the object threw.
     */
    Object call(String call, Object asked, Map<String, Object> request, Map<String, Object> reply) throws Throwable;
}
