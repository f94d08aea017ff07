package kassay;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;

/** An object of one of Kafka's interfaces that stands for what a request says. */
final class Standing implements InvocationHandler {
    /** What one method answers. */
    interface Reply {
        Object to(Object[] arguments) throws Throwable;
    }

    private static final Object[] NONE = {};

    private final Class<?> type;
    private final Object key;
    private final Map<String, Reply> replies;

    private Standing(Class<?> type, Object key, Map<String, Reply> replies) {
        this.type = type;
        this.key = key;
        this.replies = replies;
    }

    /**
     * An object whose methods, by name, reply so. Objects of one type and of equal keys are equal, and their hashes
     * are the key's: what is put into sets comes out in the same order in every run.
     */
    static Object of(Class<?> type, Object key, Map<String, Reply> replies) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Standing(type, key, replies));
    }

    @Override
    public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            switch (method.getName()) {
                case "equals":
                    return equal(arguments[0]);
                case "hashCode":
                    return key.hashCode();
                default:
                    return type.getSimpleName() + "(" + key + ")";
            }
        }
        Reply reply = replies.get(method.getName());
        if (reply == null) {
            throw new UnsupportedOperationException(
                "kassay has no answer to " + type.getSimpleName() + "." + method.getName() + "()");
        }
        return reply.to(arguments == null ? NONE : arguments);
    }

    private boolean equal(Object other) {
        if (other == null || !Proxy.isProxyClass(other.getClass())) {
            return false;
        }
        InvocationHandler handler = Proxy.getInvocationHandler(other);
        return handler instanceof Standing
            && ((Standing) handler).type == type
            && ((Standing) handler).key.equals(key);
    }
}
