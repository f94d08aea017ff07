package kassay;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

/** Reflection that throws what the called code threw. */
final class Reflected {
    private Reflected() {
    }

    /** The class of that name, or null where there is none on the class path; it is not initialised. */
    static Class<?> find(String name) {
        try {
            return Class.forName(name, false, Reflected.class.getClassLoader());
        } catch (ClassNotFoundException | NoClassDefFoundError missing) {
            return null;
        }
    }

    /** Whether there is a class of that name, and the type is it or below it. */
    static boolean is(Class<?> type, String name) {
        Class<?> wanted = find(name);
        return wanted != null && wanted.isAssignableFrom(type);
    }

    /** The method's value for the object; throws what the method threw. */
    static Object call(Method method, Object asked, Object... arguments) throws Throwable {
        try {
            return method.invoke(asked, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    /** A new object; throws what the constructor threw. */
    static Object make(Constructor<?> constructor, Object... arguments) throws Throwable {
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    /** The constants of an enum by name. */
    static Map<String, Object> constants(Class<?> type) {
        Map<String, Object> constants = new HashMap<>();
        for (Object constant : type.getEnumConstants()) {
            constants.put(((Enum<?>) constant).name(), constant);
        }
        return constants;
    }

    /** What an object is called that says so by the method; nothing where it says none. */
    static Map<String, Object> named(Method method, Object asked) throws Throwable {
        Map<String, Object> named = new HashMap<>();
        Object name = call(method, asked);
        if (name != null) {
            named.put("name", name);
        }
        return named;
    }

    /** The release of the client library that the class path holds, as it says; nothing where there is none. */
    static Map<String, Object> versions() {
        try {
            Class<?> info = Class.forName("org.apache.kafka.common.utils.AppInfoParser");
            return Map.of("kafka-clients", String.valueOf(info.getMethod("getVersion").invoke(null)));
        } catch (ReflectiveOperationException | LinkageError untold) {
            return Map.of();
        }
    }

    /** The constructor that takes most of these, the first of them; null where there is none. */
    static Constructor<?> longest(Class<?> type, int least, Class<?>... parameters) {
        for (int count = parameters.length; count >= least; count--) {
            Class<?>[] first = new Class<?>[count];
            System.arraycopy(parameters, 0, first, 0, count);
            try {
                return type.getConstructor(first);
            } catch (NoSuchMethodException shorter) {
                continue;
            }
        }
        return null;
    }
}
